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

/// Whether columns of row numbers have such a name: certain (id, cell_id, barcode, Unnamed: 0), or
/// possible where nothing speaks against it (index, row, cell, event).
enum class NameOfIds { none, possible, certain };
NameOfIds name_of_ids(std::string_view name);
/// A name that columns of groups have: label, cluster, leiden, cell_type.
bool is_name_of_labels(std::string_view name);

/// Of a cell of every record, in the first rows.
struct WholeNumbers {
  bool are_all = false;
  bool ascend = false;
  bool differ = false;
};
std::vector<WholeNumbers> whole_numbers(std::string_view data, const CsvLayout& layout,
                                        const std::string& path);

/// Whether a column numbers its rows: in their order, or shuffled under a name that leaves no
/// doubt.
inline bool are_ids(NameOfIds name, const WholeNumbers& numbers) {
  return name == NameOfIds::certain ? numbers.differ
                                    : name == NameOfIds::possible && numbers.ascend;
}

/// "comma-separated" and so on.
std::string words_for_separator(char separator);

}  // namespace geotherm::detail
