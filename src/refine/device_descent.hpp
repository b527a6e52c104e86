// The epochs of refinement on a GPU. No CUDA header is needed to read this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/device.hpp"

namespace geotherm::detail {

/// What an epoch is made with, beside the state.
struct RefineStep {
  float length = 0;
  float of_force = 1, of_square = 1;  // Adam's corrections for short memories
};

/// The arrays of RefineDescent on the device; the same forces and the same random points. Sums have
/// an order of their own: the same bits from run to run.
class DeviceDescent {
 public:
  struct Arrays {
    std::size_t n = 0, dimensions = 0, negatives = 0;
    float push = 1, near_push = 0;
    std::uint64_t stream = 0;  ///< stream_base of the random points
    std::size_t points_of_stream = 1;
    std::span<const std::size_t> offsets = {};  ///< rows are whole lanes
    std::span<const Index> to = {};
    std::span<const float> weights = {};
    std::span<const float> places = {}, momentum = {};  ///< planes of n numbers
    std::span<const float> squares = {};
  };
  DeviceDescent(Device&, const Arrays&);
  ~DeviceDescent();
  DeviceDescent(const DeviceDescent&) = delete;
  DeviceDescent& operator=(const DeviceDescent&) = delete;

  void advance(const RefineStep&, std::size_t epoch);
  /// The state, as it was given.
  void get(std::span<float> places, std::span<float> momentum, std::span<float> squares) const;
  void get_places(std::span<float> places) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm::detail
