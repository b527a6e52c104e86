#include "arrays.hpp"

#include <algorithm>

namespace geotherm::r {

Matrix<double> rows_of(const cpp11::doubles_matrix<>& columns) {
  const auto n = static_cast<std::size_t>(columns.nrow());
  const auto d = static_cast<std::size_t>(columns.ncol());
  auto rows = Matrix<double>::uninitialized(n, d);
  const double* from = REAL(columns.data());
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < n; ++i) rows(i, j) = from[j * n + i];
  }
  return rows;
}

cpp11::writable::doubles_matrix<> to_r(MatrixView<const double> rows) {
  cpp11::writable::doubles_matrix<> columns(static_cast<int>(rows.rows),
                                            static_cast<int>(rows.cols));
  double* to = REAL(columns.data());
  for (std::size_t j = 0; j < rows.cols; ++j) {
    for (std::size_t i = 0; i < rows.rows; ++i) to[j * rows.rows + i] = rows(i, j);
  }
  return columns;
}

cpp11::writable::doubles to_r(const std::vector<double>& values) {
  cpp11::writable::doubles copy(static_cast<R_xlen_t>(values.size()));
  std::copy(values.begin(), values.end(), REAL(copy.data()));
  return copy;
}

cpp11::writable::strings to_r(const std::vector<std::string>& texts) {
  cpp11::writable::strings copy(static_cast<R_xlen_t>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    copy[static_cast<R_xlen_t>(i)] = cpp11::r_string(texts[i]);
  }
  return copy;
}

cpp11::writable::integers indices_to_r(const std::vector<Index>& indices) {
  cpp11::writable::integers copy(static_cast<R_xlen_t>(indices.size()));
  std::transform(indices.begin(), indices.end(), INTEGER(copy.data()),
                 [](Index i) { return i < 0 ? NA_INTEGER : i + 1; });
  return copy;
}

std::vector<Index> indices_of(const cpp11::integers& indices) {
  std::vector<Index> found;
  found.reserve(static_cast<std::size_t>(indices.size()));
  for (const int i : indices) found.push_back(i - 1);
  return found;
}

cpp11::sexp to_r(const Value& value) {
  return std::visit([](const auto& v) -> cpp11::sexp { return cpp11::as_sexp(v); }, value);
}

SparseMatrix sparse_of(const cpp11::list& parts) {
  const cpp11::integers dim(parts["dim"]), p(parts["p"]), i(parts["i"]);
  const cpp11::doubles x(parts["x"]);
  SparseMatrix matrix;
  matrix.rows = static_cast<std::size_t>(dim[1]);
  matrix.cols = static_cast<std::size_t>(dim[0]);
  matrix.offsets.assign(p.begin(), p.end());
  matrix.indices.assign(i.begin(), i.end());
  matrix.values.assign(x.begin(), x.end());
  return matrix;
}

cpp11::writable::list to_r(const SparseMatrix& matrix) {
  using namespace cpp11::literals;
  cpp11::writable::integers p(static_cast<R_xlen_t>(matrix.offsets.size()));
  cpp11::writable::integers i(static_cast<R_xlen_t>(matrix.indices.size()));
  std::transform(matrix.offsets.begin(), matrix.offsets.end(), INTEGER(p.data()),
                 [](std::size_t offset) { return static_cast<int>(offset); });
  std::copy(matrix.indices.begin(), matrix.indices.end(), INTEGER(i.data()));
  cpp11::writable::integers dim({static_cast<int>(matrix.cols), static_cast<int>(matrix.rows)});
  return cpp11::writable::list(
      {"p"_nm = p, "i"_nm = i, "x"_nm = to_r(matrix.values), "dim"_nm = dim});
}

}  // namespace geotherm::r
