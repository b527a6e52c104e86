// Heat distances from some points, with a diagonal of the kernel that the caller has.
#pragma once

#include <vector>

#include "geotherm/dissimilarity.hpp"

namespace geotherm::detail {

/// What distances are where heat does not arrive: a lower bound, that of the least heat the kernel
/// resolves; or infinite, for someone who knows more (kernels with a floor have none of those).
enum class WithoutHeat { is_bound, is_infinite };

struct UnresolvedRows {
  double share = 0;                   ///< of the pairs
  double heat = 0;                    ///< their distances are those of this heat
  double flat_share = 0;              ///< of the rows: Dissimilarity::flat_share
  std::vector<double> diagonal = {};  ///< of the kernel, as it was used
};
/// r x n. `diagonal`: K_ii of every point; those of `points` are in their rows. Empty: the others
/// are geometric means of those, weighted by the heat that arrives from each: K_ii is as smooth as
/// heat. Points and options are taken as checked. Warns where heat is flat.
Matrix<double> heat_rows(const DiffusionKernel&, std::span<const Index> points,
                         std::vector<double> diagonal, const HeatGeodesicOptions&, WithoutHeat,
                         UnresolvedRows&, const Context&);

/// The same of rows of a symmetric kernel that the caller has.
Matrix<double> heat_rows(Matrix<double> heat, const KernelReport&, std::span<const Index> points,
                         std::vector<double> diagonal, const HeatGeodesicOptions&, WithoutHeat,
                         UnresolvedRows&, const Context&);

/// Infinite entries of distances from `points` (r x n) become those of the shortest path over some
/// of these points; what none joins stays. Returns the share of the pairs that stay infinite.
double fill_by_paths_over(std::span<const Index> points, Matrix<double>& rows, const Context&);

}  // namespace geotherm::detail
