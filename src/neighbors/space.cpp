#include "neighbors/space.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/simd.hpp"
#include "neighbors/pair_measures.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t rows_at_once = 4096;

}  // namespace

template <class T>
double Space<T>::distance(double measured) const {
  switch (measure) {
    case Measure::squared:
      return std::sqrt(measured) * unit;
    case Measure::half_squared:
      return 0.5 * measured;
    case Measure::arc:
      return 2 * std::asin(std::min(1.0, 0.5 * std::sqrt(measured)));
    case Measure::manhattan:
      return measured * unit;
    case Measure::hamming:
      return measured / static_cast<double>(dims());
    default:
      break;
  }
  return measured;
}
template struct Space<float>;
template struct Space<double>;

template <class T>
void refuse_non_finite(MatrixView<const T> points, const Context& context) {
  // Of several rows the first is named: its block's exception is the one that is thrown on.
  parallel_for(context, points.rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = points.row(i);
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (std::isfinite(row[c])) continue;
        throw InvalidArgument("points: the value in row " + std::to_string(i) + ", column " +
                              std::to_string(c) +
                              " is not finite; remove or fill such entries first");
      }
    }
  });
}
template void refuse_non_finite(MatrixView<const float>, const Context&);
template void refuse_non_finite(MatrixView<const double>, const Context&);

namespace {

Measure measure_of(Metric metric) {
  switch (metric) {
    case Metric::manhattan:
      return Measure::manhattan;
    case Metric::hamming:
      return Measure::hamming;
    case Metric::jaccard:
      return Measure::jaccard;
    case Metric::braycurtis:
      return Measure::braycurtis;
    case Metric::canberra:
      return Measure::canberra;
    default:
      return Measure::squared;
  }
}

}  // namespace

template <class T>
Space<T> plain_space(MatrixView<const T> points, Metric metric, const Context& context) {
  Space<T> space;
  space.measure = measure_of(metric);
  space.rows = Matrix<T>::uninitialized(points.rows, points.cols);
  std::vector<T> parts((points.rows + rows_at_once - 1) / rows_at_once, T{0});
  parallel_for(context, points.rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
    T most = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = points.row(i);
      std::copy(row.begin(), row.end(), space.rows.row(i).begin());
      for (const T x : row) most = std::max(most, std::abs(x));
    }
    parts[begin / rows_at_once] = most;
  });
  const T largest = parts.empty() ? T{0} : *std::max_element(parts.begin(), parts.end());
  // Squares of floats fit into the double sums; doubles beyond these bounds do not.
  if constexpr (std::is_same_v<T, double>) {
    if (has_boxes(space.measure) && (largest > 1e140 || (largest > 0 && largest < 1e-140))) {
      const int exponent = std::ilogb(largest);
      space.unit = std::ldexp(1.0, exponent);
      for (std::size_t k = 0; k < space.rows.size(); ++k) {
        space.rows.data()[k] = std::ldexp(space.rows.data()[k], -exponent);
      }
    }
  }
  return space;
}
template Space<float> plain_space(MatrixView<const float>, Metric, const Context&);
template Space<double> plain_space(MatrixView<const double>, Metric, const Context&);

template <class T>
Space<double> unit_space(MatrixView<const T> points, Metric metric) {
  const std::size_t n = points.rows, d = points.cols;
  Matrix<double> rows(n, d);
  std::vector<bool> has_direction(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = points.row(i);
    const auto to = rows.row(i);
    std::copy(from.begin(), from.end(), to.begin());
    double largest = 0;
    for (const double x : to) largest = std::max(largest, std::abs(x));
    if (largest == 0) continue;
    const int exponent = std::ilogb(largest);
    for (double& x : to) x = std::ldexp(x, -exponent);
    if (metric == Metric::correlation) {
      // Less the first entry before less the mean: a constant row becomes exactly zero.
      const double first = to[0];
      double sum = 0;
      for (double& x : to) sum += (x -= first);
      const double mean = sum / static_cast<double>(d);
      for (double& x : to) x -= mean;
    }
    double squares = 0;
    for (const double x : to) squares += x * x;
    has_direction[i] = squares > 0;
    if (!has_direction[i]) continue;
    const double length = std::sqrt(squares);
    for (double& x : to) x /= length;
  }
  Space<double> space;
  space.measure = Measure::half_squared;
  if (std::find(has_direction.begin(), has_direction.end(), false) == has_direction.end()) {
    space.rows = std::move(rows);
    return space;
  }
  space.rows = Matrix<double>(n, d + 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy(rows.row(i).begin(), rows.row(i).end(), space.rows.row(i).begin());
    space.rows(i, d) = has_direction[i] ? 0.0 : 1.0;
  }
  return space;
}
template Space<double> unit_space(MatrixView<const float>, Metric);
template Space<double> unit_space(MatrixView<const double>, Metric);

template <class T>
Frame frame_of(const Matrix<T>& rows, const Context& context) {
  Frame frame;
  frame.means.resize(rows.cols());
  // Each column is added up in the order of the rows.
  constexpr std::size_t columns_at_once = 8;
  parallel_for(context, rows.cols(), columns_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t c = begin; c < end; ++c) frame.means[c] += static_cast<double>(rows(i, c));
    }
  });
  for (double& m : frame.means) m /= static_cast<double>(rows.rows());
  std::vector<double> parts((rows.rows() + rows_at_once - 1) / rows_at_once, 0.0);
  parallel_for(context, rows.rows(), rows_at_once, [&](std::size_t begin, std::size_t end) {
    double& most = parts[begin / rows_at_once];
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < rows.cols(); ++c) {
        most = std::max(most, std::abs(static_cast<double>(rows(i, c)) - frame.means[c]));
      }
    }
  });
  const double largest = parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end());
  if (largest > 0) frame.scale = std::ldexp(1.0, -std::ilogb(largest) - 1);
  return frame;
}
template Frame frame_of(const Matrix<float>&, const Context&);
template Frame frame_of(const Matrix<double>&, const Context&);

namespace {

constexpr std::size_t n_lanes = 8;

// Eight sums side by side, since one sum in order cannot use wide registers; their final order is
// fixed. Inlined into the clones below, so that each is compiled for its own width.
template <class T, bool is_manhattan>
[[gnu::always_inline]] inline void measure_all(const T* query, const T* rows, std::size_t dims,
                                               const Index* ids, std::size_t count, double* out) {
  const std::size_t whole = dims - dims % n_lanes;
  for (std::size_t k = 0; k < count; ++k) {
    const T* row = rows + (ids == nullptr ? k : static_cast<std::size_t>(ids[k])) * dims;
    double rest = 0;
    for (std::size_t c = whole; c < dims; ++c) {
      const double gap = static_cast<double>(query[c]) - static_cast<double>(row[c]);
      rest += is_manhattan ? std::abs(gap) : gap * gap;
    }
    if (whole > 0) {
      double lanes[n_lanes] = {};
      for (std::size_t c = 0; c < whole; c += n_lanes) {
        for (std::size_t l = 0; l < n_lanes; ++l) {
          const double gap = static_cast<double>(query[c + l]) - static_cast<double>(row[c + l]);
          lanes[l] += is_manhattan ? std::abs(gap) : gap * gap;
        }
      }
      rest += ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
              ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
    }
    out[k] = rest;
  }
}

GEOTHERM_WIDE void squared_f64(const double* query, const double* rows, std::size_t dims,
                               const Index* ids, std::size_t count, double* out) {
  measure_all<double, false>(query, rows, dims, ids, count, out);
}
GEOTHERM_WIDE void squared_f32(const float* query, const float* rows, std::size_t dims,
                               const Index* ids, std::size_t count, double* out) {
  measure_all<float, false>(query, rows, dims, ids, count, out);
}
GEOTHERM_WIDE void manhattan_f64(const double* query, const double* rows, std::size_t dims,
                                 const Index* ids, std::size_t count, double* out) {
  measure_all<double, true>(query, rows, dims, ids, count, out);
}
GEOTHERM_WIDE void manhattan_f32(const float* query, const float* rows, std::size_t dims,
                                 const Index* ids, std::size_t count, double* out) {
  measure_all<float, true>(query, rows, dims, ids, count, out);
}

}  // namespace

void measure_rows(Measure measure, const double* query, const double* rows, std::size_t dims,
                  const Index* ids, std::size_t count, double* out) {
  if (!has_boxes(measure)) return measure_pairs(measure, query, rows, dims, ids, count, out);
  (measure == Measure::manhattan ? manhattan_f64 : squared_f64)(query, rows, dims, ids, count, out);
}

void measure_rows(Measure measure, const float* query, const float* rows, std::size_t dims,
                  const Index* ids, std::size_t count, double* out) {
  if (!has_boxes(measure)) return measure_pairs(measure, query, rows, dims, ids, count, out);
  (measure == Measure::manhattan ? manhattan_f32 : squared_f32)(query, rows, dims, ids, count, out);
}

}  // namespace geotherm::detail
