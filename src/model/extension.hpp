// Out-of-sample places of spectral maps (Nystrom): a new row's weights to the training points, by the
// kernel and with the normalisation of the graph that the map was made from.
#pragma once

#include "geotherm/model.hpp"

namespace geotherm::detail {

class SpectralRows {
 public:
  /// The model must outlive it.
  explicit SpectralRows(const Model&);

  /// Neighbours of a new row that its kernel may reach; 0 where the map is not spectral.
  std::size_t n_searched() const;
  /// Row i of `lists`: sum_j w_j y_j / (q lambda - self weight), q the sum of its weights and the self
  /// weight. False, and nothing is written, where the map is not spectral or the row has no weight.
  bool place(const NeighborLists& lists, std::size_t i, bool are_affinities,
             std::span<double> out) const;

 private:
  /// What a kernel needs to know of a point: its bandwidth, and rho of the fuzzy union.
  struct Width {
    double scale = 0;
    double rho = 0;
    double reach = 0;  ///< distance of the knn-th neighbour
  };
  Width width_of(std::span<const double> lengths) const;
  double weight(const Width& own, const Width& other, double distance, bool is_listed) const;

  const Model& model_;
  std::vector<Width> widths_;
  double mean_length_ = 0;
};

}  // namespace geotherm::detail
