// One-sided affinities -> a symmetric graph with lengths.
#pragma once

#include <functional>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// What each point makes of its neighbours: rows in order, columns ascending within a row.
struct Views {
  std::vector<std::size_t> offsets = {0};
  std::vector<Index> indices = {};
  std::vector<double> values = {};
  std::vector<double> lengths = {};

  std::size_t n_points() const { return offsets.size() - 1; }
};

/// An edge as one of its ends sees it. `own` or `other` is 0 where that end has no view.
struct SeenEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  double own = 0;
  double other = 0;
  double length = 0;  ///< the smaller one where the ends disagree (lists from outside)
};

/// Weights and lengths on the union of all views, weight(edge) for each; 0 leaves it out. `weight`
/// is called for both ends of an edge, from any thread, and must give the same for both to the bit.
/// Components are not numbered yet.
Graph unite(const Views&, const std::function<double(const SeenEdge&)>& weight, const Context&);

/// The same straight from lists, without a copy of them: the views of all points on the first
/// `most` of their neighbours; view(i, length) = 0 leaves an edge out of i's own.
Graph unite(const NeighborLists&, std::size_t most,
            const std::function<double(std::size_t i, double length)>& view,
            const std::function<double(const SeenEdge&)>& weight, const Context&);

}  // namespace geotherm::detail
