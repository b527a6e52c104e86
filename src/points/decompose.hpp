// Singular values and right vectors of a centred table, by the road its size allows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "points/centred_table.hpp"

namespace geotherm::detail {

/// Some or all singular values, falling, and vectors to match.
struct Decomposition {
  std::vector<double> values;  ///< of the scaled table
  Matrix<double> vectors;      ///< one per row: right vectors, or left ones
  bool has_left_vectors = false;
  std::string how;  ///< in words
};

/// By the covariance or the Gram matrix, whichever is smaller: O(side^3). A rank far below the side
/// is found without the rest. `rank` empty: all of it.
Decomposition decompose_products(const CentredTable&, std::optional<std::size_t> rank,
                                 const Context&);

/// By irlba on the table itself; `squared_norm` is the table's.
Decomposition decompose_truncated(const CentredTable&, std::size_t rank, double squared_norm,
                                  const Context&);

/// The first `rank` right vectors, one per row, orthonormal, largest entry positive.
Matrix<double> components_of(const Decomposition&, std::size_t rank, const CentredTable&,
                             const Context&);

}  // namespace geotherm::detail
