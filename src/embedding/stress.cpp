// Stress of any map against any dissimilarities.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "embedding/pair_pass.hpp"

namespace geotherm {

double stress(MatrixView<const double> distances, MatrixView<const double> weights,
              MatrixView<const double> coordinates, const Context& context) {
  detail::Problem problem = detail::checked_problem(distances, weights, MdsWeights::none, context);
  if (coordinates.rows != problem.n() || coordinates.cols == 0) {
    std::ostringstream message;
    message << "coordinates are " << coordinates.rows << " x " << coordinates.cols << ": give "
            << problem.n() << " rows, as the distances have, and a column at least";
    throw InvalidArgument(message.str());
  }
  double largest = problem.is_point ? 0.0 : 0.5 / problem.unit;
  for (std::size_t i = 0; i < coordinates.rows; ++i) {
    for (const double v : coordinates.row(i)) {
      if (!std::isfinite(v)) {
        throw InvalidArgument("coordinates hold a value that is not finite in row " +
                              std::to_string(i) + ": give finite ones");
      }
      largest = std::max(largest, std::abs(v));
    }
  }
  // A map far larger than its dissimilarities sets the unit, lest its squares overflow.
  problem.unit = detail::unit_for(largest);
  const detail::Layout x = detail::layout_of(coordinates, problem.unit);
  detail::Layout pull(x.rows(), x.cols());
  detail::PairPass pass(problem, x.rows(), context);
  return detail::normalised_stress(pass(x, pull), detail::weight_totals(problem, context).squares);
}

}  // namespace geotherm
