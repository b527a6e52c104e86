// The first stage: rows of a table -> distinct points, reduced and smoothed where asked for.
#pragma once

#include "methods/stages.hpp"

namespace geotherm::detail {

/// Distinct points, and what they were reduced to.
template <class T>
struct PreparedPoints {
  Matrix<T> distinct;          ///< empty where all rows are
  MatrixView<const T> places;  ///< the input's rows, or `distinct`
  NeighborOptions neighbors;   ///< knn clamped to the places
  Matrix<double> wide;         ///< double copy of float32 points, where something needs one
  Pca reduced;
  SmoothedPoints smoothed;
  MatrixView<const double> reduced_points = {};  ///< reduced or smoothed; empty where neither was

  bool is_smoothed() const { return smoothed.steps > 0; }
  NeighborLists find(const NeighborOptions& which, const Context& context) const {
    return reduced_points.rows > 0 ? find_neighbors(reduced_points, which, context)
                                   : find_neighbors(places, which, context);
  }
  /// The points in which neighbours are found, in double.
  MatrixView<const double> in_double() {
    if (reduced_points.rows > 0) return reduced_points;
    if constexpr (std::is_same_v<T, float>) {
      if (wide.empty()) wide = widen(places);
      return wide;
    } else {
      return places;
    }
  }
};

/// Refuses bad rows, collapses equal ones (run.unique_inverse), reduces and smooths.
template <class T>
PreparedPoints<T> prepare(MatrixView<const T> points, const MethodOptions&, DistanceRun&,
                          const Context&);
extern template PreparedPoints<double> prepare(MatrixView<const double>, const MethodOptions&,
                                               DistanceRun&, const Context&);
extern template PreparedPoints<float> prepare(MatrixView<const float>, const MethodOptions&,
                                              DistanceRun&, const Context&);

/// Neighbours that were found, into the run.
void note_lists(const NeighborLists&, DistanceRun&);

/// Keeps the nearest of each list in the run, as many as the options ask for, where the lists are
/// long enough. `knn`: of the lists that the run reads.
void keep_lists(const NeighborLists&, std::size_t knn, const MethodOptions&, DistanceRun&);

/// prepared.find(which), and keeps what the options ask for: where the search is exact it is
/// widened to as many and cut back, so that the lists are the same.
template <class T>
NeighborLists find_and_keep(const PreparedPoints<T>& prepared, const NeighborOptions& which,
                            const MethodOptions&, DistanceRun&, const Context&);
extern template NeighborLists find_and_keep(const PreparedPoints<double>&, const NeighborOptions&,
                                            const MethodOptions&, DistanceRun&, const Context&);
extern template NeighborLists find_and_keep(const PreparedPoints<float>&, const NeighborOptions&,
                                            const MethodOptions&, DistanceRun&, const Context&);

/// Neighbours from what was given in place of points.
NeighborLists given_lists(const Input&, const NeighborOptions&, const Context&);

}  // namespace geotherm::detail
