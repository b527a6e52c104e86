#include "trajectory/skeleton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/median.hpp"
#include "core/squared_distance.hpp"
#include "geotherm/metrics.hpp"

namespace geotherm::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// k-means sees at most so many points; the others join the nearest centre.
constexpr std::size_t most_grouped = 20000;
/// Pseudotime rises along a twig by this share of the shortest branch at least.
constexpr double rise_of_a_branch = 0.8;

void link(Skeleton& skeleton, Index a, Index b) {
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    auto& list = skeleton.links[static_cast<std::size_t>(x)];
    list.insert(std::lower_bound(list.begin(), list.end(), y), y);
  }
}

void unlink(Skeleton& skeleton, Index a, Index b) {
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    auto& list = skeleton.links[static_cast<std::size_t>(x)];
    list.erase(std::lower_bound(list.begin(), list.end(), y));
  }
}

std::vector<Index> grouped(const Matrix<double>& places, std::size_t n_groups, Skeleton& skeleton,
                           const Context& context) {
  const std::size_t n = places.rows();
  const std::size_t stride = (n + most_grouped - 1) / most_grouped;
  Matrix<double> sample((n + stride - 1) / stride, places.cols());
  for (std::size_t i = 0; i < sample.rows(); ++i) {
    std::copy(places.row(i * stride).begin(), places.row(i * stride).end(), sample.row(i).begin());
  }
  Kmeans found = kmeans(sample.view(), {.n_clusters = n_groups, .n_restarts = 5}, context);
  skeleton.nodes = std::move(found.centers);
  std::vector<Index> group(n);
  parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double least = infinite;
      for (std::size_t c = 0; c < skeleton.nodes.rows(); ++c) {
        const double away = squared_distance(places.row(i), skeleton.nodes.row(c));
        if (away < least) {
          least = away;
          group[i] = static_cast<Index>(c);
        }
      }
    }
  });
  return group;
}

/// Mean pseudotime of each group.
std::vector<double> order_of_groups(const std::vector<Index>& group, std::span<const double> order,
                                    std::size_t k) {
  std::vector<double> sum(k, 0), count(k, 0);
  for (std::size_t i = 0; i < group.size(); ++i) {
    sum[static_cast<std::size_t>(group[i])] += order[i];
    count[static_cast<std::size_t>(group[i])] += 1;
  }
  for (std::size_t g = 0; g < k; ++g) sum[g] = count[g] > 0 ? sum[g] / count[g] : 0;
  return sum;
}

/// Weight of edges between groups over the root of their volumes.
Matrix<double> flow_between(const Graph& graph, const std::vector<Index>& group, std::size_t k) {
  Matrix<double> flow(k, k);
  std::vector<double> volume(k, 0);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto a = static_cast<std::size_t>(group[i]);
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      const auto b =
          static_cast<std::size_t>(group[static_cast<std::size_t>(graph.weights.indices[e])]);
      flow(a, b) += graph.weights.values[e];
      volume[a] += graph.weights.values[e];
    }
  }
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      const double both = std::sqrt(volume[a] * volume[b]);
      flow(a, b) = a != b && both > 0 ? flow(a, b) / both : 0;
    }
  }
  return flow;
}

/// Prim's tree over groups that heat flows between, short edges first.
void span(Skeleton& skeleton, const Matrix<double>& flow) {
  const std::size_t k = skeleton.nodes.rows();
  std::vector<double> nearest(k, infinite);
  std::vector<Index> via(k, skeleton.root);
  std::vector<char> done(k, 0);
  Index at = skeleton.root;
  for (std::size_t step = 0; step < k; ++step) {
    const auto a = static_cast<std::size_t>(at);
    done[a] = 1;
    if (step > 0) link(skeleton, via[a], at);
    for (std::size_t b = 0; b < k; ++b) {
      if (done[b] != 0 || flow(a, b) <= 0) continue;
      const double length = skeleton.length(at, static_cast<Index>(b));
      if (length < nearest[b]) {
        nearest[b] = length;
        via[b] = at;
      }
    }
    double least = infinite;
    Index next = -1;
    for (std::size_t b = 0; b < k; ++b) {
      if (done[b] == 0 && nearest[b] < least) {
        least = nearest[b];
        next = static_cast<Index>(b);
      }
    }
    if (next < 0) return;
    at = next;
  }
}

/// A pair through which heat flows as between neighbours, although the way along the tree is long:
/// there the tree cut a loop open.
void close_loops(Skeleton& skeleton, const Matrix<double>& flow, double longest,
                 double share_of_flow) {
  const std::size_t k = skeleton.nodes.rows();
  std::vector<double> usual;
  for (std::size_t a = 0; a < k; ++a) {
    for (const Index b : skeleton.links[a]) usual.push_back(flow(a, static_cast<std::size_t>(b)));
  }
  const double least_flow = share_of_flow * median(std::move(usual));
  constexpr std::size_t most_loops = 3;
  for (std::size_t loop = 0; loop < most_loops; ++loop) {
    double best = 0;
    std::pair<Index, Index> pair;
    for (std::size_t a = 0; a < k; ++a) {
      const std::vector<double> from = along(skeleton, static_cast<Index>(a));
      for (std::size_t b = 0; b < a; ++b) {
        const double direct = skeleton.length(static_cast<Index>(a), static_cast<Index>(b));
        const bool is_detour = from[b] > 5 * direct && from[b] > 0.6 * longest;
        if (flow(a, b) < least_flow || !is_detour || from[b] / direct <= best) continue;
        best = from[b] / direct;
        pair = {static_cast<Index>(b), static_cast<Index>(a)};
      }
    }
    if (best == 0) return;
    link(skeleton, pair.first, pair.second);
    ++skeleton.n_loops;
  }
}

struct Twig {
  std::vector<Index> nodes;  ///< from the leaf on, without the node it hangs on
  Index hangs_on = -1;
  double length = 0;
  double rise = 0;  ///< of pseudotime, from the node that it hangs on to its highest
  std::size_t n_cells = 0;
};

Twig twig_of(const Skeleton& skeleton, Index leaf) {
  Twig twig;
  Index before = -1, at = leaf;
  while (true) {
    twig.nodes.push_back(at);
    twig.n_cells += skeleton.n_cells[static_cast<std::size_t>(at)];
    Index next = -1;
    for (const Index other : skeleton.links[static_cast<std::size_t>(at)]) {
      if (other != before) next = other;
    }
    if (next < 0) return twig;
    twig.length += skeleton.length(at, next);
    before = at;
    at = next;
    if (skeleton.degree(at) != 2 || at == skeleton.root) break;
  }
  twig.hangs_on = at;
  const auto level = [&](Index node) { return skeleton.order[static_cast<std::size_t>(node)]; };
  for (const Index node : twig.nodes) twig.rise = std::max(twig.rise, level(node) - level(at));
  return twig;
}

/// The shortest twig that is too short or too small goes, until none is; and one along which
/// pseudotime hardly goes on: the cloud around a branch is wide there, and cells leave it sideways.
void prune(Skeleton& skeleton, double shortest, std::size_t n, const MilestoneOptions& options) {
  const double least_rise = rise_of_a_branch * options.min_branch;
  while (true) {
    Twig worst;
    worst.length = infinite;
    for (std::size_t a = 0; a < skeleton.links.size(); ++a) {
      const auto leaf = static_cast<Index>(a);
      if (leaf == skeleton.root || skeleton.degree(leaf) != 1) continue;
      Twig twig = twig_of(skeleton, leaf);
      // What hangs on the root alone is the trajectory itself.
      if (twig.hangs_on == skeleton.root && skeleton.degree(skeleton.root) == 1) continue;
      const bool is_small =
          twig.length < shortest || twig.rise < least_rise ||
          static_cast<double>(twig.n_cells) < options.min_cells * static_cast<double>(n);
      if (is_small && twig.length < worst.length) worst = std::move(twig);
    }
    if (worst.length == infinite) return;
    Index before = worst.hangs_on;
    for (auto node = worst.nodes.rbegin(); node != worst.nodes.rend(); ++node) {
      unlink(skeleton, before, *node);
      before = *node;
    }
  }
}

/// The way from a branching over nodes that only join two to the next branching; empty where it
/// ends elsewhere. Both branchings are in it.
std::vector<Index> way_to_branching(const Skeleton& skeleton, Index from, Index first) {
  std::vector<Index> way = {from, first};
  while (skeleton.degree(way.back()) == 2 && way.back() != skeleton.root) {
    const auto& around = skeleton.links[static_cast<std::size_t>(way.back())];
    const Index next = around[0] == way[way.size() - 2] ? around[1] : around[0];
    if (next == from) return {};
    way.push_back(next);
  }
  if (skeleton.degree(way.back()) < 3) way.clear();
  return way;
}

/// Branchings closer than this along the skeleton are one: several branches leave it. k-means puts
/// a few centres where branches meet, so that they seem to leave one after the other.
void merge_branchings(Skeleton& skeleton, double closest) {
  while (true) {
    std::vector<Index> best;
    double least = closest;
    for (std::size_t a = 0; a < skeleton.links.size(); ++a) {
      if (skeleton.links[a].size() < 3) continue;
      for (const Index first : skeleton.links[a]) {
        std::vector<Index> way = way_to_branching(skeleton, static_cast<Index>(a), first);
        double length = 0;
        for (std::size_t s = 0; s + 1 < way.size(); ++s) {
          length += skeleton.length(way[s], way[s + 1]);
        }
        if (way.empty() || length >= least) continue;
        least = length;
        best = std::move(way);
      }
    }
    if (best.empty()) return;
    const auto cells_of = [&](Index node) {
      return skeleton.n_cells[static_cast<std::size_t>(node)];
    };
    const Index front = best.front(), back = best.back();
    const bool keeps_front =
        front == skeleton.root || (back != skeleton.root && cells_of(front) >= cells_of(back));
    const Index kept = keeps_front ? front : back, gone = keeps_front ? back : front;
    for (std::size_t s = 0; s + 1 < best.size(); ++s) unlink(skeleton, best[s], best[s + 1]);
    const std::vector<Index> moved = skeleton.links[static_cast<std::size_t>(gone)];
    for (const Index other : moved) {
      unlink(skeleton, gone, other);
      const auto& around = skeleton.links[static_cast<std::size_t>(kept)];
      if (other != kept && !std::binary_search(around.begin(), around.end(), other)) {
        link(skeleton, kept, other);
      }
    }
  }
}

}  // namespace

OnSegment on_segment(std::span<const double> x, std::span<const double> a,
                     std::span<const double> b) {
  double ab = 0, ax = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    ab += (b[k] - a[k]) * (b[k] - a[k]);
    ax += (b[k] - a[k]) * (x[k] - a[k]);
  }
  OnSegment nearest;
  nearest.share = ab > 0 ? std::clamp(ax / ab, 0.0, 1.0) : 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double d = x[k] - a[k] - nearest.share * (b[k] - a[k]);
    nearest.squared += d * d;
  }
  return nearest;
}

double Skeleton::length(Index a, Index b) const {
  return std::sqrt(
      squared_distance(nodes.row(static_cast<std::size_t>(a)),
                       nodes.row(static_cast<std::size_t>(b))));
}

std::vector<double> along(const Skeleton& skeleton, Index from) {
  const std::size_t k = skeleton.nodes.rows();
  std::vector<double> away(k, infinite);
  std::vector<char> done(k, 0);
  away[static_cast<std::size_t>(from)] = 0;
  for (std::size_t step = 0; step < k; ++step) {
    std::size_t at = k;
    for (std::size_t a = 0; a < k; ++a) {
      if (done[a] == 0 && away[a] < infinite && (at == k || away[a] < away[at])) at = a;
    }
    if (at == k) break;
    done[at] = 1;
    for (const Index b : skeleton.links[at]) {
      double& other = away[static_cast<std::size_t>(b)];
      other = std::min(other, away[at] + skeleton.length(static_cast<Index>(at), b));
    }
  }
  return away;
}

Skeleton make_skeleton(const Graph& connected, const Matrix<double>& places,
                       std::span<const double> order, Index root, double share_of_flow,
                       const MilestoneOptions& options, const Context& context) {
  const std::size_t n = places.rows();
  const auto usual = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  const std::size_t n_groups =
      std::min(n, options.n_groups.value_or(std::clamp<std::size_t>(usual, 12, 40)));
  Skeleton skeleton;
  const std::vector<Index> group = grouped(places, n_groups, skeleton, context);
  const std::size_t k = skeleton.nodes.rows();
  skeleton.links.resize(k);
  skeleton.n_cells.assign(k, 0);
  for (const Index g : group) ++skeleton.n_cells[static_cast<std::size_t>(g)];
  skeleton.order = order_of_groups(group, order, k);
  skeleton.root = group[static_cast<std::size_t>(root)];
  const Matrix<double> flow = flow_between(connected, group, k);
  span(skeleton, flow);
  double longest = 0;
  for (const double away : along(skeleton, skeleton.root)) {
    if (away < infinite) longest = std::max(longest, away);
  }
  close_loops(skeleton, flow, longest, share_of_flow);
  const double least = options.min_branch * longest;
  prune(skeleton, least, n, options);
  merge_branchings(skeleton, 0.75 * least);
  return skeleton;
}

}  // namespace geotherm::detail
