// D <- (1 - rho) D + rho D_T with D_T(i, j) = ||D(i, .) - D(j, .)||.
#include <string>

#include "dissimilarity/row_distances.hpp"
#include "geotherm/dissimilarity.hpp"

namespace geotherm {

void denoise_triplets(Matrix<double>& distances, double rho, const Context& context) {
  if (!(rho >= 0 && rho <= 1)) {
    throw InvalidArgument("rho = " + std::to_string(rho) +
                          " is not in [0, 1]: 0 leaves the distances, 1 replaces them by the "
                          "distances between their rows");
  }
  const std::size_t n = distances.rows();
  if (distances.cols() != n) {
    throw InvalidArgument("distances: " + std::to_string(n) + " x " +
                          std::to_string(distances.cols()) + "; they have to be square");
  }
  if (rho == 0 || n == 0) return;

  detail::visit_row_distances(distances, "denoising", context,
                              [&](std::size_t i, std::size_t j, std::span<const double> triplets) {
                                for (std::size_t k = 0; k < triplets.size(); ++k) {
                                  const double triplet = rho * triplets[k];
                                  distances(i, j + k) = (1 - rho) * distances(i, j + k) + triplet;
                                  if (i != j + k)
                                    distances(j + k, i) = (1 - rho) * distances(j + k, i) + triplet;
                                }
                              });
}

}  // namespace geotherm
