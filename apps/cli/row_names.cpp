#include "row_names.hpp"

#include <fmt/core.h>

#include <charconv>
#include <unordered_map>

#include "geotherm/spelling.hpp"

namespace geotherm::cli {

std::vector<Index> rows_named(const std::string& option, const std::vector<std::string>& words,
                              const std::vector<std::string>& row_names, std::size_t n_rows) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = row_names.size(); i-- > 0;) place[row_names[i]] = i;
  std::vector<Index> rows;
  std::vector<std::string> complaints;
  for (const std::string& word : words) {
    if (const auto found = place.find(word); found != place.end()) {
      rows.push_back(static_cast<Index>(found->second));
      continue;
    }
    long long number = 0;
    const char* const end = word.data() + word.size();
    const auto [next, error] = std::from_chars(word.data(), end, number);
    const bool is_number = error == std::errc{} && next == end;
    if (is_number && number >= 0 && static_cast<std::size_t>(number) < n_rows) {
      rows.push_back(static_cast<Index>(number));
    } else if (is_number) {
      complaints.push_back(
          fmt::format("{} has {}: the input has rows 0 to {}", option, word, n_rows - 1));
    } else {
      complaints.push_back(
          fmt::format("{} has '{}': {}", option, word,
                      row_names.empty() ? "rows have no names here: give a number, counted from 0"
                                        : "no row has that name" + did_you_mean(word, row_names)));
    }
  }
  refuse_if_any(complaints);
  return rows;
}

}  // namespace geotherm::cli
