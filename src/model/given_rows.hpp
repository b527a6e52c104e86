// New rows that come as distances or edge weights to training rows -> lists of the nearest places,
// and how near these are in units of the places' own scale.
#pragma once

#include "geotherm/model.hpp"

namespace geotherm::detail {

/// The `most` nearest places of each row, ties by index; equal training rows count once. Refuses a
/// table with another number of columns than there are training rows, negative or non-finite
/// entries, and (sparse) rows without any entry.
NeighborLists nearest_by_distances(const Model&, MatrixView<const double> distances,
                                   std::size_t most, const Context&);
NeighborLists nearest_by_distances(const Model&, const SparseMatrix& distances, std::size_t most);
/// All places with a weight above 0, largest first; their distances are 1 / weight.
NeighborLists nearest_by_affinities(const Model&, const SparseMatrix& weights);

/// Harmonic mean of the first `most` distances of each list; 0 where one of them is 0 or the list is
/// empty.
std::vector<double> local_scales(const NeighborLists&, std::size_t most);
/// The same for new rows, over the geometric mean of two units: the median of `scales` of the places
/// they name, and that of all places, `typical`. Empty where `scales` is.
std::vector<double> novelty_of(const NeighborLists&, std::size_t most,
                               const std::vector<double>& scales, double typical);

}  // namespace geotherm::detail
