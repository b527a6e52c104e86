// The input of a method: points, or distances, neighbours or affinities instead of them.
#pragma once

#include <string>
#include <variant>

#include "geotherm/core.hpp"
#include "geotherm/neighbors.hpp"

namespace geotherm {

/// All distances, n x n, instead of points.
struct DistanceMatrix {
  MatrixView<const double> values = {};
};
/// Some distances, n x n; absent entries are unknown.
struct SparseDistances {
  const SparseMatrix* values = nullptr;
};
/// Edge weights of a graph, n x n; the lengths of its edges are unknown.
struct Affinities {
  const SparseMatrix* weights = nullptr;
  /// With which neighbours attract each other where the map is refined (refine_memberships); null:
  /// the weights over the largest.
  const SparseMatrix* memberships = nullptr;
};

/// One of: points (double or float32), a matrix of distances, sparse distances, neighbour lists
/// found elsewhere, affinities. A view: what it was made from has to outlive it. Points convert by
/// themselves, so that a method takes a Matrix or a MatrixView as it is:
///   heat_geo(points);   heat_geo(DistanceMatrix{d});   heat_geo(Affinities{&weights});
class Input {
 public:
  Input() = default;  ///< no points
  template <class T>
    requires std::is_same_v<std::remove_const_t<T>, double> ||
             std::is_same_v<std::remove_const_t<T>, float>
  Input(MatrixView<T> points) : given_(MatrixView<const std::remove_const_t<T>>(points)) {}
  template <class T>
  Input(const Matrix<T>& points) : Input(points.view()) {}
  Input(DistanceMatrix distances) : given_(distances) {}
  Input(SparseDistances distances) : given_(distances) {}
  Input(const NeighborLists* lists) : given_(lists) {}
  Input(Affinities affinities) : given_(affinities) {}

  std::size_t n_points() const;

  // What was given; empty or null where it was something else.
  MatrixView<const double> points() const { return value_or_empty<MatrixView<const double>>(); }
  MatrixView<const float> points32() const { return value_or_empty<MatrixView<const float>>(); }
  MatrixView<const double> distances() const { return value_or_empty<DistanceMatrix>().values; }
  const NeighborLists* neighbors() const { return value_or_empty<const NeighborLists*>(); }
  const SparseMatrix* sparse_distances() const { return value_or_empty<SparseDistances>().values; }
  const SparseMatrix* affinities() const { return value_or_empty<Affinities>().weights; }
  const SparseMatrix* memberships() const { return value_or_empty<Affinities>().memberships; }
  bool has_points() const { return !points().empty() || !points32().empty(); }

 private:
  template <class Kind>
  Kind value_or_empty() const {
    const Kind* kind = std::get_if<Kind>(&given_);
    return kind == nullptr ? Kind{} : *kind;
  }

  std::variant<MatrixView<const double>, MatrixView<const float>, DistanceMatrix, SparseDistances,
               const NeighborLists*, Affinities>
      given_ = {};
};
/// A description with a checksum over the numbers, to tell inputs apart: for Checkpoint.
std::string fingerprint(const Input&);

}  // namespace geotherm
