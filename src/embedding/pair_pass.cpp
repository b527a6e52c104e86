// Tiles of pairs above the diagonal. A tile (I, J) writes the pull of J on I and of I on J into
// slots of its own, and the slots are added in a fixed order: the same bits for any number of
// threads, and each dissimilarity is read once a pass.
#include "embedding/pair_pass.hpp"

#include <algorithm>

#include "core/simd.hpp"
#include "embedding/leaf.hpp"

namespace geotherm::detail {
namespace {

/// Terms are added in this many interleaved sums: loops over lanes vectorise as they stand, while
/// a single running sum would have to wait for each addition. More than 16, lest the compiler
/// unrolls such a loop before it gets to vectorise it.
constexpr std::size_t n_lanes = 32;

/// One point against m others.
struct RowOfPairs {
  const double* d;      ///< dissimilarities
  const double* ahead;  ///< a later row of the tile, fetched meanwhile
  const double* w;      ///< weights; null: 1
  double unit;
  const double* x;  ///< the others' coordinates, component by component, `stride` apart
  std::size_t stride;
  const double* point;  ///< the point's own, n_components
  std::size_t m;
  std::size_t n_components;
  double* others;  ///< pull on the others, component by component, `others_stride` apart
  std::size_t others_stride;
  double* pull;    ///< pull on the point: n_lanes a component
  double* stress;  ///< n_lanes
};

/// What a pair at squared distance `squared` adds: c is the coefficient of x_i - x_j in the pull.
struct Misfit {
  double c;
  double squared;
};
[[gnu::always_inline]] inline Misfit misfit(double squared, double length) noexcept {
  // Points in one place pull in no direction: their difference is zero, c need only be finite.
  const double inverse = inverse_root(squared < 1e-300 ? 1e-300 : squared);
  const double excess = squared * inverse - length;
  return {1.0 - length * inverse, excess * excess};
}

/// One to three components: everything about a pair stays in registers.
template <bool weighted, std::size_t n_components>
[[gnu::always_inline]] inline void few_lanes(
    const double* __restrict d, const double* __restrict w, double unit,
    const double* __restrict x0, const double* __restrict x1, const double* __restrict x2,
    const double* point, std::size_t m, double* __restrict others0, double* __restrict others1,
    double* __restrict others2, double* __restrict pull, double* __restrict stress) noexcept {
  const double p0 = point[0];
  const double p1 = n_components > 1 ? point[1] : 0.0;
  const double p2 = n_components > 2 ? point[2] : 0.0;
  for (std::size_t l = 0; l < m; ++l) {
    const double a0 = p0 - x0[l];
    const double a1 = n_components > 1 ? p1 - x1[l] : 0.0;
    const double a2 = n_components > 2 ? p2 - x2[l] : 0.0;
    double squared = a0 * a0;
    if constexpr (n_components > 1) squared += a1 * a1;
    if constexpr (n_components > 2) squared += a2 * a2;
    Misfit miss = misfit(squared, d[l] * unit);
    if constexpr (weighted) {
      miss.c *= w[l];
      miss.squared *= w[l];
    }
    stress[l] += miss.squared;
    pull[l] += miss.c * a0;
    others0[l] -= miss.c * a0;
    if constexpr (n_components > 1) {
      pull[n_lanes + l] += miss.c * a1;
      others1[l] -= miss.c * a1;
    }
    if constexpr (n_components > 2) {
      pull[2 * n_lanes + l] += miss.c * a2;
      others2[l] -= miss.c * a2;
    }
  }
}

/// Any number of components: coefficients first, then component by component.
template <bool weighted>
[[gnu::always_inline]] inline void many_lanes(const RowOfPairs& row, std::size_t j,
                                              std::size_t m) noexcept {
  double c[n_lanes];
  for (std::size_t l = 0; l < m; ++l) c[l] = 0;
  for (std::size_t k = 0; k < row.n_components; ++k) {
    const double* __restrict x = row.x + k * row.stride + j;
    const double p = row.point[k];
    for (std::size_t l = 0; l < m; ++l) c[l] += (p - x[l]) * (p - x[l]);
  }
  const double* __restrict d = row.d + j;
  const double* __restrict w = weighted ? row.w + j : nullptr;
  double* __restrict stress = row.stress;
  for (std::size_t l = 0; l < m; ++l) {
    const Misfit miss = misfit(c[l], d[l] * row.unit);
    c[l] = weighted ? w[l] * miss.c : miss.c;
    stress[l] += weighted ? w[l] * miss.squared : miss.squared;
  }
  for (std::size_t k = 0; k < row.n_components; ++k) {
    const double* __restrict x = row.x + k * row.stride + j;
    double* __restrict others = row.others + k * row.others_stride + j;
    double* __restrict pull = row.pull + k * n_lanes;
    const double p = row.point[k];
    for (std::size_t l = 0; l < m; ++l) {
      const double term = c[l] * (p - x[l]);
      pull[l] += term;
      others[l] -= term;
    }
  }
}

/// n_components 0: as many as the row says.
template <bool weighted, std::size_t n_components>
[[gnu::always_inline]] inline void some_lanes(const RowOfPairs& row, std::size_t j,
                                              std::size_t m) noexcept {
  if constexpr (n_components == 0) {
    many_lanes<weighted>(row, j, m);
  } else {
    const auto x = [&](std::size_t k) {
      return k < n_components ? row.x + k * row.stride + j : nullptr;
    };
    const auto others = [&](std::size_t k) {
      return k < n_components ? row.others + k * row.others_stride + j : nullptr;
    };
    few_lanes<weighted, n_components>(row.d + j, weighted ? row.w + j : nullptr, row.unit, x(0),
                                      x(1), x(2), row.point, m, others(0), others(1), others(2),
                                      row.pull, row.stress);
  }
}

template <bool weighted, std::size_t n_components>
[[gnu::always_inline]] inline void row_of_pairs(const RowOfPairs& row) noexcept {
  std::size_t j = 0;
  for (; j + n_lanes <= row.m; j += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; l += 8) prefetch(row.ahead + j + l);
    some_lanes<weighted, n_components>(row, j, n_lanes);
  }
  if (j < row.m) some_lanes<weighted, n_components>(row, j, row.m - j);
}

GEOTHERM_WIDE void uniform_1(const RowOfPairs& row) noexcept { row_of_pairs<false, 1>(row); }
GEOTHERM_WIDE void uniform_2(const RowOfPairs& row) noexcept { row_of_pairs<false, 2>(row); }
GEOTHERM_WIDE void uniform_3(const RowOfPairs& row) noexcept { row_of_pairs<false, 3>(row); }
GEOTHERM_WIDE void uniform_many(const RowOfPairs& row) noexcept { row_of_pairs<false, 0>(row); }
GEOTHERM_WIDE void weighted_1(const RowOfPairs& row) noexcept { row_of_pairs<true, 1>(row); }
GEOTHERM_WIDE void weighted_2(const RowOfPairs& row) noexcept { row_of_pairs<true, 2>(row); }
GEOTHERM_WIDE void weighted_3(const RowOfPairs& row) noexcept { row_of_pairs<true, 3>(row); }
GEOTHERM_WIDE void weighted_many(const RowOfPairs& row) noexcept { row_of_pairs<true, 0>(row); }

using RowKernel = void (*)(const RowOfPairs&) noexcept;

RowKernel kernel_for(bool is_uniform, std::size_t n_components) {
  constexpr RowKernel uniform[] = {uniform_many, uniform_1, uniform_2, uniform_3};
  constexpr RowKernel weighted[] = {weighted_many, weighted_1, weighted_2, weighted_3};
  const std::size_t number = n_components <= 3 ? n_components : 0;
  return is_uniform ? uniform[number] : weighted[number];
}

double sum_of_lanes(double* lanes) noexcept {
  for (std::size_t half = n_lanes / 2; half >= 1; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

/// By size alone. Long rows stream well; short ones leave small problems enough tiles to share.
std::size_t edge_for(std::size_t n) { return n < 4096 ? 256 : 512; }

}  // namespace

Layout layout_of(MatrixView<const double> coordinates, double unit) {
  Layout layout(coordinates.cols, coordinates.rows);
  for (std::size_t i = 0; i < coordinates.rows; ++i) {
    for (std::size_t k = 0; k < coordinates.cols; ++k) layout(k, i) = coordinates(i, k) * unit;
  }
  return layout;
}

Matrix<double> coordinates_of(const Layout& layout, double unit) {
  Matrix<double> coordinates(layout.cols(), layout.rows());
  for (std::size_t i = 0; i < layout.cols(); ++i) {
    for (std::size_t k = 0; k < layout.rows(); ++k) coordinates(i, k) = layout(k, i);
  }
  coordinates = oriented(std::move(coordinates));
  for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates.data()[i] /= unit;
  return coordinates;
}

PairPass::PairPass(const Problem& problem, std::size_t n_components, const Context& context)
    : problem_(problem),
      context_(context),
      edge_(edge_for(problem.n())),
      n_blocks_((problem.n() + edge_ - 1) / edge_),
      partial_(Matrix<double>::uninitialized(
          problem.elsewhere != nullptr ? 0 : n_blocks_ * n_components, problem.n())),
      stresses_(n_blocks_ * (n_blocks_ + 1) / 2) {}

double PairPass::operator()(const Layout& x, Layout& pull) {
  if (problem_.elsewhere != nullptr) return problem_.elsewhere->pass(x, pull, problem_.unit);
  const std::size_t n = problem_.n();
  const std::size_t n_components = x.rows();
  const MatrixView<const double>& distances = problem_.distances;
  const RowKernel kernel = kernel_for(problem_.weighting.is_uniform(), n_components);

  parallel_for(context_, stresses_.size(), 1, [&](std::size_t number, std::size_t) {
    // Tiles are numbered row of blocks by row of blocks: (0,0), (0,1), ..., (1,1), ...
    std::size_t block_i = 0;
    std::size_t place = number;
    for (; place >= n_blocks_ - block_i; ++block_i) place -= n_blocks_ - block_i;
    const std::size_t block_j = block_i + place;
    const std::size_t begin_i = block_i * edge_, end_i = std::min(n, begin_i + edge_);
    const std::size_t begin_j = block_j * edge_, end_j = std::min(n, begin_j + edge_);

    std::vector<double> weights(problem_.weighting.is_uniform() ? 0 : edge_);
    std::vector<double> point(n_components), lanes(n_components * n_lanes);
    double stress[n_lanes] = {};
    for (std::size_t k = 0; k < n_components; ++k) {
      std::fill_n(&partial_(block_i * n_components + k, begin_j), end_j - begin_j, 0.0);
    }
    for (std::size_t i = begin_i; i < end_i; ++i) {
      const std::size_t first = std::max(begin_j, i + 1);
      if (first >= end_j) continue;
      const double* d = &distances(i, first);
      if (!weights.empty()) {
        problem_.weighting.fill(problem_.weighting.given(i, first), d, problem_.unit, end_j - first,
                                weights.data());
      }
      for (std::size_t k = 0; k < n_components; ++k) point[k] = x(k, i);
      std::fill(lanes.begin(), lanes.end(), 0.0);
      const RowOfPairs row{.d = d,
                           .ahead = &distances(std::min(i + 2, n - 1), first),
                           .w = weights.data(),
                           .unit = problem_.unit,
                           .x = &x(0, first),
                           .stride = n,
                           .point = point.data(),
                           .m = end_j - first,
                           .n_components = n_components,
                           .others = &partial_(block_i * n_components, first),
                           .others_stride = n,
                           .pull = lanes.data(),
                           .stress = stress};
      kernel(row);
      for (std::size_t k = 0; k < n_components; ++k) {
        const double sum = sum_of_lanes(&lanes[k * n_lanes]);
        double& slot = partial_(block_j * n_components + k, i);
        // On the diagonal the slot already holds the pull of the rows before, and all of it.
        slot = block_i == block_j ? slot + sum : sum;
      }
    }
    stresses_[number] = sum_of_lanes(stress);
  });

  parallel_for(context_, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < n_components; ++k) {
      double* sum = &pull(k, 0);
      std::fill(sum + begin, sum + end, 0.0);
      for (std::size_t b = 0; b < n_blocks_; ++b) {
        const double* part = &partial_(b * n_components + k, 0);
        for (std::size_t i = begin; i < end; ++i) sum[i] += part[i];
      }
    }
  });
  double total = 0;
  for (const double stress : stresses_) total += stress;
  return total;
}

}  // namespace geotherm::detail
