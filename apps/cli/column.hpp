// One value per point from a file: labels of groups, or times. In: an .npz array, a .npy, a column
// of obs (cells.h5ad:louvain), or text of one column (or two: names, then values). Out: numbers for
// the metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::cli {

/// `path`, or `path:key` where it is an .npz, no key is named and the file holds one of `keys`:
/// the first that it holds.
std::string with_usual_key(const std::string& path, const std::vector<std::string>& keys);

/// Cells of one line of text; in a quoted one the separator is a letter like others and "" is a
/// quote. Throws IoError with `place`.
std::vector<std::string> cells_of(std::string_view line, char separator, const std::string& place);

/// What the column must fit: as many values as `file` has rows.
struct RowsOf {
  std::string file;
  std::size_t n = 0;
};

/// The group of each point by name. Text and integers are labels; other numbers are refused, since
/// a measurement is rarely meant. An .npz is asked for `label`, `labels`.
std::vector<std::string> read_group_names(const std::string& path, const RowsOf& rows);
/// The same, numbered from 0 in the order in which they appear.
std::vector<Index> read_labels(const std::string& path, const RowsOf& rows);

/// Finite numbers. An .npz is asked for `t`, `time`, `times`.
std::vector<double> read_times(const std::string& path, const RowsOf& rows);

}  // namespace geotherm::cli
