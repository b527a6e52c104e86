// Heat-geodesic distances between all pairs, made and kept on a GPU.
#pragma once

#include <vector>

#include "core/device.hpp"
#include "dissimilarity/kernel_distance.hpp"
#include "heat/blockwise_kernel.hpp"

namespace geotherm::detail {

/// log(K_ij / K_ii) of all pairs in float32, which keeps small distances as well as large ones, and
/// the diagonal in double. For kernels that are not symmetric, of the mean of both directions.
struct LogHeat {
  ResidentDistances logs;
  std::shared_ptr<void> memory;
  double* own = nullptr;  ///< K_pp by position, on the device
  HeatDistanceRule rule;
  double column_terms = 0;  ///< sparse matrix-vector products that it took
  std::size_t n_squarings = 0;  ///< products of the whole with itself after that
};
/// The kernel has a series.
LogHeat log_heat(Device&, const BlockwiseKernel&, const HeatGeodesicOptions&, const Context&);

/// Distances from some points by points, r x n, infinite where unresolved.
Matrix<double> distances_from(const LogHeat&, std::span<const Index> points);
/// Share of the points whose heat is flat (FlatHeat).
double flat_share(const LogHeat&, const KernelReport&);

/// One time's part in the distances.
struct HeatShare {
  const LogHeat* heat = nullptr;
  double weight = 1;              ///< of the squares
  std::vector<double> unit = {};  ///< by component
};
struct JoinedDistances {
  std::size_t n_unresolved = 0;  ///< pairs i < j of one component
  std::size_t n_across = 0;      ///< pairs of different components: infinite
  std::vector<Index> rows = {};  ///< positions i of pairs i < j that are unresolved in one half or both
};
/// d^2 = sum of weight (unit d)^2; what is unresolved at a later time is as far as the first says.
/// The result takes the place of the first time's logarithms.
JoinedDistances join(std::span<const HeatShare> shares, std::span<const Index> component,
                     ResidentDistances& result);
/// Unresolved pairs get the shortest path over pairs that are resolved and at most 512 pivots, spread
/// evenly over the positions, in both halves. `rows` as join has them. Returns how many pairs no such
/// path joins: they stay infinite.
std::size_t fill_by_pivots(ResidentDistances&, std::span<const Index> rows,
                           std::span<const Index> component);
/// What is larger becomes `most`.
void cut_to(ResidentDistances&, double most);

}  // namespace geotherm::detail
