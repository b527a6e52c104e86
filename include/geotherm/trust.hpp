// Maps and the data they are of -> where the maps can be believed, and what heat on the graph
// needs to be shown: for pages and other front ends.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "geotherm/methods.hpp"
#include "geotherm/page.hpp"
#include "geotherm/texts.hpp"

namespace geotherm {

/// What heat_geo does before it measures distances: the graph, and up to kMostHeatRows rows the
/// chosen time and its curve. For maps by methods without heat.
DistanceRun heat_graph(const Input&, const MethodOptions& = {}, const Context& = {});
/// Above this many rows heat is shown on a graph of landmarks.
inline constexpr std::size_t kMostHeatRows = 50'000;

/// The graph of `n_landmarks` landmarks of a run's points as a run of its own, with its own time
/// and unit: for front ends to which the graph of all points is too large. unique_inverse maps rows
/// to the landmark of their cell.
DistanceRun landmark_heat_graph(const DistanceRun&, std::size_t n_landmarks,
                                const MethodOptions& = {}, const Context& = {});

/// Share of its weighted degree that each row of the input lost to the removal of shortcut edges;
/// empty where there was no search.
std::vector<double> removed_fraction(const DistanceRun&);

/// The same by groups: the mean over the rows of each, in order of their first rows.
struct GroupLoss {
  std::string name;
  std::size_t n_points = 0;
  double mean = 0;
};
std::vector<GroupLoss> loss_by_group(std::span<const double> removed_fraction, const Texts& groups);

struct TrustOptions {
  /// True nearest neighbours kept for each row; >= 1, cut to n - 1.
  std::size_t knn = 12;
  /// Points from which true distances are measured for the distortion; >= 2. More: smoother values.
  std::size_t n_sources = 128;
  /// Random vectors that estimate the kernel's diagonal; its relative error is sqrt(2 / n); >= 8.
  std::size_t n_probes = 128;
  /// Times of the diagonal, equally spaced in the logarithm from 0.3 to 300 times the mean time
  /// between two steps of the walk; >= 2.
  std::size_t n_times = 9;
  /// Above so many rows true neighbours are found for a sample of them, and heat gets a graph of
  /// `n_landmarks` landmarks; >= 2.
  std::size_t max_rows = kMostHeatRows;
  std::size_t n_landmarks = 10'000;  ///< >= 2
};
std::vector<std::string> issues_with(const TrustOptions&);

struct Trust {
  /// Rows of the input: n x knn; nearest first. Where `neighbor_rows` is not empty: of those alone.
  Matrix<Index> neighbors;
  std::vector<Index> neighbor_rows;  ///< ascending; a uniform sample
  Matrix<double> neighbor_distances;
  /// For each map, one value per row (point_distortion): true distances are shortest paths along
  /// the run's graph, without the shortcut edges that were removed. Empty where lengths are
  /// unknown.
  std::vector<std::vector<double>> distortion;
  std::vector<double> removed_share;  ///< of a row's weighted degree; empty: none looked for
  DistanceRun landmarks;              ///< landmark_heat_graph; without points up to max_rows rows
  std::vector<double> diagonal_times;
  /// diagonal_times x points of the graph (the landmarks' where there are some): estimated
  /// h_t(i, i), the squared norm of row i of exp(-tL/2) by Rademacher probes.
  Matrix<double> diagonal;
};

/// `run` is one of `input` by a method that walks over a graph; `maps` have a row for each row.
/// Costs n_sources Dijkstra searches and n_probes columns of the kernel: seconds at 50,000 points.
/// Where the run has more than max_rows rows, sources are 16 at most.
Trust measure_trust(const Input& input, const DistanceRun& run,
                    std::span<const MatrixView<const double>> maps, const MethodOptions& = {},
                    const TrustOptions& = {}, const Context& = {});
/// What a page asks for: fewer sources and probes where there are many points.
TrustOptions trust_options_for_page(std::size_t n_rows, const PageOptions& = {});

/// Names of the columns that add_trust gives to a page.
inline constexpr std::string_view kDistortionColumn = "distortion";
inline constexpr std::string_view kRemovedColumn = "share of edges removed";
/// Columns of trust, the graph for heat (that of landmarks where there are some), true neighbours
/// and the entropy curve. The page views both: they must stay alive while it is written.
PageData with_trust(PageData, const Trust&, const DistanceRun&, LaplacianKind);

}  // namespace geotherm
