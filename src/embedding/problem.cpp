// Looks once through what the caller gave, and sums up the weights.
#include "embedding/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace geotherm::detail {
namespace {

constexpr std::size_t tile = 32;
constexpr double symmetry_tolerance = 1e-6;

struct Look {
  double largest = 0;
  double lowest = 0;
  double gap = 0;  ///< largest difference across the diagonal
  bool is_finite = true;

  void take(double a, double b) noexcept {
    largest = std::max(largest, std::max(a, b));
    lowest = std::min(lowest, std::min(a, b));
    gap = std::max(gap, std::abs(a - b));
    // A NaN hides from max and min, not from this.
    is_finite = is_finite && std::abs(a) <= std::numeric_limits<double>::max() &&
                std::abs(b) <= std::numeric_limits<double>::max();
  }
  void take(const Look& other) noexcept {
    largest = std::max(largest, other.largest);
    lowest = std::min(lowest, other.lowest);
    gap = std::max(gap, other.gap);
    is_finite = is_finite && other.is_finite;
  }
};

Look look_at_rows(MatrixView<const double> m, std::size_t begin, std::size_t end) noexcept {
  Look look;
  double turned[tile][tile];
  for (std::size_t first = begin; first < m.rows; first += tile) {
    // The mirror tile is read along its rows: down its columns, rows a power of two apart would
    // all fall into one set of the cache.
    const std::size_t last = std::min(m.rows, first + tile);
    for (std::size_t j = first; j < last; ++j) {
      for (std::size_t i = begin; i < end; ++i) turned[i - begin][j - first] = m(j, i);
    }
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = std::max(first, i + 1); j < last; ++j) {
        look.take(m(i, j), turned[i - begin][j - first]);
      }
    }
  }
  return look;
}

/// Names the first pair for which `is_wrong(a, b)`.
template <class Wrong>
[[noreturn]] void refuse_first(std::string_view name, MatrixView<const double> m,
                               std::string_view what, const Wrong& is_wrong) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    for (std::size_t j = 0; j < m.cols; ++j) {
      if (i == j || !is_wrong(m(i, j), m(j, i))) continue;
      std::ostringstream message;
      message << name << "(" << i << ", " << j << ") is " << m(i, j) << " and (" << j << ", " << i
              << ") is " << m(j, i) << ": " << what;
      throw InvalidArgument(message.str());
    }
  }
  throw InvalidArgument(std::string(name) + ": " + std::string(what));
}

/// The largest entry off the diagonal.
double checked_largest(std::string_view name, MatrixView<const double> m, double allowance,
                       const Context& context) {
  if (m.rows != m.cols || m.rows == 0) {
    std::ostringstream message;
    message << name << " is " << m.rows << " x " << m.cols
            << ": give a square array with a row per point";
    throw InvalidArgument(message.str());
  }
  std::vector<Look> looks((m.rows + tile - 1) / tile);
  parallel_for(context, m.rows, tile, [&](std::size_t begin, std::size_t end) {
    looks[begin / tile] = look_at_rows(m, begin, end);
  });
  Look all;
  for (const Look& look : looks) all.take(look);
  if (!all.is_finite) {
    refuse_first(name, m, "give finite values (a disconnected graph needs a policy first)",
                 [](double a, double) { return !std::isfinite(a); });
  }
  if (all.lowest < -allowance * all.largest) {
    refuse_first(name, m, "give values >= 0",
                 [&](double a, double) { return a < -allowance * all.largest; });
  }
  if (all.gap > symmetry_tolerance * all.largest) {
    refuse_first(
        name, m, "give a symmetric array, e.g. the mean of it and its transpose",
        [&](double a, double b) { return std::abs(a - b) > symmetry_tolerance * all.largest; });
  }
  return all.largest;
}

}  // namespace

double unit_for(double largest) noexcept {
  if (!(largest > 0)) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

Problem checked_problem(MatrixView<const double> distances, MatrixView<const double> weights,
                        MdsWeights kind, const Context& context) {
  const double largest = checked_largest("distances", distances, 0, context);
  Problem problem{.distances = distances, .unit = unit_for(largest), .is_point = !(largest > 0)};
  Weighting& weighting = problem.weighting;
  if (weights.data != nullptr) {
    if (weights.rows != distances.rows || weights.cols != distances.cols) {
      std::ostringstream message;
      message << "weights are " << weights.rows << " x " << weights.cols << ": give "
              << distances.rows << " x " << distances.rows << ", as the distances";
      throw InvalidArgument(message.str());
    }
    // Kernels by polynomial may leave entries a rounding error below zero.
    const double heaviest = checked_largest("weights", weights, 1e-6, context);
    if (!(heaviest > 0) && distances.rows > 1) {
      throw InvalidArgument("weights are all 0: give some pairs a positive weight");
    }
    weighting.kind = Weighting::Kind::given;
    weighting.values = weights;
    weighting.value_unit = unit_for(heaviest);
  } else if (kind == MdsWeights::heat) {
    throw InvalidArgument(
        "weights is heat and no kernel is given: pass the n x n heat kernel, or choose other "
        "weights");
  } else if (kind != MdsWeights::none && !problem.is_point) {
    const double median = median_distance(distances, context) * problem.unit;
    weighting.kind =
        kind == MdsWeights::inverse ? Weighting::Kind::inverse : Weighting::Kind::gaussian;
    // Twins would have infinite weight: lengths below a thousandth of the median count as that.
    // (1e-100: where even that vanishes beside the largest.)
    weighting.length = kind == MdsWeights::inverse ? std::max(1e-3 * median, 1e-100) : median;
  }
  return problem;
}

Problem checked_problem(MatrixView<const double> distances, MatrixView<const double> weights,
                        const Matrix<double>& start, const MdsOptions& options,
                        const Context& context) {
  refuse_if_any(issues_with(options));
  const Problem problem = checked_problem(distances, weights, options.weights, context);
  check_start(start, problem.n(), options.n_components);
  return problem;
}

Problem checked_problem(PairSource& pairs) {
  const double largest = pairs.largest();
  if (!std::isfinite(largest)) {
    throw InvalidArgument("distances: give finite values >= 0");
  }
  return {.distances = {},
          .unit = unit_for(largest),
          .is_point = !(largest > 0),
          .weighting = {},
          .elsewhere = &pairs};
}

void check_start(const Matrix<double>& start, std::size_t n, std::size_t n_components) {
  if (start.rows() != n || start.cols() != n_components) {
    std::ostringstream message;
    message << "start is " << start.rows() << " x " << start.cols() << ": give " << n << " x "
            << n_components << ", a row per point and a column per component";
    throw InvalidArgument(message.str());
  }
  const double* data = start.data();
  if (!std::all_of(data, data + start.size(), [](double v) { return std::isfinite(v); })) {
    throw InvalidArgument("start holds values that are not finite: give finite coordinates");
  }
}

WeightTotals weight_totals(const Problem& problem, const Context& context) {
  constexpr std::size_t rows = 64;
  constexpr std::size_t lanes = 8;
  const std::size_t n = problem.n();
  WeightTotals totals;
  totals.per_point.assign(n, static_cast<double>(n));
  if (problem.elsewhere != nullptr) {
    // The stress of all points in one place.
    const Matrix<double> origin(1, n);
    Matrix<double> pull(1, n);
    totals.squares = problem.elsewhere->pass(origin, pull, problem.unit);
    totals.smallest = totals.largest = 1;
    return totals;
  }
  std::vector<double> smallest((n + rows - 1) / rows, std::numeric_limits<double>::infinity());
  std::vector<double> largest((n + rows - 1) / rows, 0.0);
  totals.squares = parallel_sum(context, n, rows, [&](std::size_t begin, std::size_t end) {
    std::vector<double> weights(n, 1.0);
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    double squares[lanes] = {};
    for (std::size_t i = begin; i < end; ++i) {
      const double* d = problem.distances.row(i).data();
      if (!problem.weighting.is_uniform()) {
        problem.weighting.fill(problem.weighting.given(i, 0), d, problem.unit, n, weights.data());
        weights[i] = 0;  // whatever stands on the diagonal
        double sums[lanes] = {};
        for (std::size_t j = 0; j < n; ++j) {
          sums[j % lanes] += weights[j];
          high = std::max(high, weights[j]);
          low = weights[j] > 0 && weights[j] < low ? weights[j] : low;
        }
        for (std::size_t l = 1; l < lanes; ++l) sums[0] += sums[l];
        totals.per_point[i] = sums[0];
      }
      for (std::size_t j = i + 1; j < n; ++j) {
        const double length = d[j] * problem.unit;
        squares[j % lanes] += weights[j] * (length * length);
      }
    }
    smallest[begin / rows] = low;
    largest[begin / rows] = high;
    for (std::size_t l = 1; l < lanes; ++l) squares[0] += squares[l];
    return squares[0];
  });
  if (problem.weighting.is_uniform()) {
    totals.smallest = totals.largest = 1;
  } else {
    totals.smallest = *std::min_element(smallest.begin(), smallest.end());
    totals.largest = *std::max_element(largest.begin(), largest.end());
  }
  return totals;
}

double normalised_stress(double raw, double squares) noexcept {
  if (squares > 0) return raw / squares;
  return raw > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace geotherm::detail
