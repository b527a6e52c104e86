// Every method by name.
#include <algorithm>
#include <array>

#include "geotherm/methods.hpp"

namespace geotherm {
namespace {

/// Summaries are "distances, map": a list of distances shows what stands before the comma.
constexpr std::array<Method, 12> all_methods = {{
    {"heatgeo", "heat-geodesic distances, MDS", heat_geo, heat_geo_distances, heat_geo_landmarks},
    {"phate", "potential distances of a random walk, MDS", phate, phate_distances, phate_landmarks},
    {"heat-phate", "potential distances of the heat kernel, MDS", heat_phate, heat_phate_distances,
     heat_phate_landmarks},
    {"rand-geo", "heat-geodesic formula on a random walk, MDS", rand_geo, rand_geo_distances,
     rand_geo_landmarks},
    {"diffusion-map", "diffusion distances, eigenvectors of a walk", diffusion_map,
     diffusion_map_distances},
    {"laplacian-eigenmaps", "eigenvectors of the Laplacian", laplacian_eigenmaps, nullptr},
    {"shortest-path", "shortest paths on the graph, MDS (Isomap)", shortest_path,
     shortest_path_distances, shortest_path_landmarks},
    {"sne", "heat-geodesic distances, MDS weighted by heat", sne, sne_distances,
     heat_geo_landmarks},
    {"tsne", "t-SNE on the neighbour lists", tsne, nullptr},
    {"umap", "UMAP on the neighbour lists", umap, nullptr},
    {"pca", "principal components", pca_map, nullptr},
    {"mds", "metric MDS of a given distance matrix", metric_mds, nullptr},
}};

}  // namespace

std::span<const Method> methods() { return all_methods; }

const Method* method_named(std::string_view name) {
  const auto found = std::find_if(all_methods.begin(), all_methods.end(),
                                  [&](const Method& m) { return m.name == name; });
  return found == all_methods.end() ? nullptr : &*found;
}

}  // namespace geotherm
