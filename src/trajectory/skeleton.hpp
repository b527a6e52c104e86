// A graph of group centres through a cloud of places: spanning tree, loops closed, twigs cut,
// branchings that lie together merged.
#pragma once

#include <vector>

#include "geotherm/trajectory.hpp"

namespace geotherm::detail {

struct Skeleton {
  Matrix<double> nodes;                   ///< one centre per row
  std::vector<std::vector<Index>> links;  ///< neighbours of each node, ascending; none: left out
  std::vector<std::size_t> n_cells;       ///< of each node's group
  std::vector<double> order;              ///< mean pseudotime of each node's group
  Index root = 0;
  std::size_t n_loops = 0;

  std::size_t degree(Index node) const { return links[static_cast<std::size_t>(node)].size(); }
  double length(Index a, Index b) const;
};

/// The place on the segment from a to b that is nearest to x: its share of the way, and how far x
/// is from it, squared.
struct OnSegment {
  double share = 0;
  double squared = 0;
};
OnSegment on_segment(std::span<const double> x, std::span<const double> a,
                     std::span<const double> b);

/// Distances along the skeleton from `from`; infinite where nothing leads.
std::vector<double> along(const Skeleton&, Index from);

/// Through the places (one per point of the graph), which are grouped by k-means; `order` is the
/// pseudotime of each. A loop is closed through this share of the flow between neighbours at least.
Skeleton make_skeleton(const Graph& connected, const Matrix<double>& places,
                       std::span<const double> order, Index root, double share_of_flow,
                       const MilestoneOptions&, const Context&);

}  // namespace geotherm::detail
