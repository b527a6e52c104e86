// Separate clusters: how long joining the components takes beside the search for neighbours. Writes
// a table in Markdown to standard output.
//
//   bench_components [N...] > bench/scale/components.md
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "geotherm/geotherm.hpp"

namespace {

using namespace geotherm;

/// `n_clusters` Gaussian clusters, centres normal with standard deviation 15 in each of 20 columns.
Matrix<double> clusters(std::size_t n, std::size_t n_clusters) {
  constexpr std::size_t dims = 20;
  Rng rng(1, "bench.components", n_clusters);
  Matrix<double> centers(n_clusters, dims);
  for (std::size_t k = 0; k < centers.size(); ++k) centers.data()[k] = 15 * rng.normal();
  Matrix<double> points(n, dims);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < dims; ++c) points(i, c) = centers(i % n_clusters, c) + rng.normal();
  }
  return points;
}

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> took = now - last_;
    last_ = now;
    return took.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(static_cast<std::size_t>(std::atoll(argv[i])));
  if (sizes.empty()) sizes = {50'000, 150'000, 500'000, 1'000'000};
  std::printf(
      "# Joining the components of a graph\n\n"
      "Written by `bench_components`; do not edit. Gaussian clusters far apart in 20 dimensions, "
      "knn 10, one thread; seconds.\n\n"
      "| points | components | neighbours | graph | joining | bridges |\n"
      "|---|---|---|---|---|---|\n");
  for (const std::size_t n : sizes) {
    for (const std::size_t n_clusters : {std::size_t{12}, std::size_t{200}}) {
      const Matrix<double> points = clusters(n, n_clusters);
      const AffinityOptions affinity;
      Clock clock;
      const NeighborLists lists = find_neighbors(points, {.knn = 10, .reach = reach_of(affinity)});
      const double searching = clock.lap();
      Graph graph = build_graph(lists, affinity);
      const double building = clock.lap();
      graph = connect_components(std::move(graph), ComponentPolicy::bridge, points);
      const double joining = clock.lap();
      std::printf("| %zu | %zu | %.1f | %.2f | %.2f | %zu |\n", n, graph.n_components, searching,
                  building, joining, graph.bridges.size());
      std::fflush(stdout);
    }
  }
}
