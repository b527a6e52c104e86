// Neighbours of neighbours are likely neighbours: from the guess of a random forest, the table is
// improved by joining the neighbourhoods of each point (nearest neighbour descent, Dong, Moses and
// Li 2011) until little changes; then distances are measured exactly.
//
// Our own rather than hnswlib, whose graph depends on the order of insertion: the same result for
// any number of threads would mean building it on one. Here the points of a block are joined
// against a table that stands still, and what they found is entered afterwards, row by row.
#include "neighbors/approximate.hpp"

#include <algorithm>
#include <cmath>

#include "neighbors/brute_force.hpp"
#include "neighbors/forest.hpp"
#include "neighbors/local_distances.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t n_trees = 8;
constexpr std::size_t most_rounds = 12;
// Of each kind in one join, whose cost is quadratic; the rest waits for the next round.
constexpr std::size_t most_joined = 30;
constexpr std::size_t join_block = 128;
// Joined between two updates of the table.
constexpr std::size_t joined_at_once = 128 * join_block;
constexpr std::size_t n_owners = 64;

struct Found {
  Index a = 0;
  Index b = 0;
  float distance = 0;
};

/// Centred float32 copies of the rows, row k of point order[k]: an order in which neighbours share
/// cache lines and pages, without which the joins mostly wait for memory.
template <class T>
Matrix<float> working_points(const Matrix<T>& rows, std::vector<Index>& order,
                             const Context& context) {
  const std::size_t n = rows.rows(), d = rows.cols();
  const Frame frame = frame_of(rows);
  auto points = Matrix<float>::uninitialized(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < d; ++c) {
      points(i, c) =
          static_cast<float>((static_cast<double>(rows(i, c)) - frame.means[c]) * frame.scale);
    }
  }
  order = local_order(points, context);
  auto sorted = Matrix<float>::uninitialized(n, d);
  for (std::size_t k = 0; k < n; ++k) {
    const auto row = points.row(static_cast<std::size_t>(order[k]));
    std::copy(row.begin(), row.end(), sorted.row(k).begin());
  }
  return sorted;
}

/// For each point those that have it in their row: 2 x point + (1 where the entry is fresh).
struct Reverse {
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> entries;
};

Reverse reverse_of(const NearTable& table) {
  const std::size_t n = table.n_points();
  Reverse reverse;
  reverse.offsets.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Index j : table.ids(i)) ++reverse.offsets[static_cast<std::size_t>(j) + 1];
  }
  for (std::size_t i = 0; i < n; ++i) reverse.offsets[i + 1] += reverse.offsets[i];
  reverse.entries.resize(reverse.offsets[n]);
  std::vector<std::size_t> next(reverse.offsets.begin(), reverse.offsets.end() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto ids = table.ids(i);
    const auto states = table.states(i);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      reverse.entries[next[static_cast<std::size_t>(ids[k])]++] =
          static_cast<std::uint32_t>(2 * i + (states[k] == NearTable::State::fresh ? 1 : 0));
    }
  }
  return reverse;
}

/// Sorts the ids, drops repetitions and keeps `most`, chosen by chance.
void thin(std::vector<Index>& ids, std::size_t most, Rng& rng) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (ids.size() <= most) return;
  for (std::size_t k = 0; k < most; ++k) std::swap(ids[k], ids[k + rng.below(ids.size() - k)]);
  ids.resize(most);
  std::sort(ids.begin(), ids.end());
}

class Joiner {
 public:
  /// Compares the neighbours of i (those that have i in their row are also such) where one of a
  /// pair is fresh; appends to found[owner] what would improve a row of that owner. Of the table it
  /// writes the states of row i only.
  void join(const Matrix<float>& points, NearTable& table, const Reverse& reverse, std::size_t i,
            Rng rng, std::vector<std::vector<Found>>& found) {
    using State = NearTable::State;
    const std::size_t n = table.n_points();
    fresh_.clear();
    joined_.clear();
    const auto ids = table.ids(i);
    const auto states = table.states(i);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (states[k] == State::fresh) fresh_.push_back(ids[k]);
      if (states[k] == State::joined) joined_.push_back(ids[k]);
    }
    for (std::size_t k = reverse.offsets[i]; k < reverse.offsets[i + 1]; ++k) {
      const std::uint32_t entry = reverse.entries[k];
      ((entry & 1U) != 0 ? fresh_ : joined_).push_back(static_cast<Index>(entry >> 1U));
    }
    thin(fresh_, most_joined, rng);
    if (fresh_.empty()) return;
    thin(joined_, most_joined, rng);
    const auto is_fresh = [&](Index j) {
      return std::binary_search(fresh_.begin(), fresh_.end(), j);
    };
    both_ = fresh_;
    for (const Index j : joined_) {
      if (!is_fresh(j)) both_.push_back(j);
    }
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (states[k] == State::fresh && is_fresh(ids[k])) states[k] = State::joined;
    }
    distances_.compute(points, both_, fresh_.size(), static_cast<Index>(i));
    worst_.resize(both_.size());
    for (std::size_t b = 0; b < both_.size(); ++b) {
      worst_[b] = table.worst(static_cast<std::size_t>(both_[b]));
    }
    picked_.resize(both_.size());
    const auto owner = [&](Index point) { return static_cast<std::size_t>(point) * n_owners / n; };
    for (std::size_t a = 0; a < fresh_.size(); ++a) {
      const auto row = distances_.row(a).subspan(a + 1);
      const Index u = both_[a];
      const std::size_t n_picked =
          pick_closer(row, worst_[a], worst_.data() + a + 1, picked_.data());
      for (std::size_t k = 0; k < n_picked; ++k) {
        const std::size_t b = a + 1 + static_cast<std::size_t>(picked_[k]);
        const Index v = both_[b];
        const float distance = distances_.refined(a, b);
        if (distance < worst_[a]) found[owner(u)].push_back({u, v, distance});
        if (distance < worst_[b]) found[owner(v)].push_back({v, u, distance});
      }
    }
  }

 private:
  std::vector<Index> fresh_, joined_, both_, picked_;
  std::vector<float> worst_;
  LocalDistances distances_;
};

/// One pass over all points; returns how many entries of the table changed.
std::size_t improve(const Matrix<float>& points, NearTable& table, std::size_t round,
                    const Context& context) {
  const std::size_t n = table.n_points();
  parallel_for(context, n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (NearTable::State& state : table.states(i)) {
        if (state == NearTable::State::entered) state = NearTable::State::fresh;
      }
    }
  });
  const Reverse reverse = reverse_of(table);
  std::size_t n_changed = 0;
  for (std::size_t from = 0; from < n; from += joined_at_once) {
    context.report_or_throw(
        {.stage = "neighbours", .done = round * n + from, .total = most_rounds * n});
    const std::size_t count = std::min(joined_at_once, n - from);
    using Buckets = std::vector<std::vector<Found>>;
    std::vector<Buckets> found((count + join_block - 1) / join_block, Buckets(n_owners));
    parallel_for(context, count, join_block, [&](std::size_t begin, std::size_t end) {
      Joiner joiner;
      for (std::size_t i = begin; i < end; ++i) {
        joiner.join(points, table, reverse, from + i,
                    Rng(context.seed, "neighbors.join", round * n + from + i),
                    found[begin / join_block]);
      }
    });
    std::vector<std::size_t> changed(n_owners);
    parallel_for(context, n_owners, 1, [&](std::size_t owner, std::size_t) {
      for (const Buckets& buckets : found) {
        for (const Found& f : buckets[owner]) {
          changed[owner] += table.offer(static_cast<std::size_t>(f.a), f.b, f.distance) ? 1 : 0;
        }
      }
    });
    for (const std::size_t c : changed) n_changed += c;
  }
  return n_changed;
}

/// Room in a row for what lies between the k-th neighbour and reach times as far. How many that are
/// depends on the dimension of the data, so a sample of exact lists is asked.
template <class T>
std::size_t table_width(const Space<T>& space, const Cut& cut, const Context& context) {
  // Fewer find less: at 30 the recall of 10 neighbours in 20 dimensions is above .99.
  constexpr std::size_t least = 30;
  std::size_t wanted = cut.knn + 5;
  if (cut.reach > 1) {
    constexpr std::size_t n_sampled = 128, block = 16;
    const std::size_t n = space.n_points();
    std::vector<std::size_t> counts(n_sampled);
    parallel_for(context, n_sampled, block, [&](std::size_t begin, std::size_t end) {
      std::vector<Index> sample;
      for (std::size_t k = begin; k < end; ++k) {
        sample.push_back(static_cast<Index>(k * n / n_sampled));
      }
      const ListPart part = brute_force_some(space, sample, cut);
      std::copy(part.counts.begin(), part.counts.end(),
                counts.begin() + static_cast<std::ptrdiff_t>(begin));
    });
    std::sort(counts.begin(), counts.end());
    // Far longer lists would mean a reach that no search of neighbours can serve.
    wanted = std::min(counts[n_sampled * 95 / 100] + 5, 6 * cut.knn + 20);
  }
  return std::min(space.n_points() - 1, std::max(least, wanted));
}

}  // namespace

template <class T>
NeighborLists approximate_search(const Space<T>& space, const Cut& cut, const Context& context) {
  const std::size_t n = space.n_points();
  const std::size_t width = table_width(space, cut, context);
  NearTable table(n, width);
  std::vector<Index> order;
  {
    const Matrix<float> points = working_points(space.rows, order, context);
    offer_by_forest(points, n_trees, table, context);
    for (std::size_t round = 0; round < most_rounds; ++round) {
      const std::size_t n_changed = improve(points, table, round, context);
      if (n_changed * 1000 < n * width) break;
    }
  }
  constexpr std::size_t block = 256;
  std::vector<ListPart> parts((n + block - 1) / block);
  std::vector<std::size_t> truncated(parts.size());
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    std::vector<double> measured(width);
    std::vector<Index> ids(width);
    std::vector<Candidate> candidates;
    ListPart& part = parts[begin / block];
    for (std::size_t k = begin; k < end; ++k) {
      const auto i = static_cast<std::size_t>(order[k]);
      std::transform(table.ids(k).begin(), table.ids(k).end(), ids.begin(),
                     [&](Index j) { return order[static_cast<std::size_t>(j)]; });
      measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), space.dims(),
                   ids.data(), width, measured.data());
      candidates.clear();
      for (std::size_t c = 0; c < width; ++c) {
        candidates.push_back({space.distance(measured[c]), ids[c]});
      }
      part.add(static_cast<Index>(i), candidates, cut);
      const bool all_are_listed = part.counts.back() == width && width < n - 1;
      truncated[begin / block] += cut.reach > 1 && all_are_listed ? 1 : 0;
    }
  });
  std::size_t n_truncated = 0;
  for (const std::size_t t : truncated) n_truncated += t;
  NeighborLists lists = assemble(n, cut, std::move(parts));
  lists.search_used = NeighborSearch::approximate;
  lists.truncated_share = static_cast<double>(n_truncated) / static_cast<double>(n);
  return lists;
}
template NeighborLists approximate_search(const Space<float>&, const Cut&, const Context&);
template NeighborLists approximate_search(const Space<double>&, const Cut&, const Context&);

}  // namespace geotherm::detail
