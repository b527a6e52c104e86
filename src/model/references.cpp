#include "model/references.hpp"

#include <map>
#include <string>

namespace geotherm::detail {

const MethodWords* words_of_method(std::string_view method) {
  static const std::map<std::string, MethodWords, std::less<>> words = {
      {"heatgeo", {"Heat Geodesic Embedding", {huguet}}},
      {"sne", {"the SNE form of Heat Geodesic Embedding (distances weighted by heat)", {huguet}}},
      {"heat-phate", {"PHATE with the heat kernel", {moon, huguet}}},
      {"phate", {"PHATE", {moon}}},
      {"rand-geo", {"the heat-geodesic formula on a random walk", {huguet}}},
      {"diffusion-map", {"a diffusion map", {coifman}}},
      {"laplacian-eigenmaps", {"Laplacian eigenmaps", {belkin}}},
      {"shortest-path", {"metric scaling of shortest paths along the graph (Isomap)", {tenenbaum}}},
      {"tsne", {"t-SNE", {maaten}}},
      {"umap", {"UMAP", {mcinnes}}},
      {"pca", {"principal component analysis", {}}},
      {"mds", {"metric scaling of the given distances", {}}},
  };
  const auto found = words.find(method);
  return found == words.end() ? nullptr : &found->second;
}

}  // namespace geotherm::detail
