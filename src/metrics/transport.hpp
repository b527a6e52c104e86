// Transport problems in whole numbers, the form that both public functions (transport,
// interpolation) reduce theirs to: supplies and demands are integers with one total, so that
// nothing leaks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "geotherm/metrics.hpp"

namespace geotherm::detail {

using Mass = std::int64_t;

struct IntegerFlow {
  Index from = 0;
  Index to = 0;
  Mass mass = 0;
};

/// Cheapest flow; costs are n x m, finite. Both sides non-negative with the same total < 2^61.
/// Flows are positive and by (from, to). Throws InvalidArgument where n m is too large, or where
/// this build has no solver.
std::vector<IntegerFlow> cheapest_flow(MatrixView<const double> costs, std::span<const Mass> supply,
                                       std::span<const Mass> demand);

/// Least common multiple, or 0 where it reaches 2^60.
Mass common_multiple(Mass a, Mass b);

/// Weights as integers of the given total, in proportion; what rounding leaves goes to the largest
/// remainders, ties by index.
std::vector<Mass> apportion(std::span<const double> weights, Mass total);
/// The same for n equal weights.
std::vector<Mass> equal_masses(std::size_t n, Mass total);

/// Distances (or their squares) between rows of two sets after multiplication by `scale`.
Matrix<double> ground_costs(MatrixView<const double> from, MatrixView<const double> to, GroundCost,
                            double scale, const Context&);

}  // namespace geotherm::detail
