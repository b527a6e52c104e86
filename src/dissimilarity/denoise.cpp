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

  detail::for_row_distances(
      distances, "distances", "denoising", context,
      [&](std::size_t i, std::size_t first, std::span<const double> between_rows) {
        for (std::size_t k = 0; k < between_rows.size(); ++k) {
          const std::size_t j = first + k;
          const double triplet = rho * between_rows[k];
          distances(i, j) = (1 - rho) * distances(i, j) + triplet;
          if (i != j) distances(j, i) = (1 - rho) * distances(j, i) + triplet;
        }
      });
}

}  // namespace geotherm
