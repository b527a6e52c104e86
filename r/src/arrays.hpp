// R's values <-> the library's: columns of R become rows of the library, and back.
#pragma once

#include <cpp11.hpp>
#include <optional>
#include <string>
#include <vector>

#include "geotherm/geotherm.hpp"

namespace geotherm::r {

/// R's matrices are column-major: one copy, transposed.
Matrix<double> rows_of(const cpp11::doubles_matrix<>& columns);
cpp11::writable::doubles_matrix<> to_r(MatrixView<const double> rows);
cpp11::writable::doubles to_r(const std::vector<double>& values);
cpp11::writable::strings to_r(const std::vector<std::string>& texts);
/// Indices count from 1 in R.
cpp11::writable::integers indices_to_r(const std::vector<Index>& indices);
std::vector<Index> indices_of(const cpp11::integers& indices);
cpp11::sexp to_r(const Value& value);

/// Parts of a dgCMatrix whose columns are the library's rows: a list with p, i, x and dim.
SparseMatrix sparse_of(const cpp11::list& parts);
/// The same parts of the transposed matrix, for Matrix::sparseMatrix.
cpp11::writable::list to_r(const SparseMatrix& matrix);

}  // namespace geotherm::r
