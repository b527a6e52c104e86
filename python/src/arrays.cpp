#include "arrays.hpp"

#include <limits>

namespace geotherm::python {
namespace {

template <class T>
const char* name_of();
template <>
const char* name_of<double>() {
  return "float64";
}
template <>
const char* name_of<float>() {
  return "float32";
}
template <>
const char* name_of<Index>() {
  return "int32";
}
template <>
const char* name_of<std::int64_t>() {
  return "int64";
}
template <>
const char* name_of<std::uint8_t>() {
  return "uint8";
}

template <class T>
void require_type(const AnyArray& array, const std::string& what) {
  if (holds<T>(array)) return;
  throw nb::type_error((what + " is not an array of " + name_of<T>()).c_str());
}

[[noreturn]] void refuse(const std::string& complaint) { throw nb::value_error(complaint.c_str()); }

}  // namespace

template <class T>
MatrixView<const T> matrix_of(const AnyArray& array, const std::string& what) {
  require_type<T>(array, what);
  if (array.ndim() != 2) {
    refuse("Expected 2D array, got " + std::to_string(array.ndim()) + "D array for " + what);
  }
  const std::size_t rows = array.shape(0), cols = array.shape(1);
  if (rows == 0 || cols == 0) return {nullptr, rows, cols, cols};
  if ((cols > 1 && array.stride(1) != 1) || (rows > 1 && array.stride(0) < 0)) {
    refuse(what + " has rows that are not contiguous: pass numpy.ascontiguousarray of it");
  }
  const std::size_t stride = rows > 1 ? static_cast<std::size_t>(array.stride(0)) : cols;
  return {static_cast<const T*>(array.data()), rows, cols, stride};
}
template MatrixView<const double> matrix_of(const AnyArray&, const std::string&);
template MatrixView<const float> matrix_of(const AnyArray&, const std::string&);
template MatrixView<const Index> matrix_of(const AnyArray&, const std::string&);

template <class T>
std::span<const T> vector_of(const AnyArray& array, const std::string& what) {
  require_type<T>(array, what);
  if (array.ndim() != 1) {
    refuse("Expected 1D array, got " + std::to_string(array.ndim()) + "D array for " + what);
  }
  if (array.shape(0) > 1 && array.stride(0) != 1) {
    refuse(what + " is not contiguous: pass numpy.ascontiguousarray of it");
  }
  return {static_cast<const T*>(array.data()), array.shape(0)};
}
template std::span<const double> vector_of(const AnyArray&, const std::string&);
template std::span<const Index> vector_of(const AnyArray&, const std::string&);
template std::span<const float> vector_of(const AnyArray&, const std::string&);
template std::span<const std::int64_t> vector_of(const AnyArray&, const std::string&);
template std::span<const std::uint8_t> vector_of(const AnyArray&, const std::string&);

SparseMatrix sparse_of(const AnyArray& indptr, const AnyArray& indices, const AnyArray& data,
                       std::size_t rows, std::size_t cols) {
  const auto starts = vector_of<std::int64_t>(indptr, "indptr");
  const auto columns = vector_of<Index>(indices, "indices");
  const auto values = vector_of<double>(data, "data");
  if (starts.size() != rows + 1 || starts[0] != 0 || columns.size() != values.size() ||
      static_cast<std::size_t>(starts[rows]) != columns.size()) {
    refuse("the sparse matrix's indptr, indices and data do not fit together");
  }
  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.offsets.resize(rows + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    if (starts[i + 1] < starts[i]) refuse("the sparse matrix's indptr falls");
    matrix.offsets[i + 1] = static_cast<std::size_t>(starts[i + 1]);
    for (auto k = starts[i]; k < starts[i + 1]; ++k) {
      const Index column = columns[static_cast<std::size_t>(k)];
      const bool in_order = k == starts[i] || columns[static_cast<std::size_t>(k) - 1] < column;
      if (column < 0 || static_cast<std::size_t>(column) >= cols || !in_order) {
        refuse("row " + std::to_string(i) +
               " of the sparse matrix has columns out of range, repeated or out of order");
      }
    }
  }
  matrix.indices.assign(columns.begin(), columns.end());
  matrix.values.assign(values.begin(), values.end());
  return matrix;
}

nb::tuple owned(SparseMatrix&& matrix) {
  // SciPy wants one type for both index arrays; 32 bits wherever they serve.
  if (matrix.n_entries() <= static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
    std::vector<Index> starts(matrix.offsets.begin(), matrix.offsets.end());
    return nb::make_tuple(owned(std::move(starts)), owned(std::move(matrix.indices)),
                          owned(std::move(matrix.values)));
  }
  std::vector<std::int64_t> starts(matrix.offsets.begin(), matrix.offsets.end());
  std::vector<std::int64_t> columns(matrix.indices.begin(), matrix.indices.end());
  return nb::make_tuple(owned(std::move(starts)), owned(std::move(columns)),
                        owned(std::move(matrix.values)));
}

}  // namespace geotherm::python
