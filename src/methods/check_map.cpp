#include "methods/check_map.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "embedding/problem.hpp"

namespace geotherm::detail {
namespace {

/// Part of a row, in units of the largest entry, that has to be outside the span of others.
constexpr double least_outside = 1e-9;

/// Whether `count` rows are affinely independent: each is the one farthest from the affine span of
/// those before it. O(rows x cols x count^2).
template <class T>
bool has_independent_rows(MatrixView<const T> points, std::size_t count) {
  const std::size_t n = points.rows, d = points.cols;
  if (count > n || count > d + 1) return false;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (const T x : points.row(i)) largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
  const double unit = unit_for(largest);
  Matrix<double> axes(count - 1, d);
  std::vector<double> offset(d), farthest(d);
  for (std::size_t k = 0; k + 1 < count; ++k) {
    double most = 0;
    for (std::size_t i = 1; i < n; ++i) {
      for (std::size_t c = 0; c < d; ++c) {
        offset[c] =
            unit * static_cast<double>(points(i, c)) - unit * static_cast<double>(points(0, c));
      }
      for (std::size_t a = 0; a < k; ++a) {
        double along = 0;
        for (std::size_t c = 0; c < d; ++c) along += axes(a, c) * offset[c];
        for (std::size_t c = 0; c < d; ++c) offset[c] -= along * axes(a, c);
      }
      double squared = 0;
      for (const double x : offset) squared += x * x;
      if (squared <= most) continue;
      most = squared;
      farthest = offset;
    }
    if (most <= least_outside * least_outside) return false;
    for (std::size_t c = 0; c < d; ++c) axes(k, c) = farthest[c] / std::sqrt(most);
  }
  return true;
}

bool is_one_place(const Matrix<double>& map) {
  for (std::size_t i = 1; i < map.rows(); ++i) {
    if (!std::equal(map.row(i).begin(), map.row(i).end(), map.row(0).begin())) return false;
  }
  return true;
}

}  // namespace

EmbeddingRun checked(EmbeddingRun run, const Input& input) {
  const Matrix<double>& map = run.embedding.coordinates;
  for (std::size_t i = 0; i < map.rows(); ++i) {
    for (const double x : map.row(i)) {
      if (std::isfinite(x)) continue;
      throw InvalidData("the map has no finite coordinates for row " + std::to_string(i) +
                        ": distances left the range of numbers; divide the table by a constant, or "
                        "leave out rows that are very far from all others");
    }
  }
  if (run.embedding.outcome == Outcome::stopped || !is_one_place(map)) return run;
  const std::size_t count = map.cols() + 1;
  if (has_independent_rows(input.points(), count) ||
      has_independent_rows(input.points32(), count)) {
    throw InvalidData(
        "the map puts all points at one place although their rows differ: the distances between "
        "them are all 0; use a shorter `time` where it is given, or divide the table by a constant "
        "where its numbers are very large or small");
  }
  return run;
}

}  // namespace geotherm::detail
