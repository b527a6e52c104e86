// Candidates by the approximate search in a Euclidean stand-in, then measured by the metric itself;
// then neighbours of neighbours are looked at, which makes up for a poor stand-in (Dong, Moses and
// Li, Efficient k-nearest neighbor graph construction for generic similarity measures, WWW 2011).
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "geotherm/points.hpp"
#include "linalg/blas.hpp"
#include "neighbors/approximate.hpp"
#include "neighbors/bounds.hpp"
#include "neighbors/brute_force.hpp"

namespace geotherm::detail {
namespace {

/// Some points and their true neighbours, by which a search is judged.
struct Sample {
  std::vector<Index> points;
  ListPart truth;

  /// Share of the true neighbours that the lists name. By distance: of ties any will do.
  double recall_of(const NeighborLists& lists, std::size_t knn) const {
    std::size_t n_found = 0, at = 0;
    for (std::size_t q = 0; q < points.size(); ++q) {
      const auto lengths = lists.lengths(static_cast<std::size_t>(points[q]));
      const double last = truth.distances[at + truth.counts[q] - 1];
      const auto n_near = std::upper_bound(lengths.begin(), lengths.end(), last) - lengths.begin();
      n_found += std::min(knn, static_cast<std::size_t>(n_near));
      at += truth.counts[q];
    }
    return static_cast<double>(n_found) / static_cast<double>(points.size() * knn);
  }
};

template <class T>
Sample sample_of(const Space<T>& space, const PairBounds& bounds, std::size_t knn,
                 const Context& context) {
  constexpr std::size_t n_sampled = 64, block = 4;
  const std::size_t n = space.n_points(), count = std::min(n, n_sampled);
  Sample sample;
  for (std::size_t q = 0; q < count; ++q) {
    sample.points.push_back(static_cast<Index>(q * n / count));
  }
  std::vector<ListPart> parts((count + block - 1) / block);
  parallel_for(context, count, block, [&](std::size_t begin, std::size_t end) {
    const auto some = std::span<const Index>(sample.points).subspan(begin, end - begin);
    parts[begin / block] = brute_force_some(space, some, {knn, 1}, &bounds);
  });
  for (const ListPart& part : parts) {
    sample.truth.counts.insert(sample.truth.counts.end(), part.counts.begin(), part.counts.end());
    sample.truth.distances.insert(sample.truth.distances.end(), part.distances.begin(),
                                  part.distances.end());
  }
  return sample;
}

/// A stand-in of many columns in the leading principal components of a sample of it: cells tell
/// more apart there, and products take less time. What they miss neighbours of neighbours find.
Space<float> reduced(Space<float> proxy, const Context& context) {
  constexpr std::size_t most_dims = 64, rank = 48, n_sampled = 2000, block = 256;
  const std::size_t n = proxy.n_points(), d = proxy.dims(), count = std::min(n, n_sampled);
  if (d <= most_dims) return proxy;
  auto sample = Matrix<float>::uninitialized(count, d);
  for (std::size_t k = 0; k < count; ++k) {
    std::ranges::copy(proxy.rows.row(k * n / count), sample.row(k).begin());
  }
  Context quiet = context;
  quiet.on_log = {};
  quiet.on_progress = {};
  const Pca fitted = pca(std::as_const(sample).view(), {.rank = rank}, quiet);
  auto axes = Matrix<float>::uninitialized(rank, d);
  std::transform(fitted.components.data(), fitted.components.data() + rank * d, axes.data(),
                 [](double x) { return static_cast<float>(x); });
  Space<float> result;
  result.rows = Matrix<float>::uninitialized(n, rank);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    gemm(1.0F, {proxy.rows.row(begin).data(), end - begin, d, d}, false,
         std::as_const(axes).view(), true, 0.0F,
         {result.rows.row(begin).data(), end - begin, rank, rank});
  });
  return result;
}

/// The nearest by the metric itself among the `n_candidates` nearest in the stand-in.
template <class T>
NeighborLists nearest_among(const Space<T>& space, const Space<float>& proxy,
                            std::size_t n_candidates, const Cut& cut, const Context& context) {
  const std::size_t n = space.n_points();
  const NeighborLists wide = approximate_search(proxy, {n_candidates, 1}, context);
  constexpr std::size_t block = 256;
  std::vector<ListPart> parts((n + block - 1) / block);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    MeasureScratch scratch;
    for (std::size_t i = begin; i < end; ++i) {
      add_measured(space, i, wide.neighbors(i), cut, scratch, parts[begin / block]);
    }
  });
  return assemble(n, cut, std::move(parts));
}

/// Lists of equal length that take in the neighbours of neighbours, round by round. All lists of a
/// round come from those of the round before, so that threads change nothing.
template <class T>
class Widening {
 public:
  Widening(const Space<T>& space, const PairBounds& bounds, const NeighborLists& lists)
      : space_(space),
        bounds_(bounds),
        bounds_are_close_(!bounds.is_empty() && std::isfinite(bounds.above(0))),
        knn_(lists.knn),
        rows_(space.n_points() * lists.knn) {
    for (std::size_t i = 0; i < space.n_points(); ++i) {
      for (std::size_t k = 0; k < knn_; ++k) {
        rows_[i * knn_ + k] = {lists.lengths(i)[k], lists.neighbors(i)[k], true};
      }
    }
  }

  /// Steps go to the first `front` of a list, and from there to the first `front` of its.
  void round(std::size_t front, const Context& context) {
    const std::size_t n = space_.n_points();
    find_who_lists();
    std::vector<Entry> next(rows_.size());
    // Each block has a mark for every point.
    const std::size_t block = std::max<std::size_t>(256, n / 64);
    parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
      Scratch scratch;
      scratch.seen.assign(n, 0);
      for (std::size_t i = begin; i < end; ++i) {
        widen(i, front, scratch, next.data() + i * knn_);
      }
    });
    rows_ = std::move(next);
  }

  NeighborLists lists(const Cut& cut, const Context& context) const {
    const std::size_t n = space_.n_points();
    constexpr std::size_t block = 256;
    std::vector<ListPart> parts((n + block - 1) / block);
    parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
      MeasureScratch scratch;
      std::vector<Index> ids;
      for (std::size_t i = begin; i < end; ++i) {
        ids.clear();
        for (const Entry& e : row(i)) ids.push_back(e.point);
        add_measured(space_, i, ids, cut, scratch, parts[begin / block]);
      }
    });
    return assemble(n, cut, std::move(parts), context);
  }

 private:
  struct Entry {
    double distance = 0;
    Index point = 0;
    bool is_new = false;
  };
  struct Scratch {
    std::vector<Index> seen;  ///< by point: 1 + the point that has met it
    std::vector<Index> ids;
    std::vector<double> values;
    std::vector<double> limits;
    std::vector<Entry> entries;
  };

  std::span<const Entry> row(std::size_t i) const { return {rows_.data() + i * knn_, knn_}; }

  /// For each point up to knn that list it, those first that have it near the front.
  void find_who_lists() {
    const std::size_t n = space_.n_points();
    who_.assign(rows_.size(), {});
    n_who_.assign(n, 0);
    for (std::size_t k = 0; k < knn_; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        const Entry& e = rows_[i * knn_ + k];
        const auto j = static_cast<std::size_t>(e.point);
        if (n_who_[j] == knn_) continue;
        who_[j * knn_ + n_who_[j]++] = {e.distance, static_cast<Index>(i), e.is_new};
      }
    }
  }
  std::span<const Entry> who_lists(std::size_t i) const {
    return {who_.data() + i * knn_, n_who_[i]};
  }

  void widen(std::size_t i, std::size_t front, Scratch& scratch, Entry* out) const {
    auto& [seen, ids, values, limits, entries] = scratch;
    const auto mark = static_cast<Index>(i + 1);
    const auto meet = [&](Index j) {
      Index& last = seen[static_cast<std::size_t>(j)];
      if (last == mark) return;
      last = mark;
      ids.push_back(j);
    };
    const auto first_of = [&](std::span<const Entry> entries_of) {
      return entries_of.first(std::min(front, entries_of.size()));
    };
    seen[i] = mark;
    for (const Entry& e : row(i)) seen[static_cast<std::size_t>(e.point)] = mark;
    ids.clear();
    for (const Entry& e : who_lists(i)) meet(e.point);
    for (const auto& own : {first_of(row(i)), first_of(who_lists(i))}) {
      for (const Entry& e : own) {
        const auto middle = static_cast<std::size_t>(e.point);
        for (const auto& theirs : {first_of(row(middle)), first_of(who_lists(middle))}) {
          for (const Entry& f : theirs) {
            // Where both steps are old they were made in the round before.
            if (e.is_new || f.is_new) meet(f.point);
          }
        }
      }
    }
    entries.clear();
    for (const Entry& e : row(i)) entries.push_back({e.distance, e.point, false});
    const double last = entries.back().distance;
    values.resize(ids.size());
    if (!bounds_.is_empty()) {
      const double limit =
          bounds_.are_measures() ? std::numeric_limits<double>::infinity() : last;
      limits.assign(ids.size(), limit);
      bounds_.below(i, ids.data(), 0, ids.size(), limits.data(), values.data());
      std::size_t n_left = 0;
      for (std::size_t k = 0; k < ids.size(); ++k) {
        if (space_.distance(values[k]) > last) continue;
        values[n_left] = values[k];
        ids[n_left++] = ids[k];
      }
      ids.resize(n_left);
    }
    // A bound that leaves little open does as well until the lists are read.
    if (!bounds_are_close_) {
      measure_rows(space_.measure, space_.rows.row(i).data(), space_.rows.data(), space_.dims(),
                   ids.data(), ids.size(), values.data());
    }
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const double d = space_.distance(values[k]);
      if (d <= last) entries.push_back({d, ids[k], true});
    }
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(knn_);
    std::partial_sort(entries.begin(), end, entries.end(), [](const Entry& a, const Entry& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.point < b.point;
    });
    std::copy(entries.begin(), end, out);
  }

  const Space<T>& space_;
  const PairBounds& bounds_;
  bool bounds_are_close_;
  std::size_t knn_;
  std::vector<Entry> rows_;
  std::vector<Entry> who_;
  std::vector<std::size_t> n_who_;
};

/// From how many rows on candidates cost less than all pairs.
std::size_t fewest_rows(Measure measure, const PairBounds& bounds) {
  if (has_boxes(measure) || measure == Measure::jensen_shannon) return 0;
  return !bounds.is_empty() && bounds.are_measures() ? 16000 : 4000;
}

}  // namespace

template <class T>
NeighborLists search_by_proxy(const Space<T>& space, const Cut& cut, const Context& context) {
  constexpr std::size_t most_rounds = 6;
  // Lists that are somewhat longer find more of their front.
  constexpr std::size_t spare = 10;
  constexpr double wanted_recall = 0.99;
  // A round that gains less is the last.
  constexpr double least_gain = 0.01;
  const std::size_t n = space.n_points();
  const PairBounds bounds(space);
  if (n < fewest_rows(space.measure, bounds)) {
    context.info("neighbours: brute force, since all pairs cost no more");
    return brute_force(space, cut, context);
  }
  const Sample sample = sample_of(space, bounds, cut.knn, context);
  const std::size_t held = cut.knn + spare;
  const Space<float> proxy = reduced(proxy_space(space), context);
  Widening<T> widening(space, bounds,
                       nearest_among(space, proxy, held + 5, {held, 1}, context));
  NeighborLists lists = widening.lists(cut, context);
  double recall = sample.recall_of(lists, cut.knn);
  for (std::size_t r = 0; r < most_rounds && recall < wanted_recall; ++r) {
    context.report_or_throw({.stage = "neighbours", .done = r, .total = most_rounds});
    const double before = recall;
    widening.round(cut.knn, context);
    lists = widening.lists(cut, context);
    recall = sample.recall_of(lists, cut.knn);
    if (recall < before + least_gain) break;
  }
  lists.search_used = NeighborSearch::approximate;
  if (recall < 0.95) {
    context.warn("neighbours: the approximate search finds about " +
                 std::to_string(std::lround(100 * recall)) +
                 " % of the nearest in this metric; search = brute-force finds all");
  }
  return lists;
}
template NeighborLists search_by_proxy(const Space<float>&, const Cut&, const Context&);
template NeighborLists search_by_proxy(const Space<double>&, const Cut&, const Context&);

}  // namespace geotherm::detail
