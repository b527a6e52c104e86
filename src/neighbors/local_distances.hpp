// Squared distances among a few points that lie close together, in float32.
#pragma once

#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Coordinates are taken relative to a point amid them before the matrix product, so that what
/// float32 loses is relative to the size of the neighbourhood, not to that of the data.
class LocalDistances {
 public:
  /// Between the first n_rows of `ids` and all of `ids`. Points and ids must stay as long as the
  /// result is read.
  void compute(const Matrix<float>& points, std::span<const Index> ids, std::size_t n_rows,
               Index amid);
  /// From ids[a] to all of `ids`; not negative. Rough where a pair is much closer than it is to
  /// `amid`: enough to rule pairs out, not to keep them.
  std::span<const float> row(std::size_t a) const { return {squared_.data() + a * width_, width_}; }
  /// The same of one pair, summed directly where the product is rough: a pair that is entered with
  /// too small a distance would keep its place against all better ones.
  float refined(std::size_t a, std::size_t b) const {
    const float squared = squared_[a * width_ + b];
    return squared < 1e-3F * (norms_[a] + norms_[b]) ? direct(a, b) : squared;
  }

 private:
  float direct(std::size_t a, std::size_t b) const;

  const Matrix<float>* points_ = nullptr;
  std::span<const Index> ids_;
  std::size_t width_ = 0;
  std::vector<float> rows_;
  std::vector<float> norms_;
  std::vector<float> squared_;
};

/// Positions k with distances[k] < limit or distances[k] < limits[k], in order; returns how many.
std::size_t pick_closer(std::span<const float> distances, float limit, const float* limits,
                        Index* out);

}  // namespace geotherm::detail
