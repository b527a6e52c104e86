// Which columns of a delimited file are numbers, which one labels, which none of it. In: the
// layout, the first rows and what the user asked for. Out: a role a column, in words too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/observations.hpp"
#include "io/csv_layout.hpp"

namespace geotherm::detail {

struct CsvColumns {
  static constexpr std::ptrdiff_t kSkipped = -1, kLabel = -2;

  std::vector<std::ptrdiff_t>
      roles;  ///< of each cell but the row name: place among the values, or above
  std::size_t n_values = 0;
  bool are_all_values = true;     ///< and in the file's order
  bool label_is_guessed = false;  ///< the label column was recognised by its first rows
  std::string label;              ///< name of the label column; empty: none
  std::vector<std::string> names;
  std::string in_words;
};

/// Without a word from the user, columns whose first rows are all text are kept out, and the first
/// of them is taken for labels; that needs a header.
CsvColumns choose_csv_columns(std::string_view text, const CsvLayout& layout,
                              const ReadOptions& options, const std::string& path);

/// Numbers where every cell is one and some are not whole; else text.
Column column_of_cells(const std::string& name, std::vector<std::string> cells);

}  // namespace geotherm::detail
