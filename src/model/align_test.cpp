// Aligned maps: linked rows lie together, links are those of a plain search, and what cannot be linked is
// refused.
#include "geotherm/align.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace geotherm {
namespace {

/// A bent line of n points in 3-d; `bend` changes its shape, not the order along it.
Matrix<double> line(std::size_t n, double bend, std::uint64_t seed) {
  Rng rng(seed, "test.align");
  Matrix<double> rows(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = 6.0 * static_cast<double>(i) / static_cast<double>(n);
    rows(i, 0) = std::cos(t) * (1 + bend) + 0.02 * rng.normal();
    rows(i, 1) = std::sin(t) + 0.02 * rng.normal();
    rows(i, 2) = t + 0.02 * rng.normal();
  }
  return rows;
}

std::vector<Link> same_rows(std::size_t n) {
  std::vector<Link> links;
  for (std::size_t i = 0; i < n; ++i) links.push_back({Index(i), Index(i)});
  return links;
}

Alignment aligned(std::span<const MatrixView<const double>> tables,
                  const std::vector<std::vector<Link>>& links, double strength = 1,
                  const Context& context = {}) {
  return align_maps(*method_named("heatgeo"), tables, links, strength, {}, context);
}

TEST(Align, PutsLinkedRowsTogetherWithTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> a = line(120, 0, 1), b = line(120, 0.4, 2);
  const std::array<MatrixView<const double>, 2> tables = {a.view(), b.view()};
  const Alignment found = aligned(tables, {same_rows(120)});
  ASSERT_EQ(found.maps.size(), 2U);
  EXPECT_EQ(found.whole.rows(), 240U);
  EXPECT_LT(found.link_length, 0.03);
  EXPECT_TRUE(std::equal(found.maps[1].data(), found.maps[1].data() + found.maps[1].size(),
                         found.whole.row(120).data()));
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    const Alignment again = aligned(tables, {same_rows(120)}, 1, {.executor = &pool});
    EXPECT_TRUE(std::equal(found.whole.data(), found.whole.data() + found.whole.size(),
                           again.whole.data()));
  }
}

/// Digits-like: groups in ten dimensions, and the same rows seen again with some noise.
std::array<Matrix<double>, 2> groups_seen_twice(std::vector<Index>& label) {
  Dataset blobs = synthesize(Shape::blobs, {.n = 300, .noise = 0.8, .branches = 6});
  label = blobs.label;
  Matrix<double> again = blobs.X;
  Rng rng(4, "test.align");
  for (std::size_t k = 0; k < again.size(); ++k) again.data()[k] += 0.3 * rng.normal();
  return {std::move(blobs.X), std::move(again)};
}

TEST(Align, RefinedTablesSettleByThemselvesWhileLinksHold) {
  std::vector<Index> label;
  const auto [a, b] = groups_seen_twice(label);
  const std::array<MatrixView<const double>, 2> tables = {a.view(), b.view()};
  MethodOptions options;
  options.refine = RefineOptions{.balance = 0.3};
  const auto made = [&](double strength, const Context& context) {
    return align_maps(*method_named("heatgeo"), tables, {same_rows(300)}, strength, options, context);
  };
  const Alignment found = made(1, {});
  EXPECT_LT(found.link_length, 0.02);
  EXPECT_LT(found.link_length, made(0.05, {}).link_length);
  // In the map of each table the nearest rows are of the own group.
  for (const Matrix<double>& map : found.maps) {
    std::size_t n_own = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      std::size_t nearest = i == 0 ? 1 : 0;
      const auto far = [&](std::size_t j) {
        return std::hypot(map(i, 0) - map(j, 0), map(i, 1) - map(j, 1));
      };
      for (std::size_t j = 0; j < 300; ++j) {
        if (j != i && far(j) < far(nearest)) nearest = j;
      }
      n_own += label[i] == label[nearest] ? 1 : 0;
    }
    EXPECT_GT(n_own, 290U);
  }
  ThreadPool pool(4);
  const Alignment again = made(1, {.executor = &pool});
  EXPECT_TRUE(std::equal(found.whole.data(), found.whole.data() + found.whole.size(),
                         again.whole.data()));
  // Stopped between two turns it has the map as far as it had come.
  Context stopping;
  stopping.on_progress = [](const Progress& p) {
    return p.stage == "alignment" && p.done > 3 ? Next::stop_here : Next::go_on;
  };
  const Alignment stopped = made(1, stopping);
  EXPECT_EQ(stopped.outcome, Outcome::stopped);
  EXPECT_EQ(stopped.whole.rows(), 600U);
}

TEST(Align, LinksOfAnotherStrengthMoveRowsApart) {
  const Matrix<double> a = line(100, 0, 3), b = line(100, 0.8, 4);
  const std::array<MatrixView<const double>, 2> tables = {a.view(), b.view()};
  EXPECT_GT(aligned(tables, {same_rows(100)}, 0.01).link_length,
            aligned(tables, {same_rows(100)}, 10).link_length);
}

TEST(Align, RowsThatEqualEarlierOnesStayWithThem) {
  Matrix<double> a = line(80, 0, 5);
  const Matrix<double> b = line(80, 0.2, 6);
  std::copy_n(a.row(10).begin(), 3, a.row(11).begin());
  const std::array<MatrixView<const double>, 2> tables = {a.view(), b.view()};
  const Matrix<double> map = aligned(tables, {same_rows(80)}).maps[0];
  double extent = 0;
  for (std::size_t i = 0; i < 80; ++i) extent = std::max(extent, std::abs(map(i, 0) - map(0, 0)));
  EXPECT_LT(std::hypot(map(10, 0) - map(11, 0), map(10, 1) - map(11, 1)), 0.1 * extent);
}

TEST(Align, LinksByMutualNeighboursAreThoseOfPlainLoops) {
  const Matrix<double> a = line(60, 0, 7), b = line(50, 0.1, 8);
  const auto distance = [&](std::size_t i, std::size_t j) {
    return std::hypot(a(i, 0) - b(j, 0), a(i, 1) - b(j, 1), a(i, 2) - b(j, 2));
  };
  std::vector<Link> wanted;
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < 50; ++j) {
      std::size_t nearer_to_i = 0, nearer_to_j = 0;
      for (std::size_t k = 0; k < 50; ++k) nearer_to_i += distance(i, k) < distance(i, j) ? 1 : 0;
      for (std::size_t k = 0; k < 60; ++k) nearer_to_j += distance(k, j) < distance(i, j) ? 1 : 0;
      if (nearer_to_i < 3 && nearer_to_j < 3) wanted.push_back({Index(i), Index(j)});
    }
  }
  std::vector<Link> found = mutual_neighbors(a.view(), b.view(), {.knn = 3});
  std::ranges::sort(found, [](const Link& x, const Link& y) {
    return x.from != y.from ? x.from < y.from : x.to < y.to;
  });
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_EQ(found[k].from, wanted[k].from);
    EXPECT_EQ(found[k].to, wanted[k].to);
  }
  EXPECT_THROW(mutual_neighbors(a.view(), Matrix<double>(4, 2).view()), InvalidArgument);
}

TEST(Align, RefusesLinksThatLeadNowhereAndStrengthsThatAreNone) {
  const Matrix<double> a = line(40, 0, 9), b = line(30, 0, 10);
  const std::array<MatrixView<const double>, 2> tables = {a.view(), b.view()};
  for (const Link& link : {Link{0, 30}, Link{40, 0}, Link{-1, 0}, Link{0, -1}}) {
    EXPECT_THROW(aligned(tables, {{link}}), InvalidArgument);
  }
  EXPECT_THROW(align_maps(*method_named("tsne"), tables, {{{0, 0}}}, 1), InvalidArgument);
  EXPECT_THROW(aligned(tables, {}), InvalidArgument);
  EXPECT_THROW(aligned(std::span(tables).first(1), {}), InvalidArgument);
  for (const double strength : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(aligned(tables, {{{0, 0}}}, strength), InvalidArgument);
  }
}

}  // namespace
}  // namespace geotherm
