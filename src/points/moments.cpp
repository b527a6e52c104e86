// Rows in blocks -> mean and scatter matrix by reduction -> PCA.
#include "geotherm/moments.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "points/orthonormal_rows.hpp"
#include "points/spectrum.hpp"

namespace geotherm {
namespace {

constexpr std::size_t rows_at_once = 512;
constexpr std::size_t most_columns = 3000;
/// Entries of all slabs' scatter matrices together: 32 MB.
constexpr std::size_t most_products = std::size_t{1} << 22U;

template <class T>
Moments moments(MatrixView<const T> rows, const Context& context) {
  require_finite(rows);
  const std::size_t n = rows.rows, d = rows.cols;
  Moments all;
  if (n == 0 || d == 0) return all;
  all.n_rows = static_cast<double>(n);
  all.mean.assign(d, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) all.mean[j] += static_cast<double>(rows(i, j));
  }
  for (double& mean : all.mean) mean /= all.n_rows;
  // Slabs of the table side by side, their products added up in order: few where those are large.
  const std::size_t n_slabs = std::clamp<std::size_t>(most_products / (d * d), 1, 8);
  const std::size_t slab = (n + n_slabs - 1) / n_slabs;
  std::vector<Matrix<double>> parts((n + slab - 1) / slab);
  parallel_for(context, n, slab, [&](std::size_t begin, std::size_t end) {
    Matrix<double> scatter(d, d);
    auto centred = Matrix<double>::uninitialized(std::min(rows_at_once, end - begin), d);
    for (std::size_t first = begin; first < end; first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, end - first);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
          centred(i, j) = static_cast<double>(rows(first + i, j)) - all.mean[j];
        }
      }
      const MatrixView<const double> slice{centred.data(), count, d, d};
      detail::gemm(1.0, slice, true, slice, false, 1.0, scatter.view());
    }
    parts[begin / slab] = std::move(scatter);
  });
  all.scatter = std::move(parts.front());
  for (std::size_t p = 1; p < parts.size(); ++p) {
    for (std::size_t k = 0; k < parts[p].size(); ++k) all.scatter.data()[k] += parts[p].data()[k];
  }
  return all;
}

}  // namespace

Moments moments_of(MatrixView<const float> rows, const Context& context) {
  return moments(rows, context);
}
Moments moments_of(MatrixView<const double> rows, const Context& context) {
  return moments(rows, context);
}

Moments merged(std::span<const MomentsView> parts) {
  Moments all;
  for (const MomentsView& part : parts) {
    if (part.n_rows == 0) continue;
    const std::size_t d = part.mean.size();
    if (all.n_rows == 0) {
      all.n_rows = part.n_rows;
      all.mean.assign(part.mean.begin(), part.mean.end());
      all.scatter = Matrix<double>::uninitialized(d, d);
      for (std::size_t i = 0; i < d; ++i) {
        std::ranges::copy(part.scatter.row(i), all.scatter.row(i).begin());
      }
      continue;
    }
    if (all.mean.size() != d) {
      throw InvalidArgument("blocks of " + std::to_string(all.mean.size()) + " and " +
                            std::to_string(d) + " columns are not of one table");
    }
    const double n = all.n_rows + part.n_rows;
    const double share = part.n_rows / n, cross = all.n_rows * share;
    std::vector<double> apart(d);
    for (std::size_t i = 0; i < d; ++i) apart[i] = part.mean[i] - all.mean[i];
    for (std::size_t i = 0; i < d; ++i) {
      all.mean[i] += share * apart[i];
      for (std::size_t j = 0; j < d; ++j) {
        all.scatter(i, j) = all.scatter(i, j) + part.scatter(i, j) + cross * apart[i] * apart[j];
      }
    }
    all.n_rows = n;
  }
  return all;
}

Pca pca(const MomentsView& moments, const PcaOptions& options, const Context& context) {
  const std::size_t d = moments.mean.size();
  const auto n = static_cast<std::size_t>(moments.n_rows);
  if (d > most_columns) {
    throw InvalidArgument("a PCA by blocks takes up to " + std::to_string(most_columns) +
                          " columns, the table has " + std::to_string(d) +
                          ": choose columns first");
  }
  refuse_if_any(issues_with(options, n, d));
  context.report_or_throw({.stage = "pca", .done = 0, .total = 1});
  const detail::SymmetricEigen eigen = detail::symmetric_eigen(moments.scatter);
  std::vector<double> values;  // falling
  for (std::size_t k = 0; k < std::min(n, d); ++k) {
    values.push_back(std::max(0.0, eigen.values[d - 1 - k]));
  }
  Pca result;
  result.mean.assign(moments.mean.begin(), moments.mean.end());
  for (const double value : values) result.singular_values.push_back(std::sqrt(value));
  std::size_t rank = options.rank.value_or(values.size());
  if (options.rank) {
    result.choice = "rank " + std::to_string(rank) + " as asked";
  } else if (const auto signal = detail::find_signal({.values = values, .rows = n, .cols = d})) {
    rank = signal->rank;
    result.choice = "rank " + std::to_string(rank) + " chosen: the other " +
                    std::to_string(signal->n_discarded) + " directions look like white noise";
  } else {
    result.was_reduced = false;
    result.choice = "nothing cut: the smallest eigenvalues do not look like white noise";
    if (options.leaves_out_uncut) return result;
  }
  result.choice += " (covariance matrix, by blocks)";
  result.components = Matrix<double>(rank, d);
  for (std::size_t r = 0; r < rank; ++r) {
    for (std::size_t j = 0; j < d; ++j) result.components(r, j) = eigen.vectors(j, d - 1 - r);
  }
  detail::fix_row_signs(result.components);
  return result;
}

}  // namespace geotherm
