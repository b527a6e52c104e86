// Distance matrices and coordinates in, rows of distances out.
#include "metrics/distance_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/simd.hpp"

namespace geotherm {
namespace detail {

// Column by column, so that the compiler can take several points at once while the sum over
// columns keeps its order: d(i, j) and d(j, i) have the same bits.
GEOTHERM_WIDE void add_squared_differences(const double* column, double value, std::size_t n,
                                           double* out) {
  for (std::size_t j = 0; j < n; ++j) {
    const double difference = column[j] - value;
    out[j] += difference * difference;
  }
}
GEOTHERM_WIDE void root_times(double factor, std::size_t n, double* out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = std::sqrt(out[j]) * factor;
}

double safe_scale(double magnitude) {
  if (magnitude == 0) return 1;
  // Clamped, so that the factor and its inverse are both normal numbers.
  return std::ldexp(1.0, -std::clamp(std::ilogb(magnitude), -1000, 1000));
}

double largest_magnitude(MatrixView<const double> m) {
  double largest = 0;
  for (std::size_t i = 0; i < m.rows; ++i) {
    for (const double value : m.row(i)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

std::optional<std::string> complaint_unless_finite(MatrixView<const double> m,
                                                   std::string_view name, bool but_diagonal,
                                                   const Context& context) {
  std::vector<std::size_t> first_bad(m.rows, m.cols);
  parallel_for(context, m.rows, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = m.row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (std::isfinite(row[j]) || (but_diagonal && i == j)) continue;
        first_bad[i] = j;
        break;
      }
    }
  });
  for (std::size_t i = 0; i < m.rows; ++i) {
    if (first_bad[i] == m.cols) continue;
    const std::size_t j = first_bad[i];
    return std::string(name) + " has " + std::to_string(m(i, j)) + " in row " + std::to_string(i) +
           ", column " + std::to_string(j) + ": give finite numbers";
  }
  return std::nullopt;
}

DistanceRows::DistanceRows(const Space& space, std::string_view name, const Context& context) {
  const bool has_distances = space.distances.data != nullptr;
  const bool has_coordinates = space.coordinates.data != nullptr;
  if (has_distances == has_coordinates) {
    throw InvalidArgument(std::string(name) + " has " +
                          (has_distances ? "both distances and coordinates" : "no points") +
                          ": give exactly one of distances and coordinates, with one row or more");
  }
  const auto given = has_distances ? space.distances : space.coordinates;
  const std::string shape = std::to_string(given.rows) + " x " + std::to_string(given.cols);
  if (given.empty()) {
    throw InvalidArgument(std::string(name) + " is " + shape + ": give one point or more");
  }
  if (has_distances && given.rows != given.cols) {
    throw InvalidArgument(std::string(name) + " is " + shape +
                          ": a distance matrix has as many columns as rows");
  }
  if (const auto complaint = complaint_unless_finite(given, name, has_distances, context)) {
    throw InvalidArgument(*complaint);
  }
  n_ = given.rows;
  if (has_distances) {
    distances_ = given;
    return;
  }
  const double scale = safe_scale(largest_magnitude(given));
  unscale_ = 1 / scale;
  columns_ = Matrix<double>::uninitialized(given.cols, n_);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < given.cols; ++k) columns_(k, i) = given(i, k) * scale;
  }
}

void DistanceRows::rows(std::size_t begin, std::size_t end, MatrixView<double> out) const {
  if (columns_.empty()) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto given = distances_.row(i);
      std::copy(given.begin(), given.end(), out.row(i - begin).begin());
      out(i - begin, i) = 0;
    }
    return;
  }
  // A tile of points serves all rows while it is in the cache.
  constexpr std::size_t tile = 512;
  for (std::size_t start = 0; start < n_; start += tile) {
    const std::size_t n = std::min(tile, n_ - start);
    for (std::size_t i = begin; i < end; ++i) std::fill_n(&out(i - begin, start), n, 0.0);
    for (std::size_t k = 0; k < columns_.rows(); ++k) {
      for (std::size_t i = begin; i < end; ++i) {
        add_squared_differences(&columns_(k, start), columns_(k, i), n, &out(i - begin, start));
      }
    }
    for (std::size_t i = begin; i < end; ++i) root_times(unscale_, n, &out(i - begin, start));
  }
}

void require_same_size(const DistanceRows& a, std::string_view name_a, const DistanceRows& b,
                       std::string_view name_b) {
  if (a.n() == b.n()) return;
  throw InvalidArgument(std::string(name_a) + " has " + std::to_string(a.n()) + " points and " +
                        std::string(name_b) + " " + std::to_string(b.n()) +
                        ": give the same points in the same order");
}

void for_rows(const Context& context, std::string_view stage, std::size_t n_rows,
              const std::function<void(std::size_t, std::size_t)>& work) {
  constexpr std::size_t round = 1024, block = 16;
  for (std::size_t start = 0; start < n_rows; start += round) {
    context.report_or_throw({.stage = stage, .done = start, .total = n_rows});
    parallel_for(context, std::min(round, n_rows - start), block,
                 [&](std::size_t begin, std::size_t end) { work(start + begin, start + end); });
  }
}

std::vector<std::size_t> sample_rows(std::size_t n, std::optional<std::size_t> max_points,
                                     const Context& context) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (!max_points || *max_points >= n) return rows;
  Rng rng(context.seed, "metrics.sample_rows");
  for (std::size_t i = 0; i < *max_points; ++i) {
    std::swap(rows[i], rows[i + static_cast<std::size_t>(rng.below(n - i))]);
  }
  rows.resize(*max_points);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace detail

Matrix<double> pairwise_distances(MatrixView<const double> points, const Context& context) {
  const detail::DistanceRows rows({.coordinates = points}, "points", context);
  auto result = Matrix<double>::uninitialized(rows.n(), rows.n());
  detail::for_rows(
      context, "pairwise distances", rows.n(), [&](std::size_t begin, std::size_t end) {
        rows.rows(begin, end, {result.row(begin).data(), end - begin, rows.n(), rows.n()});
      });
  return result;
}

}  // namespace geotherm
