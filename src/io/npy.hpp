// NumPy's .npy format, versions 1.0 to 3.0. In: a source of bytes, or values in memory.
// Out: the header and the values in C order, whatever the file's type, byte order and layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/io.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {

/// What the header says. Object, structured and complex types are described, not refused: only
/// reading their values is.
struct NpyHeader {
  std::string dtype;          ///< as written, "<f8"
  char kind = '?';            ///< b i u f c S U O ..., '?' where it is not a simple type
  std::size_t item_size = 0;  ///< bytes
  bool is_big_endian = false;
  bool is_fortran = false;
  std::vector<std::size_t> shape;
  std::size_t n_bytes = 0;  ///< of the header itself, up to the first value

  bool is_numeric() const;
  bool is_text() const { return kind == 'S' || kind == 'U'; }
  /// float16 and float32: held as float.
  bool is_single() const { return kind == 'f' && item_size <= 4; }
};

/// Reads the header from the start of `source` and leaves the source at the first value.
NpyHeader read_npy_header(ByteSource& source);

/// "float32", "uint16", "text", or the dtype itself.
std::string type_in_words(const NpyHeader& header);
/// "100 x 3", "5", "one value".
std::string shape_in_words(const std::vector<std::size_t>& shape);

/// The values as a matrix; 1-D becomes one column. Sizes are checked before memory is taken.
void read_npy_matrix(const NpyHeader& header, ByteSource& source, Table& table);
/// Rows and columns of such a matrix, after the same checks.
std::pair<std::size_t, std::size_t> npy_matrix_shape(const NpyHeader& header,
                                                     const ByteSource& source);
/// The next `n` values of an array in C order.
void read_npy_values(const NpyHeader& header, ByteSource& source, std::size_t n, double* out);
/// The values as they are, of any number of dimensions.
NamedArray read_npy_array(const NpyHeader& header, ByteSource& source, const std::string& name);

/// Header and values of a matrix, piece by piece.
void write_npy_matrix(MatrixView<const double> values,
                      const std::function<void(std::string_view)>& sink);

/// A version 1.0 header in C order, its length a multiple of 64.
std::string npy_header_bytes(std::string_view dtype, const std::vector<std::size_t>& shape);

}  // namespace geotherm::detail
