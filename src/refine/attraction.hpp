// Who attracts a point, and how strongly, row by row: memberships, or what they are made from.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// Rows of memberships. Those along the edges of a graph follow from its lengths and four numbers a
/// point: made whenever a row is read, they need no memory of their own, which would be the largest
/// of a run.
class Attraction {
 public:
  /// One row. Where it is made, it is kept here: a thread reads one row after the other into it.
  class Row {
   public:
    std::span<const Index> others = {};
    std::span<const double> weights = {};

   private:
    friend class Attraction;
    std::vector<Index> own_others_;
    std::vector<double> own_weights_;
  };

  Attraction() = default;
  /// Stored ones; a view of them has to outlive this.
  Attraction(const SparseMatrix& memberships) : rows_(&memberships) {}
  Attraction(SparseMatrix&& memberships) : stored_(std::move(memberships)) {}
  /// UMAP's memberships along the `most` shortest edges of each point, of a symmetric graph with
  /// lengths that outlives this.
  Attraction(const Graph&, std::size_t most, const Context& = {});

  std::size_t n_points() const;
  /// Entries of a row; where rows are made, a membership of 0 may be among those that are counted.
  std::size_t count(std::size_t i) const;
  /// Columns ascend where those of the graph do.
  void read(std::size_t i, Row&) const;
  /// All rows.
  SparseMatrix stored(const Context& = {}) const;

 private:
  /// Of a point as it sees its neighbours: exp(-(length - rho) / sigma) up to the last of the
  /// nearest.
  struct View {
    double rho = 0, sigma = 0, last_length = 0;
    Index last = -1;

    bool lists(Index other, double length) const {
      return length < last_length || (length == last_length && other <= last);
    }
    double membership(double length) const;
  };
  const SparseMatrix& rows() const { return rows_ != nullptr ? *rows_ : stored_; }

  const SparseMatrix* rows_ = nullptr;
  SparseMatrix stored_;
  const Graph* graph_ = nullptr;
  std::vector<View> views_;
};

/// The memberships of refine_memberships, of a graph that outlives them.
Attraction attraction_along(const Graph&, std::size_t knn, const Context& = {});

}  // namespace geotherm::detail
