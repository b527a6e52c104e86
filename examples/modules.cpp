// The modules one by one, for those who compose their own method: a graph, its heat, a distance.
#include <cstdio>
#include <geotherm/geotherm.hpp>

int main() {
  using namespace geotherm;
  const Dataset circle = synthesize(Shape::circle, {.n = 400, .noise = 0.01});

  const AffinityOptions affinity{.kind = Affinity::alpha_decay};
  const NeighborLists lists = find_neighbors(circle.X, {.knn = 10, .reach = reach_of(affinity)});
  const Graph graph = build_graph(lists, affinity);
  const Laplacian laplacian = build_laplacian(graph, LaplacianKind::combinatorial);
  const auto heat = heat_kernel(laplacian, {.time = 5.0});
  const Dissimilarity distances = heat_geodesic(*heat);

  const DistanceScores score = score_distances(circle.geodesic, distances.values);
  std::printf("%zu edges, pearson %.3f, spearman %.3f\n", graph.weights.n_entries() / 2,
              score.pearson, score.spearman);
  return score.pearson > 0.95 ? 0 : 1;
}
