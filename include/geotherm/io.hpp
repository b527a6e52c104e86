// Tables and arrays in and out: CSV/TSV, NPY, NPZ. Outputs appear complete or not at all. Formats
// that hold more than a table are in observations.hpp; read_table and write_table take those too.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

/// A numeric table with the names that came with it. float32 files stay float32.
struct Table {
  std::variant<Matrix<double>, Matrix<float>> values;
  std::vector<std::string> row_names;     ///< empty: none
  std::vector<std::string> column_names;  ///< empty: none
  std::string source;                     ///< path and key, for messages
  std::string assumed;  ///< in words, what the reader decided (header, separator, which array)

  std::size_t rows() const;
  std::size_t cols() const;
  Matrix<double> to_double() const;
};

/// "file.npz:key" -> {"file.npz", "key"}; a name that exists as a file is never split.
std::pair<std::string, std::string> split_key(const std::string& path);

/// By the ending: .csv .tsv .txt (also .gz) .npy .npz (with ":key"), and those of
/// read_observations, made dense. Throws IoError with path and position.
/// Text files: separator, header, row names and columns of text are recognised; missing values are
/// refused, infinite ones are read. NPZ without a key: its only two-dimensional numeric array.
Table read_table(const std::string& path);

/// Writes by the ending: .csv/.tsv/.txt (header id,<columns>; row numbers from 0 and x1, x2, ...
/// where there are no names), .npy, .npz (under `key`, or the key given with the path), .mtx, .fcs,
/// .h5ad (as X). Text is packed where the name ends in .gz.
void write_table(const std::string& path, MatrixView<const double> values,
                 const std::vector<std::string>& row_names,
                 const std::vector<std::string>& column_names, const std::string& key);

/// One array of an .npz file, in C order: float64 as double, float32 and float16 as float, integers
/// and booleans as int64, text as UTF-8. The shape is empty for a single value.
struct NamedArray {
  std::string name;
  std::vector<std::size_t> shape;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
               std::vector<std::string>>
      values;
};
struct ArrayInfo {
  std::string name;
  std::string dtype;  ///< as NumPy writes it, "<f8"
  std::vector<std::size_t> shape;
  bool is_numeric = false;
};
/// In the order of the file; arrays of objects are listed, though they cannot be read.
std::vector<ArrayInfo> list_npz(const std::string& path);
NamedArray read_npz_array(const std::string& path, const std::string& key);
/// Uncompressed; the same arrays give the same bytes.
void write_npz(const std::string& path, const std::vector<NamedArray>& arrays);

/// Writes `content` beside `path` and renames it into place; throws IoError and leaves nothing
/// behind where that fails.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace geotherm
