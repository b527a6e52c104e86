// Sweeps over all points in a GPU's memory (pivot_sweeps.cpp). No CUDA header is needed to read
// this.
#pragma once

#include <memory>

#include "core/device.hpp"
#include "geotherm/landmarks.hpp"
#include "landmarks/pivot_sweeps.hpp"

namespace geotherm::detail {

/// Stress before a sweep: misfits to pivots, squared distances to them, misfits to neighbours.
struct SweepSums {
  double stress = 0;
  double squares = 0;
  double near = 0;
};

/// What all sweeps have in common; read when the sweeps are made.
struct SweepProblem {
  const Graph& graph;
  const LandmarkDistances& distances;
  const Pivots& pivots;
  double scale = 1;        ///< of the graph's lengths
  double near_weight = 0;  ///< of each neighbour; 0: none are looked at
  std::size_t n_components = 2;
};

class DeviceSweeps {
 public:
  virtual ~DeviceSweeps() = default;
  virtual void put(const Matrix<double>& coordinates) = 0;
  virtual void get(Matrix<double>& coordinates) const = 0;
  /// All points once; sums are added in one order.
  virtual SweepSums sweep() = 0;
};

/// Null where the context has no GPU, its memory is too small, there are few points, or more than 3
/// components. Pivots weigh the same for all points.
std::unique_ptr<DeviceSweeps> device_sweeps(const Context&, const SweepProblem&);

}  // namespace geotherm::detail
