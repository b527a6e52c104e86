// Heat at its equilibrium: noticed whatever the Laplacian, said once with what to do, and silent
// wherever distances still mean something.
#include "dissimilarity/flat_heat.hpp"

#include <gtest/gtest.h>

#include <string>

#include "geotherm/graph.hpp"
#include "geotherm/laplacian.hpp"

namespace geotherm {
namespace {

/// `n_parts` clouds far from each other, none joined to another.
Graph clouds(std::size_t n_parts, std::size_t n_each) {
  Matrix<double> points(n_parts * n_each, 3);
  Rng rng(7, "test.flat");
  for (std::size_t k = 0; k < points.size(); ++k) points.data()[k] = rng.normal();
  for (std::size_t i = 0; i < points.rows(); ++i) {
    points(i, 0) += 1e6 * static_cast<double>(i / n_each);
  }
  return build_graph(find_neighbors(points.view(), {.knn = 10, .reach = 1.06}));
}

struct Heard {
  std::vector<std::string> warnings;
  Context context{.on_log = [this](LogLevel level, std::string_view text) {
    if (level == LogLevel::warning) warnings.emplace_back(text);
  }};
  std::size_t n_flat() const {
    std::size_t n = 0;
    for (const std::string& text : warnings) n += text.find("heat is flat") != text.npos ? 1 : 0;
    return n;
  }
};

TEST(FlatHeat, IsSaidOnceWithAShorterTimeWhateverTheLaplacian) {
  const Graph graph = clouds(1, 150);
  for (const LaplacianKind kind :
       {LaplacianKind::combinatorial, LaplacianKind::normalized, LaplacianKind::random_walk}) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    Heard flat, ordinary;
    const auto at_equilibrium = heat_kernel(laplacian, {.time = 2000});
    EXPECT_EQ(heat_geodesic(*at_equilibrium, {}, flat.context).flat_share, 1);
    EXPECT_EQ(flat.n_flat(), 1U) << to_string(kind);
    ASSERT_FALSE(flat.warnings.empty());
    EXPECT_NE(flat.warnings[0].find("use `time` auto"), std::string::npos)
        << flat.warnings[0];
    EXPECT_EQ(heat_geodesic(*heat_kernel(laplacian, {.time = 2}), {}, ordinary.context).flat_share,
              0);
    EXPECT_EQ(ordinary.n_flat(), 0U);
  }
}

TEST(FlatHeat, IsNoticedInEveryPartOfAGraphByItself) {
  const Laplacian laplacian = build_laplacian(clouds(3, 60));
  Heard heard;
  const auto at_equilibrium = heat_kernel(laplacian, {.time = 2000});
  EXPECT_EQ(heat_geodesic(*at_equilibrium, {}, heard.context).flat_share, 1);
  EXPECT_EQ(heard.n_flat(), 1U);
}

TEST(FlatHeat, IsNoticedFromOneRowAndFromMany) {
  const Laplacian laplacian = build_laplacian(clouds(1, 150));
  const auto flat = heat_kernel(laplacian, {.time = 2000});
  const auto ordinary = heat_kernel(laplacian, {.time = 2});
  std::vector<Index> many;
  for (Index i = 0; i < 150; i += 3) many.push_back(i);
  for (const std::vector<Index>& rows : {std::vector<Index>{4}, many}) {
    Heard of_flat, of_ordinary;
    heat_geodesic_from(*flat, rows, {}, of_flat.context);
    heat_geodesic_from(*ordinary, rows, {}, of_ordinary.context);
    EXPECT_EQ(of_flat.n_flat(), 1U);
    EXPECT_EQ(of_ordinary.n_flat(), 0U);
  }
}

}  // namespace
}  // namespace geotherm
