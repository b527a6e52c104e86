// The table of methods: one row each, and all that is said of a method in it.
#include <algorithm>

#include "geotherm/methods.hpp"

namespace geotherm {
namespace {

constexpr std::string_view huguet =
    "Huguet, G., Tong, A., De Brouwer, E., Zhang, Y., Wolf, G., Adelstein, I., Krishnaswamy, S.: A "
    "heat diffusion perspective on geodesic preserving dimensionality reduction. NeurIPS 36 "
    "(2023), arXiv:2305.19043.";
constexpr std::string_view moon =
    "Moon, K. R. et al.: Visualizing structure and transitions in high-dimensional biological "
    "data. Nature Biotechnology 37, 1482-1492 (2019).";
constexpr std::string_view coifman =
    "Coifman, R. R., Lafon, S.: Diffusion maps. Applied and Computational Harmonic Analysis 21, "
    "5-30 (2006).";
constexpr std::string_view belkin =
    "Belkin, M., Niyogi, P.: Laplacian eigenmaps for dimensionality reduction and data "
    "representation. Neural Computation 15, 1373-1396 (2003).";
constexpr std::string_view tenenbaum =
    "Tenenbaum, J. B., de Silva, V., Langford, J. C.: A global geometric framework for nonlinear "
    "dimensionality reduction. Science 290, 2319-2323 (2000).";
constexpr std::string_view maaten =
    "van der Maaten, L., Hinton, G.: Visualizing data using t-SNE. Journal of Machine Learning "
    "Research 9, 2579-2605 (2008).";
constexpr std::string_view mcinnes =
    "McInnes, L., Healy, J., Melville, J.: UMAP: uniform manifold approximation and projection for "
    "dimension reduction. arXiv:1802.03426 (2018).";

// What methods have in common, from the points on.
constexpr Parts neighbor_parts = parts::map | parts::reduction | parts::metric | parts::search;
constexpr Parts path_parts = neighbor_parts | parts::knn | parts::graph | parts::refine;
constexpr Parts graph_parts = path_parts | parts::affinity;
constexpr Parts walk_parts = graph_parts | parts::time;
constexpr Parts heat_parts = walk_parts | parts::heat;
constexpr Parts scaling_parts = parts::landmarks | parts::mds;
constexpr Parts heat_geo_parts =
    heat_parts | parts::geodesic | scaling_parts | parts::pivots | parts::heat_pivots;

std::vector<Method> make_methods() {
  return {
      {.name = "heatgeo",
       .display = "HeatGeo",
       .title = "Heat Geodesic Embedding",
       .summary = "heat-geodesic distances, MDS",
       .estimator = "HeatGeo",
       .citations = {huguet},
       .has_parts = heat_geo_parts | parts::mds_weights | parts::device,
       .embed = heat_geo,
       .distances = heat_geo_distances,
       .distances_from = heat_geo_distances_from,
       .by_landmarks = heat_geo_landmarks,
       .choices = with_heat_geo_choices},
      {.name = "phate",
       .display = "PHATE",
       .title = "PHATE",
       .summary = "potential distances of a random walk, MDS",
       .estimator = "PHATE",
       .citations = {moon},
       .has_parts = walk_parts | scaling_parts | parts::mds_weights,
       .embed = phate,
       .distances = phate_distances,
       .by_landmarks = phate_landmarks,
       .max_exact = kMostPhatePoints},
      {.name = "heat-phate",
       .display = "Heat-PHATE",
       .title = "PHATE with the heat kernel",
       .summary = "potential distances of the heat kernel, MDS",
       .estimator = "HeatPHATE",
       .citations = {moon, huguet},
       .has_parts = heat_parts | scaling_parts | parts::pivots | parts::mds_weights,
       .embed = heat_phate,
       .distances = heat_phate_distances,
       .by_landmarks = heat_phate_landmarks},
      {.name = "rand-geo",
       .display = "Rand-Geo",
       .title = "the heat-geodesic formula on a random walk",
       .summary = "heat-geodesic formula on a random walk, MDS",
       .estimator = "RandGeo",
       .citations = {huguet},
       .has_parts = walk_parts | parts::geodesic | scaling_parts | parts::pivots | parts::mds_weights,
       .embed = rand_geo,
       .distances = rand_geo_distances,
       .by_landmarks = rand_geo_landmarks},
      {.name = "diffusion-map",
       .display = "Diffusion map",
       .title = "a diffusion map",
       .summary = "diffusion distances, eigenvectors of a walk",
       .estimator = "DiffusionMap",
       .citations = {coifman},
       .has_parts = walk_parts,
       .embed = diffusion_map,
       .distances = diffusion_map_distances},
      {.name = "laplacian-eigenmaps",
       .display = "Laplacian eigenmaps",
       .title = "Laplacian eigenmaps",
       .summary = "eigenvectors of the Laplacian",
       .estimator = "LaplacianEigenmaps",
       .citations = {belkin},
       .has_parts = graph_parts,
       .embed = laplacian_eigenmaps},
      {.name = "shortest-path",
       .display = "Shortest paths",
       .title = "metric scaling of shortest paths along the graph (Isomap)",
       .summary = "shortest paths on the graph, MDS (Isomap)",
       .estimator = "ShortestPath",
       .citations = {tenenbaum},
       .has_parts = path_parts | scaling_parts | parts::pivots | parts::mds_weights,
       .embed = shortest_path,
       .distances = shortest_path_distances,
       .by_landmarks = shortest_path_landmarks},
      {.name = "heatgeo-weighted",
       .display = "Heat-weighted HeatGeo",
       .title = "Heat Geodesic Embedding with the stress weighted by heat",
       .summary = "heat-geodesic distances, MDS weighted by heat",
       .estimator = "HeatGeoWeighted",
       .aliases = {"sne"},
       .citations = {huguet},
       .has_parts = heat_geo_parts,
       .embed = heat_geo_weighted,
       .distances = heat_geo_weighted_distances,
       .by_landmarks = heat_geo_landmarks,
       .choices = with_heat_geo_choices},
      {.name = "tsne",
       .display = "t-SNE",
       .title = "t-SNE",
       .summary = "t-SNE on the neighbour lists",
       .estimator = "TSNE",
       .citations = {maaten},
       .has_parts = neighbor_parts | parts::tsne,
       .embed = tsne,
       .is_scanpy_name = true},
      {.name = "umap",
       .display = "UMAP",
       .title = "UMAP",
       .summary = "UMAP on the neighbour lists",
       .estimator = "UMAP",
       .citations = {mcinnes},
       .has_parts = neighbor_parts | parts::knn | parts::umap,
       .embed = umap,
       .is_scanpy_name = true},
      {.name = "pca",
       .display = "PCA",
       .title = "principal component analysis",
       .summary = "principal components",
       .has_parts = parts::map | parts::refine,
       .needs = Needs::points,
       .embed = pca_map,
       .is_linear = true,
       .is_scanpy_name = true},
      {.name = "mds",
       .display = "MDS",
       .title = "metric scaling of the given distances",
       .summary = "metric MDS of a given distance matrix",
       .has_parts = parts::map | parts::metric | parts::mds | parts::mds_weights | parts::refine,
       .needs = Needs::distances,
       .embed = metric_mds},
  };
}

}  // namespace

std::span<const Method> methods() {
  static const std::vector<Method> all = make_methods();
  return all;
}

const Method* method_named(std::string_view name) {
  for (const Method& method : methods()) {
    if (method.name == name || std::ranges::find(method.aliases, name) != method.aliases.end()) {
      return &method;
    }
  }
  return nullptr;
}

}  // namespace geotherm
