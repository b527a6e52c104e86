// Series on the device: entries, laws, times.
#include "fixture.hpp"
#include "heat/blockwise_kernel.hpp"
#include "heat/device_columns.hpp"

namespace gpu_tests {
namespace {

struct Heat {
  Matrix<double> points = roll(3000);
  Graph graph = graph_of(points);
  Laplacian laplacian(LaplacianKind kind = LaplacianKind::combinatorial) const {
    return build_laplacian(graph, kind, cpu());
  }
};
const Heat& heat() {
  static const Heat made;
  return made;
}
const std::vector<Index> some = {0, 1, 17, 512, 1023, 1024, 2047, 2999, 5, 2500};

}  // namespace

GPU_TEST(RowsAreRightInEveryEntryDownTo1e290) {
  for (const LaplacianKind kind : {LaplacianKind::combinatorial, LaplacianKind::random_walk}) {
    for (const double time : {0.3, 2.0, 20.0}) {
      const auto kernel = heat_kernel(heat().laplacian(kind), {.time = time});
      const Matrix<double> expected = kernel->rows(some, cpu());
      const Matrix<double> found = kernel->rows(some, gpu());
      // Two sums of positive numbers in another order.
      EXPECT_AT_MOST(relative_error(found, expected, 1e-289), 1e-12);
      double lowest = 1;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        if (expected.data()[k] > 0) lowest = std::min(lowest, expected.data()[k]);
      }
      std::printf("    time %g: smallest entry %.3g\n", time, lowest);
    }
  }
}

GPU_TEST(RowsSumToOneAndTimesAdd) {
  const auto once = heat_kernel(heat().laplacian(), {.time = 3});
  const auto twice = heat_kernel(heat().laplacian(), {.time = 6});
  const Matrix<double> rows = twice->rows(some, gpu());
  double off = 0;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    double sum = 0;
    for (const double h : rows.row(r)) sum += h;
    off = std::fmax(off, std::abs(sum - 1));
  }
  EXPECT_AT_MOST(off, 1e-12);
  Matrix<double> units(heat().points.rows(), 3);
  for (std::size_t c = 0; c < 3; ++c) units(100 * c, c) = 1;
  const Matrix<double> step = once->apply(units, gpu());
  EXPECT_AT_MOST(relative_error(once->apply(step, gpu()), twice->apply(units, gpu()), 1e-280),
                 1e-11);
}

GPU_TEST(BlocksWithSignsAndChebyshevAgreeWithTheCpu) {
  const Matrix<double> block = normal(heat().points.rows(), 37);
  for (const KernelMethod method : {KernelMethod::uniformization, KernelMethod::chebyshev}) {
    const auto kernel = heat_kernel(heat().laplacian(), {.time = 5, .method = method});
    EXPECT_AT_MOST(absolute_error(kernel->apply(block, gpu()), kernel->apply(block, cpu())), 1e-12);
  }
}

GPU_TEST(DiagonalAgreesWithTheCpu) {
  const auto kernel = heat_kernel(heat().laplacian(), {.time = 5});
  const auto other = heat_kernel(heat().laplacian(), {.time = 5});
  const std::vector<double> found = kernel->diagonal(gpu()), expected = other->diagonal(cpu());
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    most = std::fmax(most, std::abs(found[i] / expected[i] - 1));
  }
  EXPECT_AT_MOST(most, 1e-12);
}

GPU_TEST(TheSameTimeIsChosen) {
  for (const LaplacianKind kind : {LaplacianKind::combinatorial, LaplacianKind::random_walk}) {
    const TimeChoice expected = choose_time(heat().laplacian(kind), {}, cpu());
    const TimeChoice found = choose_time(heat().laplacian(kind), {}, gpu());
    EXPECT_AT_MOST(std::abs(found.time / expected.time - 1), 1e-9);
    double most = 0;
    for (std::size_t k = 0; k < expected.entropies.size(); ++k) {
      most = std::fmax(most, std::abs(found.entropies[k] / expected.entropies[k] - 1));
    }
    EXPECT_AT_MOST(most, 1e-9);
  }
}

GPU_TEST(ColumnsInHalfTheBitsAreRightTo1e5) {
  const Matrix<double> points = roll(9000);
  const Graph graph = graph_of(points);
  for (const LaplacianKind kind : {LaplacianKind::combinatorial, LaplacianKind::random_walk}) {
    const Laplacian laplacian = build_laplacian(graph, kind, cpu());
    const double chosen = choose_time(laplacian, {}, cpu()).time;
    for (const double share : {1.0, 0.1}) {  // the shorter the time, the smaller the entries
      const auto kernel = heat_kernel(laplacian, {.time = share * chosen});
      const auto& blockwise = dynamic_cast<const detail::BlockwiseKernel&>(*kernel);
      const std::vector<double>& scale = blockwise.scale();
      detail::DeviceColumns columns(*detail::device_of(gpu()), *blockwise.series(), 256);
      double most = 0, lowest = 1;
      for (const std::size_t first : {std::size_t{0}, std::size_t{4444}, points.rows() - 50}) {
        const std::size_t count = 50;
        columns.run(first, count);
        Matrix<double> found(points.rows(), count);
        columns.get(found.data());
        const auto places = std::span(blockwise.node()).subspan(first, count);
        const std::vector<Index> these(places.begin(), places.end());
        const Matrix<double> rows = kernel->rows(these, cpu());
        for (std::size_t c = 0; c < count; ++c) {
          for (std::size_t p = 0; p < points.rows(); ++p) {
            const double expected = rows(c, static_cast<std::size_t>(blockwise.node()[p]));
            const double value =
                scale.empty() ? found(p, c) : found(p, c) * (scale[p] / scale[first + c]);
            if (expected < 1e-289) continue;
            lowest = std::fmin(lowest, expected);
            most = std::fmax(most, std::abs(value / expected - 1));
          }
        }
      }
      std::printf("    %zu terms, smallest entry %.3g, largest error %.2g\n", columns.last_terms(), lowest,
                  most);
      EXPECT_AT_MOST(most, 1e-5);
    }
  }
}

}  // namespace gpu_tests
