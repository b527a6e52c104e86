// Diffusion distances (Coifman and Lafon 2006): rows of P^t as densities against the stationary
// distribution, compared in L2.
#include <cmath>
#include <string>

#include "dissimilarity/row_distances.hpp"
#include "geotherm/dissimilarity.hpp"

namespace geotherm {

Dissimilarity diffusion_distance(const DiffusionKernel& kernel, std::span<const double> stationary,
                                 const Context& context) {
  const std::size_t n = kernel.size();
  if (stationary.size() != n) {
    throw InvalidArgument("stationary has " + std::to_string(stationary.size()) +
                          " entries, the kernel " + std::to_string(n) + " points: give one each");
  }
  std::vector<double> weight(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (!(stationary[j] > 0) || !std::isfinite(stationary[j])) {
      throw InvalidArgument("stationary[" + std::to_string(j) + "] is " +
                            std::to_string(stationary[j]) + ": give finite shares > 0");
    }
    weight[j] = 1 / std::sqrt(stationary[j]);
  }
  Matrix<double> rows = kernel.dense(context);
  parallel_for(context, n, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < n; ++j) rows(i, j) *= weight[j];
    }
  });
  Dissimilarity result;
  result.values = detail::row_distances(std::move(rows), "diffusion distances", context);
  return result;
}

}  // namespace geotherm
