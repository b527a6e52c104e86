// Memberships and a start -> the refined map, one epoch at a time, on any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "geotherm/core.hpp"
#include "refine/device_descent.hpp"

namespace geotherm::detail {

struct RefineSchedule {
  std::size_t epochs = 0;
  std::size_t negatives = 0;  ///< whole lanes
  double first_step = 0;
  double last_step = 0;

  /// Largest step along an axis in an epoch: falls with the square of the epochs left, so that
  /// neighbourhoods settle by many small ones.
  double step(std::size_t epoch) const;
};
/// Random points are drawn for so many at a time.
inline constexpr std::size_t refine_lanes = 8;

/// Every epoch each point sums what pulls it along its edges and what pushes it away from random
/// points and from neighbours of a neighbour, all where they were before the epoch, and makes one step of bounded length. So nothing
/// depends on which thread comes first.
class RefineDescent {
 public:
  RefineDescent(const SparseMatrix& memberships, MatrixView<const double> start,
                const RefineSchedule&, const Context& = {});
  /// One epoch more; its random numbers come from (seed, epoch, block).
  void advance(const Context&);
  Matrix<double> coordinates() const;
  std::size_t epoch() const { return epoch_; }
  /// All that the next epoch depends on, for a Checkpoint.
  auto state() { return std::tie(epoch_, places_, momentum_, squares_); }
  /// Takes up such a state of a descent made from the same input; false where there is none.
  bool take_up(std::string_view stage, const Context&);

 private:
  void move_block(std::size_t begin, std::size_t end, const RefineStep&, Rng&);
  /// What neighbours of one of its neighbours push point i with.
  void push_near(std::size_t i, Rng&, float* force) const;
  /// Where the context has a GPU and there are enough points: the epoch is made there.
  bool advance_on_device(const RefineStep&, const Context&);

  std::size_t n_ = 0;
  std::size_t dimensions_ = 0;
  RefineSchedule schedule_;
  std::size_t epoch_ = 0;
  float push_ = 1;                    // of each negative
  float near_push_ = 0;               // of each neighbour of a neighbour
  std::vector<std::size_t> offsets_;  // rows are filled up to whole lanes
  std::vector<Index> to_;
  std::vector<float> weights_;
  // One plane of n numbers a dimension.
  std::vector<float> places_, next_;
  std::vector<float> momentum_;
  std::vector<float> squares_;  // of the force, one per point
  std::shared_ptr<DeviceDescent> on_device_ = {};
};

}  // namespace geotherm::detail
