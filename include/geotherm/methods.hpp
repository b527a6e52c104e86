// Methods: each names modules in order and holds no numerics of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "geotherm/device.hpp"
#include "geotherm/dissimilarity.hpp"
#include "geotherm/embedding.hpp"
#include "geotherm/input.hpp"
#include "geotherm/landmarks.hpp"
#include "geotherm/layouts.hpp"
#include "geotherm/points.hpp"
#include "geotherm/refine.hpp"
#include "geotherm/shortcuts.hpp"
#include "geotherm/smoothing.hpp"
#include "geotherm/spectral.hpp"

namespace geotherm {

/// What the rate of an edge follows: the affinity alone (heat counts hops), or also its length
/// (heat moves in the units of the data, and distances are calibrated to them).
enum class Rates { hops, lengths };
std::string_view to_string(Rates);
std::optional<Rates> rates_named(std::string_view);

/// What an iterative layout starts from: what the method chooses, principal components, Laplacian
/// eigenmaps of the graph, or a map that is given.
enum class StartKind { own, pca, spectral, map };
struct StartOptions {
  StartKind kind = StartKind::own;
  /// One row per row of the input, as many columns as the map; read where `kind` is map. The new
  /// map is turned as this one is.
  Matrix<double> map = {};
};

/// One set of options for every method, one member per module. A method reads those of the modules
/// it calls, so that trying another method changes one word.
struct MethodOptions {
  /// PCA before the neighbours. Rank 0: none. An empty rank inside: chosen from the data, and left
  /// out where the columns are principal components already. Empty: the method's own choice.
  std::optional<PcaOptions> pca = std::nullopt;
  /// Heat flow of the points themselves before the neighbours are found, against strong noise.
  /// Empty: none.
  std::optional<SmoothOptions> smooth = std::nullopt;
  NeighborOptions neighbors = {};
  AffinityOptions affinity = {};
  ComponentPolicy components = ComponentPolicy::bridge;
  /// Search for shortcut edges, which are removed; share 0: no search. Empty: the method's own
  /// choice.
  std::optional<ShortcutOptions> shortcuts = std::nullopt;
  /// Empty: the method's own choice.
  std::optional<Rates> rates = std::nullopt;
  /// Heat geodesic distances are multiplied, by component, so that far pairs have the length of
  /// shortest paths; a second, short time then helps where the time is chosen. False: as the
  /// formula gives them.
  bool has_data_units = true;
  LaplacianKind laplacian = LaplacianKind::combinatorial;
  HeatKernelOptions heat = {};
  /// Given: the time is chosen from the entropy curve. Empty: `heat.time` is used. Methods that
  /// walk in steps take only whether it is given.
  std::optional<TimeOptions> time_choice = TimeOptions{};
  HeatGeodesicOptions dissimilarity = {};
  MdsOptions mds = {};
  /// Landmarks in place of all pairs (heatgeo, phate, heat-phate, rand-geo, shortest-path,
  /// heatgeo-weighted): used where there are too many points for those, or where a count is given.
  /// Empty: never.
  std::optional<LandmarkOptions> landmarks = LandmarkOptions{};
  /// Refinement of the finished map (refine.hpp): neighbours are brought together, the global
  /// arrangement stays. Zero epochs or balance 0: none. Empty: the method's own choice. Ignored by
  /// t-SNE and UMAP, which are laid out by neighbours.
  std::optional<RefineOptions> refine = std::nullopt;
  TsneOptions tsne = {};
  UmapOptions umap = {};
  /// Where the costly stages run (heatgeo, tsne, umap): the CPU, or a CUDA device where the library
  /// was built for one. heatgeo's map is the same up to rounding in float32; t-SNE and UMAP, whose
  /// steps magnify rounding, end in one that is as good.
  DeviceKind device = DeviceKind::cpu;
  /// Read by the layouts that are iterated: metric MDS, t-SNE, UMAP.
  StartOptions start = {};
  /// Nearest points of each to keep in DistanceRun::neighbors, at least `neighbors.knn`: a model
  /// that is made of the run (model_neighbors, model.hpp) then searches for none. 0: none are kept.
  std::size_t keep_neighbors = 0;
  /// Whether a map by landmarks keeps DistanceRun::landmarks, from which distances between any
  /// points can be read. false: they are given back once the map is laid out, before it is refined.
  bool keep_landmarks = true;
};
std::vector<std::string> issues_with(const MethodOptions&);
/// What heat_geo and heat_geo_weighted choose where an option is left open: the rank of the PCA
/// from the data, rates in hops, shortcut edges removed (up to 20,000 points: among more, noise
/// builds bridges of points, which that search does not see). Other methods leave points and graph
/// as they are.
MethodOptions with_heat_geo_choices(MethodOptions, std::size_t n_points);
/// The method as published, without the steps beyond it: no PCA, no search for shortcut edges,
/// rates in hops, time at the knee, no refinement.
MethodOptions as_published(MethodOptions);

using Value = std::variant<bool, double, std::string>;

/// What a run decided and measured, by name, for the manifest. Written by the stages, never read by
/// them.
struct RunReport {
  std::map<std::string, Value> resolved = {};    ///< "time", "knn", "pca_rank", ...
  std::map<std::string, double> timings_s = {};  ///< by stage
};

/// Heat at one time as used by a run. With the run's graph it gives distances from further points
/// at the cost of their rows of the kernel.
struct HeatScale {
  double time = 0;
  double weight = 1;                  ///< of its squared distances among those of all times
  std::vector<double> factor = {};    ///< of the Laplacian, by component; empty: one component
  std::vector<double> unit = {};      ///< of its distances, by component
  std::vector<double> diagonal = {};  ///< of the kernel; empty where the run did not need it
};

/// Distances of a method, and the results of the stages before them. `graph` and `heat` refer to
/// the unique rows of the input; `unique_inverse` maps rows to those, which in large tables have an
/// order of their own: near in it is near in space.
struct DistanceRun {
  Dissimilarity dissimilarity;  ///< all pairs of rows; empty where only some rows were asked for
  Matrix<double> rows;          ///< r x n, where distances from chosen rows were asked for
  Graph graph;
  /// Number of neighbours per point in the search; empty where a graph was given.
  std::optional<std::size_t> knn = std::nullopt;
  /// The nearest of each point, where MethodOptions::keep_neighbors asked for them and the search
  /// found as many without a change of its result; else empty.
  NeighborLists neighbors = {};
  std::vector<Index> unique_inverse;
  /// How the points were reduced, without the scores; empty where they were not.
  Pca reduction;
  /// The points are clusters without inner structure (Pca::has_round_clusters): where the time is
  /// chosen, it is short.
  bool has_round_clusters = false;
  ShortcutReport shortcuts;
  TimeChoice time_choice;
  KernelReport kernel;
  /// Of the time given or chosen: a graph of landmarks takes larger steps, so fewer of them.
  double time_factor = 1;
  /// Length, in the units of the data, of one unit of the distances from `kernel`.
  double length_scale = 1;
  /// The time, and where there is one the second, short time; empty where the run was by landmarks,
  /// and for methods other than heatgeo.
  std::vector<HeatScale> heat_scales = {};
  Matrix<double> heat;  ///< the dense kernel, kept where MDS weights need it
  /// Distances between the distinct points where the run went by landmarks; else, and where
  /// MethodOptions::keep_landmarks is off, empty.
  LandmarkDistances landmarks;
  RunReport report;
};
struct EmbeddingRun {
  Embedding embedding;
  DistanceRun distances;
  /// The map before its refinement; empty where it was not refined.
  Matrix<double> unrefined = {};
  /// Length in the refinement's unit for a unit of the map (Refined::unit); 0 where the map was not
  /// refined.
  double refined_unit = 0;
  /// Of the axes, where these are eigenvectors (spectral.hpp); else empty.
  std::vector<double> eigenvalues = {};
};

/// The first half that the graph methods share: checks, duplicates, PCA, neighbours, affinities,
/// shortcut edges and components, as `options` say. `graph`, `unique_inverse`, `shortcuts` and
/// `report` are set.
DistanceRun shared_graph(const Input&, const MethodOptions& = {}, const Context& = {});

/// Whether a run on n distinct points uses landmarks, and why.
struct SolverChoice {
  bool by_landmarks = false;
  std::size_t n_landmarks = 0;  ///< that would be used; 0 where there are none
  double exact_bytes = 0;       ///< of the n x n arrays of the exact solver
  double allowed_bytes = 0;
  std::string reason;
};
SolverChoice choose_solver(const MethodOptions&, std::size_t n_points);
/// The same where distances are asked for, not a map: all pairs up to
/// LandmarkOptions::max_all_pairs.
SolverChoice choose_distance_solver(MethodOptions, std::size_t n_points);
/// The number of pivots whose heat diffuses over all points, where a heat geodesic map that does
/// not measure all pairs takes them in place of landmarks; empty: it does not.
std::optional<std::size_t> pivots_on_points(const MethodOptions&, std::size_t n_points);

/// Heat Geodesic Embedding: points -> graph -> Laplacian -> heat kernel -> distances -> MDS.
EmbeddingRun heat_geo(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun heat_geo_distances(const Input&, const MethodOptions& = {}, const Context& = {});
/// Distances from chosen rows, in DistanceRun::rows, without forming n x n.
DistanceRun heat_geo_distances_from(const Input&, std::span<const Index> rows,
                                    const MethodOptions& = {}, const Context& = {});

/// The same after a run of heat_geo, whose graph, times, units and diagonals are used again; by its
/// landmarks where it had those. Refuses a run of another method.
Matrix<double> heat_geo_distances_from(const DistanceRun&, std::span<const Index> rows,
                                       const MethodOptions& = {}, const Context& = {});

/// Distances by landmarks, in DistanceRun::landmarks; one function per method that supports them.
DistanceRun heat_geo_landmarks(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun phate_landmarks(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun heat_phate_landmarks(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun rand_geo_landmarks(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun shortest_path_landmarks(const Input&, const MethodOptions& = {}, const Context& = {});

/// PHATE: graph -> random walk -> P^t -> potential distance -> MDS. t: `heat.time` rounded to whole
/// steps, or (with `time_choice`) the knee of the walk's spectral entropy (choose_walk_steps).
/// Above kMostPhatePoints points landmarks are used unless `landmarks` is empty: the walk
/// then goes between their cells, and its steps, given or chosen, are counted there.
EmbeddingRun phate(const Input&, const MethodOptions& = {}, const Context& = {});
inline constexpr std::size_t kMostPhatePoints = 5000;
DistanceRun phate_distances(const Input&, const MethodOptions& = {}, const Context& = {});

/// PHATE with the heat kernel in place of P^t; its time as in heat_geo.
EmbeddingRun heat_phate(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun heat_phate_distances(const Input&, const MethodOptions& = {}, const Context& = {});

/// heat_geo's distance from P^t in place of the heat kernel; t as in phate. Pairs beyond t hops
/// have no heat: they are filled by shortest paths.
EmbeddingRun rand_geo(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun rand_geo_distances(const Input&, const MethodOptions& = {}, const Context& = {});

/// Isomap's distances: shortest paths along the kNN graph, whatever `affinity.kind` says -> MDS.
EmbeddingRun shortest_path(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun shortest_path_distances(const Input&, const MethodOptions& = {}, const Context& = {});

/// Heat-weighted HeatGeo: heat_geo's distances; MDS weighted by heat, whatever `mds.weights` says,
/// so that near pairs count more.
EmbeddingRun heat_geo_weighted(const Input&, const MethodOptions& = {}, const Context& = {});
DistanceRun heat_geo_weighted_distances(const Input&, const MethodOptions& = {},
                                        const Context& = {});

/// Metric MDS of given distances (DistanceMatrix), on its own.
EmbeddingRun metric_mds(const Input&, const MethodOptions& = {}, const Context& = {});

/// Diffusion map (Coifman and Lafon 2006) of the graph's random walk (`random_walk`): the leading
/// mds.n_components eigenvectors, the constant one dropped, each times its eigenvalue to the number
/// of steps. Steps are `heat.time`, a whole number >= 1; 1 where `time_choice` is set.
EmbeddingRun diffusion_map(const Input&, const MethodOptions& = {}, const Context& = {});
/// Diffusion distances over all eigenvectors: n x n.
DistanceRun diffusion_map_distances(const Input&, const MethodOptions& = {}, const Context& = {});

/// Laplacian eigenmaps (Belkin and Niyogi 2003): L y = lambda Q y, the constant vector dropped.
EmbeddingRun laplacian_eigenmaps(const Input&, const MethodOptions& = {}, const Context& = {});

/// t-SNE from the nearest 3 x perplexity neighbours (`neighbors.knn` is not used), starting from
/// the principal components; without points, from Laplacian eigenmaps.
EmbeddingRun tsne(const Input&, const MethodOptions& = {}, const Context& = {});

/// UMAP of `neighbors.knn` neighbours (15 where not given), starting from Laplacian eigenmaps of
/// the fuzzy union; where that is in pieces, from the principal components if there are points.
EmbeddingRun umap(const Input&, const MethodOptions& = {}, const Context& = {});

/// The leading mds.n_components principal components of the points.
EmbeddingRun pca_map(const Input&, const MethodOptions& = {}, const Context& = {});

/// A map made elsewhere (n x 1, 2 or 3), refined by the neighbours in the input: `options.refine`,
/// its defaults where that is empty. Equal rows get the coordinates of the first of them.
EmbeddingRun refine_map(const Input&, MatrixView<const double> map, const MethodOptions& = {},
                        const Context& = {});

/// The parts of a run that options belong to. An option names the parts that read it, a method the
/// parts it has: together they say which options a method reads (geotherm/options.hpp).
using Parts = std::uint32_t;
namespace parts {
inline constexpr Parts map = 1u << 0;        ///< coordinates: dimensions of the map
inline constexpr Parts reduction = 1u << 1;  ///< PCA and smoothing of the points
inline constexpr Parts metric = 1u << 2;     ///< distances between rows
inline constexpr Parts search = 1u << 3;     ///< neighbour search
inline constexpr Parts knn = 1u << 4;        ///< number of neighbours
inline constexpr Parts graph = 1u << 5;      ///< components and shortcut edges
inline constexpr Parts affinity = 1u << 6;   ///< edge weights
inline constexpr Parts time = 1u << 7;       ///< diffusion time or steps of a walk
inline constexpr Parts heat = 1u << 8;       ///< Laplacian and heat kernel
inline constexpr Parts geodesic = 1u << 9;   ///< heat-geodesic distance
inline constexpr Parts landmarks = 1u << 10;
inline constexpr Parts pivots = 1u << 11;       ///< the map from landmarks, by distances to pivots
inline constexpr Parts heat_pivots = 1u << 12;  ///< whose heat may spread over all points
inline constexpr Parts mds = 1u << 13;
inline constexpr Parts mds_weights = 1u << 14;
inline constexpr Parts tsne = 1u << 15;
inline constexpr Parts umap = 1u << 16;
inline constexpr Parts refine = 1u << 17;  ///< refinement of the finished map by neighbours
inline constexpr Parts device = 1u << 18;  ///< costly stages on a GPU
/// Those that come after distances.
inline constexpr Parts of_map =
    map | pivots | heat_pivots | mds | mds_weights | tsne | umap | refine;
}  // namespace parts

/// What a method cannot do without.
enum class Needs { anything, points, distances };

/// A method as the program and other front ends list it: the one description of it.
struct Method {
  std::string_view name;     ///< "heat-phate"
  std::string_view display;  ///< above a map: "Heat-PHATE"
  std::string_view title;    ///< in a sentence: "PHATE with the heat kernel"
  std::string_view summary;  ///< "distances, map": lists of distances show what is before the comma
  std::string_view estimator = {};  ///< class of the Python package; empty: none
  std::vector<std::string_view> aliases = {};
  std::vector<std::string_view> citations = {};
  Parts has_parts = 0;
  Needs needs = Needs::anything;
  EmbeddingRun (*embed)(const Input&, const MethodOptions&, const Context&) = nullptr;
  /// Null where the method has no distances of its own.
  DistanceRun (*distances)(const Input&, const MethodOptions&, const Context&) = nullptr;
  /// Distances from chosen rows without n x n; null where the method needs all pairs.
  DistanceRun (*distances_from)(const Input&, std::span<const Index> rows, const MethodOptions&,
                                const Context&) = nullptr;
  /// Distances by landmarks, in DistanceRun::landmarks, whatever the number of points; null where
  /// the method does not support them.
  DistanceRun (*by_landmarks)(const Input&, const MethodOptions&, const Context&) = nullptr;
  /// What the method takes where a choice is left to it; null: nothing beyond the defaults.
  MethodOptions (*choices)(MethodOptions, std::size_t n_points) = nullptr;
  /// Above this many points its map uses landmarks, whatever LandmarkOptions::max_exact says.
  std::optional<std::size_t> max_exact = std::nullopt;
  /// The map is a linear function of the points: new points are placed by it.
  bool is_linear = false;
  /// The map consists of eigenvectors of this form: new points are placed by its kernel (Nystrom).
  std::optional<SpectralForm> spectral = std::nullopt;
  /// scanpy keeps a result of its own under this name (obsm["X_umap"]).
  bool is_scanpy_name = false;

  bool has(Parts part) const { return (has_parts & part) != 0; }
};
/// The first is the default, Heat Geodesic Embedding.
std::span<const Method> methods();
/// By name or alias. Null where there is none.
const Method* method_named(std::string_view name);

}  // namespace geotherm
