// Ways along a graph to the nearest of several points, one Dijkstra that can be gone on with.
#pragma once

#include <span>
#include <vector>

#include "geotherm/graph.hpp"
#include "graph/device_paths.hpp"

namespace geotherm::detail {

/// Lengths of the edges; 1 / sqrt(weight), put into `made`, where the graph has none.
std::span<const double> lengths_or_rates(const Graph&, std::vector<double>& made);

/// For each point the nearest source so far (ties: the smaller number) and the distance.
class NearestSource {
 public:
  /// Where the context has a GPU and the graph is large, the ways are found there, to the same
  /// bits.
  NearestSource(const SparseMatrix& edges, std::span<const double> lengths, const Context& = {});
  /// Sources are numbered in the order in which they come.
  void add(std::span<const Index> sources);
  const std::vector<double>& distance() const { return distance_; }
  const std::vector<Index>& source() const { return source_; }  ///< -1: none in reach

 private:
  const SparseMatrix& edges_;
  std::span<const double> lengths_;
  std::vector<double> distance_;
  std::vector<Index> source_;
  Index n_sources_ = 0;
  std::vector<Index> sources_;  // where they are found on a device
  std::unique_ptr<DevicePaths> on_device_;
};

}  // namespace geotherm::detail
