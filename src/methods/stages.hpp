// The stages that methods share: input -> distinct points -> neighbours -> graph -> kernel ->
// distances -> map. A stage reads constant arguments and returns what it found; the report it is
// given is written to, never read.
#pragma once

#include <chrono>
#include <functional>
#include <new>
#include <optional>
#include <string>

#include "geotherm/methods.hpp"
#include "geotherm/spectral.hpp"

namespace geotherm::detail {

/// Adds the time from its birth to its end to report.timings_s[stage].
class StageClock {
 public:
  StageClock(RunReport& report, std::string stage)
      : report_(report), stage_(std::move(stage)), start_(std::chrono::steady_clock::now()) {}
  ~StageClock() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    try {
      report_.timings_s[stage_] += taken.count();
    } catch (const std::bad_alloc&) {
      // A timing is worth no run: without memory for it there is none.
    }
  }
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

 private:
  RunReport& report_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_;
};

Matrix<double> widen(MatrixView<const float>);
/// Refuses numbers so near the end of the range of double that distances would be infinite.
void require_measurable(MatrixView<const double> points);
/// unique_inverse of inputs whose rows are not compared: each is a point. Refuses fewer than 2.
std::vector<Index> rows_as_points(std::size_t n_rows);

/// Refuses bad options and bad data, collapses equal rows, reduces by PCA where asked, finds the
/// neighbours, builds the graph and treats its components.
DistanceRun graph_of(const Input&, const MethodOptions&, const Context&);

bool looks_for_shortcuts(const MethodOptions&);
/// What became of the shortcut edges, into the report.
void note_shortcuts(const ShortcutReport&, RunReport&, const Context&);

/// A diffusion kernel and what it was made from.
struct KernelRun {
  Graph graph;  ///< as given, or with rates by lengths
  TimeChoice time_choice;
  std::unique_ptr<DiffusionKernel> kernel;
};
/// The heat kernel; the time is chosen where it is left open, then multiplied by `time_factor`.
KernelRun heat_on(Graph, double time_factor, const MethodOptions&, RunReport&, const Context&);
/// The same for the random walk: whole steps, and P^steps.
KernelRun walk_on(Graph, double time_factor, const MethodOptions&, RunReport&, const Context&);

/// What became of unresolved pairs, into the report.
void note_distances(const Dissimilarity&, RunReport&);
/// The dense kernel, averaged with its transpose, where MDS weighs by it; else empty.
Matrix<double> heat_weights(const DiffusionKernel&, const MethodOptions&, const Context&);

/// What layouts on neighbour lists start from.
struct PointNeighbors {
  NeighborLists lists;  ///< of the distinct points
  Matrix<double>
      points;  ///< those in which the neighbours were found; empty where lists were given
};
/// How many neighbours a method wants, from what was asked for and the number of distinct points.
using NeighborCount =
    std::function<std::size_t(const std::optional<std::size_t>& knn, std::size_t n_points)>;
struct NeighborRun {
  PointNeighbors found;
  DistanceRun run;  ///< unique_inverse, knn and report are set
};
/// The first half for methods that read neighbour lists and no graph.
NeighborRun neighbors_of(const Input&, const MethodOptions&, const NeighborCount&, const Context&);
/// Leading principal components; columns of the scores that the points do not have are 0.
template <class T>
Pca principal_components(MatrixView<const T> points, std::size_t n_components, const Context&);
/// Laplacian eigenmaps, sharp enough to start a layout from.
Matrix<double> graph_eigenmaps(const Graph&, std::size_t n_components, const Context&);

/// Coordinates of distinct points -> the result for the rows of the input.
EmbeddingRun finish(DistanceRun, Matrix<double> coordinates, Outcome, std::size_t iterations);
/// The same, and how near two of its axes are to being one plane that may turn.
EmbeddingRun finish(DistanceRun, SpectralEmbedding);

/// What tells one method of kernel distances from another: the kernel on the graph, and the
/// distance read off it.
struct KernelDistance {
  KernelRun (*kernel)(Graph, double time_factor, const MethodOptions&, RunReport&, const Context&);
  Dissimilarity (*distance)(const DiffusionKernel&, const MethodOptions&, const Context&);
  /// Distances are HeatDistances: in the units of the data, component by component.
  bool has_units = false;
  /// By landmarks: the walk goes between cells (CoarseMethod).
  bool walks_between_cells = false;
};
Dissimilarity geodesic_of(const DiffusionKernel&, const MethodOptions&, const Context&);
Dissimilarity potential_of(const DiffusionKernel&, const MethodOptions&, const Context&);
/// Of the heat kernel, whose far entries are right: PHATE's offset, made for the entries of P^t,
/// would hide them (bench/methods/paper_baselines.md).
inline constexpr double heat_potential_offset = 1e-16;
Dissimilarity heat_potential_of(const DiffusionKernel&, const MethodOptions&, const Context&);

/// Distances between the rows of the input, and the map of them.
DistanceRun kernel_distances(const KernelDistance&, const Input&, const MethodOptions&,
                             const Context&);
DistanceRun kernel_landmarks(const KernelDistance&, const Input&, const MethodOptions&,
                             const Context&);
EmbeddingRun kernel_map(const KernelDistance&, const Input&, const MethodOptions&, const Context&);

/// From distinct points back to the rows of the input.
void spread_to_rows(Dissimilarity&, const std::vector<Index>& unique_inverse, const Context&);
void spread_to_rows(Embedding&, const std::vector<Index>& unique_inverse);

/// How a layout by MDS went, into the report.
void note_layout(const Embedding&, const MethodOptions&, RunReport&);

/// Which device was used, where one was asked for.
void note_device(const DeviceContext&, const MethodOptions&, RunReport&);

/// Embeds run.dissimilarity (of distinct points) and spreads everything to the rows of the input.
EmbeddingRun lay_out(DistanceRun, const MethodOptions&, const Context&);

/// The map refined by the neighbours of the run's graph, where the options ask for it; where the
/// run has none, by those that are found in the input. Notes what was done, or why nothing was.
EmbeddingRun refined(EmbeddingRun, const Input&, const MethodOptions&, const Context&);

}  // namespace geotherm::detail
