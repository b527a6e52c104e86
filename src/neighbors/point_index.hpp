// Points -> an index that answers for any other points which of these are nearest, exactly. What it
// says of a query depends on that query alone: not on its place in a batch, nor on threads.
#pragma once

#include <memory>

#include "neighbors/kd_tree.hpp"
#include "neighbors/product_filter.hpp"

namespace geotherm::detail {

template <class T>
class PointIndex {
 public:
  /// Copies the points. A k-d tree in few dimensions, else products of matrices.
  PointIndex(MatrixView<const T> points, Metric metric);
  // The tree refers to the space beside it.
  PointIndex(const PointIndex&) = delete;
  PointIndex& operator=(const PointIndex&) = delete;

  /// The `knn` nearest points of each query (1 <= knn <= n), distances ascending, ties by index;
  /// the lists are of the queries and name points. A query may be at distance 0 from a point.
  /// Distances beyond the range of double are infinite.
  NeighborLists nearest(MatrixView<const T> queries, std::size_t knn, const Context&) const;

 private:
  // Rows of metrics that change them (is_mapped) are double, whatever the points are.
  template <class U>
  struct Search {
    Space<U> space;
    std::unique_ptr<KdTree<U>> tree;
    Frame frame;
    FilterPoints<float> filter;

    void prepare();
    NeighborLists nearest(const Matrix<U>& queries, std::size_t knn, const Context&) const;
    void by_products(const Matrix<U>& queries, std::size_t begin, std::size_t end, const Cut& cut,
                     ListPart& part) const;
    void one_by_one(const U* query, Index name, const Cut& cut, ListPart& part) const;
  };

  Metric metric_;
  Search<T> plain_;
  Search<double> unit_;
};

}  // namespace geotherm::detail
