#include "neighbors/cells.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/simd.hpp"
#include "linalg/blas.hpp"
#include "neighbors/device_cells.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t row_block = 256;
#ifdef GEOTHERM_WITH_CUDA
constexpr std::size_t fewest_for_device = 20000;
#endif
// Points a centre learns from: more moves it by less than the size of its cell matters.
constexpr std::size_t sample_per_center = 40;

GEOTHERM_WIDE float least(const float* values, std::size_t n) {
  constexpr std::size_t n_lanes = 16;
  float lanes[n_lanes];
  for (std::size_t l = 0; l < n_lanes; ++l) lanes[l] = values[0];
  std::size_t k = 0;
  for (; k + n_lanes <= n; k += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      lanes[l] = values[k + l] < lanes[l] ? values[k + l] : lanes[l];
    }
  }
  float result = values[0];
  for (const float lane : lanes) result = lane < result ? lane : result;
  for (; k < n; ++k) result = values[k] < result ? values[k] : result;
  return result;
}

void prepare(Centers& centers) {
  const std::size_t k = centers.rows.rows(), d = centers.rows.cols();
  if (centers.prepared.empty()) centers.prepared = Matrix<float>::uninitialized(k, d + 1);
  for (std::size_t c = 0; c < k; ++c) {
    double norm = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const float x = centers.rows(c, j);
      centers.prepared(c, j) = -2 * x;
      norm += static_cast<double>(x) * static_cast<double>(x);
    }
    centers.prepared(c, d) = static_cast<float>(norm);
  }
}

CellMembers members_of(std::vector<Index> cell_of, std::size_t n_cells) {
  CellMembers cells;
  cells.offsets.assign(n_cells + 1, 0);
  for (const Index c : cell_of) ++cells.offsets[static_cast<std::size_t>(c) + 1];
  for (std::size_t c = 0; c < n_cells; ++c) cells.offsets[c + 1] += cells.offsets[c];
  cells.members.resize(cell_of.size());
  std::vector<std::size_t> next(cells.offsets.begin(), cells.offsets.end() - 1);
  for (std::size_t i = 0; i < cell_of.size(); ++i) {
    cells.members[next[static_cast<std::size_t>(cell_of[i])]++] = static_cast<Index>(i);
  }
  cells.cell_of = std::move(cell_of);
  return cells;
}

/// Centres to the means of their cells; one without points goes to a point chosen by chance.
void move_centers(const Matrix<float>& points, const CellMembers& cells, Rng rng, Centers& centers,
                  const Context& context) {
  const std::size_t d = points.cols();
  parallel_for(context, centers.size(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<double> sum(d);
    for (std::size_t c = begin; c < end; ++c) {
      const auto members = cells.of(c);
      if (members.empty()) continue;
      std::fill(sum.begin(), sum.end(), 0.0);
      for (const Index i : members) {
        const auto row = points.row(static_cast<std::size_t>(i));
        for (std::size_t j = 0; j < d; ++j) sum[j] += static_cast<double>(row[j]);
      }
      for (std::size_t j = 0; j < d; ++j) {
        centers.rows(c, j) = static_cast<float>(sum[j] / static_cast<double>(members.size()));
      }
    }
  });
  for (std::size_t c = 0; c < centers.size(); ++c) {
    if (!cells.of(c).empty()) continue;
    const auto row = points.row(rng.below(points.rows()));
    std::copy(row.begin(), row.end(), centers.rows.row(c).begin());
  }
  prepare(centers);
}

}  // namespace

void compare_to(MatrixView<const float> rows, const Centers& centers, std::span<const Index> chosen,
                Matrix<float>& out) {
  const std::size_t d = rows.cols, m = rows.rows;
  const std::size_t k = chosen.empty() ? centers.size() : chosen.size();
  if (out.rows() < m || out.cols() != k) out = Matrix<float>::uninitialized(m, k);
  auto queries = Matrix<float>::uninitialized(m, d + 1);
  for (std::size_t i = 0; i < m; ++i) {
    std::copy(rows.row(i).begin(), rows.row(i).end(), queries.row(i).begin());
    queries(i, d) = 1;
  }
  MatrixView<const float> against = centers.prepared.view();
  Matrix<float> taken;
  if (!chosen.empty()) {
    taken = Matrix<float>::uninitialized(k, d + 1);
    for (std::size_t c = 0; c < k; ++c) {
      const auto row = centers.prepared.row(static_cast<std::size_t>(chosen[c]));
      std::copy(row.begin(), row.end(), taken.row(c).begin());
    }
    against = taken.view();
  }
  gemm(1.0F, queries.view(), false, against, true, 0.0F, {out.data(), m, k, k});
}

CellMembers assign_to(const Matrix<float>& points, const Centers& centers, const Context& context) {
  const std::size_t n = points.rows(), k = centers.size();
  if (points.cols() <= most_tree_dims) {
    const PointIndex<float> index(centers.rows.view(), Metric::euclidean);
    return members_of(index.nearest(points.view(), 1, context).indices, k);
  }
#ifdef GEOTHERM_WITH_CUDA
  if (Device* const device = device_of(context); device != nullptr && n >= fewest_for_device) {
    return members_of(nearest_centers(*device, points, centers), k);
  }
#endif
  std::vector<Index> cell_of(n);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    Matrix<float> compared;
    compare_to({points.row(begin).data(), end - begin, points.cols(), points.cols()}, centers, {},
               compared);
    for (std::size_t i = begin; i < end; ++i) {
      const float* row = compared.row(i - begin).data();
      const float nearest = least(row, k);
      cell_of[i] = static_cast<Index>(std::find(row, row + k, nearest) - row);
    }
  });
  return members_of(std::move(cell_of), k);
}

CellMembers assign_in_two_steps(const Matrix<float>& points, const Centers& centers,
                                const Context& context) {
  constexpr std::size_t n_near = 12;  // centres of centres whose own are looked at
  const std::size_t n = points.rows(), d = points.cols();
  const auto n_groups =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(centers.size())));
  const Centers groups = find_centers(centers.rows, n_groups, context);
  const CellMembers of_group = assign_to(centers.rows, groups, context);
  const CellMembers points_of = assign_to(points, groups, context);
  std::vector<std::vector<Index>> chosen(n_groups);
  struct Rows {
    std::size_t group = 0, begin = 0, end = 0;
  };
  std::vector<Rows> blocks;
  Matrix<float> apart;
  for (std::size_t g = 0; g < n_groups; ++g) {
    compare_to({groups.rows.row(g).data(), 1, d, d}, groups, {}, apart);
    std::vector<std::pair<float, std::size_t>> near;
    for (std::size_t k = 0; k < n_groups; ++k) near.emplace_back(apart(0, k), k);
    std::sort(near.begin(), near.end());
    near.resize(std::min(n_near, near.size()));
    for (const auto& [distance, other] : near) {
      const auto members = of_group.of(other);
      chosen[g].insert(chosen[g].end(), members.begin(), members.end());
    }
    std::sort(chosen[g].begin(), chosen[g].end());
    for (std::size_t at = points_of.offsets[g]; at < points_of.offsets[g + 1]; at += row_block) {
      blocks.push_back({g, at, std::min(at + row_block, points_of.offsets[g + 1])});
    }
  }
  std::vector<Index> cell_of(n);
  parallel_for(context, blocks.size(), 1, [&](std::size_t b, std::size_t) {
    const auto [group, begin, end] = blocks[b];
    auto rows = Matrix<float>::uninitialized(end - begin, d);
    for (std::size_t k = begin; k < end; ++k) {
      const auto row = points.row(static_cast<std::size_t>(points_of.members[k]));
      std::copy(row.begin(), row.end(), rows.row(k - begin).begin());
    }
    Matrix<float> compared;
    compare_to(std::as_const(rows).view(), centers, chosen[group], compared);
    for (std::size_t k = begin; k < end; ++k) {
      const float* row = compared.row(k - begin).data();
      const std::size_t count = chosen[group].size();
      const std::size_t at =
          static_cast<std::size_t>(std::find(row, row + count, least(row, count)) - row);
      cell_of[static_cast<std::size_t>(points_of.members[k])] = chosen[group][at];
    }
  });
  return members_of(std::move(cell_of), centers.size());
}

Centers find_centers(const Matrix<float>& points, std::size_t n_centers, const Context& context,
                     std::size_t n_rounds) {
  const std::size_t n = points.rows(), d = points.cols();
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(context.seed, "neighbors.cells");
  const std::size_t n_sampled = std::min(n, sample_per_center * n_centers);
  for (std::size_t k = 0; k < n_sampled; ++k) std::swap(order[k], order[k + rng.below(n - k)]);
  auto sample = Matrix<float>::uninitialized(n_sampled, d);
  for (std::size_t k = 0; k < n_sampled; ++k) {
    const auto row = points.row(static_cast<std::size_t>(order[k]));
    std::copy(row.begin(), row.end(), sample.row(k).begin());
  }
  Centers centers;
  centers.rows = Matrix<float>::uninitialized(n_centers, d);
  for (std::size_t c = 0; c < n_centers; ++c) {
    std::copy(sample.row(c).begin(), sample.row(c).end(), centers.rows.row(c).begin());
  }
  prepare(centers);
  for (std::size_t round = 0; round < n_rounds; ++round) {
    context.report_or_throw({.stage = "neighbours", .done = 0, .total = n});
    const CellMembers cells = assign_to(sample, centers, context);
    move_centers(sample, cells, Rng(context.seed, "neighbors.cells.empty", round), centers,
                 context);
  }
  return centers;
}

}  // namespace geotherm::detail
