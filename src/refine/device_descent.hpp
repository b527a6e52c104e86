// The epochs of refinement on a GPU. No CUDA header is needed to read this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/device.hpp"

namespace geotherm::detail {

/// The arrays of RefineDescent on the device; the same forces and the same random points. Sums have
/// an order of their own: the same bits from run to run.
class DeviceDescent {
 public:
  struct Arrays {
    std::size_t n = 0, dimensions = 0;
    std::uint64_t stream = 0;  ///< stream_base of the draws
    double near = 0, moved = 0;  ///< of the state
    std::span<const std::size_t> offsets = {};  ///< rows are whole lanes
    std::span<const Index> to = {};
    std::span<const float> weights = {};
    std::span<const float> places = {};  ///< planes of n numbers
  };
  DeviceDescent(Device&, const Arrays&);
  ~DeviceDescent();
  DeviceDescent(const DeviceDescent&) = delete;
  DeviceDescent& operator=(const DeviceDescent&) = delete;

  void advance(float attraction, std::size_t epoch);
  /// The state, as it was given.
  void get(std::span<float> places, double& near, double& moved) const;
  void get_places(std::span<float> places) const;
  double moved() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm::detail
