// Shortest paths from one point of a sparse graph, with working memory that serves many points.
#pragma once

#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

class Dijkstra {
 public:
  /// `edges` and `lengths` (aligned with its entries, >= 0) are kept by reference.
  Dijkstra(const SparseMatrix& edges, std::span<const double> lengths);
  /// Writes the length of the shortest path to every point; infinite where there is none.
  void run(Index from, std::span<double> distances);

 private:
  struct Entry {
    double distance;
    Index point;
  };
  void rise(std::size_t place, Entry entry);
  Entry take_nearest();

  const SparseMatrix& edges_;
  std::span<const double> lengths_;
  std::vector<Entry> heap_;   ///< four children a node: half as deep, and children share a line
  std::vector<Index> place_;  ///< of each point in the heap, while it is there
};

}  // namespace geotherm::detail
