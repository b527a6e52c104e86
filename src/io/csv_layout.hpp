// How a delimited file is laid out. In: its text. Out: separator, header, row names, and where the
// numbers start; every decision is also put into words for the user.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv_cells.hpp"

namespace geotherm::detail {

struct CsvLayout {
  NumberFormat numbers;
  char separator = ',';
  bool has_header = false;
  bool has_names = false;
  bool names_are_guessed = false;  ///< only from the first data row being text
  bool is_r_style = false;         ///< the header lacks a cell for the row names
  std::size_t n_cells = 0;         ///< in each data row, the row name included
  std::size_t data_offset = 0;     ///< characters before the first data row
  std::size_t first_data_line = 1;
  std::size_t reference_line = 1;  ///< the line that set n_cells, for messages
  std::size_t n_cells_of_reference = 0;
  std::vector<std::string> column_names;
  std::string in_words;
};

/// `text` is not empty and its last line is not blank.
CsvLayout find_csv_layout(std::string_view text, const std::string& ending, const std::string& path,
                          const NumberFormat& numbers = {});

/// A name that columns of row numbers have: id, cell_id, index, barcode, Unnamed: 0.
bool is_name_of_ids(std::string name);
/// For each cell of a record: whether the first rows hold whole numbers there that ascend.
std::vector<bool> ascending_columns(std::string_view data, const CsvLayout& layout,
                                    const std::string& path);

/// "comma-separated" and so on.
std::string words_for_separator(char separator);

}  // namespace geotherm::detail
