// Metrics that become Euclidean once the rows are changed, what each metric refuses, and Euclidean
// stand-ins in which the approximate search finds candidates for the others.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/vector_log.hpp"
#include "neighbors/space.hpp"

namespace geotherm::detail {
namespace {

/// Rows over their sums; those that sum to 0 are told apart by the spare coordinate, 1.
template <class T>
Matrix<double> distributions(MatrixView<const T> points) {
  Matrix<double> rows(points.rows, points.cols + 1);
  for (std::size_t i = 0; i < points.rows; ++i) {
    double largest = 0, sum = 0;
    for (const T x : points.row(i)) largest = std::max(largest, static_cast<double>(x));
    if (largest == 0) {
      rows(i, points.cols) = 1;
      continue;
    }
    const int exponent = std::ilogb(largest);
    for (std::size_t c = 0; c < points.cols; ++c) {
      rows(i, c) = std::ldexp(static_cast<double>(points(i, c)), -exponent);
      sum += rows(i, c);
    }
    for (double& x : rows.row(i)) x /= sum;
  }
  return rows;
}

/// Shares p -> p and p log p side by side, which is what their divergences are made of.
Matrix<double> with_entropies(const Matrix<double>& shares) {
  const std::size_t d = shares.cols();
  Matrix<double> rows(shares.rows(), 2 * d);
  std::vector<double> logs(d);
  for (std::size_t i = 0; i < shares.rows(); ++i) {
    const auto from = shares.row(i);
    const auto to = rows.row(i);
    std::copy(from.begin(), from.end(), to.begin());
    for (std::size_t c = 0; c < d; ++c) {
      logs[c] = std::max(from[c], std::numeric_limits<double>::min());
    }
    log_in_place(logs.data(), d);
    for (std::size_t c = 0; c < d; ++c) to[d + c] = from[c] * logs[c];
  }
  return rows;
}

/// Latitude and longitude -> points of the unit sphere.
template <class T>
Matrix<double> on_sphere(MatrixView<const T> points) {
  Matrix<double> rows(points.rows, 3);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const double latitude = static_cast<double>(points(i, 0));
    const double longitude = static_cast<double>(points(i, 1));
    rows(i, 0) = std::cos(latitude) * std::cos(longitude);
    rows(i, 1) = std::cos(latitude) * std::sin(longitude);
    rows(i, 2) = std::sin(latitude);
  }
  return rows;
}

/// Unit rows with the spare coordinate, whether or not a row needs it.
Space<double> with_spare(Space<double> space, std::size_t n_columns) {
  if (space.dims() > n_columns) return space;
  Matrix<double> wide(space.n_points(), n_columns + 1);
  for (std::size_t i = 0; i < space.n_points(); ++i) {
    std::copy(space.rows.row(i).begin(), space.rows.row(i).end(), wide.row(i).begin());
  }
  space.rows = std::move(wide);
  return space;
}

/// A sign for a value in a column, the same in every run.
float sign_of(std::size_t column, double value, std::size_t axis) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL * (column + 1);
  const auto mix = [&h](std::uint64_t bits) {
    h ^= bits;
    h *= 0xbf58476d1ce4e5b9ULL;
    h ^= h >> 31U;
    h *= 0x94d049bb133111ebULL;
    h ^= h >> 29U;
  };
  mix(static_cast<std::uint64_t>(static_cast<std::int64_t>(value * 1048576.0)));
  mix(axis);
  return (h & 1U) != 0 ? 1.0F : -1.0F;
}

/// Codes as sums of Rademacher vectors (entries +1 and -1): squared distances are about the number
/// of codes that differ.
template <class T>
Matrix<float> projected_codes(const Matrix<T>& rows) {
  constexpr std::size_t n_axes = 128;
  Matrix<float> out(rows.rows(), n_axes);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.cols(); ++c) {
      for (std::size_t a = 0; a < n_axes; ++a) {
        out(i, a) += sign_of(c, static_cast<double>(rows(i, c)), a);
      }
    }
  }
  return out;
}

template <class T>
bool is_binary(const Matrix<T>& rows) {
  return std::all_of(rows.data(), rows.data() + rows.size(),
                     [](T x) { return x == T{0} || x == T{1}; });
}

/// Mean size of the entries of each column.
template <class T>
std::vector<double> column_sizes(const Matrix<T>& rows) {
  std::vector<double> sizes(rows.cols(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.cols(); ++c) {
      sizes[c] += std::abs(static_cast<double>(rows(i, c))) / static_cast<double>(rows.rows());
    }
  }
  return sizes;
}

}  // namespace

bool is_mapped(Metric metric) {
  return metric == Metric::cosine || metric == Metric::correlation || metric == Metric::hellinger ||
         metric == Metric::jensenshannon || metric == Metric::haversine;
}

template <class T>
Space<double> mapped_space(MatrixView<const T> points, Metric metric, bool has_spare) {
  if (metric == Metric::cosine || metric == Metric::correlation) {
    Space<double> space = unit_space(points, metric);
    return has_spare ? with_spare(std::move(space), points.cols) : std::move(space);
  }
  Space<double> space;
  if (metric == Metric::haversine) {
    space.measure = Measure::arc;
    space.rows = on_sphere(points);
    return space;
  }
  space.rows = distributions(points);
  if (metric == Metric::jensenshannon) {
    space.measure = Measure::jensen_shannon;
    space.rows = with_entropies(space.rows);
    return space;
  }
  // |sqrt p - sqrt q| / sqrt 2, in [0, 1].
  for (std::size_t k = 0; k < space.rows.size(); ++k) {
    space.rows.data()[k] = std::sqrt(0.5 * space.rows.data()[k]);
  }
  return space;
}
template Space<double> mapped_space(MatrixView<const float>, Metric, bool);
template Space<double> mapped_space(MatrixView<const double>, Metric, bool);

template <class T>
void refuse_unfit(MatrixView<const T> points, Metric metric) {
  const std::string name(to_string(metric));
  if (metric == Metric::haversine) {
    if (points.cols != 2) {
      throw InvalidData("metric = haversine: the table has " + std::to_string(points.cols) +
                        " columns; give two, latitude and longitude in radians");
    }
    for (std::size_t i = 0; i < points.rows; ++i) {
      if (std::abs(static_cast<double>(points(i, 0))) <= std::numbers::pi / 2 + 1e-6) continue;
      throw InvalidData("metric = haversine: the latitude in row " + std::to_string(i) + " is " +
                        std::to_string(points(i, 0)) +
                        ", beyond a pole; give latitude and longitude in radians (degrees / 57.29578)");
    }
    return;
  }
  if (metric != Metric::hellinger && metric != Metric::jensenshannon &&
      metric != Metric::braycurtis) {
    return;
  }
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t c = 0; c < points.cols; ++c) {
      if (!(points(i, c) < T{0})) continue;
      throw InvalidData("metric = " + name + ": the value in row " + std::to_string(i) +
                        ", column " + std::to_string(c) + " is " + std::to_string(points(i, c)) +
                        "; it compares counts or shares, which are not negative");
    }
  }
}
template void refuse_unfit(MatrixView<const float>, Metric);
template void refuse_unfit(MatrixView<const double>, Metric);

template <class T>
Space<float> proxy_space(const Space<T>& space) {
  Space<float> proxy;
  const Matrix<T>& rows = space.rows;
  if (space.measure == Measure::hamming && !is_binary(rows)) {
    proxy.rows = projected_codes(rows);
    return proxy;
  }
  std::vector<double> sizes;
  if (space.measure == Measure::canberra) sizes = column_sizes(rows);
  const std::size_t n_columns =
      space.measure == Measure::jensen_shannon ? rows.cols() / 2 : rows.cols();
  proxy.rows = Matrix<float>(rows.rows(), n_columns + 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double squares = 0;
    for (std::size_t c = 0; c < n_columns; ++c) {
      double x = static_cast<double>(rows(i, c));
      if (space.measure == Measure::jaccard) x = x != 0 ? 1 : 0;
      if (space.measure == Measure::braycurtis || space.measure == Measure::jensen_shannon) {
        x = std::sqrt(x);
      }
      if (space.measure == Measure::canberra) x = sizes[c] > 0 ? std::asinh(4 * x / sizes[c]) : 0;
      squares += x * x;
      proxy.rows(i, c) = static_cast<float>(x);
    }
    if (space.measure != Measure::jaccard) continue;
    if (squares == 0) proxy.rows(i, rows.cols()) = 1;
    const double length = squares > 0 ? std::sqrt(squares) : 1;
    for (std::size_t c = 0; c < rows.cols(); ++c) {
      proxy.rows(i, c) = static_cast<float>(static_cast<double>(proxy.rows(i, c)) / length);
    }
  }
  return proxy;
}
template Space<float> proxy_space(const Space<float>&);
template Space<float> proxy_space(const Space<double>&);

}  // namespace geotherm::detail
