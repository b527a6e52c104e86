// All pairs in tiles. A matrix product gives |a - b|^2 = |a|^2 + |b|^2 - 2ab with a known error
// bound; pairs that may belong into a list by that bound are measured again directly. So the
// product can be in float32 and the lists are still exact.
#include "neighbors/brute_force.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/simd.hpp"
#include "linalg/blas.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t query_block = 128;
constexpr std::size_t tile_width = 1024;
// Queries between two reports of progress.
constexpr std::size_t report_every = 32 * query_block;

/// Centred points with |b|^2 as a last coordinate, in F, and the bound on what F loses.
///
/// With unit roundoff u, rounding the coordinates and summing d + 1 products in any order err by at
/// most (d + 4) u (|a| + |b|)^2 <= 2 (d + 4) u (|a|^2 + |b|^2); `loss` has a margin over that, and
/// `floor` covers products that underflow. Centring keeps the norms, and so the loss, near the size
/// of the distances; the power of two keeps them inside the range of F.
template <class F>
struct FilterPoints {
  Matrix<F> rows;             // the last column is |b|^2 (1 - loss)
  std::vector<double> norms;  // |b|^2
  double loss = 0;
  double floor = 0;
};

template <class F, class T>
FilterPoints<F> filter_points(const Matrix<T>& rows) {
  const std::size_t n = rows.rows(), d = rows.cols();
  const Frame frame = frame_of(rows);
  FilterPoints<F> filter;
  filter.rows = Matrix<F>::uninitialized(n, d + 1);
  filter.norms.resize(n);
  filter.loss =
      static_cast<double>(d + 16) * static_cast<double>(std::numeric_limits<F>::epsilon());
  filter.floor =
      8 * static_cast<double>(d + 16) * static_cast<double>(std::numeric_limits<F>::min());
  for (std::size_t i = 0; i < n; ++i) {
    double norm = 0;
    for (std::size_t c = 0; c < d; ++c) {
      const F x = static_cast<F>((static_cast<double>(rows(i, c)) - frame.means[c]) * frame.scale);
      filter.rows(i, c) = x;
      norm += static_cast<double>(x) * static_cast<double>(x);
    }
    filter.norms[i] = norm;
    filter.rows(i, d) = static_cast<F>(norm * (1 - filter.loss));
  }
  return filter;
}

template <class F>
F rounded_up(double x) {
  const F y = static_cast<F>(x);
  return static_cast<double>(y) < x ? std::nextafter(y, std::numeric_limits<F>::infinity()) : y;
}

/// Offers every point to every query of [begin, end) whose bounds do not rule it out.
template <class F>
void filter_block(const FilterPoints<F>& points, std::size_t begin, std::size_t end,
                  std::vector<Sieve>& sieves) {
  const std::size_t n = points.rows.rows(), width = points.rows.cols(), m = end - begin;
  auto queries = Matrix<F>::uninitialized(m, width);
  for (std::size_t q = 0; q < m; ++q) {
    for (std::size_t c = 0; c + 1 < width; ++c) queries(q, c) = -2 * points.rows(begin + q, c);
    queries(q, width - 1) = 1;
  }
  auto tile = Matrix<F>::uninitialized(m, std::min(n, tile_width));
  std::vector<Index> picked(tile_width);
  for (std::size_t first = 0; first < n; first += tile_width) {
    const std::size_t count = std::min(tile_width, n - first);
    const MatrixView<const F> candidates{points.rows.row(first).data(), count, width, width};
    const MatrixView<F> products{tile.data(), m, count, tile.cols()};
    gemm(F{1}, queries.view(), false, candidates, true, F{0}, products);
    for (std::size_t q = 0; q < m; ++q) {
      Sieve& sieve = sieves[q];
      const std::size_t self = begin + q;
      const double own = points.norms[self];
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
          if (j == self) continue;
          const double lower = static_cast<double>(values[place]) + shift;
          const double upper = lower + 2 * (points.loss * (own + points.norms[j]) + points.floor);
          sieve.offer(lower, upper, static_cast<Index>(j));
        }
        sieve.settle();
        at += step;
      }
    }
  }
  for (std::size_t q = 0; q < m; ++q) sieves[q].tighten();
}

std::size_t n_kept(const std::vector<Sieve>& sieves) {
  std::size_t sum = 0;
  for (const Sieve& sieve : sieves) sum += sieve.kept().size();
  return sum;
}

void reset(std::vector<Sieve>& sieves, const Cut& cut, double measured_reach) {
  for (Sieve& sieve : sieves) sieve.reset(cut.knn, measured_reach);
}

/// Measures what the sieves kept and writes the lists of [begin, end).
template <class T>
void measure_kept(const Space<T>& space, std::size_t begin, std::size_t end, const Cut& cut,
                  const std::vector<Sieve>& sieves, ListPart& part) {
  std::vector<Index> ids;
  std::vector<double> measured;
  std::vector<Candidate> candidates;
  for (std::size_t i = begin; i < end; ++i) {
    ids.clear();
    for (const auto& [bound, j] : sieves[i - begin].kept()) ids.push_back(j);
    measured.resize(ids.size());
    measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), space.dims(),
                 ids.data(), ids.size(), measured.data());
    candidates.clear();
    for (std::size_t k = 0; k < ids.size(); ++k) {
      candidates.push_back({space.distance(measured[k]), ids[k]});
    }
    part.add(static_cast<Index>(i), candidates, cut);
  }
}

}  // namespace

template <class T>
ListPart brute_force_some(const Space<T>& space, std::span<const Index> queries, const Cut& cut) {
  constexpr std::size_t tile = 256;
  const std::size_t n = space.n_points();
  std::vector<Sieve> sieves(queries.size());
  reset(sieves, cut, space.measured_reach(cut.reach));
  std::vector<double> measured(tile);
  std::vector<Index> picked(tile);
  for (std::size_t first = 0; first < n; first += tile) {
    const std::size_t count = std::min(tile, n - first);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto i = static_cast<std::size_t>(queries[q]);
      measure_rows(space.measure, space.rows.row(i).data(), space.rows.row(first).data(),
                   space.dims(), nullptr, count, measured.data());
      const std::size_t n_picked =
          pick_at_most(measured.data(), count, sieves[q].limit(), picked.data());
      for (std::size_t k = 0; k < n_picked; ++k) {
        const auto place = static_cast<std::size_t>(picked[k]);
        if (first + place == i) continue;
        sieves[q].offer(measured[place], measured[place], static_cast<Index>(first + place));
      }
      sieves[q].settle();
    }
  }
  ListPart part;
  std::vector<Candidate> candidates;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    candidates = sieves[q].kept();
    for (Candidate& c : candidates) c.first = space.distance(c.first);
    part.add(queries[q], candidates, cut);
  }
  return part;
}
template ListPart brute_force_some(const Space<float>&, std::span<const Index>, const Cut&);
template ListPart brute_force_some(const Space<double>&, std::span<const Index>, const Cut&);

template <class T>
NeighborLists brute_force(const Space<T>& space, const Cut& cut, const Context& context) {
  const std::size_t n = space.n_points();
  const bool is_squared = space.measure != Measure::manhattan;
  FilterPoints<float> coarse;
  if (is_squared) coarse = filter_points<float>(space.rows);
  // Made when the first block needs it: where float32 cannot tell neighbours apart (tight groups
  // far from each other).
  FilterPoints<double> fine;
  std::once_flag fine_is_made;
  const double measured_reach = space.measured_reach(cut.reach);

  std::vector<ListPart> parts((n + query_block - 1) / query_block);
  for (std::size_t from = 0; from < n; from += report_every) {
    context.report_or_throw({.stage = "neighbours", .done = from, .total = n});
    const std::size_t count = std::min(report_every, n - from);
    parallel_for(context, count, query_block, [&](std::size_t b, std::size_t e) {
      const std::size_t begin = from + b, end = from + e, m = end - begin;
      ListPart& part = parts[begin / query_block];
      if (!is_squared) {  // no product helps
        std::vector<Index> queries(m);
        std::iota(queries.begin(), queries.end(), static_cast<Index>(begin));
        part = brute_force_some(space, queries, cut);
        return;
      }
      std::vector<Sieve> sieves(m);
      reset(sieves, cut, measured_reach);
      filter_block(coarse, begin, end, sieves);
      // Measuring a pair costs a few times its share of the product; past this a second, finer
      // product is the cheaper way.
      if (n_kept(sieves) > m * std::max(n / 16, std::size_t{1000})) {
        std::call_once(fine_is_made, [&] { fine = filter_points<double>(space.rows); });
        reset(sieves, cut, measured_reach);
        filter_block(fine, begin, end, sieves);
      }
      measure_kept(space, begin, end, cut, sieves, part);
    });
  }
  NeighborLists lists = assemble(n, cut, std::move(parts));
  lists.search_used = NeighborSearch::brute_force;
  return lists;
}
template NeighborLists brute_force(const Space<float>&, const Cut&, const Context&);
template NeighborLists brute_force(const Space<double>&, const Cut&, const Context&);

namespace {

// Counts in groups, which the compiler makes wide; most groups have no hit and end there.
template <class F>
[[gnu::always_inline]] inline std::size_t pick(const F* values, std::size_t n, F limit,
                                               Index* out) {
  constexpr std::size_t group = 32;
  std::size_t n_picked = 0;
  std::size_t k = 0;
  for (; k + group <= n; k += group) {
    int hits = 0;
    for (std::size_t l = 0; l < group; ++l) hits += values[k + l] <= limit ? 1 : 0;
    if (hits == 0) continue;
    for (std::size_t l = 0; l < group; ++l) {
      out[n_picked] = static_cast<Index>(k + l);
      n_picked += values[k + l] <= limit ? 1 : 0;
    }
  }
  for (; k < n; ++k) {
    out[n_picked] = static_cast<Index>(k);
    n_picked += values[k] <= limit ? 1 : 0;
  }
  return n_picked;
}

GEOTHERM_WIDE std::size_t pick_f32(const float* values, std::size_t n, float limit, Index* out) {
  return pick(values, n, limit, out);
}
GEOTHERM_WIDE std::size_t pick_f64(const double* values, std::size_t n, double limit, Index* out) {
  return pick(values, n, limit, out);
}

}  // namespace

std::size_t pick_at_most(const float* values, std::size_t n, float limit, Index* out) {
  return pick_f32(values, n, limit, out);
}
std::size_t pick_at_most(const double* values, std::size_t n, double limit, Index* out) {
  return pick_f64(values, n, limit, out);
}

}  // namespace geotherm::detail
