#include "neighbors/forest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/simd.hpp"
#include "neighbors/brute_force.hpp"
#include "neighbors/local_distances.hpp"

namespace geotherm::detail {
namespace {

struct Cells {
  std::vector<Index> order;
  std::vector<std::size_t> offsets;  // cell c is order[offsets[c]] ... order[offsets[c + 1] - 1]
};

GEOTHERM_WIDE float dot(const float* a, const float* b, std::size_t dims) {
  constexpr std::size_t n_lanes = 16;
  float lanes[n_lanes] = {};
  float rest = 0;
  std::size_t c = 0;
  for (; c + n_lanes <= dims; c += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) lanes[l] += a[c + l] * b[c + l];
  }
  for (; c < dims; ++c) rest += a[c] * b[c];
  for (std::size_t half = n_lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0] + rest;
}

/// Halves each cell along the line through two of its points until all are small.
Cells grow(const Matrix<float>& points, std::size_t cell_size, Rng rng) {
  const std::size_t n = points.rows(), dims = points.cols();
  Cells cells;
  cells.order.resize(n);
  std::iota(cells.order.begin(), cells.order.end(), Index{0});
  std::vector<std::pair<float, Index>> projected(n);
  std::vector<float> direction(dims);
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, n}};
  while (!open.empty()) {
    const auto [begin, end] = open.back();
    open.pop_back();
    const std::size_t size = end - begin;
    if (size <= cell_size) {
      cells.offsets.push_back(begin);
      continue;
    }
    const auto pick = [&] {
      return points.row(static_cast<std::size_t>(cells.order[begin + rng.below(size)]));
    };
    const auto a = pick(), b = pick();
    for (std::size_t c = 0; c < dims; ++c) direction[c] = a[c] - b[c];
    for (std::size_t k = begin; k < end; ++k) {
      const Index i = cells.order[k];
      projected[k] = {dot(points.row(static_cast<std::size_t>(i)).data(), direction.data(), dims),
                      i};
    }
    // The middle, not the sign: cells stay even, and equal points are divided by index.
    const std::size_t middle = begin + size / 2;
    const auto at = [&](std::size_t k) {
      return projected.begin() + static_cast<std::ptrdiff_t>(k);
    };
    std::nth_element(at(begin), at(middle), at(end));
    for (std::size_t k = begin; k < end; ++k) cells.order[k] = projected[k].second;
    open.push_back({middle, end});
    open.push_back({begin, middle});  // next, so that cells come in order
  }
  cells.offsets.push_back(n);
  return cells;
}

}  // namespace

std::vector<Index> local_order(const Matrix<float>& points, const Context& context) {
  return grow(points, 64, Rng(context.seed, "neighbors.order")).order;
}

void offer_by_forest(const Matrix<float>& points, std::size_t n_trees, NearTable& table,
                     const Context& context) {
  // All pairs of a cell are measured. The smallest cells, half of this, still fill a row.
  const std::size_t cell_size = std::max<std::size_t>(64, 2 * (table.width() + 1));
  std::vector<Cells> trees(n_trees);
  parallel_for(context, n_trees, 1, [&](std::size_t t, std::size_t) {
    trees[t] = grow(points, cell_size, Rng(context.seed, "neighbors.forest", t));
  });
  for (const Cells& cells : trees) {
    context.report_or_throw({.stage = "neighbours"});
    parallel_for(context, cells.offsets.size() - 1, 16, [&](std::size_t first, std::size_t last) {
      LocalDistances distances;
      std::vector<Index> picked;
      for (std::size_t cell = first; cell < last; ++cell) {
        const std::span<const Index> ids(cells.order.data() + cells.offsets[cell],
                                         cells.offsets[cell + 1] - cells.offsets[cell]);
        distances.compute(points, ids, ids.size(), ids[ids.size() / 2]);
        for (std::size_t a = 0; a < ids.size(); ++a) {
          const auto point = static_cast<std::size_t>(ids[a]);
          const auto row = distances.row(a);
          picked.resize(row.size());
          const std::size_t n_picked =
              pick_at_most(row.data(), row.size(), table.worst(point), picked.data());
          for (std::size_t k = 0; k < n_picked; ++k) {
            const auto b = static_cast<std::size_t>(picked[k]);
            if (b != a) table.offer(point, ids[b], distances.refined(a, b));
          }
        }
      }
    });
  }
}

}  // namespace geotherm::detail
