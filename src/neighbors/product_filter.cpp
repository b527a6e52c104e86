#include "neighbors/product_filter.hpp"

#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "neighbors/brute_force.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t tile_width = 512;

template <class F>
F rounded_up(double x) {
  const F y = static_cast<F>(x);
  return static_cast<double>(y) < x ? std::nextafter(y, std::numeric_limits<F>::infinity()) : y;
}

/// First points of all tiles, that of `from` and those beside it first.
std::vector<std::size_t> tiles_from(std::size_t from, std::size_t n) {
  const std::size_t count = (n + tile_width - 1) / tile_width, own = from / tile_width;
  std::vector<std::size_t> tiles{own * tile_width};
  for (std::size_t step = 1; step < count; ++step) {
    if (own + step < count) tiles.push_back((own + step) * tile_width);
    if (step <= own) tiles.push_back((own - step) * tile_width);
  }
  return tiles;
}

}  // namespace

template <class F, class T>
FilterPoints<F> filter_points(MatrixView<const T> rows, const Frame& frame,
                              std::span<const Index> order) {
  const std::size_t n = rows.rows, d = rows.cols;
  FilterPoints<F> filter;
  filter.rows = Matrix<F>::uninitialized(n, d + 1);
  filter.norms.resize(n);
  filter.loss =
      static_cast<double>(d + 16) * static_cast<double>(std::numeric_limits<F>::epsilon());
  filter.floor =
      8 * static_cast<double>(d + 16) * static_cast<double>(std::numeric_limits<F>::min());
  for (std::size_t i = 0; i < n; ++i) {
    double norm = 0;
    const auto row = rows.row(order.empty() ? i : static_cast<std::size_t>(order[i]));
    for (std::size_t c = 0; c < d; ++c) {
      const F x = static_cast<F>((static_cast<double>(row[c]) - frame.means[c]) * frame.scale);
      filter.rows(i, c) = x;
      norm += static_cast<double>(x) * static_cast<double>(x);
    }
    filter.norms[i] = norm;
    filter.rows(i, d) = static_cast<F>(norm * (1 - filter.loss));
  }
  return filter;
}
template FilterPoints<float> filter_points(MatrixView<const float>, const Frame&,
                                            std::span<const Index>);
template FilterPoints<float> filter_points(MatrixView<const double>, const Frame&,
                                            std::span<const Index>);
template FilterPoints<double> filter_points(MatrixView<const float>, const Frame&,
                                            std::span<const Index>);
template FilterPoints<double> filter_points(MatrixView<const double>, const Frame&,
                                            std::span<const Index>);

template <class F>
void filter_block(const FilterPoints<F>& points, const FilterPoints<F>& queries, std::size_t begin,
                  std::size_t end, std::vector<Sieve>& sieves, std::span<const Index> order) {
  const std::size_t n = points.rows.rows(), width = points.rows.cols(), m = end - begin;
  const bool are_the_same = &points == &queries;
  auto block = Matrix<F>::uninitialized(m, width);
  for (std::size_t q = 0; q < m; ++q) {
    for (std::size_t c = 0; c + 1 < width; ++c) block(q, c) = -2 * queries.rows(begin + q, c);
    block(q, width - 1) = 1;
  }
  auto tile = Matrix<F>::uninitialized(m, std::min(n, tile_width));
  std::vector<Index> picked(tile_width);
  bool is_first = true;
  for (const std::size_t first : tiles_from(are_the_same ? begin : 0, n)) {
    const std::size_t count = std::min(tile_width, n - first);
    const MatrixView<const F> candidates{points.rows.row(first).data(), count, width, width};
    const MatrixView<F> products{tile.data(), m, count, tile.cols()};
    gemm(F{1}, block.view(), false, candidates, true, F{0}, products);
    for (std::size_t q = 0; q < m; ++q) {
      Sieve& sieve = sieves[q];
      const std::size_t self = begin + q;
      const double own = queries.norms[self];
      const double shift = own * (1 - points.loss) - points.floor;
      for (std::size_t at = 0; at < count;) {
        // Short steps until there is a limit: everything passes before.
        const bool has_limit = std::isfinite(sieve.limit());
        const std::size_t step = std::min(count - at, has_limit ? tile_width : std::size_t{128});
        const F limit =
            has_limit ? rounded_up<F>(sieve.limit() - shift) : std::numeric_limits<F>::infinity();
        const F* values = products.row(q).data() + at;
        const std::size_t n_picked = pick_at_most(values, step, limit, picked.data());
        for (std::size_t k = 0; k < n_picked; ++k) {
          const auto place = static_cast<std::size_t>(picked[k]);
          const std::size_t j = first + at + place;
          if (are_the_same && j == self) continue;
          const double lower = static_cast<double>(values[place]) + shift;
          const double upper = lower + 2 * (points.loss * (own + points.norms[j]) + points.floor);
          sieve.offer(lower, upper, order.empty() ? static_cast<Index>(j) : order[j]);
        }
        sieve.settle();
        at += step;
      }
      if (is_first) sieve.tighten();  // the nearest are there, as a rule
    }
    is_first = false;
  }
  for (std::size_t q = 0; q < m; ++q) sieves[q].tighten();
}
template void filter_block(const FilterPoints<float>&, const FilterPoints<float>&, std::size_t,
                           std::size_t, std::vector<Sieve>&, std::span<const Index>);
template void filter_block(const FilterPoints<double>&, const FilterPoints<double>&, std::size_t,
                           std::size_t, std::vector<Sieve>&, std::span<const Index>);

}  // namespace geotherm::detail
