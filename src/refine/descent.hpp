// Memberships and a start -> the refined map, one epoch at a time, on any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "geotherm/core.hpp"
#include "refine/attraction.hpp"
#include "refine/device_descent.hpp"
#include "refine/forces.hpp"
#include "refine/grid.hpp"

namespace geotherm::detail {

struct RefineSchedule {
  std::size_t epochs = 0;
  double first_attraction = 2;

  /// Strength of attraction over that of t-SNE: falls until the middle, so that points first
  /// find their neighbours and then keep apart from them.
  double attraction(std::size_t epoch) const;
};

/// Every epoch each point goes half of the way to where the pull of its neighbours and the push of
/// all points within reach balance, with all others where they were before the epoch. So nothing
/// depends on which thread comes first, and random numbers are drawn only where a cell is crowded.
class RefineDescent {
 public:
  RefineDescent(const Attraction&, MatrixView<const double> start,
                const RefineSchedule&, const Context& = {});
  /// One epoch more.
  void advance(const Context&);
  Matrix<double> coordinates() const;
  std::size_t epoch() const { return epoch_; }
  /// Bound on how far any point has come along an axis: the longest move of each epoch, added up.
  double moved() const;
  /// All that the next epoch depends on, for a Checkpoint.
  auto state() { return std::tie(epoch_, point_, places_, near_, moved_); }
  /// Takes up such a state of a descent made from the same input; false where there is none.
  bool take_up(std::string_view stage, const Context&);

  /// For tests: of each point, by the grid.
  std::vector<RefinePush> pushes(const Context&);

 private:
  /// Points that lie near each other get numbers near each other, so that neighbours are in the
  /// cache. No sum is added in another order for that.
  void number_by_place(const Context&);
  void take_edges(const Attraction&, const Context&);
  std::size_t point_of(std::size_t number) const {
    return point_.empty() ? number : static_cast<std::size_t>(point_[number]);
  }
  void sort(const Context&);
  RefinePush push_on(std::size_t rank, const RefineGrid::Surroundings&, std::uint32_t draw) const;
  /// take(number, push) of the points of these ranks.
  template <class Take>
  void for_each_push(std::size_t begin, std::size_t end, std::uint32_t draw, const Take&) const;
  /// Moves the points of these ranks; returns the longest move along an axis and adds to `near`.
  float move_block(std::size_t begin, std::size_t end, float attraction, std::uint32_t draw,
                   double& near);
  /// Where the context has a GPU and there are enough points: the epoch is made there.
  bool advance_on_device(float attraction, const Context&);

  std::size_t n_ = 0;
  std::size_t dimensions_ = 0;
  RefineSchedule schedule_;
  std::size_t epoch_ = 0;
  double near_ = 0;   // mean of RefinePush::near before the epoch before; 0: not known yet
  double moved_ = 0;  // on the host
  bool is_for_device_ = false;
  // Points are numbered by their places at the start; on a device as they were given, and there
  // both are empty.
  std::vector<Index> point_, number_;  // of each number, of each point
  std::vector<std::size_t> offsets_;   // for a device rows are filled up to whole lanes
  std::vector<Index> to_;              // numbers; with lanes to spare behind the last
  std::vector<float> weights_;  // memberships over their mean sum
  // One plane of n numbers a dimension.
  std::vector<float> places_, next_;
  RefineGrid grid_;
  std::shared_ptr<DeviceDescent> on_device_ = {};
};

}  // namespace geotherm::detail
