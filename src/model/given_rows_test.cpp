// New rows that come as distances or weights to training rows, novelty, and labels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <filesystem>

#include "geotherm/model.hpp"

namespace geotherm {
namespace {

Matrix<double> roll(std::size_t n, std::uint64_t seed) {
  return synthesize(Shape::swiss_roll, {.n = n, .noise = 0.1}, {.seed = seed}).X;
}

Matrix<double> distances_between(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> d(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.rows(); ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < a.cols(); ++c) sum += (a(i, c) - b(j, c)) * (a(i, c) - b(j, c));
      d(i, j) = std::sqrt(sum);
    }
  }
  return d;
}

/// The `k` smallest entries of each row, as they are stored in a file.
SparseMatrix nearest_entries(const Matrix<double>& d, std::size_t k) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < d.rows(); ++i) {
    std::vector<std::pair<double, Index>> row;
    for (std::size_t j = 0; j < d.cols(); ++j) row.emplace_back(d(i, j), static_cast<Index>(j));
    std::sort(row.begin(), row.end());
    for (std::size_t m = 0; m < k; ++m) {
      entries.push_back({static_cast<Index>(i), row[m].second, row[m].first});
    }
  }
  return sparse_from_triplets(d.rows(), d.cols(), std::move(entries));
}

double largest_gap(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  }
  return largest;
}

Model model_of(std::string_view method, const Input& input, const MethodOptions& options = {}) {
  return make_model(method, input, options, method_named(method)->embed(input, options, {}));
}

TEST(GivenRows, DistancesPlaceARowWhereItsPointIsPlaced) {
  const Matrix<double> old = roll(250, 1), fresh = roll(60, 2);
  const Matrix<double> among = distances_between(old, old), to_old = distances_between(fresh, old);
  const Model of_points = model_of("heatgeo", old);
  const Model of_distances = model_of("heatgeo", DistanceMatrix{among.view()});
  const Placement wanted = Placer(of_points).place_and_measure(fresh.view());
  const Placement by_all = Placer(of_points).place_by_distances(to_old.view());
  const Placement by_some = Placer(of_points).place_by_distances(nearest_entries(to_old, 15));
  // 1e-9: places are iterated until steps fall below that share of the spacing.
  EXPECT_LT(largest_gap(by_all.coordinates, wanted.coordinates), 1e-6);
  EXPECT_EQ(largest_gap(by_all.coordinates, by_some.coordinates), 0);
  for (std::size_t i = 0; i < fresh.rows(); ++i) {
    EXPECT_NEAR(by_all.novelty[i], wanted.novelty[i], 1e-9);
  }
  const Placer placer(of_distances);
  EXPECT_EQ(largest_gap(placer.place_by_distances(among.view()).coordinates,
                        of_distances.coordinates),
            0);
  const Matrix<double> together = placer.place_by_distances(to_old.view()).coordinates;
  for (const std::size_t i : {0, 17, 59}) {
    const MatrixView<const double> one{to_old.row(i).data(), 1, to_old.cols(), to_old.cols()};
    ThreadPool pool(3);
    const Matrix<double> alone = placer.place_by_distances(one, {.executor = &pool}).coordinates;
    EXPECT_EQ(alone(0, 0), together(i, 0));
    EXPECT_EQ(alone(0, 1), together(i, 1));
  }
}

TEST(GivenRows, WeightsOfTheGraphsOwnRowsGiveSpectralMapsBack) {
  const Matrix<double> X = roll(300, 3);
  const Graph graph = shared_graph(X).graph;
  for (const char* method : {"diffusion-map", "laplacian-eigenmaps"}) {
    SCOPED_TRACE(method);
    const Model model = model_of(method, Affinities{&graph.weights});
    ASSERT_EQ(model.extension.eigenvalues.size(), 2U);
    const Placement placed = Placer(model).place_by_affinities(graph.weights);
    double size = 0;
    for (std::size_t k = 0; k < model.coordinates.size(); ++k) {
      size = std::max(size, std::abs(model.coordinates.data()[k]));
    }
    // Eigenvectors are right to 1e-10 over an eigenvalue's gap.
    EXPECT_LT(largest_gap(placed.coordinates, model.coordinates), 1e-6 * size);
  }
}

TEST(GivenRows, SpectralMapsOfPointsAreExtendedByTheirKernel) {
  const Matrix<double> all = roll(900, 4);
  Matrix<double> old(600, 3), fresh(300, 3);
  for (std::size_t i = 0; i < 900; ++i) {
    std::copy_n(all.row(i).begin(), 3, i < 600 ? old.row(i).begin() : fresh.row(i - 600).begin());
  }
  for (const Affinity kind :
       {Affinity::alpha_decay, Affinity::knn, Affinity::gaussian, Affinity::fuzzy_union}) {
    MethodOptions options;
    options.affinity.kind = kind;
    const Model model = model_of("laplacian-eigenmaps", old, options);
    ASSERT_FALSE(model.extension.eigenvalues.empty());
    const Placement placed = Placer(model).place_and_measure(fresh.view());
    // Each new place is near the places of its nearest training points.
    double size = 0, gap = 0;
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      const auto near = static_cast<std::size_t>(placed.neighbors.neighbors(i).front());
      gap += std::abs(placed.coordinates(i, 0) - model.coordinates(near, 0));
      size += std::abs(model.coordinates(near, 0));
    }
    EXPECT_LT(gap, 0.2 * size) << to_string(kind);
  }
}

TEST(GivenRows, OfMapsOfWeightsLandAmongTheirNeighbours) {
  const Matrix<double> X = roll(300, 5);
  const Graph graph = shared_graph(X).graph;
  const Model model = model_of("heatgeo", Affinities{&graph.weights});
  EXPECT_EQ(model.input, ModelInput::affinities);
  // A row with the edges of point 40 and one to it.
  std::vector<Triplet> entries = {{0, 40, 1.0}};
  for (std::size_t k = 0; k < graph.weights.row_indices(40).size(); ++k) {
    entries.push_back({0, graph.weights.row_indices(40)[k], graph.weights.row_values(40)[k]});
  }
  const SparseMatrix row = sparse_from_triplets(1, 300, std::move(entries));
  const Placement placed = Placer(model).place_by_affinities(row);
  const double gap = std::hypot(placed.coordinates(0, 0) - model.coordinates(40, 0),
                                placed.coordinates(0, 1) - model.coordinates(40, 1));
  double extent = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    extent = std::max(extent, std::abs(model.coordinates(i, 0)));
  }
  EXPECT_LT(gap, 0.1 * extent);
  EXPECT_THROW(Placer(model).place(X.view()), InvalidArgument);
}

TEST(GivenRows, OfWeightsAndOfSparseDistancesArePlacedByThemselvesAlone) {
  const Matrix<double> old = roll(300, 6), fresh = roll(40, 7);
  const SparseMatrix distances = nearest_entries(distances_between(fresh, old), 12);
  SparseMatrix weights = distances;
  for (double& w : weights.values) w = std::exp(-w);
  const Graph graph = shared_graph(old).graph;
  const auto row_of = [](const SparseMatrix& all, std::size_t i) {
    std::vector<Triplet> entries;
    for (std::size_t k = 0; k < all.row_indices(i).size(); ++k) {
      entries.push_back({0, all.row_indices(i)[k], all.row_values(i)[k]});
    }
    return sparse_from_triplets(1, all.cols, std::move(entries));
  };
  for (const char* method : {"heatgeo", "diffusion-map"}) {
    SCOPED_TRACE(method);
    const Model model = model_of(method, Affinities{&graph.weights});
    const Placer placer(model);
    ThreadPool pool(3);
    const Matrix<double> by_weights =
        placer.place_by_affinities(weights, {.executor = &pool}).coordinates;
    const Matrix<double> by_distances =
        placer.place_by_distances(distances, {.executor = &pool}).coordinates;
    for (const std::size_t i : {0, 11, 39}) {
      const Matrix<double> one = placer.place_by_affinities(row_of(weights, i)).coordinates;
      const Matrix<double> other = placer.place_by_distances(row_of(distances, i)).coordinates;
      for (std::size_t c = 0; c < 2; ++c) {
        EXPECT_EQ(one(0, c), by_weights(i, c));
        EXPECT_EQ(other(0, c), by_distances(i, c));
      }
    }
  }
}

TEST(GivenRows, ThatDoNotFitAreRefusedWithAReason) {
  const Matrix<double> X = roll(120, 6);
  const Matrix<double> d = distances_between(X, X);
  const Model model = model_of("phate", DistanceMatrix{d.view()});
  const Placer placer(model);
  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& e) {
      return e.what();
    }
    return "nothing was refused";
  };
  const Matrix<double> narrow(2, 119, 1.0);
  EXPECT_NE(message([&] { placer.place_by_distances(narrow.view()); }).find("made from 120"),
            std::string::npos);
  Matrix<double> negative(1, 120, 1.0);
  negative(0, 7) = -2;
  EXPECT_NE(message([&] { placer.place_by_distances(negative.view()); }).find("column 7"),
            std::string::npos);
  SparseMatrix empty;
  empty.rows = 1;
  empty.cols = 120;
  empty.offsets = {0, 0};
  EXPECT_NE(message([&] { placer.place_by_distances(empty); }).find("row 0"), std::string::npos);
  EXPECT_NE(message([&] { placer.place_by_affinities(empty); }).find("affinities fit maps"),
            std::string::npos);
}

TEST(Novelty, IsAboutOneWithinTheDataZeroOnItAndLargeOutside) {
  const Matrix<double> old = roll(600, 7);
  Matrix<double> fresh = roll(400, 8);
  for (std::size_t c = 0; c < 3; ++c) {
    fresh(0, c) = old(11, c);
    fresh(1, c) = 1000;
  }
  const Model model = model_of("heatgeo", old);
  const std::vector<double> novelty = Placer(model).place_and_measure(fresh.view()).novelty;
  EXPECT_EQ(novelty[0], 0);
  EXPECT_GT(novelty[1], 20);
  std::vector<double> sorted(novelty.begin() + 2, novelty.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_GT(sorted[sorted.size() / 2], 0.6);
  EXPECT_LT(sorted[sorted.size() / 2], 1.2);
  EXPECT_LT(sorted.back(), 4);
}

TEST(Labels, GoToNewRowsWithProbabilitiesThatAreKept) {
  const Dataset blobs = synthesize(Shape::blobs, {.n = 600, .noise = 1.5, .dim = 6}, {.seed = 9});
  // Rows come group by group: every third one is new.
  Matrix<double> old(400, 6), fresh(200, 6);
  std::vector<std::string> names, wanted;
  for (std::size_t i = 0; i < 600; ++i) {
    const bool is_new = i % 3 == 2;
    std::copy_n(blobs.X.row(i).begin(), 6,
                is_new ? fresh.row(i / 3).begin() : old.row(names.size()).begin());
    (is_new ? wanted : names).push_back("group " + std::to_string(blobs.label[i]));
  }
  names[5] = "NA";
  const Model model = model_of("heatgeo", old);
  const UniqueRowLabels labels = unique_row_labels(model, "group", names);
  EXPECT_EQ(labels.codes[5], -1);
  const LabelRule rule = fit_label_rule(model, labels);
  const LabelTransfer found = transfer_labels(model, labels, rule,
                                              Placer(model).place_and_measure(fresh.view()));
  double n_right = 0, expected = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    ASSERT_GT(found.probabilities[i], 0);
    ASSERT_LE(found.probabilities[i], 1);
    expected += found.probabilities[i];
    n_right += labels.names[static_cast<std::size_t>(found.codes[i])] == wanted[i] ? 1 : 0;
  }
  EXPECT_GT(n_right / 200, 0.7);
  // 200 rows: a standard error of .03.
  EXPECT_NEAR(expected / 200, n_right / 200, 0.1);
  EXPECT_THROW(unique_row_labels(model, "few", {"a", "b"}), InvalidData);
}

TEST(Labels, HaveProbabilitiesThatFitTheAnswersBetterThanPlainShares) {
  // Groups that overlap: the share of votes is far from the chance of being right.
  const Dataset blobs = synthesize(Shape::blobs, {.n = 1800, .noise = 4, .dim = 6}, {.seed = 3});
  Matrix<double> old(900, 6), fresh(900, 6);
  std::vector<std::string> names, wanted;
  for (std::size_t i = 0; i < 1800; ++i) {
    std::copy_n(blobs.X.row(i).begin(), 6,
                i % 2 == 1 ? fresh.row(i / 2).begin() : old.row(i / 2).begin());
    (i % 2 == 1 ? wanted : names).push_back("group " + std::to_string(blobs.label[i]));
  }
  const Model model = model_of("laplacian-eigenmaps", old);
  const UniqueRowLabels labels = unique_row_labels(model, "group", names);
  const Placement placed = Placer(model).place_and_measure(fresh.view());
  const auto loss_of = [&](const LabelRule& rule) {
    const LabelTransfer found = transfer_labels(model, labels, rule, placed);
    double loss = 0;
    for (std::size_t i = 0; i < 900; ++i) {
      const bool is_right = labels.names[static_cast<std::size_t>(found.codes[i])] == wanted[i];
      loss -= std::log(is_right ? found.probabilities[i] : 1 - found.probabilities[i]);
    }
    return loss / 900;
  };
  const LabelRule fitted = fit_label_rule(model, labels);
  for (const double exponent : {0.5, 1.0, 2.8}) {
    EXPECT_LT(loss_of(fitted), loss_of({.time = std::numeric_limits<double>::infinity(),
                                        .floor = 1e-3,
                                        .exponent = exponent}));
  }
  // What was found on the training points holds for new ones: 900 answers, a standard error of .02.
  EXPECT_NEAR(loss_of(fitted), fitted.log_loss, 0.06);
}

TEST(ModelOfGivenRows, KeepsNeighboursLabelsPlacesOfRowsAndEigenvalues) {
  Matrix<double> X = roll(150, 10);
  for (std::size_t c = 0; c < 3; ++c) X(9, c) = X(2, c);
  Model model = model_of("diffusion-map", X);
  std::vector<std::string> names(150, "a");
  names[4] = "b";
  model.labels = {unique_row_labels(model, "kind", names)};
  model.row_names = names;
  const std::string path = ::testing::TempDir() + "kept.gtm";
  save_model(path, model);
  const Model read = load_model(path);
  std::filesystem::remove(path);
  EXPECT_EQ(read.n_rows(), 150U);
  EXPECT_EQ(read.unique_inverse, model.unique_inverse);
  EXPECT_EQ(read.neighbors.indices, model.neighbors.indices);
  EXPECT_EQ(read.neighbors.distances, model.neighbors.distances);
  EXPECT_EQ(read.neighbors.knn, model.neighbors.knn);
  EXPECT_EQ(read.extension.eigenvalues, model.extension.eigenvalues);
  EXPECT_EQ(read.extension.knn, model.extension.knn);
  ASSERT_NE(read.labels_named("kind"), nullptr);
  EXPECT_EQ(read.labels_named("kind")->codes, model.labels[0].codes);
  EXPECT_EQ(read.labels_named("other"), nullptr);
  EXPECT_EQ(read.row_names, names);
  model.row_names.pop_back();
  EXPECT_THROW(save_model(path, model), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
