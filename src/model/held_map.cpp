// An old map and a new layout of its points -> a map between both (docs/methods/new_points.md).
// Between two places of a point there may be nothing that is like it: where points change sides, or
// parts are arranged anew inside, averages of coordinates lie among others. So it is displacements
// that are averaged, over points nearby, and one of both maps moves along them as a whole.
#include "model/held_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/median.hpp"
#include "core/squared_distance.hpp"
#include "geotherm/embedding.hpp"
#include "geotherm/model.hpp"

namespace geotherm {
namespace {

// Points that displacements are averaged over, evenly spaced ones.
constexpr std::size_t most_sampled = 4000;
// Median displacements. Wider than points move, so that the map does not fold.
constexpr double reach_in_displacements = 3;

/// `made`, turned and moved as brings its first rows onto those of `start`.
Matrix<double> turned_onto(MatrixView<const double> start, MatrixView<const double> made,
                           std::size_t n_old) {
  const MatrixView<const double> old{start.data, n_old, start.cols, start.stride};
  const MatrixView<const double> moving{made.data, n_old, made.cols, made.stride};
  const std::size_t dims = start.cols;
  const Matrix<double> rotation = procrustes(old, moving).rotation;
  Matrix<double> means(2, dims);
  for (std::size_t i = 0; i < n_old; ++i) {
    for (std::size_t c = 0; c < dims; ++c) {
      means(0, c) += old(i, c) / static_cast<double>(n_old);
      means(1, c) += moving(i, c) / static_cast<double>(n_old);
    }
  }
  auto turned = Matrix<double>::uninitialized(made.rows, dims);
  for (std::size_t i = 0; i < made.rows; ++i) {
    for (std::size_t c = 0; c < dims; ++c) {
      turned(i, c) = means(0, c);
      for (std::size_t k = 0; k < dims; ++k) {
        turned(i, c) += (made(i, k) - means(1, k)) * rotation(k, c);
      }
    }
  }
  return turned;
}

/// Displacements from `from` to `to` around each point of `from`: means over a sample of the points
/// within reach, weighted by (1 - (distance / reach)^2)^2. Where none is, that of the nearest.
class DisplacementField {
 public:
  DisplacementField(MatrixView<const double> from, MatrixView<const double> to)
      : from_(from), to_(to) {
    const std::size_t n = from.rows, m = std::min(n, most_sampled);
    for (std::size_t k = 0; k < m; ++k) sample_.push_back(k * n / m);
    std::sort(sample_.begin(), sample_.end(), [&](std::size_t a, std::size_t b) {
      return from(a, 0) != from(b, 0) ? from(a, 0) < from(b, 0) : a < b;
    });
    std::vector<double> lengths;
    for (std::size_t i = 0; i < n; ++i) {
      lengths.push_back(std::sqrt(detail::squared_distance(from.row(i), to.row(i))));
    }
    reach_ = reach_in_displacements * detail::median(std::move(lengths));
  }

  void add_mean_at(std::size_t i, double share, std::span<double> out) const {
    const auto here = from_.row(i);
    // The sample is in the order of the first axis.
    const auto first = std::lower_bound(
        sample_.begin(), sample_.end(), here[0] - reach_,
        [&](std::size_t s, double least) { return from_(s, 0) < least; });
    double total = 0;
    std::vector<double> sums(out.size(), 0.0);
    for (auto s = first; s != sample_.end() && from_(*s, 0) <= here[0] + reach_; ++s) {
      const double q = detail::squared_distance(here, from_.row(*s)) / (reach_ * reach_);
      if (!(q < 1)) continue;
      const double weight = (1 - q) * (1 - q);
      total += weight;
      for (std::size_t c = 0; c < out.size(); ++c) sums[c] += weight * (to_(*s, c) - from_(*s, c));
    }
    if (!(total > 0)) return add(nearest_sampled(here), share, out);
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += share * sums[c] / total;
  }

 private:
  void add(std::size_t i, double share, std::span<double> out) const {
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += share * (to_(i, c) - from_(i, c));
  }
  std::size_t nearest_sampled(std::span<const double> here) const {
    return *std::min_element(sample_.begin(), sample_.end(), [&](std::size_t a, std::size_t b) {
      return detail::squared_distance(here, from_.row(a)) <
             detail::squared_distance(here, from_.row(b));
    });
  }

  MatrixView<const double> from_, to_;
  std::vector<std::size_t> sample_;
  double reach_ = 0;
};

}  // namespace

Matrix<double> held_map(MatrixView<const double> start, MatrixView<const double> made,
                        std::size_t n_old, double hold, const Context& context) {
  if (!(hold >= 0 && hold <= 1)) {
    throw InvalidArgument("hold is " + std::to_string(hold) + ": give a number from 0 to 1");
  }
  const Matrix<double> turned = turned_onto(start, made, n_old);
  const bool from_new = detail::keeps_new_neighborhoods(hold);
  const MatrixView<const double> from = from_new ? turned.view() : start;
  const double share = from_new ? hold : 1 - hold;
  auto result = Matrix<double>::uninitialized(start.rows, start.cols);
  for (std::size_t i = 0; i < start.rows; ++i) {
    std::ranges::copy(from.row(i), result.row(i).begin());
  }
  if (share == 0 || start.empty()) return result;
  const DisplacementField field(from, from_new ? start : turned.view());
  parallel_for(context, start.rows, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) field.add_mean_at(i, share, result.row(i));
  });
  return result;
}

}  // namespace geotherm
