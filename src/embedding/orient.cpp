// The standard orientation of a map, whatever rotation the solver ended in.
#include <cmath>

#include "embedding/problem.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm {

Matrix<double> oriented(Matrix<double> coordinates) {
  const std::size_t n = coordinates.rows();
  const std::size_t n_components = coordinates.cols();
  if (n == 0 || n_components == 0) return coordinates;
  // In units of the largest entry, so that no sum or square leaves the range of doubles.
  double largest = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    largest = std::max(largest, std::abs(coordinates.data()[i]));
  }
  const double unit = detail::unit_for(largest);
  for (std::size_t k = 0; k < n_components; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += coordinates(i, k) *= unit;
    const double mean = sum / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) coordinates(i, k) -= mean;
  }

  Matrix<double> scatter(n_components, n_components);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n_components; ++k) {
      for (std::size_t l = 0; l <= k; ++l) scatter(k, l) += coordinates(i, k) * coordinates(i, l);
    }
  }
  for (std::size_t k = 0; k < n_components; ++k) {
    for (std::size_t l = 0; l < k; ++l) scatter(l, k) = scatter(k, l);
  }
  const detail::SymmetricEigen axes = detail::symmetric_eigen(scatter);

  std::vector<double> turned(n_components);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n_components; ++k) {
      const std::size_t axis = n_components - 1 - k;
      turned[k] = 0;
      for (std::size_t l = 0; l < n_components; ++l) {
        turned[k] += coordinates(i, l) * axes.vectors(l, axis);
      }
    }
    for (std::size_t k = 0; k < n_components; ++k) coordinates(i, k) = turned[k] / unit;
  }
  detail::fix_column_signs(coordinates);
  return coordinates;
}

}  // namespace geotherm
