// Several tables, linked row by row -> maps that can be compared.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "geotherm/methods.hpp"

namespace geotherm {

/// Row of one table, row of the next.
struct Link {
  Index from = 0;
  Index to = 0;
};

struct AlignOptionsDefaults {
  static constexpr double strength = 1;
};

/// Rows of two tables of the same columns that are among each other's nearest (knn of `options`, 5
/// where it is empty).
std::vector<Link> mutual_neighbors(MatrixView<const double> a, MatrixView<const double> b,
                                   const NeighborOptions& options = {}, const Context& = {});

struct Alignment {
  std::vector<Matrix<double>> maps;  ///< one per table, one row per row of it
  Matrix<double> whole;              ///< the same, below each other
  double link_length = 0;            ///< median, over the larger side of the map's box
  Outcome outcome = Outcome::converged;
};

/// The graph of each table, joined by edges along the links, is mapped by the method as one. Links
/// of a row weigh `strength` times its own edges together, so that heat passes between linked rows
/// as easily as among neighbours. links[k] joins tables k and k + 1. Refuses links to rows that do
/// not exist, and methods that cannot map a graph of weights. The layout keeps its state in the
/// context's checkpoint; graphs are made anew.
Alignment align_maps(const Method&, std::span<const MatrixView<const double>> tables,
                     const std::vector<std::vector<Link>>& links, double strength,
                     const MethodOptions& = {}, const Context& = {});

}  // namespace geotherm
