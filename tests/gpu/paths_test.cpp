// Paths along a graph on a GPU: Dijkstra's, to the bit.
#include "dissimilarity/dijkstra.hpp"
#include "fixture.hpp"
#include "graph/device_paths.hpp"
#include "landmarks/reach.hpp"

namespace gpu_tests {
namespace {

/// Two rolls, one with edges a thousand times as long, that nothing joins.
Graph graph_in_two_pieces() {
  const Matrix<double> near = roll(15000), far = roll(9000, 8);
  Matrix<double> points(near.rows() + far.rows(), near.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t c = 0; c < points.cols(); ++c) {
      points(i, c) = i < near.rows() ? near(i, c) : 1e6 + 1e3 * far(i - near.rows(), c);
    }
  }
  return graph_of(points);
}

}  // namespace

GPU_TEST(NearestSourcesAreDijkstras) {
  const Graph graph = graph_in_two_pieces();
  for (const std::size_t count : {1, 300}) {
    std::vector<Index> first, second;
    for (std::size_t s = 0; s < count; ++s) {
      first.push_back(static_cast<Index>((s * 7919) % graph.n_points()));
      second.push_back(static_cast<Index>((s * 104729 + 20000) % graph.n_points()));
    }
    detail::NearestSource expected(graph.weights, graph.lengths, cpu());
    detail::NearestSource found(graph.weights, graph.lengths, gpu());
    for (const auto& sources : {first, second}) {
      expected.add(sources);
      found.add(sources);
      EXPECT(found.distance() == expected.distance());
      EXPECT(found.source() == expected.source());
    }
  }
}

GPU_TEST(PathsFromSomePointsAreDijkstras) {
  const Graph graph = graph_in_two_pieces();
  const auto paths = detail::device_paths(gpu(), graph.weights, graph.lengths);
  EXPECT(paths != nullptr);
  const std::vector<Index> starts = {0, 7777, 14999, 20000};
  const Matrix<double> found = paths->from(starts);
  detail::Dijkstra dijkstra(graph.weights, graph.lengths);
  std::vector<double> expected(graph.n_points());
  for (std::size_t s = 0; s < starts.size(); ++s) {
    dijkstra.run(starts[s], expected);
    EXPECT(std::equal(expected.begin(), expected.end(), found.row(s).begin()));
  }
}

GPU_TEST(SharesOfLandmarksAreTheCpus) {
  const Graph graph = graph_of(roll(24000));
  const Cells cells =
      cells_around(graph, choose_landmarks(graph, 400, LandmarkChoice::random, cpu()), cpu());
  const Matrix<double> distances(cells.landmarks.size(), cells.landmarks.size());
  const SparseMatrix expected = LandmarkDistances(graph, cells, distances, cpu()).interpolation();
  const SparseMatrix found = LandmarkDistances(graph, cells, distances, gpu()).interpolation();
  EXPECT(found.offsets == expected.offsets && found.indices == expected.indices);
  EXPECT(found.values == expected.values);
}

}  // namespace gpu_tests
