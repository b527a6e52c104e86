// The first stage: rows of a table -> distinct points, reduced and smoothed where asked for.
#pragma once

#include "methods/stages.hpp"
#include "neighbors/in_order.hpp"
#include "neighbors/some_rows.hpp"

namespace geotherm::detail {

/// Distinct points, and what they were reduced to.
template <class T>
struct PreparedPoints {
  Matrix<T> distinct;                 ///< empty where all rows are
  MatrixView<const T> points;         ///< the input's rows, or `distinct`
  std::vector<Index> unique_inverse;  ///< row of the input -> row of `points`
  NeighborOptions neighbors;          ///< knn clamped to the points
  Matrix<double> wide;                ///< double copy of float32 points, where something needs one
  Pca reduced;
  SmoothedPoints smoothed;
  MatrixView<const double> reduced_points = {};  ///< reduced or smoothed; empty where neither was

  bool is_smoothed() const { return smoothed.steps > 0; }
  /// How they were reduced, without the scores; empty where they were not.
  Pca reduction() const {
    Pca without_scores;
    if (!reduced.was_reduced) return without_scores;
    without_scores.components = reduced.components;
    without_scores.mean = reduced.mean;
    return without_scores;
  }
  /// `order`, where given: neighbors_in_order.
  NeighborLists find(const NeighborOptions& which, const Context& context,
                     std::vector<Index>* order = nullptr) const {
    const auto among = [&](const auto& rows) {
      return order != nullptr ? neighbors_in_order(rows, which, *order, context)
                              : find_neighbors(rows, which, context);
    };
    return reduced_points.rows > 0 ? among(reduced_points) : among(points);
  }
  /// with_rows_found_again.
  NeighborLists find_again(const NeighborLists& lists, std::span<const Index> rows,
                           const NeighborOptions& which, const Context& context) const {
    if (reduced_points.rows > 0) {
      return with_rows_found_again(lists, rows, reduced_points, which, context);
    }
    return with_rows_found_again(lists, rows, points, which, context);
  }
  /// The points in which neighbours are found, in double.
  MatrixView<const double> in_double() {
    if (reduced_points.rows > 0) return reduced_points;
    if constexpr (std::is_same_v<T, float>) {
      if (wide.empty()) wide = widen(points);
      return wide;
    } else {
      return points;
    }
  }
};

/// Refuses bad rows, collapses equal ones, reduces and smooths.
template <class T>
PreparedPoints<T> prepare(MatrixView<const T> points, const MethodOptions&, RunReport&,
                          const Context&);
extern template PreparedPoints<double> prepare(MatrixView<const double>, const MethodOptions&,
                                               RunReport&, const Context&);
extern template PreparedPoints<float> prepare(MatrixView<const float>, const MethodOptions&,
                                              RunReport&, const Context&);

/// How neighbours were found, into the report.
void note_lists(const NeighborLists&, RunReport&);

/// The nearest of each list, as many as MethodOptions::keep_neighbors asks for; empty where it asks
/// for none or the lists are too short. `knn`: of the lists that the run reads.
std::optional<NeighborLists> lists_to_keep(const NeighborLists&, std::size_t knn,
                                           const MethodOptions&);

struct FoundNeighbors {
  NeighborLists lists;
  std::optional<NeighborLists> to_keep;  ///< lists_to_keep
};
/// prepared.find(which), and what the options ask to keep: where the search is exact it is widened
/// to as many and cut back, so that the lists are the same. `order`: as find takes it.
template <class T>
FoundNeighbors find_and_keep(const PreparedPoints<T>& prepared, const NeighborOptions& which,
                             const MethodOptions&, const Context&,
                             std::vector<Index>* order = nullptr);
extern template FoundNeighbors find_and_keep(const PreparedPoints<double>&, const NeighborOptions&,
                                             const MethodOptions&, const Context&,
                                             std::vector<Index>*);
extern template FoundNeighbors find_and_keep(const PreparedPoints<float>&, const NeighborOptions&,
                                             const MethodOptions&, const Context&,
                                             std::vector<Index>*);

/// Neighbours from what was given in place of points.
NeighborLists given_lists(const Input&, const NeighborOptions&, const Context&);

}  // namespace geotherm::detail
