// UMAP's fuzzy union (McInnes, Healy and Melville 2018, section 3.1): memberships exp(-(d - rho_i)
// / sigma_i), rho_i the distance to the nearest neighbour apart from duplicates, sigma_i such that
// they sum to log2 of the number of neighbours; united as a + b - ab.
//
// umap-learn counts the point itself among its n_neighbors, our knn does not: n_neighbors = knn + 1
// gives the same graph, and its means over a row include the zero for the point itself.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/kernels.hpp"
#include "graph/unite.hpp"

namespace geotherm::detail {
namespace {

constexpr int most_steps = 64;
constexpr double tolerance = 1e-5;
constexpr double least_scale = 1e-3;  // of the mean distance: sigma does not fall below

}  // namespace

SmoothDistance smooth_distance(std::span<const double> lengths, double mean_of_all) {
  const double n_neighbors = static_cast<double>(lengths.size() + 1);
  const double target = std::log2(n_neighbors);
  SmoothDistance smooth;
  double sum = 0;
  for (const double d : lengths) {
    if (d > 0 && smooth.rho == 0) smooth.rho = d;
    sum += d;
  }
  const double mean = sum / n_neighbors;
  // umap-learn starts at 1; the mean finds the same root for data in any unit.
  double low = 0, high = std::numeric_limits<double>::infinity();
  double sigma = mean > 0 ? mean : 1;
  for (int step = 0; step < most_steps; ++step) {
    double total = 0;
    for (const double d : lengths) {
      const double past = d - smooth.rho;
      total += past > 0 ? std::exp(-past / sigma) : 1;
    }
    if (std::abs(total - target) < tolerance) break;
    (total > target ? high : low) = sigma;
    sigma = std::isinf(high) ? 2 * sigma : 0.5 * (low + high);
  }
  smooth.sigma = std::max(sigma, least_scale * (smooth.rho > 0 ? mean : mean_of_all));
  return smooth;
}

Graph fuzzy_union(const NeighborLists& lists, const Context& context) {
  // Lists that were read off a graph may be shorter than knn.
  const auto nearest = [&lists](std::size_t i) {
    const auto lengths = lists.lengths(i);
    return lengths.first(std::min(lists.knn, lengths.size()));
  };
  const double sum =
      parallel_sum(context, lists.n_points, 65536, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) {
          for (const double d : nearest(i)) part += d;
        }
        return part;
      });
  const double mean_of_all =
      sum / (static_cast<double>(lists.n_points) * static_cast<double>(lists.knn + 1));
  std::vector<SmoothDistance> smooth(lists.n_points);
  parallel_for(context, lists.n_points, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      smooth[i] = smooth_distance(nearest(i), mean_of_all);
    }
  });
  const auto membership = [&](std::size_t i, double length) {
    const double past = length - smooth[i].rho;
    return past <= 0 || smooth[i].sigma == 0 ? 1.0 : std::exp(-past / smooth[i].sigma);
  };
  return unite(
      lists, lists.knn, membership,
      [](const SeenEdge& e) { return e.own + e.other - e.own * e.other; }, context);
}

}  // namespace geotherm::detail
