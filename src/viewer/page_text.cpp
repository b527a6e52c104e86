#include "viewer/page_text.hpp"

#include <charconv>
#include <cmath>

#include "core/utf8.hpp"
#include "viewer/deflate.hpp"

namespace geotherm::detail {
namespace {

void append_escape(std::string& out, std::uint32_t code) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[(code >> shift) & 0xF];
}

bool is_risky(std::uint32_t code) {
  return code < 0x20 || code == 0x7F || code == '<' || code == '>' || code == '&' ||
         code == 0x2028 || code == 0x2029;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = static_cast<std::uint32_t>(bytes[i]) << 16;
    if (i + 1 < bytes.size()) three |= static_cast<std::uint32_t>(bytes[i + 1]) << 8;
    if (i + 2 < bytes.size()) three |= bytes[i + 2];
    out += letters[three >> 18];
    out += letters[(three >> 12) & 63];
    out += i + 1 < bytes.size() ? letters[(three >> 6) & 63] : '=';
    out += i + 2 < bytes.size() ? letters[three & 63] : '=';
  }
  return out;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = next_code_point(text, at);
    if (code == '"' || code == '\\') {
      out += '\\';
      out += static_cast<char>(code);
    } else if (is_risky(code)) {
      append_escape(out, code);
    } else {
      append_utf8(out, code);
    }
  }
  return out + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

std::string json_numbers(std::span<const double> values) {
  std::string out = "[";
  for (const double value : values) {
    if (out.size() > 1) out += ',';
    out += json_number(value);
  }
  return out + ']';
}

std::string json_in_script(std::string_view json) {
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const std::uint32_t code = next_code_point(json, at);
    const bool is_space = code == '\n' || code == '\r' || code == '\t';  // between tokens
    if (is_risky(code) && !is_space) {
      append_escape(out, code);
    } else {
      append_utf8(out, code);
    }
  }
  return out;
}

std::string packed(std::span<const std::uint8_t> bytes) {
  const std::string small =
      deflated({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 6);
  return base64({reinterpret_cast<const std::uint8_t*>(small.data()), small.size()});
}

std::string PageBlocks::add_bytes(std::span<const std::uint8_t> bytes, std::string_view type,
                                  std::size_t length) {
  const std::string number = std::to_string(n_blocks_++);
  elements_ += "<script type=\"application/octet-stream\" id=\"block-" + number + "\">";
  elements_ += packed(bytes);
  elements_ += "</script>\n";
  return "{\"block\":" + number + ",\"type\":\"" + std::string(type) +
         "\",\"length\":" + std::to_string(length) + "}";
}

std::string PageBlocks::add_lines(std::span<const std::string> lines) {
  std::vector<std::uint8_t> bytes;
  for (const std::string& line : lines) {
    if (!bytes.empty() || &line != lines.data()) bytes.push_back('\n');
    for (std::size_t at = 0; at < line.size();) {
      const std::uint32_t code = next_code_point(line, at);
      std::string one;
      append_utf8(one, code == '\n' ? ' ' : code);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
  }
  return add_bytes(bytes, "text", lines.size());
}

}  // namespace geotherm::detail
