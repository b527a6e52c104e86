// Walks through a k-d tree in a GPU's memory: for each point, who may be in its list. No CUDA
// header is needed to read this.
#pragma once

#include <memory>

#include "core/device.hpp"
#include "neighbors/device_candidates.hpp"
#include "neighbors/kd_tree.hpp"

namespace geotherm::detail {

/// Candidates are those within reach of the k-th nearest, with room for rounding; ids are places in
/// the order of the tree's leaves, as are the queries. Blocks are handed over as by
/// CandidateSearch.
class TreeCandidates {
 public:
  virtual ~TreeCandidates() = default;
  virtual std::size_t block() const = 0;
  virtual void start(std::size_t first) = 0;
  virtual void collect(DeviceCandidates&) = 0;
};

/// Null where the context has no GPU, there are few points, lists are long, or the measure is no
/// sum of squares.
std::unique_ptr<TreeCandidates> tree_candidates(const Context&, const KdTree<double>&,
                                                const Space<double>&, const Cut&);

}  // namespace geotherm::detail
