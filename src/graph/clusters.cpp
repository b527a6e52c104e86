// Leiden's algorithm: moving, refining, aggregating (Traag, Waltman, van Eck 2019). The refinement
// takes the best merge instead of a random one, so that the order of points is all that a seed
// sets.
#include "geotherm/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace geotherm {
namespace {

constexpr std::size_t most_levels = 50;

/// One level: its points are points of the data or refined clusters of the level before.
struct Level {
  SparseMatrix weights;          // without the diagonal
  std::vector<double> strength;  // sum of all weights of a point, those inside it too
  double total = 0;              // sum of all strengths, 2 m
};

/// Weights from a point to the clusters around it; cleared by touching only those.
class Around {
 public:
  explicit Around(std::size_t n) : sum_(n, 0.0), is_met_(n, 0) {}
  void add(std::size_t cluster, double weight) {
    if (is_met_[cluster] == 0) {
      is_met_[cluster] = 1;
      met_.push_back(cluster);
    }
    sum_[cluster] += weight;
  }
  double to(std::size_t cluster) const { return sum_[cluster]; }
  const std::vector<std::size_t>& met() const { return met_; }
  void clear() {
    for (const std::size_t cluster : met_) sum_[cluster] = 0, is_met_[cluster] = 0;
    met_.clear();
  }

 private:
  std::vector<double> sum_;
  std::vector<char> is_met_;
  std::vector<std::size_t> met_;
};

std::vector<std::size_t> order_of(std::size_t n, std::size_t level, const Context& context) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(context.seed, "clusters.order", level);
  rng.shuffle(std::span<std::size_t>(order));
  return order;
}

/// The cluster among those met that gains most by the point, beyond `least`; ties to the smallest.
std::size_t best_of(const Around& around, const std::vector<double>& strength_of_cluster,
                    double strength, double share, std::size_t current, double least) {
  std::size_t best = current;
  double gain = least;
  for (const std::size_t cluster : around.met()) {
    if (cluster == current) continue;
    const double found = around.to(cluster) - share * strength * strength_of_cluster[cluster];
    const double margin = 1e-12 * std::abs(gain);
    if (found > gain + margin || (found >= gain - margin && best != current && cluster < best)) {
      best = cluster;
      gain = found;
    }
  }
  return best;
}

/// Points move until none gains; those whose neighbours moved are asked again.
bool move_points(const Level& level, double resolution, const std::vector<std::size_t>& order,
                 std::vector<std::size_t>& cluster, const Context& context) {
  const std::size_t n = level.weights.rows;
  std::vector<double> strength(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) strength[cluster[i]] += level.strength[i];
  std::vector<std::size_t> queue = order;
  std::vector<char> is_waiting(n, 1);
  Around around(n);
  const double share = resolution / level.total;
  bool has_moved = false;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    if (at % 4096 == 0) context.report_or_throw({"clusters"});
    const std::size_t i = queue[at];
    is_waiting[i] = 0;
    const auto neighbors = level.weights.row_indices(i);
    const auto values = level.weights.row_values(i);
    const std::size_t from = cluster[i];
    around.add(from, 0.0);
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
      around.add(cluster[static_cast<std::size_t>(neighbors[k])], values[k]);
    }
    strength[from] -= level.strength[i];
    const double stays = around.to(from) - share * level.strength[i] * strength[from];
    const std::size_t to = best_of(around, strength, level.strength[i], share, from,
                                   stays + 1e-10 * level.strength[i]);
    strength[to] += level.strength[i];
    around.clear();
    if (to == from) continue;
    cluster[i] = to;
    has_moved = true;
    for (const Index j : neighbors) {
      const auto other = static_cast<std::size_t>(j);
      if (cluster[other] == to || is_waiting[other] != 0) continue;
      is_waiting[other] = 1;
      queue.push_back(other);
    }
    // What has been asked is forgotten from time to time.
    if (at > 4 * n) {
      queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(at + 1));
      at = static_cast<std::size_t>(-1);
    }
  }
  return has_moved;
}

/// Clusters grown from single points within the clusters given; a point joins only once, while it
/// is alone and holds to its cluster as well as chance would have it.
std::vector<std::size_t> refined(const Level& level, double resolution,
                                 const std::vector<std::size_t>& order,
                                 const std::vector<std::size_t>& cluster) {
  const std::size_t n = level.weights.rows;
  std::vector<std::size_t> part(n);
  std::iota(part.begin(), part.end(), std::size_t{0});
  std::vector<double> strength = level.strength, of_cluster(n, 0.0);
  std::vector<std::size_t> size(n, 1);
  for (std::size_t i = 0; i < n; ++i) of_cluster[cluster[i]] += level.strength[i];
  Around around(n);
  const double share = resolution / level.total;
  for (const std::size_t i : order) {
    if (size[part[i]] != 1 || part[i] != i) continue;
    const auto neighbors = level.weights.row_indices(i);
    const auto values = level.weights.row_values(i);
    double within = 0;
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
      const auto j = static_cast<std::size_t>(neighbors[k]);
      if (cluster[j] != cluster[i]) continue;
      within += values[k];
      around.add(part[j], values[k]);
    }
    const double rest = of_cluster[cluster[i]] - level.strength[i];
    std::size_t to = i;
    if (within >= share * level.strength[i] * rest) {
      to = best_of(around, strength, level.strength[i], share, i, 0.0);
    }
    around.clear();
    if (to == i) continue;
    part[i] = to;
    strength[to] += level.strength[i];
    ++size[to];
    size[i] = 0;
  }
  return part;
}

/// Numbers from 0 in the order in which they appear.
std::size_t renumber(std::vector<std::size_t>& labels, std::size_t bound) {
  std::vector<std::size_t> name(bound, bound);
  std::size_t n = 0;
  for (std::size_t& label : labels) {
    if (name[label] == bound) name[label] = n++;
    label = name[label];
  }
  return n;
}

/// Clusters in pieces become one cluster a piece.
std::size_t split_into_pieces(const SparseMatrix& weights, std::vector<std::size_t>& cluster) {
  const std::size_t n = cluster.size();
  std::vector<std::size_t> piece(n, n), stack;
  std::size_t n_pieces = 0;
  for (std::size_t start = 0; start < n; ++start) {
    if (piece[start] != n) continue;
    piece[start] = n_pieces;
    stack.assign(1, start);
    while (!stack.empty()) {
      const std::size_t i = stack.back();
      stack.pop_back();
      const auto values = weights.row_values(i);
      const auto neighbors = weights.row_indices(i);
      for (std::size_t k = 0; k < neighbors.size(); ++k) {
        const auto j = static_cast<std::size_t>(neighbors[k]);
        if (values[k] <= 0 || piece[j] != n || cluster[j] != cluster[start]) continue;
        piece[j] = n_pieces;
        stack.push_back(j);
      }
    }
    ++n_pieces;
  }
  cluster = std::move(piece);
  return n_pieces;
}

Level aggregated(const Level& level, const std::vector<std::size_t>& part, std::size_t n_parts) {
  Level next;
  next.total = level.total;
  next.strength.assign(n_parts, 0.0);
  std::vector<std::vector<std::size_t>> members(n_parts);
  for (std::size_t i = 0; i < part.size(); ++i) {
    next.strength[part[i]] += level.strength[i];
    members[part[i]].push_back(i);
  }
  next.weights.rows = next.weights.cols = n_parts;
  Around around(n_parts);
  for (std::size_t p = 0; p < n_parts; ++p) {
    for (const std::size_t i : members[p]) {
      const auto neighbors = level.weights.row_indices(i);
      const auto values = level.weights.row_values(i);
      for (std::size_t k = 0; k < neighbors.size(); ++k) {
        const std::size_t to = part[static_cast<std::size_t>(neighbors[k])];
        if (to != p) around.add(to, values[k]);
      }
    }
    std::vector<std::size_t> met = around.met();
    std::sort(met.begin(), met.end());
    for (const std::size_t to : met) {
      next.weights.indices.push_back(static_cast<Index>(to));
      next.weights.values.push_back(around.to(to));
    }
    next.weights.offsets.push_back(next.weights.indices.size());
    around.clear();
  }
  return next;
}

Level first_level(const SparseMatrix& weights) {
  Level level;
  level.weights.rows = level.weights.cols = weights.rows;
  for (std::size_t i = 0; i < weights.rows; ++i) {
    double sum = 0;
    const auto neighbors = weights.row_indices(i);
    const auto values = weights.row_values(i);
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
      if (static_cast<std::size_t>(neighbors[k]) == i) continue;
      if (!(values[k] >= 0) || !std::isfinite(values[k])) {
        throw InvalidData("the weight of edge " + std::to_string(i) + " - " +
                          std::to_string(neighbors[k]) + " is negative or not finite");
      }
      level.weights.indices.push_back(neighbors[k]);
      level.weights.values.push_back(values[k]);
      sum += values[k];
    }
    level.weights.offsets.push_back(level.weights.indices.size());
    level.strength.push_back(sum);
    level.total += sum;
  }
  return level;
}

double modularity_of(const Level& level, double resolution, const std::vector<Index>& labels,
                     std::size_t n_clusters) {
  std::vector<double> strength(n_clusters, 0.0);
  double inside = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    strength[static_cast<std::size_t>(labels[i])] += level.strength[i];
    const auto neighbors = level.weights.row_indices(i);
    const auto values = level.weights.row_values(i);
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
      if (labels[static_cast<std::size_t>(neighbors[k])] == labels[i]) inside += values[k];
    }
  }
  double expected = 0;
  for (const double s : strength) expected += (s / level.total) * (s / level.total);
  return inside / level.total - resolution * expected;
}

/// The largest first, of equal ones that of the first point.
std::vector<Index> by_size(const std::vector<std::size_t>& labels, std::size_t n_clusters) {
  std::vector<std::size_t> size(n_clusters, 0), order(n_clusters), rank(n_clusters);
  for (const std::size_t label : labels) ++size[label];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  for (std::size_t r = 0; r < n_clusters; ++r) rank[order[r]] = r;
  std::vector<Index> result;
  for (const std::size_t label : labels) result.push_back(static_cast<Index>(rank[label]));
  return result;
}

}  // namespace

std::vector<std::string> issues_with(const ClusterOptions& options) {
  if (options.resolution > 0 && std::isfinite(options.resolution)) return {};
  return {"resolution is " + std::to_string(options.resolution) + ": give a positive number"};
}

Clusters cluster_graph(const SparseMatrix& weights, const ClusterOptions& options,
                       const Context& context) {
  std::vector<std::string> issues = issues_with(options);
  if (weights.rows == 0 || weights.rows != weights.cols) {
    issues.push_back("weights is " + std::to_string(weights.rows) + " x " +
                     std::to_string(weights.cols) + ": give a square matrix");
  }
  refuse_if_any(issues);
  const std::size_t n = weights.rows;
  const Level whole = first_level(weights);
  std::vector<std::size_t> labels(n);  // of the points of the data, by points of the level
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  std::vector<std::size_t> cluster = labels;
  Level level = whole;
  for (std::size_t depth = 0; depth < most_levels && level.total > 0; ++depth) {
    const std::vector<std::size_t> order = order_of(level.weights.rows, depth, context);
    const bool has_moved = move_points(level, options.resolution, order, cluster, context);
    std::vector<std::size_t> part = refined(level, options.resolution, order, cluster);
    const std::size_t n_parts = renumber(part, level.weights.rows);
    std::vector<std::size_t> of_part(n_parts);
    for (std::size_t i = 0; i < part.size(); ++i) of_part[part[i]] = cluster[i];
    renumber(of_part, level.weights.rows);
    if (!has_moved && n_parts == level.weights.rows) break;
    for (std::size_t& label : labels) label = part[label];
    level = aggregated(level, part, n_parts);
    cluster = std::move(of_part);
  }
  std::vector<std::size_t> found(n);
  for (std::size_t i = 0; i < n; ++i) found[i] = cluster[labels[i]];
  Clusters result;
  result.n_clusters = split_into_pieces(whole.weights, found);
  result.labels = by_size(found, result.n_clusters);
  if (whole.total > 0) {
    result.modularity = modularity_of(whole, options.resolution, result.labels, result.n_clusters);
  }
  return result;
}

}  // namespace geotherm
