// The heat geodesic distance of a graph: at one time or two, each component by itself and in the
// units of its edges, and across components along the bridges between them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/device.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {

/// What a run knows of its times (DistanceRun's fields of these names).
struct TimeHints {
  double time_factor = 1;
  bool has_round_clusters = false;

  static TimeHints of(const DistanceRun& run) { return {run.time_factor, run.has_round_clusters}; }
};

/// Heat spreads on the graph without its bridges: across a bridge it would count one step, however
/// long that is. Where the time is left open, every component has its own (its weights are scaled,
/// so that one kernel serves all), and where heat needs long to fill the data a second, short time
/// keeps what lies inside of clusters apart: d^2 = (1 - w) d_t^2 + w d_s^2. Each of the two is
/// multiplied, by component, so that its median ratio to shortest paths is 1 over far pairs.
class HeatDistances {
 public:
  /// Chooses the times, multiplies them by the factor and makes the kernels; both are noted in the
  /// report. Rates by lengths are set in the graph. Options and report have to outlive it.
  HeatDistances(Graph, const TimeHints&, const MethodOptions&, RunReport&, const Context&);
  /// Of a finished run: its graph as it is, and its times, units and diagonals.
  HeatDistances(Graph, std::vector<HeatScale> known, const MethodOptions&, RunReport&,
                const Context&);

  /// The run with graph, time, kernel, scales and unit of these distances.
  DistanceRun added_to(DistanceRun) &&;

  /// Whether heat has as many jumps as the graph, or the first of its components, has hops; also
  /// where the time was given.
  bool sees_all() const { return time_choice_.sees_all; }
  /// Of the (long) time.
  const DiffusionKernel& kernel() const { return *scales_.front().kernel; }
  /// Finds the unit of length, for those who read the kernel of the long time themselves.
  void calibrate_long_time(const Context&);
  /// All pairs: two n x n arrays at most. No denoising, no limit.
  Dissimilarity all_pairs(const Context&);
  struct Resident {
    ResidentDistances distances;
    Dissimilarity notes;  ///< without values
  };
  /// The same, made and kept on a GPU. Empty, with a log of the reason, where that is left to the
  /// CPU. Refuses where the device has too little memory.
  std::optional<Resident> resident_pairs(Device&, const Context&);
  /// r x n, from rows of the kernels alone; with units and diagonals that are known, nothing else.
  Matrix<double> from(std::span<const Index> points, const Context&);
  /// The same with an estimated diagonal of the kernel; empty where more than a tenth of the pairs
  /// have no heat to read.
  std::optional<Matrix<double>> from_pivots(std::span<const Index> pivots, const Context&);

 private:
  struct Scale : HeatScale {  // `unit` is empty until calibrated, `diagonal` until it was needed
    Laplacian laplacian = {};
    std::unique_ptr<DiffusionKernel> kernel = {};
  };

  void add_scale(HeatScale, const Context&);
  bool is_calibrated() const;
  std::vector<Index> calibration_points() const;
  void calibrate(Scale&, std::span<const Index> points, const Matrix<double>& heat_rows,
                 const Matrix<double>& paths);
  void to_units(const Scale&, Matrix<double>& rows, const std::vector<Index>& points) const;
  Matrix<double> combined_rows(std::vector<Matrix<double>> by_scale, std::span<const Index> asked,
                               const std::vector<Index>& points, const std::vector<Index>& sources,
                               const Context&);
  Matrix<double> long_rows(std::span<const Index> points, const Context&) const;
  std::vector<double> long_diagonal(const Matrix<double>& rows, std::span<const Index> points,
                                    const Context&) const;
  std::vector<double> long_diagonal(const Context&) const;
  Matrix<double> short_rows(std::span<const Index> points, const Context&);
  /// `from`, with `helpers` beside the points asked for: they calibrate, and paths lead over them
  /// where heat does not reach. Empty where it does not and there are none.
  std::optional<Matrix<double>> rows_from(std::span<const Index> asked,
                                          const std::vector<Index>& helpers, const Context&);
  /// Of the pairs of `points` with all, those across components.
  double share_across(const std::vector<Index>& points) const;
  std::vector<Index> with_bridge_ends(std::span<const Index> points) const;
  bool has_units() const;
  /// Of distances whose squares are added: a power of two near the largest unit of length, so that
  /// squares stay in the range of numbers whatever the scale of the data.
  double square_unit() const;
  void set_length_scale(double length);

  /// Sources of the shortest paths that give distances their unit.
  std::size_t most_calibration_points() const;

  Graph whole_;
  Graph inside_;  ///< without bridges; empty where there are none
  const MethodOptions& options_;
  RunReport& report_;
  HeatGeodesicOptions plain_;
  TimeChoice time_choice_;
  double length_scale_ = 1;
  bool has_all_units_ = false;  ///< distances were made of every scale
  std::vector<Scale> scales_;

  const Graph& graph() const { return whole_.bridges.empty() ? whole_ : inside_; }
};

/// sum <- w (a / unit)^2 (+ sum), and at the end its root times `unit`. What is infinite in a is as
/// far as in the first sum, which is (1 - w) of all.
void add_square(Matrix<double>& sum, const Matrix<double>& distances, double weight, bool is_first,
                bool is_last, double unit, const Context&);

}  // namespace geotherm::detail
