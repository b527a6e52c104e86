// Options, their messages, and lists that come from outside.
#include <gtest/gtest.h>

#include <limits>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using testing::expect_same;
using testing::gaussian_points;

/// The message of the InvalidArgument that `work` throws.
template <class Work>
std::string complaint(const Work& work) {
  try {
    work();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

struct Warnings {
  std::vector<std::string> all;
  Context context;
  Warnings() {
    context.on_log = [this](LogLevel level, std::string_view text) {
      if (level == LogLevel::warning) all.emplace_back(text);
    };
  }
};

Matrix<double> full_table(const Matrix<double>& points) {
  Matrix<double> d(points.rows(), points.rows());
  const NeighborLists all =
      find_neighbors(points, {.knn = points.rows() - 1, .search = NeighborSearch::brute_force});
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t k = 0; k + 1 < points.rows(); ++k) {
      d(i, static_cast<std::size_t>(all.neighbors(i)[k])) = all.lengths(i)[k];
    }
  }
  return d;
}

SparseMatrix sparse_of(const NeighborLists& lists) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    for (std::size_t k = 0; k < lists.neighbors(i).size(); ++k) {
      entries.push_back({Index(i), lists.neighbors(i)[k], lists.lengths(i)[k]});
    }
  }
  return sparse_from_triplets(lists.n_points, lists.n_points, entries);
}

TEST(NeighborOptions, OfTheirDefaultsAreValidAndEveryBadFieldIsNamed) {
  EXPECT_TRUE(issues_with(NeighborOptions{}, 100).empty());
  EXPECT_TRUE(issues_with(NeighborOptions{}, 1).empty());
  EXPECT_TRUE(issues_with(NeighborOptions{.knn = 50}, 0).empty());
  NeighborOptions bad{.knn = 0, .reach = 0.5};
  EXPECT_EQ(issues_with(bad, 100).size(), 2U);
  EXPECT_SAYS(issues_with(bad, 100)[0], "knn = 0");
  EXPECT_SAYS(issues_with(bad, 100)[1], "reach = 0.5");
  bad = {.knn = 100, .reach = std::numeric_limits<double>::quiet_NaN()};
  EXPECT_SAYS(issues_with(bad, 100)[0], "knn = 100: there are only 100 points");
  EXPECT_EQ(issues_with(bad, 100).size(), 2U);
  const std::string said =
      complaint([] { find_neighbors(gaussian_points(5, 2), {.knn = 5, .reach = -1}); });
  EXPECT_SAYS(said, "knn = 5");
  EXPECT_SAYS(said, "reach = -1");
}

TEST(NeighborOptions, HaveNamesThatCanBeReadBack) {
  for (const Metric m :
       {Metric::euclidean, Metric::cosine, Metric::correlation, Metric::manhattan}) {
    EXPECT_EQ(metric_named(to_string(m)), m);
  }
  for (const NeighborSearch s : {NeighborSearch::automatic, NeighborSearch::brute_force,
                                 NeighborSearch::tree, NeighborSearch::approximate}) {
    EXPECT_EQ(neighbor_search_named(to_string(s)), s);
  }
  EXPECT_EQ(to_string(NeighborSearch::automatic), "auto");
  EXPECT_EQ(to_string(NeighborSearch::brute_force), "brute-force");
  EXPECT_EQ(metric_named("chebyshev"), std::nullopt);
  EXPECT_EQ(neighbor_search_named(""), std::nullopt);
}

TEST(ResolveKnn, IsTenOrAllOthersWithAWarningOrAsAsked) {
  Warnings warnings;
  EXPECT_EQ(resolve_knn(std::nullopt, 11, warnings.context), 10U);
  EXPECT_EQ(resolve_knn(3, 4, warnings.context), 3U);
  EXPECT_TRUE(warnings.all.empty());
  EXPECT_EQ(resolve_knn(std::nullopt, 10, warnings.context), 9U);
  EXPECT_EQ(resolve_knn(std::nullopt, 1, warnings.context), 0U);
  ASSERT_EQ(warnings.all.size(), 2U);
  EXPECT_SAYS(warnings.all[0], "knn is 9 instead of 10");
  EXPECT_SAYS(complaint([&] { resolve_knn(4, 4, warnings.context); }), "give a smaller knn");
}

TEST(FindNeighbors, RefusesEmptyTablesAndNamesTheEntryThatIsNotFinite) {
  EXPECT_SAYS(complaint([] { find_neighbors(Matrix<double>(0, 3)); }), "empty");
  EXPECT_SAYS(complaint([] { find_neighbors(Matrix<float>(3, 0)); }), "empty");
  Matrix<double> points = gaussian_points(5, 3);
  points(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_SAYS(complaint([&] { find_neighbors(points, {.knn = 2}); }), "row 2, column 1");
  points(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_SAYS(complaint([&] { find_neighbors(points, {.knn = 2}); }), "row 2, column 1");
}

TEST(NeighborsFromDistances, AreThoseOfThePoints) {
  const Matrix<double> points = gaussian_points(150, 4, 3);
  const Matrix<double> table = full_table(points);
  for (const double reach : {1.0, 1.2}) {
    const NeighborOptions options{.knn = 6, .reach = reach};
    const NeighborLists truth = find_neighbors(points, options);
    expect_same(neighbors_from_distances(table, options), truth);
    ThreadPool pool(4);
    Context context;
    context.executor = &pool;
    expect_same(neighbors_from_distances(table, options, context), truth);
  }
  EXPECT_EQ(neighbors_from_distances(Matrix<double>(1, 1)).knn, 0U);
}

TEST(NeighborsFromDistances, RefuseWhatIsNoDistanceTable) {
  const Matrix<double> table = full_table(gaussian_points(20, 3));
  EXPECT_SAYS(complaint([] { neighbors_from_distances(Matrix<double>(3, 4)); }), "3 x 4");
  EXPECT_SAYS(complaint([&] { neighbors_from_distances(table, {.knn = 20}); }), "knn = 20");
  Matrix<double> bad = table;
  bad(3, 7) = -1;
  EXPECT_SAYS(complaint([&] { neighbors_from_distances(bad); }), "row 3, column 7");
  bad = table;
  bad(8, 2) += 0.1;
  EXPECT_SAYS(complaint([&] { neighbors_from_distances(bad); }), "not symmetric");
  bad = table;
  bad(8, 8) = 1;
  Warnings warnings;
  expect_same(neighbors_from_distances(bad, {}, warnings.context), neighbors_from_distances(table));
  ASSERT_EQ(warnings.all.size(), 1U);
  EXPECT_SAYS(warnings.all[0], "diagonal");
}

TEST(NeighborsFromSparse, AreThoseStoredAndTellWhatIsMissing) {
  const Matrix<double> points = gaussian_points(120, 3, 4);
  const SparseMatrix stored = sparse_of(find_neighbors(points, {.knn = 15}));
  // Asked for fewer than stored: as from the points, reach included.
  const NeighborOptions options{.knn = 5, .reach = 1.1};
  const NeighborLists lists = neighbors_from_sparse(stored, options);
  expect_same(lists, find_neighbors(points, options));
  EXPECT_EQ(lists.truncated_share, 0);
  // Asked for all that is stored: what lies beyond is unknown for every point.
  EXPECT_EQ(neighbors_from_sparse(stored, {.knn = 15, .reach = 1.1}).truncated_share, 1);
  EXPECT_EQ(neighbors_from_sparse(stored, {.knn = 15}).truncated_share, 0);
  Warnings warnings;
  EXPECT_EQ(neighbors_from_sparse(stored, {.knn = 20}, warnings.context).knn, 15U);
  ASSERT_EQ(warnings.all.size(), 1U);
  EXPECT_SAYS(warnings.all[0], "knn is 15 instead of 20");
}

TEST(NeighborsFromSparse, RefuseMalformedTables) {
  EXPECT_SAYS(complaint([] { neighbors_from_sparse(sparse_from_triplets(2, 3, {})); }), "2 x 3");
  EXPECT_SAYS(
      complaint([] {
        neighbors_from_sparse(sparse_from_triplets(3, 3, {{0, 1, 1.0}, {1, 1, 2.0}}), {.knn = 1});
      }),
      "row 1 has no entry");
  EXPECT_SAYS(complaint([] {
                neighbors_from_sparse(sparse_from_triplets(2, 2, {{0, 1, -1.0}, {1, 0, 1.0}}));
              }),
              "negative");
  SparseMatrix broken = sparse_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}});
  broken.indices[0] = 7;
  EXPECT_SAYS(complaint([&] { neighbors_from_sparse(broken); }), "out of range");
  broken.offsets = {0, 5, 2};
  EXPECT_SAYS(complaint([&] { neighbors_from_sparse(broken); }), "offsets");
}

TEST(NeighborsFromTables, DropThePointItselfAndSort) {
  const Matrix<double> points = gaussian_points(80, 3, 5);
  const NeighborLists truth = find_neighbors(points, {.knn = 6});
  Matrix<Index> ids(80, 7);
  Matrix<double> distances(80, 7);
  for (std::size_t i = 0; i < 80; ++i) {
    ids(i, 3) = Index(i);  // other tools put it first, but may find a duplicate before
    for (std::size_t k = 0; k < 6; ++k) {
      const std::size_t to = k < 3 ? 6 - k : 5 - k;
      ids(i, to) = truth.neighbors(i)[k];
      distances(i, to) = truth.lengths(i)[k];
    }
  }
  Warnings warnings;
  expect_same(neighbors_from_tables(ids, distances, warnings.context), truth);
  EXPECT_TRUE(warnings.all.empty());
  ids(4, 0) = -1;
  EXPECT_EQ(neighbors_from_tables(ids, distances, warnings.context).knn, 5U);
  EXPECT_EQ(warnings.all.size(), 1U);
}

TEST(NeighborsFromTables, RefuseWhatCannotBeLists) {
  const Matrix<double> distances(3, 2, 1.0);
  Matrix<Index> ids(3, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 2; ++k) ids(i, k) = Index((i + k + 1) % 3);
  }
  EXPECT_EQ(neighbors_from_tables(ids, distances).knn, 2U);
  EXPECT_SAYS(complaint([&] { neighbors_from_tables(ids, Matrix<double>(3, 1)); }), "3 x 1");
  Matrix<Index> bad = ids;
  bad(1, 1) = 3;
  EXPECT_SAYS(complaint([&] { neighbors_from_tables(bad, distances); }), "index 3");
  bad = ids;
  bad(2, 1) = bad(2, 0);
  EXPECT_SAYS(complaint([&] { neighbors_from_tables(bad, distances); }), "more than once");
  bad = ids;
  bad(0, 0) = bad(0, 1) = 0;
  EXPECT_SAYS(complaint([&] { neighbors_from_tables(bad, distances); }), "no neighbour");
  Matrix<double> far = distances;
  far(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_SAYS(complaint([&] { neighbors_from_tables(ids, far); }), "not finite");
}

}  // namespace
}  // namespace geotherm
