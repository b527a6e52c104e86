// Pivots: which they are, and what distances to them, standing still, ask of one point: where to
// move, and how well it fits.
#pragma once

#include <cstddef>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Numbers of pivots are rounded up to whole lanes; those past the end weigh nothing.
inline constexpr std::size_t n_lanes = 8;
/// Pivots where their number is left open.
inline constexpr std::size_t usual_pivots = 96;
/// More points than these have fewer pivots, and units of length from fewer of them.
inline constexpr std::size_t many_pivot_points = 10000;
/// Pivots where their heat is measured on all points. Among many, fewer are nearly as good: the
/// map of 20,000 digits has 1.0025 times the stress by 112 as by 256 (mean of three seeds).
constexpr std::size_t usual_full_pivots(std::size_t n_points) {
  return n_points > many_pivot_points ? 112 : 256;
}

/// `count` of 0 to n - 1 (all, where there are fewer), drawn at random, rising.
std::vector<Index> draw_pivots(std::size_t n, std::size_t count, const Context&);

/// Every entry times `factor`.
void multiply(Matrix<double>&, double factor);

struct Pull {
  double stress = 0;
  double squares = 0;
  double weight = 0;
};

/// Adds to `sum` (one value a component) the weighted positions towards which the pivots pull
/// the point x: y_p + t_p (x - y_p) / |x - y_p|.
/// `coordinates`: components x n_pivots; `ratio`: working memory of n_pivots.
Pull pull_of_pivots(const double* target, const double* weight, const double* coordinates,
                    std::size_t n_pivots, const double* x, std::size_t n_components, double* ratio,
                    double* sum) noexcept;

/// Adds to `sum` (components x n_pivots) where the point x would like to have each pivot: x + t_p
/// (y_p
/// - x) / |y_p - x|. `places` and `ratio` as above.
void add_wishes_of_point(const float* target, const double* places, std::size_t n_pivots,
                         const double* x, std::size_t n_components, double* ratio,
                         double* sum) noexcept;

/// As pull_of_pivots, for neighbours on a plane: coordinates (x, y) interleaved, and how far away
/// each should be (`lengths` times `scale`). Sums over neighbours y of x + y + t (x - y) / |x - y|.
struct NearPull {
  double stress = 0;
  double sum[2] = {0, 0};
};
NearPull pull_of_neighbors(const Index* neighbors, const double* lengths, std::size_t n,
                           double scale, const double* coordinates, const double* x) noexcept;

}  // namespace geotherm::detail
