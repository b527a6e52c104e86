// Shortest paths along a graph in a GPU's memory. No CUDA header is needed to read this.
#pragma once

#include <memory>
#include <span>

#include "core/device.hpp"

namespace geotherm::detail {

/// Lengths are those of Dijkstra to the bit: a length is the least over all paths of a sum that is
/// made from the start on, whichever path was looked at first.
class DevicePaths {
 public:
  virtual ~DevicePaths() = default;
  /// For each point the nearest source (ties: the one given first; -1: none in reach) and the way.
  virtual void nearest(std::span<const Index> sources, std::span<double> distance,
                       std::span<Index> source) = 0;
  /// A row of lengths to all points for each of `points`; infinite where there is no path.
  virtual Matrix<double> from(std::span<const Index> points) = 0;
};

/// Null where the context has no GPU or the graph is sooner done than sent. `edges` are stored both
/// ways with `lengths` (>= 0, may be infinite) beside them.
std::unique_ptr<DevicePaths> device_paths(const Context&, const SparseMatrix& edges,
                                          std::span<const double> lengths);

}  // namespace geotherm::detail
