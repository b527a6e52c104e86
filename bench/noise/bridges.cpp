// Planted bridges that have to stay, and shortcut edges that have to go, over the detour an edge
// may save. One line per trial. Driven by bench/noise/evidence.py.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "geotherm/geotherm.hpp"

namespace {

using namespace geotherm;

struct Built {
  NeighborLists wide;
  Graph graph;
};

Built build(MatrixView<const double> X) {
  const AffinityOptions affinity;
  constexpr std::size_t knn = 10;
  Built built;
  built.wide = find_neighbors(X, {.knn = 80});
  const NeighborLists lists = shortened(built.wide, knn, reach_of(affinity));
  built.wide.knn = knn;
  built.graph = build_graph(lists, affinity);
  return built;
}

/// Two clouds of 500 and a chain of `n` points between them.
Matrix<double> clouds(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "bridges.clouds", n);
  Matrix<double> X(1000 + n, 3);
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t c = 0; c < 3; ++c) X(i, c) = rng.normal();
    if (i >= 500) X(i, 0) += 14;
  }
  for (std::size_t i = 0; i < n; ++i) {
    X(1000 + i, 0) = 2.5 + 9.0 * static_cast<double>(i) / static_cast<double>(n - 1);
    for (std::size_t c = 1; c < 3; ++c) X(1000 + i, c) = 0;
    for (std::size_t c = 0; c < 3; ++c) X(1000 + i, c) += 0.15 * rng.normal();
  }
  return X;
}

std::size_t nearest_to(const Matrix<double>& X, std::size_t begin, std::size_t end, double x) {
  std::size_t best = begin;
  double least = 1e300;
  for (std::size_t i = begin; i < end; ++i) {
    const double d = std::hypot(X(i, 0) - x, X(i, 1), X(i, 2));
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}

double way(const Graph& graph, std::size_t from, std::size_t to) {
  const auto source = static_cast<Index>(from);
  return shortest_paths(graph, {&source, 1})(0, to);
}

}  // namespace

int main(int, char** argv) {
  const double detour = std::atof(argv[1]);
  const int n_seeds = std::atoi(argv[2]);
  const ShortcutOptions options{.detour = detour};
  for (const std::size_t n : {5, 10, 20, 50}) {
    for (int seed = 0; seed < n_seeds; ++seed) {
      const Matrix<double> X = clouds(n, static_cast<std::uint64_t>(seed));
      Built built = build(X);
      built.graph = connect_components(std::move(built.graph), ComponentPolicy::bridge, X.view());
      const std::size_t a = nearest_to(X, 0, 500, 0);
      const std::size_t b = nearest_to(X, 500, 1000, 14);
      const Graph cut = remove_shortcuts(built.graph, built.wide, options).graph;
      std::printf("bridge\t%zu\t%d\t%.6f\n", n, seed, way(cut, a, b) / way(built.graph, a, b));
    }
  }
  for (int seed = 42; seed < 42 + n_seeds / 2; ++seed) {
    const Dataset roll = synthesize(Shape::swiss_roll, {.n = 2000, .noise = 1.0},
                                    {.seed = static_cast<std::uint64_t>(seed)});
    const Built built = build(roll.X.view());
    // A shortcut edge: its ends are far apart along the noise-free sheet.
    const double far = 20;
    std::size_t n_false = 0, n_true = 0, false_gone = 0, true_gone = 0;
    const SparseMatrix& w = built.graph.weights;
    for (std::size_t i = 0; i < w.rows; ++i) {
      for (const Index j : w.row_indices(i)) {
        if (static_cast<std::size_t>(j) <= i) continue;
        (roll.geodesic(i, static_cast<std::size_t>(j)) > far ? n_false : n_true) += 1;
      }
    }
    const ShortcutReport report = remove_shortcuts(built.graph, built.wide, options).report;
    for (const Edge& e : report.removed) {
      (roll.geodesic(static_cast<std::size_t>(e.from), static_cast<std::size_t>(e.to)) > far
           ? false_gone
           : true_gone) += 1;
    }
    std::printf("roll\t%zu\t%d\t%zu\t%zu\t%zu\n", n_false, seed, false_gone, n_true, true_gone);
  }
}
