// NumPy arrays in as views, and owned results out as arrays that free them: no copy either way.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "geotherm/geotherm.hpp"

namespace geotherm::python {

namespace nb = nanobind;

/// Any array in memory, read only: its type and layout are checked when it is used.
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using Owned = nb::ndarray<nb::numpy, T>;

/// A matrix whose rows are contiguous (rows may lie apart). `what` names it in complaints:
/// TypeError for another element type, ValueError for another layout.
template <class T>
MatrixView<const T> matrix_of(const AnyArray& array, const std::string& what);
template <class T>
std::span<const T> vector_of(const AnyArray& array, const std::string& what);

template <class T>
bool holds(const AnyArray& array) {
  return array.dtype() == nb::dtype<T>();
}

/// The array takes the values over and frees them when it goes.
template <class T>
Owned<T> owned(Matrix<T>&& values) {
  auto* kept = new Matrix<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Matrix<T>*>(p); });
  return Owned<T>(kept->data(), {kept->rows(), kept->cols()}, owner);
}
template <class T>
Owned<T> owned(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Owned<T>(kept->data(), {kept->size()}, owner);
}

/// Rows of a CSR matrix as SciPy keeps them. Copied, since the library owns its matrices; columns
/// that are out of range, repeated or out of order are refused.
SparseMatrix sparse_of(const AnyArray& indptr, const AnyArray& indices, const AnyArray& data,
                       std::size_t rows, std::size_t cols);

/// Owned values of a view.
inline Matrix<double> copied(MatrixView<const double> view) {
  auto copy = Matrix<double>::uninitialized(view.rows, view.cols);
  for (std::size_t i = 0; i < view.rows; ++i) {
    std::copy(view.row(i).begin(), view.row(i).end(), copy.row(i).begin());
  }
  return copy;
}

/// (from, to, length) of edges, a part of each given by its member.
template <class Edges>
nb::tuple edge_arrays(const Edges& edges, auto from, auto to, auto length) {
  std::vector<Index> a, b;
  std::vector<double> lengths;
  for (const auto& edge : edges) {
    a.push_back(edge.*from);
    b.push_back(edge.*to);
    lengths.push_back(edge.*length);
  }
  return nb::make_tuple(owned(std::move(a)), owned(std::move(b)), owned(std::move(lengths)));
}

/// (indptr, indices, data) for scipy.sparse.csr_matrix.
nb::tuple owned(SparseMatrix&& matrix);

}  // namespace geotherm::python
