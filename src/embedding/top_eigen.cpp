// Rayleigh-Ritz over a growing basis V: the residuals of the leading Ritz vectors make the next
// block, which spans what block Lanczos would, without its loss of orthogonality. W = A V is kept,
// so that a restart costs no product.
#include "embedding/top_eigen.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm::detail {
namespace {

MatrixView<double> rows_of(Matrix<double>& m, std::size_t begin, std::size_t end) {
  return {m.data() + begin * m.cols(), end - begin, m.cols(), m.cols()};
}

double norm(std::span<const double> v) {
  double sum = 0;
  for (const double e : v) sum += e * e;
  return std::sqrt(sum);
}

/// rows -= (rows * from^T) * from
void remove(MatrixView<const double> from, MatrixView<double> rows) {
  if (from.rows == 0 || rows.rows == 0) return;
  Matrix<double> along(rows.rows, from.rows);
  gemm(1.0, rows, false, from, true, 0.0, along);
  gemm(-1.0, along, false, from, false, 1.0, rows);
}

/// Makes the rows of `block` orthonormal, also to those of `basis`; rows that depend on others are
/// dropped. Returns how many are left, packed at the front.
std::size_t orthonormalise(MatrixView<const double> basis, Matrix<double>& block) {
  std::size_t n_rows = block.rows();
  // Twice is enough: what the first round leaves may be mostly rounding.
  for (int round = 0; round < 2; ++round) {
    std::vector<double> before(n_rows);
    for (std::size_t b = 0; b < n_rows; ++b) before[b] = norm(block.row(b));
    remove(basis, rows_of(block, 0, n_rows));
    std::size_t n_kept = 0;
    for (std::size_t b = 0; b < n_rows; ++b) {
      const auto row = block.row(b);
      remove(rows_of(block, 0, n_kept), rows_of(block, b, b + 1));
      const double length = norm(row);
      if (!(length > 1e-10 * before[b])) continue;
      for (std::size_t j = 0; j < block.cols(); ++j) block(n_kept, j) = row[j] / length;
      ++n_kept;
    }
    n_rows = n_kept;
  }
  return n_rows;
}

}  // namespace

TopEigen top_eigen(const BlockOperator& apply, Matrix<double> start, const TopEigenOptions& options,
                   const std::function<Next(std::size_t)>& on_product) {
  const std::size_t n = start.cols();
  const std::size_t width = start.rows();
  const std::size_t capacity = 10 * width;
  Matrix<double> v(capacity, n), w(capacity, n);  // basis and its image
  Matrix<double> projected(capacity, capacity);   // V A V^T
  TopEigen result;

  std::size_t size = 0;
  std::size_t n_new = orthonormalise({}, start);
  std::copy_n(start.data(), n_new * n, v.data());
  result.outcome = Outcome::iteration_limit;
  SymmetricEigen ritz;
  Matrix<double> lead;  // coefficients of the leading Ritz vectors, a row each
  while (n_new > 0) {
    if (size > 0 && on_product(result.n_products) == Next::stop_here) {
      result.outcome = Outcome::stopped;
      break;
    }
    if (result.n_products >= options.max_products) break;
    apply(rows_of(v, size, size + n_new), rows_of(w, size, size + n_new));
    ++result.n_products;
    Matrix<double> fresh(n_new, size + n_new);
    gemm(1.0, rows_of(w, size, size + n_new), false, rows_of(v, 0, size + n_new), true, 0.0, fresh);
    for (std::size_t a = 0; a < n_new; ++a) {
      for (std::size_t b = 0; b < size + n_new; ++b) {
        projected(size + a, b) = projected(b, size + a) = fresh(a, b);
      }
    }
    size += n_new;

    ritz = symmetric_eigen({projected.data(), size, size, capacity});
    const std::size_t n_lead = std::min(width, size);
    lead = Matrix<double>(n_lead, size);
    result.values.resize(n_lead);
    for (std::size_t a = 0; a < n_lead; ++a) {
      result.values[a] = ritz.values[size - 1 - a];
      for (std::size_t b = 0; b < size; ++b) lead(a, b) = ritz.vectors(b, size - 1 - a);
    }
    // Residuals of the leading Ritz pairs.
    Matrix<double> residual(n_lead, n), scaled = lead;
    gemm(1.0, lead, false, rows_of(w, 0, size), false, 0.0, residual);
    for (std::size_t a = 0; a < n_lead; ++a) {
      for (double& e : scaled.row(a)) e *= result.values[a];
    }
    gemm(-1.0, scaled, false, rows_of(v, 0, size), false, 1.0, residual);
    const double largest = std::max(std::abs(ritz.values[0]), std::abs(ritz.values[size - 1]));
    bool is_done = n_lead >= options.n_wanted;
    for (std::size_t a = 0; is_done && a < options.n_wanted; ++a) {
      is_done = norm(residual.row(a)) <= options.tolerance * largest;
    }
    if (is_done) {
      result.outcome = Outcome::converged;
      break;
    }
    // Where a Ritz pair is exact, its residual is rounding: no direction to go on in.
    for (std::size_t a = 0; a < n_lead; ++a) {
      if (norm(residual.row(a)) > 1e-13 * largest) continue;
      for (double& e : residual.row(a)) e = 0;
    }

    if (size + n_lead > capacity) {
      // Thick restart: the leading Ritz vectors become the basis, on which A is diagonal.
      const std::size_t n_kept = std::min(3 * width, size);
      Matrix<double> keep(n_kept, size), kept_v(n_kept, n), kept_w(n_kept, n);
      for (std::size_t a = 0; a < n_kept; ++a) {
        for (std::size_t b = 0; b < size; ++b) keep(a, b) = ritz.vectors(b, size - 1 - a);
      }
      gemm(1.0, keep, false, rows_of(v, 0, size), false, 0.0, kept_v);
      gemm(1.0, keep, false, rows_of(w, 0, size), false, 0.0, kept_w);
      std::copy_n(kept_v.data(), kept_v.size(), v.data());
      std::copy_n(kept_w.data(), kept_w.size(), w.data());
      projected = Matrix<double>(capacity, capacity);
      for (std::size_t a = 0; a < n_kept; ++a) projected(a, a) = ritz.values[size - 1 - a];
      size = n_kept;
      lead = Matrix<double>(n_lead, size);
      for (std::size_t a = 0; a < n_lead; ++a) lead(a, a) = 1;
    }
    n_new = orthonormalise(rows_of(v, 0, size), residual);
    std::copy_n(residual.data(), n_new * n, v.data() + size * n);
    // Nothing new to reach: the basis is invariant, and its Ritz pairs are exact.
    if (n_new == 0) result.outcome = Outcome::converged;
  }

  result.values.resize(options.n_wanted);
  result.vectors = Matrix<double>(options.n_wanted, n);
  if (size > 0) {
    const std::size_t n_found = std::min(options.n_wanted, lead.rows());
    gemm(1.0, MatrixView<const double>{lead.data(), n_found, size, size}, false,
         rows_of(v, 0, size), false, 0.0, MatrixView<double>{result.vectors.data(), n_found, n, n});
  }
  return result;
}

}  // namespace geotherm::detail
