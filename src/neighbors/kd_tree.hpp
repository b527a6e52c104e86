// A k-d tree over the rows of a Space: exact neighbours and the nearest point of another group.
//
// Our own rather than knncolle's VP tree for three reasons: the list up to reach x the k-th
// distance comes from one walk, where the other needs a second one; bridges need "nearest with
// another label"; and in few dimensions,
// where a tree is chosen, one walk is two to three times as fast.
#pragma once

#include <span>
#include <vector>

#include "neighbors/lists.hpp"

namespace geotherm::detail {

/// Columns up to which a tree is taken. Measured on Gaussian points, the worst case for a tree: at 8
/// dimensions it is as fast as brute force with 2,000 points and 1.5 times as fast with 50,000; at
/// 10 it loses at both ends.
inline constexpr std::size_t most_tree_dims = 8;

template <class T>
class KdTree {
 public:
  /// O(n d log n). The space must outlive the tree.
  explicit KdTree(const Space<T>& space, const Context& = {});

  /// Scratch of one query, reused by the next.
  struct Walk {
    std::vector<double> offsets;  // per dimension: how far the box is from the query
    std::vector<double> nearest;  // heap of the knn smallest measures
    std::vector<Candidate> kept;  // measures of all that may be within reach
    double limit = 0;
  };
  /// Leaves in walk.kept all that can be within `cut` of point i, itself not among them.
  void neighbors(Index i, const Cut& cut, Walk& walk) const;
  /// The same of a position that need not be a point; row of the space's kind, `self` left out.
  void neighbors(const T* query, Index self, const Cut& cut, Walk& walk) const;

  /// Label of all points of each node, or -1 where they differ: prepared once for a labelling.
  std::vector<Index> node_labels(std::span<const Index> label) const;
  /// The nearest point with another label (ties: smallest index) whose measure is at most `limit`;
  /// index -1 where there is none.
  Candidate nearest_other(Index i, std::span<const Index> label, std::span<const Index> node_labels,
                          double limit, Walk& walk) const;

  struct Node {
    Index begin = 0, end = 0;  // range of order()
    Index right = 0;           // child on the far side; 0: a leaf. The near one follows its parent.
    Index dim = 0;
    T left_most = 0, right_least = 0;  // ends of the gap between the children along dim
  };

  /// Points in the order of the leaves: near in it means near in space.
  std::span<const Index> order() const { return order_; }
  /// What a device walks through: the first is the root; rows in the order of the leaves.
  std::span<const Node> nodes() const { return nodes_; }
  const Matrix<T>& rows() const { return rows_; }

 private:
  static Index middle_of(const Node& node) { return node.begin + (node.end - node.begin) / 2; }
  /// Divides the points of a node in two; false where it is a leaf.
  bool split(Node&);
  /// Adds the tree of points [begin, end) in preorder.
  Index build(std::vector<Node>&, Index begin, Index end);
  void build_all(const Context&);
  template <class Leaf, class Skip>
  void visit(std::size_t node, const T* query, double box, Walk& walk, const Leaf& leaf,
             const Skip& skip) const;

  const Space<T>& space_;
  std::vector<Node> nodes_;
  std::vector<Index> order_;
  Matrix<T> rows_;  // in the order of the leaves, so that a leaf is one stretch of memory
};

/// Exact neighbours by the tree, in parallel over stretches of its leaves.
template <class T>
NeighborLists tree_search(const Space<T>&, const Cut&, const Context&);

}  // namespace geotherm::detail
