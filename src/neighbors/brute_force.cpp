// All pairs in tiles: a filter by matrix products (product_filter.hpp) rules most pairs out, the
// rest is measured directly. So the product can be in float32 and the lists are still exact. Where
// a pair is dear each is looked at once (all_pairs.hpp), else once from either side.
#include "neighbors/brute_force.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/simd.hpp"
#include "neighbors/all_pairs.hpp"
#include "neighbors/product_filter.hpp"
#include "neighbors/spatial_order.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t query_block = 128;
// Queries of a product, and of how many points: each block packs all points anew.
constexpr std::size_t large_block = 256, least_for_large_blocks = 8192;
// Fewer points are looked at in any order; groups of the order of others.
constexpr std::size_t least_ordered = 2048, ordered_group = 128;
// Queries between two reports of progress.
constexpr std::size_t report_every = 32 * query_block;

std::size_t n_kept(const std::vector<Sieve>& sieves) {
  std::size_t sum = 0;
  for (const Sieve& sieve : sieves) sum += sieve.kept().size();
  return sum;
}

void reset(std::vector<Sieve>& sieves, const Cut& cut, double measured_reach) {
  for (Sieve& sieve : sieves) sieve.reset(cut.knn, measured_reach);
}

/// Measures what the sieves kept and writes the lists of [begin, end), points of `order`.
template <class T>
void measure_kept(const Space<T>& space, std::size_t begin, std::size_t end, const Cut& cut,
                  std::span<const Sieve> sieves, ListPart& part,
                  std::span<const Index> order = {}) {
  std::vector<Index> ids;
  MeasureScratch scratch;
  for (std::size_t i = begin; i < end; ++i) {
    ids.clear();
    for (const auto& [bound, j] : sieves[i - begin].kept()) ids.push_back(j);
    const std::size_t point = order.empty() ? i : static_cast<std::size_t>(order[i]);
    add_measured(space, point, std::span<const Index>(ids), cut, scratch, part);
  }
}

}  // namespace

template <class T>
ListPart brute_force_some(const Space<T>& space, std::span<const Index> queries, const Cut& cut,
                          const PairBounds* bounds) {
  constexpr std::size_t tile = 256;
  // Everything is measured until there is a limit.
  constexpr std::size_t first_tile = 64;
  const std::size_t n = space.n_points();
  const bool has_bounds = bounds != nullptr && !bounds->is_empty();
  std::vector<Sieve> sieves(queries.size());
  reset(sieves, cut, space.measured_reach(cut.reach));
  std::vector<double> measured(tile), limits(tile);
  std::vector<Index> picked(tile);
  for (std::size_t first = 0; first < n;) {
    const std::size_t count = std::min(first == 0 ? first_tile : tile, n - first);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto i = static_cast<std::size_t>(queries[q]);
      const T* query = space.rows.row(i).data();
      if (has_bounds) {
        std::fill_n(limits.begin(), count, sieves[q].limit());
        bounds->below(i, nullptr, first, count, limits.data(), measured.data());
      } else {
        measure_rows(space.measure, query, space.rows.row(first).data(), space.dims(), nullptr,
                     count, measured.data());
      }
      const std::size_t n_picked =
          pick_at_most(measured.data(), count, sieves[q].limit(), picked.data());
      for (std::size_t k = 0; k < n_picked; ++k) {
        const auto place = static_cast<std::size_t>(picked[k]);
        const auto j = static_cast<Index>(first + place);
        if (first + place == i) continue;
        double lower = measured[place], upper = lower;
        if (has_bounds) {
          upper = bounds->above(lower);
          if (!std::isfinite(upper)) {
            measure_rows(space.measure, query, space.rows.data(), space.dims(), &j, 1, &upper);
            lower = upper;
          }
        }
        if (lower <= sieves[q].limit()) sieves[q].offer(lower, upper, j);
      }
      sieves[q].settle();
    }
    first += count;
  }
  ListPart part;
  std::vector<Candidate> candidates;
  const bool is_measured = !has_bounds || bounds->are_measures();
  for (std::size_t q = 0; q < queries.size(); ++q) {
    sieves[q].tighten();
    candidates = sieves[q].kept();
    const auto i = static_cast<std::size_t>(queries[q]);
    for (Candidate& c : candidates) {
      if (!is_measured) {
        measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), space.dims(),
                     &c.second, 1, &c.first);
      }
      c.first = space.distance(c.first);
    }
    part.add(queries[q], candidates, cut);
  }
  return part;
}
template ListPart brute_force_some(const Space<float>&, std::span<const Index>, const Cut&,
                                   const PairBounds*);
template ListPart brute_force_some(const Space<double>&, std::span<const Index>, const Cut&,
                                   const PairBounds*);

template <class T>
NeighborLists brute_force(const Space<T>& space, const Cut& cut, const Context& context) {
  const std::size_t n = space.n_points();
  const bool has_products = is_squared(space.measure);
  const PairBounds bounds(space);  // of measures without boxes
  std::vector<ListPart> parts((n + query_block - 1) / query_block);
  if (suits_all_pairs(space)) {
    const std::vector<Sieve> sieves = sift_all_pairs(space, bounds, cut, context);
    if (!sieves.empty()) {
      parallel_for(context, n, query_block, [&](std::size_t begin, std::size_t end) {
        measure_kept(space, begin, end, cut, std::span(sieves).subspan(begin, end - begin),
                     parts[begin / query_block]);
      });
      NeighborLists lists = assemble(n, cut, std::move(parts), context);
      lists.search_used = NeighborSearch::brute_force;
      return lists;
    }
  }
  Frame frame;
  FilterPoints<float> coarse;
  // Who is near comes first, and rules most others out.
  std::vector<Index> order;
  if (has_products) {
    frame = frame_of(space.rows, context);
    if (n >= least_ordered) order = spatial_order(space.rows, ordered_group, context);
    coarse = filter_points<float>(space.rows.view(), frame, order);
  }
  // Made when the first block needs it: where float32 cannot tell neighbours apart (tight groups
  // far from each other).
  FilterPoints<double> fine;
  std::once_flag fine_is_made;
  const double measured_reach = space.measured_reach(cut.reach);

  // Rounds of less than a second on one thread, however many columns there are.
  constexpr std::size_t work_a_round = std::size_t{1} << 32U;
  const std::size_t n_threads = context.executor != nullptr ? context.executor->n_threads() : 1;
  const std::size_t pairs_a_round = work_a_round / std::max<std::size_t>(1, space.dims());
  const std::size_t block = n < least_for_large_blocks ? query_block : large_block;
  const std::size_t n_blocks = n_threads * std::max<std::size_t>(1, pairs_a_round / n / block);
  const std::size_t round = std::min(n_blocks * block, report_every);
  for (std::size_t from = 0; from < n; from += round) {
    context.report_or_throw({.stage = "neighbours", .done = from, .total = n});
    const std::size_t count = std::min(round, n - from);
    parallel_for(context, count, block, [&](std::size_t b, std::size_t e) {
      const std::size_t begin = from + b, end = from + e, m = end - begin;
      ListPart& part = parts[begin / query_block];
      if (!has_products) {  // no product helps
        std::vector<Index> queries(m);
        std::iota(queries.begin(), queries.end(), static_cast<Index>(begin));
        part = brute_force_some(space, queries, cut, &bounds);
        return;
      }
      std::vector<Sieve> sieves(m);
      reset(sieves, cut, measured_reach);
      filter_block(coarse, coarse, begin, end, sieves, order);
      // Measuring a pair costs a few times its share of the product; past this a second, finer
      // product is the cheaper way.
      if (n_kept(sieves) > m * std::max(n / 16, std::size_t{1000})) {
        std::call_once(fine_is_made,
                       [&] { fine = filter_points<double>(space.rows.view(), frame, order); });
        reset(sieves, cut, measured_reach);
        filter_block(fine, fine, begin, end, sieves, order);
      }
      measure_kept(space, begin, end, cut, sieves, part, order);
    });
  }
  NeighborLists lists = assemble(n, cut, std::move(parts), context);
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
