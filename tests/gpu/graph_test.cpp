// Weights of graphs and layouts by landmarks on a GPU: the CPU's, up to roundings.
#include "fixture.hpp"
#include "graph/device_unite.hpp"

namespace gpu_tests {
namespace {

/// Points in 20 dimensions have hubs: some are in the lists of many that are not in theirs.
Matrix<double> with_hubs() { return made(Shape::blobs, 24000, 20, 1.0); }

void expect_same_rows(const SparseMatrix& found, const SparseMatrix& expected, double most) {
  EXPECT(found.offsets == expected.offsets);
  EXPECT(found.indices == expected.indices);
  double error = found.values.size() == expected.values.size() ? 0 : INFINITY;
  for (std::size_t e = 0; e < expected.values.size(); ++e) {
    error = std::fmax(error, std::abs(found.values[e] / expected.values[e] - 1));
  }
  EXPECT_AT_MOST(error, most);
}

NeighborLists lists_of(const Matrix<double>& points) {
  NeighborLists lists = find_neighbors(points.view(), {.knn = 10, .reach = 1.3}, cpu());
  // The first half of the points was listed by someone who measured otherwise.
  for (std::size_t e = 0; e < lists.offsets[lists.n_points / 2]; ++e) lists.distances[e] *= 1.0625;
  return lists;
}

}  // namespace

GPU_TEST(AlphaDecayOfListsIsTheCpus) {
  for (const Matrix<double>& points : {roll(24000), with_hubs()}) {
    const NeighborLists lists = lists_of(points);
    for (const double threshold : {1e-4, 0.4}) {
      const AffinityOptions options{.threshold = threshold};
      const Graph expected = build_graph(lists, options, cpu());
      const Graph found = build_graph(lists, options, gpu());
      EXPECT(detail::alpha_decay_on_device(gpu(), lists, options).has_value());
      expect_same_rows(found.weights, expected.weights, 1e-12);
      EXPECT(found.lengths == expected.lengths);
      EXPECT(found.component == expected.component);
      const Graph again = build_graph(lists, options, gpu());
      EXPECT(again.weights.values == found.weights.values &&
             again.weights.indices == found.weights.indices);
    }
  }
}

GPU_TEST(MembershipsOfAGraphAreTheCpus) {
  for (const Matrix<double>& points : {roll(24000), with_hubs()}) {
    const Graph graph = build_graph(lists_of(points), {}, cpu());
    for (const std::size_t knn : {3, 15}) {
      const SparseMatrix expected = refine_memberships(graph, knn, cpu());
      EXPECT(detail::memberships_on_device(gpu(), graph, knn).has_value());
      // Where a bisection ends depends on the last digit of its sums: 1e-5 of log2(knn) is allowed
      // there.
      expect_same_rows(refine_memberships(graph, knn, gpu()), expected, 1e-4);
    }
  }
}

GPU_TEST(LayoutsByLandmarksAreTheCpus) {
  const Graph graph = graph_of(roll(24000));
  const Cells cells =
      cells_around(graph, choose_landmarks(graph, 400, LandmarkChoice::random, cpu()), cpu());
  Rng rng(3, "gpu_tests.layout");
  for (const std::size_t dims : {1, 2, 3}) {
    Matrix<double> map(cells.landmarks.size(), dims);
    for (std::size_t k = 0; k < map.size(); ++k) map.data()[k] = 20 * rng.normal();
    Matrix<double> apart(map.rows(), map.rows());
    for (std::size_t a = 0; a < map.rows(); ++a) {
      for (std::size_t b = 0; b < map.rows(); ++b) {
        double squares = a == b ? 0 : 1;  // no map keeps these distances
        for (std::size_t c = 0; c < dims; ++c)
          squares += (map(a, c) - map(b, c)) * (map(a, c) - map(b, c));
        apart(a, b) = std::sqrt(squares);
      }
    }
    const LandmarkDistances distances(graph, cells, apart, cpu());
    const auto layout = [&](const Context& context) {
      return pivot_layout(graph, cells, distances, map.view(), 1.0, {}, {.n_components = dims},
                          context);
    };
    const Embedding expected = layout(cpu()), found = layout(gpu());
    EXPECT(found.iterations == expected.iterations && found.iterations > 2);
    EXPECT_AT_MOST(std::abs(found.stress / expected.stress - 1), 1e-9);
    EXPECT_AT_MOST(procrustes(expected.coordinates, found.coordinates).disparity, 1e-12);
    EXPECT(same_bits(found.coordinates, layout(gpu()).coordinates));
  }
}

GPU_TEST(RefinementMovesPointsAsTheCpu) {
  const Matrix<double> points = roll(6000);
  SparseMatrix memberships = refine_memberships(graph_of(points), 15, cpu());
  // One point without neighbours: nothing pulls it.
  const std::size_t first = memberships.offsets[5], count = memberships.offsets[6] - first;
  memberships.indices.erase(
      memberships.indices.begin() + static_cast<std::ptrdiff_t>(first),
      memberships.indices.begin() + static_cast<std::ptrdiff_t>(first + count));
  memberships.values.erase(memberships.values.begin() + static_cast<std::ptrdiff_t>(first),
                           memberships.values.begin() + static_cast<std::ptrdiff_t>(first + count));
  for (std::size_t i = 6; i < memberships.offsets.size(); ++i) memberships.offsets[i] -= count;
  const Matrix<double> start = pca(points.view(), {.rank = 2}, cpu()).scores;
  // As it is, and with half of the points in rows so crowded that eights are drawn from them.
  for (const double scale : {1.0, 0.001}) {
    Matrix<double> from = start;
    for (std::size_t k = 0; k < from.size(); k += 4) {
      from.data()[k] *= scale;
      from.data()[k + 1] *= scale;
    }
    const auto refined = [&](const Context& context) {
      return refine_layout(from.view(), memberships, {.epochs = 20}, context).coordinates;
    };
    EXPECT_AT_MOST(procrustes(refined(cpu()), refined(gpu())).disparity, 1e-6);
  }
}

}  // namespace gpu_tests
