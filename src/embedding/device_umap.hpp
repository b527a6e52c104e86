// The epochs of UMAP on a GPU. No CUDA header is needed to read this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/device.hpp"

namespace geotherm::detail {

/// UmapDescent's arrays on the device: its blocks, its order within them, its forces and its draws.
/// The same bits from run to run; those of the CPU but for the rounding of sums and powers.
class DeviceUmap {
 public:
  struct Arrays {
    std::size_t n = 0, dimensions = 0;
    float a = 1, b = 1, negative_rate = 5;
    std::span<const std::size_t> block_ends = {};
    std::span<const std::size_t> offsets = {};
    std::span<const Index> to = {};
    std::span<const float> periods = {};        ///< of edges: epochs between visits
    std::span<const float> next = {};           ///< epoch of the next visit
    std::span<const float> next_negative = {};  ///< up to where others were drawn
    std::span<const float> places = {};  ///< point by point
  };
  /// 1, 2 or 3; and no block may be larger.
  static constexpr std::size_t most_dimensions = 3, most_in_block = 512;

  DeviceUmap(Device&, const Arrays&);
  ~DeviceUmap();
  DeviceUmap(const DeviceUmap&) = delete;
  DeviceUmap& operator=(const DeviceUmap&) = delete;

  /// `stream`: stream_base of the draws; block k of this epoch has that of first_stream + k.
  void advance(float epoch, float step, std::uint64_t stream, std::uint64_t first_stream);
  void get(std::span<float> next, std::span<float> next_negative) const;
  void get_places(std::span<float> places) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm::detail
