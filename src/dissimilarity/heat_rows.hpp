// Heat distances from some points, with a diagonal of the kernel that the caller has.
#pragma once

#include <vector>

#include "geotherm/dissimilarity.hpp"

namespace geotherm::detail {

struct UnresolvedRows {
  double share = 0;  ///< of the pairs
  double heat = 0;   ///< their distances are those of this heat
};
/// r x n. `diagonal`: K_ii of every point, exact or estimated; those of `points` are replaced by
/// the exact ones. Points and options are taken as checked.
Matrix<double> heat_rows(const DiffusionKernel&, std::span<const Index> points,
                         std::vector<double> diagonal, const HeatGeodesicOptions&, UnresolvedRows&,
                         const Context&);

}  // namespace geotherm::detail
