// What the R functions pass as data -> the library's Input, which views it.
#pragma once

#include "arrays.hpp"

namespace geotherm::r {

/// Keeps what `input` views.
struct HeldInput {
  /// From a list: kind ("points", "distances", "affinities", "sparse_distances", "neighbors",
  /// "sparse_points") and its arrays.
  explicit HeldInput(const cpp11::list& given);
  HeldInput(const HeldInput&) = delete;
  HeldInput& operator=(const HeldInput&) = delete;

  /// Work that may take long: neighbour tables are checked, sparse points reduced by PCA.
  void prepare(const Context& context);
  bool has_points() const { return kind == "points" || kind == "sparse_points"; }

  std::string kind;
  Matrix<double> values;
  Matrix<Index> indices;
  SparseMatrix sparse;
  NeighborLists lists;
  std::size_t rank = 50;
  Input input;
};

}  // namespace geotherm::r
