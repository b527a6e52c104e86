// The heat geodesic distance of a graph: at one time or two, each component by itself and in the
// units of its edges, and across components along the bridges between them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/device.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {

/// Heat spreads on the graph without its bridges: across a bridge it would count one step, however
/// long that is. Where the time is left open, every component has its own (its weights are scaled,
/// so that one kernel serves all), and where heat needs long to fill the data a second, short time
/// keeps what lies inside of clusters apart: d^2 = (1 - w) d_t^2 + w d_s^2. Each of the two is
/// multiplied, by component, so that its median ratio to shortest paths is 1 over far pairs.
class HeatDistances {
 public:
  /// Chooses the times and makes the kernels; both are noted in the run. Rates that know lengths
  /// are set in run.graph.
  HeatDistances(DistanceRun& run, const MethodOptions&, const Context&);

  /// Of the (long) time.
  const DiffusionKernel& kernel() const { return *scales_.front().kernel; }
  /// Sets run.length_scale, for those who read the kernel of the long time themselves.
  void calibrate_long_time(const Context&);
  /// All pairs: two n x n arrays at most. No denoising, no limit.
  Dissimilarity all_pairs(const Context&);
  /// The same, made and kept on a GPU; `notes` has no values then. Empty, with a word on why, where
  /// that is left to the CPU. Refuses where the device has too little memory.
  std::optional<ResidentDistances> resident_pairs(Device&, Dissimilarity& notes, const Context&);
  /// r x n, from rows of the kernels alone.
  Matrix<double> from(std::span<const Index> points, const Context&);
  /// The same with an estimated diagonal of the kernel; empty where more than a tenth of the pairs
  /// have no heat to read.
  std::optional<Matrix<double>> from_pivots(std::span<const Index> pivots, const Context&);

 private:
  struct Scale {
    double time = 0;
    double weight = 1;
    Laplacian laplacian = {};
    std::unique_ptr<DiffusionKernel> kernel = {};
    std::vector<double> unit = {};  ///< of each component; empty until calibrated
  };

  void add_scale(double time, double weight, const std::vector<double>& factor, const Context&);
  std::vector<Index> calibration_points() const;
  void calibrate(Scale&, std::span<const Index> points, const Matrix<double>& heat_rows,
                 const Matrix<double>& paths);
  void to_units(const Scale&, Matrix<double>& rows, const std::vector<Index>& points) const;
  Matrix<double> combined_rows(std::vector<Matrix<double>> by_scale, std::span<const Index> asked,
                               const std::vector<Index>& points,
                               const std::vector<Index>& sources, const Context&);
  std::vector<double> long_diagonal(const Context&) const;
  Matrix<double> short_rows(std::span<const Index> points, std::vector<double> diagonal,
                            const Context&) const;
  std::vector<Index> with_bridge_ends(std::span<const Index> points) const;
  bool has_units() const;
  void note_length_scale(double length);

  DistanceRun& run_;
  const MethodOptions& options_;
  HeatGeodesicOptions plain_;
  Graph inside_;  ///< without bridges; empty where there are none
  std::vector<Scale> scales_;

  const Graph& graph() const { return run_.graph.bridges.empty() ? run_.graph : inside_; }
};

}  // namespace geotherm::detail
