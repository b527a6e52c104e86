// Gaussian weights on the edges of the knn graph, with one width or one for each point.
#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/kernels.hpp"
#include "graph/unite.hpp"

namespace geotherm::detail {
namespace {

double any_neighbor(std::size_t, double) { return 1.0; }

/// Of the distance to the knn nearest, over all points.
double mean_distance(const NeighborLists& lists) {
  double sum = 0;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    for (const double d : lists.lengths(i).first(lists.knn)) sum += d;
  }
  return sum / (static_cast<double>(lists.n_points) * static_cast<double>(lists.knn));
}

}  // namespace

// exp(-d^2 / sigma^2) with sigma the mean distance, as PyGSP's nearest-neighbour graph has it now.
// Its older exp(-d^2 / sigma) changes with the unit of the data and is not offered.
Graph knn_gaussian(const NeighborLists& lists, const Context& context) {
  const double sigma = mean_distance(lists);
  const auto weight = [&](const SeenEdge& e) {
    if (sigma == 0) return 1.0;
    const double x = e.length / sigma;
    return std::exp(-x * x);
  };
  return unite(lists, lists.knn, any_neighbor, weight, context);
}

// Scanpy's method "gauss" on a knn graph (after Haghverdi et al. 2016): the squared width of a
// point is the median of its squared distances to the knn neighbours.
Graph adaptive_gaussian(const NeighborLists& lists, const Context& context) {
  // Relative to the mean distance, so that squares neither overflow nor vanish.
  const double mean = mean_distance(lists);
  const double unit = mean > 0 ? mean : 1;
  std::vector<double> squared_width(lists.n_points);
  const std::size_t k = lists.knn;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const auto at = [&](std::size_t place) {
      const double d = lists.lengths(i)[place] / unit;
      return d * d;
    };
    squared_width[i] = k % 2 == 1 ? at(k / 2) : 0.5 * (at(k / 2 - 1) + at(k / 2));
  }
  const auto weight = [&](const SeenEdge& e) {
    const double a = squared_width[e.from], b = squared_width[e.to];
    const double sum = a + b;
    const double d = e.length / unit;
    // Half of the neighbours of both ends are duplicates: only those are near.
    if (sum == 0) return d == 0 ? 1.0 : 0.0;
    return std::sqrt(2 * std::sqrt(a) * std::sqrt(b) / sum) * std::exp(-d * d / sum);
  };
  return unite(lists, lists.knn, any_neighbor, weight, context);
}

}  // namespace geotherm::detail
