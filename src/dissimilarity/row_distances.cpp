// |a - b|^2 = |a|^2 + |b|^2 - 2ab by a matrix product, on rows made short by taking the mean row
// away; where even so the terms nearly cancel, the difference is taken itself.
#include "dissimilarity/row_distances.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/simd.hpp"
#include "linalg/blas.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t lanes = 16;

double sum_of(const double* values) {
  double sum = 0;
  for (std::size_t l = 0; l < lanes; ++l) sum += values[l];
  return sum;
}

// Several sums side by side: a fixed order of summation that fits vector units.
GEOTHERM_WIDE double squared_norm(const double* a, std::size_t n) {
  double sum[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) sum[l] += a[k + l] * a[k + l];
  }
  for (std::size_t l = 0; k < n; ++k, ++l) sum[l] += a[k] * a[k];
  return sum_of(sum);
}

GEOTHERM_WIDE double squared_difference(const double* a, const double* b, std::size_t n) {
  double sum[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const double difference = a[k + l] - b[k + l];
      sum[l] += difference * difference;
    }
  }
  for (std::size_t l = 0; k < n; ++k, ++l) sum[l] += (a[k] - b[k]) * (a[k] - b[k]);
  return sum_of(sum);
}

// Power of two that brings the largest entry near 1, so that squares neither over- nor
// underflow and nothing is rounded. Refuses what is not finite.
double exact_scale(const Matrix<double>& d, std::string_view what, const Context& context) {
  std::vector<double> largest(d.rows(), 0.0);
  parallel_for(context, d.rows(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const double value : d.row(i)) {
        if (!std::isfinite(value)) {
          throw InvalidArgument(std::string(what) + ": row " + std::to_string(i) +
                                " holds a value that is not finite; all have to be known (connect "
                                "the graph's components first)");
        }
        largest[i] = std::max(largest[i], std::abs(value));
      }
    }
  });
  const double most = *std::max_element(largest.begin(), largest.end());
  if (most == 0) return 1;
  return std::ldexp(1.0, -std::clamp(std::ilogb(most), -1000, 1000));
}

// The rows, scaled, with their mean row taken away.
Matrix<double> centred_rows(const Matrix<double>& d, double scale, const Context& context) {
  const std::size_t n = d.rows();
  auto centred = Matrix<double>::uninitialized(n, d.cols());
  parallel_for(context, d.cols(), 256, [&](std::size_t begin, std::size_t end) {
    std::vector<double> mean(end - begin, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = begin; j < end; ++j) mean[j - begin] += scale * d(i, j);
    }
    for (double& m : mean) m /= static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = begin; j < end; ++j) centred(i, j) = scale * d(i, j) - mean[j - begin];
    }
  });
  return centred;
}

}  // namespace

void for_row_distances(
    const Matrix<double>& table, std::string_view what, std::string_view stage,
    const Context& context,
    const std::function<void(std::size_t, std::size_t, std::span<const double>)>& use) {
  const std::size_t n = table.rows(), width = table.cols();
  if (n == 0) return;
  const double scale = exact_scale(table, what, context);
  const Matrix<double> rows = centred_rows(table, scale, context);
  std::vector<double> norms(n);
  parallel_for(context, n, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) norms[i] = squared_norm(rows.row(i).data(), width);
  });

  // The product errs by about 1e-15 of the squared norms. Squares below this share of them are
  // computed directly, which leaves every distance right to about 1e-9.
  constexpr double cancels_below = 1e-6;
  constexpr std::size_t tile = 256;
  const std::size_t n_tiles = (n + tile - 1) / tile;
  const auto rows_of_tile = [&](std::size_t t) {
    const std::size_t first = t * tile;
    return MatrixView<const double>{rows.row(first).data(), std::min(tile, n - first), width,
                                    width};
  };
  for (std::size_t ti = 0; ti < n_tiles; ++ti) {
    context.report_or_throw({.stage = stage, .done = ti, .total = n_tiles});
    parallel_for(context, n_tiles - ti, 1, [&](std::size_t offset, std::size_t) {
      const std::size_t tj = ti + offset;
      const auto a = rows_of_tile(ti), b = rows_of_tile(tj);
      auto products = Matrix<double>::uninitialized(a.rows, b.rows);
      gemm(1.0, a, false, b, true, 0.0, products);
      for (std::size_t ii = 0; ii < a.rows; ++ii) {
        const std::size_t i = ti * tile + ii;
        const std::size_t first = ti == tj ? ii : 0;
        for (std::size_t jj = first; jj < b.rows; ++jj) {
          const std::size_t j = tj * tile + jj;
          const double both = norms[i] + norms[j];
          double square = both - 2 * products(ii, jj);
          if (square < cancels_below * both) {
            square = squared_difference(rows.row(i).data(), rows.row(j).data(), width);
          }
          products(ii, jj) = std::sqrt(square) / scale;
        }
        use(i, tj * tile + first, products.row(ii).subspan(first));
      }
    });
  }
  context.report_or_throw({.stage = stage, .done = n_tiles, .total = n_tiles});
}

}  // namespace geotherm::detail
