// The formats behind read_table and write_table; which one is meant is decided there.
#pragma once

#include <string>
#include <vector>

#include "geotherm/io.hpp"

namespace geotherm::detail {

/// `ending` (".csv", ".tsv", ".txt") is only a hint for the separator.
Table read_csv_table(const std::string& path, const std::string& ending);
/// Names must already match the matrix in number.
void write_csv_table(const std::string& path, char separator, MatrixView<const double> values,
                     const std::vector<std::string>& row_names,
                     const std::vector<std::string>& column_names);

Table read_npy_table(const std::string& path);
void write_npy_table(const std::string& path, MatrixView<const double> values);

/// An empty key: the only two-dimensional numeric array.
Table read_npz_table(const std::string& path, const std::string& key);
void write_npz_table(const std::string& path, const std::string& key,
                     MatrixView<const double> values);

}  // namespace geotherm::detail
