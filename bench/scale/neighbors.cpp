// One row of the table of neighbour searches: a table, a search -> seconds, CPU seconds and recall
// at k on a sample of points. Driven by bench/scale/neighbors.py.
//   bench_neighbors FILE[:KEY] SEARCH K THREADS [FIRST [METRIC]]
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "geotherm/geotherm.hpp"
#include "neighbors/brute_force.hpp"
#include "neighbors/space.hpp"

namespace {

using namespace geotherm;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// By distance: of ties any will do.
template <class T>
double recall_in(const detail::Space<T>& space, const NeighborLists& lists, std::size_t k,
                 std::size_t n_sampled) {
  std::vector<Index> queries;
  for (std::size_t q = 0; q < n_sampled; ++q) {
    queries.push_back(static_cast<Index>(q * space.n_points() / n_sampled));
  }
  const detail::ListPart truth = detail::brute_force_some(space, queries, {.knn = k, .reach = 1});
  std::size_t n_found = 0;
  std::size_t at = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    at += truth.counts[q];
    const double last = truth.distances[at - 1];
    for (const double d : lists.lengths(static_cast<std::size_t>(queries[q])).first(k)) {
      n_found += d <= last ? 1 : 0;
    }
  }
  return static_cast<double>(n_found) / static_cast<double>(at);
}

template <class T>
double recall_of(const NeighborLists& lists, MatrixView<const T> points, Metric metric,
                 std::size_t k, std::size_t n_sampled) {
  if (detail::is_mapped(metric)) {
    return recall_in(detail::mapped_space(points, metric), lists, k, n_sampled);
  }
  return recall_in(detail::plain_space(points, metric), lists, k, n_sampled);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "bench_neighbors FILE[:KEY] SEARCH K THREADS [FIRST [METRIC]]\n");
    return 2;
  }
  const Table table = read_table(argv[1]);
  const auto search = neighbor_search_named(argv[2]);
  const auto metric = metric_named(argc > 6 ? argv[6] : "euclidean");
  if (!search || !metric) return 2;
  const auto k = static_cast<std::size_t>(std::atoi(argv[3]));
  ThreadPool pool(static_cast<std::size_t>(std::atoi(argv[4])));
  constexpr std::size_t n_sampled = 1000;
  // Of the rows, so many; 0: all.
  const std::size_t n_first = argc > 5 ? static_cast<std::size_t>(std::atoi(argv[5])) : 0;
  Context context;
  context.executor = &pool;
  std::visit(
      [&](const auto& all) {
        auto points = all.view();
        if (n_first > 0) points.rows = std::min(points.rows, n_first);
        const double cpu = cpu_seconds();
        const auto start = std::chrono::steady_clock::now();
        const NeighborLists lists =
            find_neighbors(points, {.knn = k, .metric = *metric, .search = *search}, context);
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
        const double spent = cpu_seconds() - cpu, peak = peak_mib();
        std::printf(
            "{\"n\": %zu, \"dims\": %zu, \"seconds\": %.3f, \"cpu_s\": %.3f, \"peak_mib\": %.0f, "
            "\"recall\": %.5f}\n",
            points.rows, points.cols, wall.count(), spent, peak,
            recall_of(lists, points, *metric, k, std::min(n_sampled, points.rows)));
      },
      table.values);
  return 0;
}
