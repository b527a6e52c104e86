// The iterations of t-SNE on a GPU. No CUDA header is needed to read this.
#pragma once

#include <memory>
#include <span>

#include "core/device.hpp"

namespace geotherm::detail {

/// The descent of qdtsne on the device: its steps, gains and momentum in double, forces in single
/// precision. The same bits from run to run.
class DeviceTsne {
 public:
  struct Arrays {
    std::size_t n = 0, dimensions = 0;  ///< 1, 2 or 3
    std::span<const std::size_t> offsets = {};
    std::span<const Index> to = {};
    std::span<const float> weights = {};  ///< p_ij, both halves
    std::span<const double> places = {};  ///< point by point; steps and gains likewise
    std::span<const double> steps = {};
    std::span<const double> gains = {};
    double theta = 0;
    double learning_rate = 0;
  };
  DeviceTsne(Device&, const Arrays&);
  ~DeviceTsne();
  DeviceTsne(const DeviceTsne&) = delete;
  DeviceTsne& operator=(const DeviceTsne&) = delete;

  void iterate(double exaggeration, double momentum);
  void get(std::span<double> places, std::span<double> steps, std::span<double> gains) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm::detail
