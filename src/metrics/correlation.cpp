// Two distance matrices (or a matrix and an embedding) in; row-wise correlations and norms of the
// difference out.
#include <algorithm>
#include <cmath>

#include "core/simd.hpp"
#include "geotherm/metrics.hpp"
#include "metrics/distance_rows.hpp"
#include "metrics/order.hpp"

namespace geotherm {
namespace detail {

// Sums run in eight lanes of fixed order: fast without reassociation by the compiler.
constexpr std::size_t n_lanes = 8;
double fold(const double* lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

GEOTHERM_WIDE double scaled_sum(const double* a, std::size_t n, double scale) {
  double lanes[n_lanes] = {};
  std::size_t j = 0;
  for (; j + n_lanes <= n; j += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) lanes[l] += a[j + l] * scale;
  }
  for (std::size_t l = 0; j + l < n; ++l) lanes[l] += a[j + l] * scale;
  return fold(lanes);
}

struct Products {
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
};
GEOTHERM_WIDE void add_products(const double* a, double scale_a, double mean_a, const double* b,
                                double scale_b, double mean_b, std::size_t n, Products& out) {
  double x[n_lanes] = {}, y[n_lanes] = {}, xx[n_lanes] = {}, yy[n_lanes] = {}, xy[n_lanes] = {};
  std::size_t j = 0;
  for (; j + n_lanes <= n; j += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const double da = a[j + l] * scale_a - mean_a, db = b[j + l] * scale_b - mean_b;
      x[l] += da;
      y[l] += db;
      xx[l] += da * da;
      yy[l] += db * db;
      xy[l] += da * db;
    }
  }
  for (std::size_t l = 0; j + l < n; ++l) {
    const double da = a[j + l] * scale_a - mean_a, db = b[j + l] * scale_b - mean_b;
    x[l] += da;
    y[l] += db;
    xx[l] += da * da;
    yy[l] += db * db;
    xy[l] += da * db;
  }
  out = {fold(x), fold(y), fold(xx), fold(yy), fold(xy)};
}

GEOTHERM_WIDE double largest_difference(const double* a, const double* b, std::size_t n) {
  double lanes[n_lanes] = {};
  std::size_t j = 0;
  for (; j + n_lanes <= n; j += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const double difference = std::abs(a[j + l] - b[j + l]);
      lanes[l] = difference > lanes[l] ? difference : lanes[l];
    }
  }
  for (std::size_t l = 0; j + l < n; ++l)
    lanes[l] = std::max(lanes[l], std::abs(a[j + l] - b[j + l]));
  return *std::max_element(lanes, lanes + n_lanes);
}

GEOTHERM_WIDE double squared_differences(const double* a, const double* b, double scale,
                                         std::size_t n) {
  double lanes[n_lanes] = {};
  std::size_t j = 0;
  for (; j + n_lanes <= n; j += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const double difference = (a[j + l] - b[j + l]) * scale;
      lanes[l] += difference * difference;
    }
  }
  for (std::size_t l = 0; j + l < n; ++l) {
    const double difference = (a[j + l] - b[j + l]) * scale;
    lanes[l] += difference * difference;
  }
  return fold(lanes);
}

double correlation_from(const Products& s, double n) {
  // What the rounded means left over is removed (the corrected two-pass formula).
  const double xx = s.xx - s.x * s.x / n, yy = s.yy - s.y * s.y / n, xy = s.xy - s.x * s.y / n;
  if (!(xx > 0 && yy > 0)) return 0;
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

double pearson_of(std::span<const double> a, std::span<const double> b) {
  if (a.empty()) return 0;
  const auto [min_a, max_a] = std::minmax_element(a.begin(), a.end());
  const auto [min_b, max_b] = std::minmax_element(b.begin(), b.end());
  // Asked of the values: the variance of a constant may come out as a rounding error above 0.
  if (*min_a == *max_a || *min_b == *max_b) return 0;
  const double scale_a = safe_scale(std::max(std::abs(*min_a), std::abs(*max_a)));
  const double scale_b = safe_scale(std::max(std::abs(*min_b), std::abs(*max_b)));
  const auto n = static_cast<double>(a.size());
  Products sums;
  add_products(a.data(), scale_a, scaled_sum(a.data(), a.size(), scale_a) / n, b.data(), scale_b,
               scaled_sum(b.data(), b.size(), scale_b) / n, a.size(), sums);
  return correlation_from(sums, n);
}

double correlation_of_ranks(std::span<const double> a, std::span<const double> b) {
  if (a.empty()) return 0;
  // The mean rank is known, and deviations are multiples of 1/2: sums are exact up to n = 300,000.
  const double mean = 0.5 * static_cast<double>(a.size() + 1);
  Products sums;
  add_products(a.data(), 1, mean, b.data(), 1, mean, a.size(), sums);
  return correlation_from(sums, static_cast<double>(a.size()));
}

// `ranks_of_truth`: found before, row by row; or nothing.
DistanceScores score(const DistanceRows& truth, const DistanceRows& estimate,
                     MatrixView<const double> ranks_of_truth, const Context& context) {
  struct Row {
    double pearson, spearman, largest, squares;  // squares: over (difference / largest)^2
  };
  const std::size_t n = truth.n();
  std::vector<Row> rows(n);
  for_rows(context, "scores of distances", n, [&](std::size_t begin, std::size_t end) {
    std::vector<double> a(n), b(n);
    Sorter sorter;
    for (std::size_t i = begin; i < end; ++i) {
      truth.row(i, a);
      estimate.row(i, b);
      Row& row = rows[i];
      row.largest = largest_difference(a.data(), b.data(), n);
      row.squares = squared_differences(a.data(), b.data(), safe_scale(row.largest), n);
      row.pearson = pearson_of(a, b);
      average_ranks(b, sorter, b);
      if (ranks_of_truth.rows == n) {
        row.spearman = correlation_of_ranks(ranks_of_truth.row(i), b);
      } else {
        average_ranks(a, sorter, a);
        row.spearman = correlation_of_ranks(a, b);
      }
    }
  });
  DistanceScores scores;
  double largest = 0;
  for (const Row& row : rows) {
    scores.pearson += row.pearson;
    scores.spearman += row.spearman;
    largest = std::max(largest, row.largest);
  }
  const double scale = safe_scale(largest);
  double squares = 0;
  for (const Row& row : rows) {
    const double ratio = scale / safe_scale(row.largest);
    squares += row.squares * ratio * ratio;
  }
  const auto size = static_cast<double>(n);
  scores.pearson /= size;
  scores.spearman /= size;
  scores.frobenius = std::sqrt(squares) / (size * size) / scale;
  scores.max = largest / (size * size);
  return scores;
}

void require_comparable(std::span<const double> a, std::span<const double> b) {
  std::vector<std::string> complaints;
  if (a.size() != b.size()) {
    complaints.push_back("the vectors have " + std::to_string(a.size()) + " and " +
                         std::to_string(b.size()) + " values: give equally many");
  }
  for (const auto& [values, name] : {std::pair{a, "first"}, std::pair{b, "second"}}) {
    const auto complaint =
        complaint_unless_finite({values.data(), 1, values.size(), values.size()},
                                std::string("the ") + name + " vector", false, {});
    if (complaint) complaints.push_back(*complaint);
  }
  refuse_if_any(complaints);
}

}  // namespace detail

double pearson(std::span<const double> a, std::span<const double> b) {
  detail::require_comparable(a, b);
  return detail::pearson_of(a, b);
}

double spearman(std::span<const double> a, std::span<const double> b) {
  detail::require_comparable(a, b);
  return detail::correlation_of_ranks(ranks(a), ranks(b));
}

DistanceScores score_distances(MatrixView<const double> truth, MatrixView<const double> estimate,
                               const Context& context) {
  const detail::DistanceRows a({.distances = truth}, "truth", context);
  const detail::DistanceRows b({.distances = estimate}, "estimate", context);
  detail::require_same_size(a, "truth", b, "estimate");
  return detail::score(a, b, {}, context);
}

DistanceScorer::DistanceScorer(MatrixView<const double> truth, const Context& context)
    : truth_(truth) {
  const detail::DistanceRows rows({.distances = truth}, "truth", context);
  ranks_ = Matrix<double>::uninitialized(rows.n(), rows.n());
  detail::for_rows(context, "ranks of true distances", rows.n(),
                   [&](std::size_t begin, std::size_t end) {
                     detail::Sorter sorter;
                     for (std::size_t i = begin; i < end; ++i) {
                       rows.row(i, ranks_.row(i));
                       detail::average_ranks(ranks_.row(i), sorter, ranks_.row(i));
                     }
                   });
}

DistanceScores DistanceScorer::operator()(MatrixView<const double> estimate,
                                          const Context& context) const {
  const detail::DistanceRows a({.distances = truth_}, "truth", context);
  const detail::DistanceRows b({.distances = estimate}, "estimate", context);
  detail::require_same_size(a, "truth", b, "estimate");
  return detail::score(a, b, ranks_, context);
}

DistanceScores score_embedding(MatrixView<const double> truth, MatrixView<const double> coordinates,
                               const Context& context) {
  const detail::DistanceRows a({.distances = truth}, "truth", context);
  const detail::DistanceRows b({.coordinates = coordinates}, "coordinates", context);
  detail::require_same_size(a, "truth", b, "coordinates");
  return detail::score(a, b, {}, context);
}

}  // namespace geotherm
