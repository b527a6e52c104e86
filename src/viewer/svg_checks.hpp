// What tests ask of every picture: XML that parses, and no number that is none.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace geotherm {

inline std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

inline bool contains(const std::string& text, std::string_view part) {
  return count(text, part) > 0;
}

// Tags nest, attributes are quoted, every & starts a reference: enough of XML to catch what names
// could break. Gives the first fault, or nothing.
inline std::string fault_in_xml(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const std::string reference = xml.substr(at, xml.find(';', at) - at + 1);
      static const std::set<std::string> known = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
      if (!known.contains(reference)) return "bare & at " + std::to_string(at);
    }
    if (static_cast<unsigned char>(xml[at]) < 0x20 && xml[at] != '\n') return "control character";
    if (xml[at] == '>') return "bare > at " + std::to_string(at);
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return "tag does not end";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (contains(tag, "<")) return "tag inside a tag: " + tag;
    if (count(tag, "\"") % 2 != 0) return "odd number of quotes: " + tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "closes what is not open: " + tag;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "left open: " + open.back();
}

inline void expect_sound(const std::string& svg) {
  EXPECT_EQ(fault_in_xml(svg), "");
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_FALSE(contains(svg, "nan"));
  EXPECT_FALSE(contains(svg, "inf"));
}

}  // namespace geotherm
