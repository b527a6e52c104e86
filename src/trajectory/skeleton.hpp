// A graph of group centres through a cloud of places: spanning tree, loops closed, twigs cut.
#pragma once

#include <vector>

#include "geotherm/trajectory.hpp"

namespace geotherm::detail {

struct Skeleton {
  Matrix<double> nodes;                    ///< one centre a row
  std::vector<std::vector<Index>> links;   ///< neighbours of each node, ascending; none: left out
  std::vector<std::size_t> n_cells;        ///< of each node's group
  Index root = 0;
  std::size_t n_loops = 0;

  std::size_t degree(Index node) const { return links[static_cast<std::size_t>(node)].size(); }
  double length(Index a, Index b) const;
};

/// Distances along the skeleton from `from`; infinite where nothing leads.
std::vector<double> along(const Skeleton&, Index from);

/// Through the places (one a point of the graph), which are grouped by k-means.
Skeleton make_skeleton(const Graph& connected, const Matrix<double>& places, Index root,
                       const MilestoneOptions&, const Context&);

}  // namespace geotherm::detail
