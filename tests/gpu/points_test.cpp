// Tables in the memory of the GPU: what is read there, and how much of it reaches the host.
#include "core/device.hpp"
#include "fixture.hpp"
#include "geotherm/model.hpp"
#include "points/device_table.hpp"

namespace gpu_tests {
namespace {

detail::Device& device() { return *detail::device_of(gpu()); }

/// A roll in 60 columns: rank 3 and noise.
Matrix<double> wide_roll(std::size_t n) {
  SynthOptions options;
  options.n = n;
  options.dim = 60;
  options.noise = 0.1;
  options.geodesic_limit = 0;
  return synthesize(Shape::swiss_roll, options, Context{.seed = 3}).X;
}
Matrix<float> narrowed(const Matrix<double>& points) {
  auto narrow = Matrix<float>::uninitialized(points.rows(), points.cols());
  for (std::size_t k = 0; k < points.size(); ++k) {
    narrow.data()[k] = static_cast<float>(points.data()[k]);
  }
  return narrow;
}

template <class T>
void expect_reduced_there(const Matrix<T>& points) {
  const Pca expected = pca(points.view(), {}, cpu());
  const detail::OwnedDevicePoints there = detail::copy_to_device(device(), points.view());
  const std::size_t before = detail::bytes_to_host(device());
  const ReducedRows found = reduce_rows(there.points, {}, gpu());
  const double copied = static_cast<double>(detail::bytes_to_host(device()) - before);
  const double n = static_cast<double>(points.rows()), d = static_cast<double>(points.cols());
  const double rank = static_cast<double>(expected.scores.cols());
  EXPECT(found.pca.was_reduced && found.pca.scores.cols() == expected.scores.cols());
  // The scores, a key a row, moments; a kilobyte for flags. The table itself would be far more.
  EXPECT_AT_MOST(copied, n * (8 * rank + 16) + 8 * d * (d + 2) + 1024);
  EXPECT_AT_MOST(copied / (n * d * sizeof(T)), sizeof(T) == 8 ? 0.2 : 0.4);
  EXPECT_AT_MOST(absolute_error(found.pca.scores, expected.scores), 1e-9);
  EXPECT_AT_MOST(absolute_error(found.pca.components, expected.components), 1e-9);
  EXPECT(found.keys == row_keys(points.view()));
  EXPECT(found.n_equal == 0);
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InvalidData& error) {
    return error.what();
  }
  return {};
}

}  // namespace

GPU_TEST(TablesOnTheDeviceAreReducedThereAndOnlyScoresAreCopied) {
  const Matrix<double> points = wide_roll(30000);
  expect_reduced_there(points);
  expect_reduced_there(narrowed(points));
}

GPU_TEST(EqualRowsOnTheDeviceAreOnePoint) {
  Matrix<double> points = wide_roll(8000);
  for (std::size_t i = 0; i < 3000; ++i) {
    std::copy_n(points.row(i).data(), points.cols(), points.row(7999 - i).data());
  }
  const Matrix<double> distinct = [&] {
    Matrix<double> rows(5000, points.cols());
    std::copy_n(points.data(), rows.size(), rows.data());
    return rows;
  }();
  const Pca expected = pca(distinct.view(), {}, cpu());
  const detail::OwnedDevicePoints there = detail::copy_to_device(device(), points.view());
  const ReducedRows found = reduce_rows(there.points, {}, gpu());
  EXPECT(found.n_equal == 3000);
  EXPECT_AT_MOST(absolute_error(found.pca.components, expected.components), 1e-9);
  bool are_equal = true;
  for (std::size_t i = 0; i < 3000; ++i) {
    for (std::size_t k = 0; k < found.pca.scores.cols(); ++k) {
      are_equal = are_equal && found.pca.scores(i, k) == found.pca.scores(7999 - i, k);
    }
  }
  EXPECT(are_equal);
}

GPU_TEST(WhatIsWrongWithATableOnTheDeviceIsNamedAsOnTheCpu) {
  for (const double bad : {double{NAN}, double{INFINITY}, -double{INFINITY}, 1e308}) {
    Matrix<double> points = wide_roll(5000);
    points(4321, 17) = bad;
    const detail::OwnedDevicePoints there = detail::copy_to_device(device(), points.view());
    const std::string expected = refusal([&] { heat_geo(points, {}, cpu()); });
    const std::string found = refusal([&] { reduce_rows(there.points, {}, gpu()); });
    EXPECT(!expected.empty() && found == expected);
  }
}

GPU_TEST(MapsOfTablesOnTheDeviceAreThoseOfTablesOnTheHost) {
  const Method& method = *method_named("heatgeo");
  MethodOptions options;
  options.device = DeviceKind::cuda;
  options.refine = RefineOptions{};
  options.refine->epochs = 0;
  // A roll, whose columns are reduced, and principal components, which are copied as they are.
  const Matrix<double> raw = wide_roll(6000);
  const Matrix<double> scores = pca(normal(6000, 12), {.rank = 12}, cpu()).scores;
  for (const Matrix<double>* points : {&raw, &scores}) {
    const detail::OwnedDevicePoints there = detail::copy_to_device(device(), points->view());
    MethodOptions settings = options;
    const RowsFromDevice rows = rows_from_device(there.points, method, settings, gpu());
    EXPECT(rows.is_reduced() == (points == &raw));
    const double size = static_cast<double>(points->size() * sizeof(double));
    EXPECT_AT_MOST(static_cast<double>(rows.bytes_copied) / size, points == &raw ? 0.2 : 1.05);
    const EmbeddingRun found = heat_geo(rows.input(), settings, cpu());
    const EmbeddingRun expected = heat_geo(*points, options, cpu());
    EXPECT_AT_MOST(
        procrustes(expected.embedding.coordinates, found.embedding.coordinates).disparity, 1e-6);
    const Model model =
        rows.finished(make_model("heatgeo", rows.input(), settings, found, cpu()),
                      found.distances.unique_inverse);
    // Training rows are known again, in the columns of the table.
    Matrix<double> some(100, points->cols());
    std::copy_n(points->data(), some.size(), some.data());
    const Matrix<double> placed = place(model, some.view(), cpu());
    bool are_there = true;
    for (std::size_t i = 0; i < 100; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        are_there = are_there && placed(i, k) == found.embedding.coordinates(i, k);
      }
    }
    EXPECT(are_there);
  }
}

}  // namespace gpu_tests
