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
  /// The model of a run on `input` for rows as R gave them, with the names of their columns.
  Model of_rows(Model model, const EmbeddingRun& run) const;

  std::string kind;
  Matrix<double> values;
  Matrix<Index> indices;
  SparseMatrix sparse;
  NeighborLists lists;
  std::size_t rank = 50;
  std::vector<std::string> columns;
  /// Of sparse points: what made `values` of them, and their rows' keys.
  Preparation steps;
  std::vector<RowKey> keys;
  Input input;
};

}  // namespace geotherm::r
