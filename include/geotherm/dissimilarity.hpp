// DiffusionKernel or Graph -> Dissimilarity: distances between points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/heat.hpp"

namespace geotherm {

struct HeatGeodesicOptions {
  /// sigma: weight of the volume term; >= 0. 1 makes d(i, i) = 0.
  double harnack = 1.0;
  /// rho: D <- (1 - rho) D + rho D_T, the distance between rows of D; in [0, 1].
  double denoise = 0.0;
  /// Kernel entries below this are raised to it (a truncated distance); 0 or >= 1e-300. 0: no
  /// truncation, unresolved pairs are filled by shortest paths. Empty: 0 for kernels accurate in
  /// every entry; 1e-16 for the others, as published.
  std::optional<double> kernel_floor = std::nullopt;
  /// Distances above this are cut to it; > 0.
  std::optional<double> max_distance = std::nullopt;
};
std::vector<std::string> issues_with(const HeatGeodesicOptions&);

/// Square, symmetric, zero diagonal, finite and non-negative.
struct Dissimilarity {
  Matrix<double> values;
  /// Share of the pairs (i < j) whose heat the kernel could not resolve, or the floor cut.
  double unresolved_share = 0;
  /// What became of them: "none" (there are none), "shortest paths over resolved pairs", "floored",
  /// "constant" (no chain of resolved pairs joins them: one distance larger than all others), or
  /// several of these, joined by "; ".
  std::string unresolved_treatment = "none";
  /// Share of the points whose heat has reached its equilibrium: their heat distances are rounding
  /// errors.
  double flat_share = 0;
  /// K_ii of the kernel from which the distances were computed; else empty.
  std::vector<double> kernel_diagonal = {};
};

/// d^2 = -4t log K_ij - harnack 4t log V_ij, V_ij = 2 / (K_ii + K_jj), negative values 0, averaged
/// over (i, j) and (j, i) where K is not symmetric. Unresolved pairs of a kernel accurate in every
/// entry are filled by shortest paths over the resolved ones. One n x n array.
Dissimilarity heat_geodesic(const DiffusionKernel&, const HeatGeodesicOptions& = {},
                            const Context& = {});
/// Distances from chosen points, r x n, without forming n x n. Denoising needs all pairs and is
/// refused; so do shortest paths: unresolved distances stop at that of heat 1e-300, with a warning.
Matrix<double> heat_geodesic_from(const DiffusionKernel&, std::span<const Index> points,
                                  const HeatGeodesicOptions& = {}, const Context& = {});
/// The same between the chosen points alone, r x r: cheaper, since of K's diagonal only their own
/// entries are needed, and those are in their rows.
Matrix<double> heat_geodesic_between(const DiffusionKernel&, std::span<const Index> points,
                                     const HeatGeodesicOptions& = {}, const Context& = {});

struct PotentialOptions {
  /// Added to every entry before the logarithm; finite, >= 1e-300. Larger: far pairs count less.
  double offset = 1e-7;
};
std::vector<std::string> issues_with(const PotentialOptions&);

/// PHATE's potential distance |U_i - U_j|, U = -log(K + offset) row by row; negative entries of K
/// (a rounding error) count as 0. O(n^3) by matrix product; two n x n arrays.
Dissimilarity potential_distance(const DiffusionKernel&, const PotentialOptions& = {},
                                 const Context& = {});

/// (1 - rho) D + rho D_T in place; D's diagonal is used as given. O(n^3) by matrix product, with a
/// second n x n array.
void denoise_triplets(Matrix<double>& distances, double rho, const Context& = {});

/// Diffusion distances: |row_i(K) - row_j(K)| with squares weighted by 1 / stationary, the walk's
/// stationary distribution (entries > 0). K = P^t makes those of Coifman and Lafon. O(n^3) by
/// matrix product; two n x n arrays.
Dissimilarity diffusion_distance(const DiffusionKernel&, std::span<const double> stationary,
                                 const Context& = {});

/// Shortest paths along edge lengths from the given points (r x n); infinite where unreachable. A
/// graph without lengths is refused.
Matrix<double> shortest_paths(const Graph&, std::span<const Index> from, const Context& = {});
/// All pairs: n x n, symmetric to the bit.
Matrix<double> shortest_paths(const Graph&, const Context& = {});
/// All pairs as a dissimilarity: pairs that no path joins count as unresolved, "constant".
Dissimilarity shortest_path_distance(const Graph&, const Context& = {});

}  // namespace geotherm
