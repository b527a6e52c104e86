// A sample that is thin in one place is still a sample of the same shape: distances stay.
#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"

namespace geotherm {
namespace {

/// Distances between the kept rows, in the whole table and in the thinned one.
struct Comparison {
  double correlation = 0;  ///< over all pairs
  double truth_whole = 0;  ///< mean over rows, against the true geodesics
  double truth_thinned = 0;
};

Comparison compare_thinned(Shape shape, const SynthOptions& synth, const MethodOptions& options,
                           std::uint64_t seed) {
  const Dataset data = synthesize(shape, synth, {.seed = seed});
  std::vector<std::size_t> kept;
  std::size_t n_thin = 0;
  for (std::size_t i = 0; i < data.X.rows(); ++i) {
    if (data.label[i] == 1 && n_thin++ % 10 != 0) continue;  // one branch in ten of its points
    kept.push_back(i);
  }
  Matrix<double> thinned(kept.size(), data.X.cols());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::copy_n(data.X.row(kept[i]).begin(), data.X.cols(), thinned.row(i).begin());
  }
  const Matrix<double> whole = heat_geo_distances(data.X.view(), options).dissimilarity.values;
  const Matrix<double> few = heat_geo_distances(thinned.view(), options).dissimilarity.values;
  Matrix<double> before(kept.size(), kept.size()), truth(kept.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = 0; j < kept.size(); ++j) {
      before(i, j) = whole(kept[i], kept[j]);
      truth(i, j) = data.geodesic(kept[i], kept[j]);
    }
  }
  return {score_distances(before, few).pearson, score_distances(truth, before).pearson,
          score_distances(truth, few).pearson};
}

TEST(DensityImbalance, ABranchThinnedTenfoldBarelyMovesTheGeodesics) {
  MethodOptions options;
  options.rates = Rates::lengths;  // heat that counts hops feels the density by its nature
  for (const std::uint64_t seed : {1, 2}) {
    const Comparison tree = compare_thinned(Shape::tree, {.n = 1500, .noise = 1}, options, seed);
    EXPECT_GT(tree.correlation, 0.97) << seed;
    EXPECT_GT(tree.truth_thinned, tree.truth_whole - 0.02) << seed;
  }
}

}  // namespace
}  // namespace geotherm
