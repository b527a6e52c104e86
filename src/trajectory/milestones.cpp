// Graph and pseudotime -> a network of milestones with every cell on one of its edges.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "geotherm/dissimilarity.hpp"
#include "trajectory/skeleton.hpp"
#include "trajectory/slow_geometry.hpp"

namespace geotherm {
namespace {

using detail::Skeleton;

/// As in the order: squared distances are resistances of the slow modes.
constexpr double power = 0.5;
/// A loop is closed through these shares of the flow between neighbours.
constexpr double usual_flow = 0.3, little_flow = 0.1;

struct Polyline {
  std::vector<Index> nodes;
};

/// Chains of the skeleton between nodes that stay: the root, ends and branchings.
std::vector<Polyline> chains_of(const Skeleton& skeleton) {
  const auto stays = [&](Index node) {
    return node == skeleton.root || skeleton.degree(node) != 2;
  };
  std::vector<Polyline> chains;
  std::set<std::pair<Index, Index>> walked;
  for (std::size_t a = 0; a < skeleton.links.size(); ++a) {
    const auto start = static_cast<Index>(a);
    if (skeleton.degree(start) == 0 || !stays(start)) continue;
    for (const Index first : skeleton.links[a]) {
      if (walked.contains({start, first})) continue;
      Polyline chain{{start, first}};
      walked.insert({start, first});
      while (!stays(chain.nodes.back())) {
        const Index at = chain.nodes.back(), before = chain.nodes[chain.nodes.size() - 2];
        const auto& around = skeleton.links[static_cast<std::size_t>(at)];
        chain.nodes.push_back(around[0] == before ? around[1] : around[0]);
      }
      walked.insert({chain.nodes.back(), chain.nodes[chain.nodes.size() - 2]});
      chains.push_back(std::move(chain));
    }
  }
  return chains;
}

/// A network has one edge between two milestones and none from one to itself: chains that would
/// break this are cut at inner nodes.
std::vector<Polyline> cut_parallel(std::vector<Polyline> chains) {
  std::vector<Polyline> result;
  std::map<std::pair<Index, Index>, std::size_t> count;
  for (const Polyline& chain : chains) {
    const auto ends = std::minmax(chain.nodes.front(), chain.nodes.back());
    ++count[{ends.first, ends.second}];
  }
  for (Polyline& chain : chains) {
    const auto ends = std::minmax(chain.nodes.front(), chain.nodes.back());
    const bool is_loop = ends.first == ends.second;
    const std::size_t n_parts =
        is_loop ? 3 : (count[{ends.first, ends.second}] > 1 && chain.nodes.size() > 2 ? 2 : 1);
    const std::size_t n_segments = chain.nodes.size() - 1;
    std::size_t begin = 0;
    for (std::size_t part = 1; part <= n_parts; ++part) {
      const std::size_t end = n_segments * part / n_parts;
      if (end == begin) continue;
      result.push_back({{chain.nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                         chain.nodes.begin() + static_cast<std::ptrdiff_t>(end) + 1}});
      begin = end;
    }
  }
  return result;
}

struct Projection {
  double squared = std::numeric_limits<double>::infinity();
  Index edge = -1;
  double at = 0;  ///< along the edge, in lengths
};

void project(std::span<const double> x, const Skeleton& skeleton, const Polyline& line, Index edge,
             Projection& best) {
  double before = 0;
  for (std::size_t s = 0; s + 1 < line.nodes.size(); ++s) {
    const auto a = skeleton.nodes.row(static_cast<std::size_t>(line.nodes[s]));
    const auto b = skeleton.nodes.row(static_cast<std::size_t>(line.nodes[s + 1]));
    const detail::OnSegment nearest = detail::on_segment(x, a, b);
    const double length = skeleton.length(line.nodes[s], line.nodes[s + 1]);
    if (nearest.squared < best.squared) {
      best = {nearest.squared, edge, before + nearest.share * length};
    }
    before += length;
  }
}

/// Distances along the network between its milestones.
Matrix<double> between_milestones(const MilestoneNetwork& network) {
  const std::size_t m = network.milestones.size();
  Matrix<double> between(m, m, std::numeric_limits<double>::infinity());
  for (std::size_t a = 0; a < m; ++a) between(a, a) = 0;
  for (const MilestoneEdge& edge : network.edges) {
    const auto a = static_cast<std::size_t>(edge.from), b = static_cast<std::size_t>(edge.to);
    between(a, b) = between(b, a) = std::min(between(a, b), edge.length);
  }
  for (std::size_t via = 0; via < m; ++via) {
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b < m; ++b) {
        between(a, b) = std::min(between(a, b), between(a, via) + between(via, b));
      }
    }
  }
  return between;
}

double along_network(const MilestoneNetwork& network, const Matrix<double>& between, std::size_t i,
                     std::size_t j) {
  const MilestoneEdge& p = network.edges[static_cast<std::size_t>(network.edge_of[i])];
  const MilestoneEdge& q = network.edges[static_cast<std::size_t>(network.edge_of[j])];
  double least = std::numeric_limits<double>::infinity();
  if (network.edge_of[i] == network.edge_of[j]) {
    least = std::abs(network.fraction[i] - network.fraction[j]) * p.length;
  }
  for (const bool from_i : {true, false}) {
    for (const bool from_j : {true, false}) {
      const auto a = static_cast<std::size_t>(from_i ? p.from : p.to);
      const auto b = static_cast<std::size_t>(from_j ? q.from : q.to);
      const double to_a = (from_i ? network.fraction[i] : 1 - network.fraction[i]) * p.length;
      const double to_b = (from_j ? network.fraction[j] : 1 - network.fraction[j]) * q.length;
      least = std::min(least, to_a + between(a, b) + to_b);
    }
  }
  return least;
}

/// Geodesics among the places, from a few cells to all.
struct SomeGeodesics {
  std::vector<Index> sources;
  Matrix<double> lengths;
};

SomeGeodesics some_geodesics(const Graph& connected, const Matrix<double>& places,
                             const Context& context) {
  constexpr std::size_t n_sources = 16;
  const std::size_t n = places.rows();
  SomeGeodesics some;
  const std::size_t step = std::max<std::size_t>(1, n / n_sources);
  for (std::size_t i = step / 2; i < n && some.sources.size() < n_sources; i += step) {
    some.sources.push_back(static_cast<Index>(i));
  }
  const Graph geodesics =
      detail::geodesic_graph(connected, places, PseudotimeOptions{}.knn, context);
  some.lengths = shortest_paths(geodesics, some.sources, context);
  return some;
}

/// Squared correlation of distances along the network with geodesics to a thousand cells.
double share_explained(const MilestoneNetwork& network, const SomeGeodesics& geodesics,
                       std::span<const Index> cells) {
  constexpr std::size_t n_targets = 1000;
  const std::size_t n = cells.size();
  const Matrix<double> between = between_milestones(network);
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  const std::size_t stride = std::max<std::size_t>(1, n / n_targets);
  for (std::size_t r = 0; r < geodesics.sources.size(); ++r) {
    const Index source = cells[static_cast<std::size_t>(geodesics.sources[r])];
    for (std::size_t i = 0; i < n; i += stride) {
      const double a = geodesics.lengths(r, i);
      const double b = along_network(network, between, static_cast<std::size_t>(source),
                                     static_cast<std::size_t>(cells[i]));
      count += 1;
      x += a;
      y += b;
      xx += a * a;
      yy += b * b;
      xy += a * b;
    }
  }
  const double sx = xx - x * x / count, sy = yy - y * y / count, sxy = xy - x * y / count;
  return sx > 0 && sy > 0 && sxy > 0 ? sxy * sxy / (sx * sy) : 0;
}

Index nearest_to(std::span<const double> node, const Matrix<double>& places) {
  double least = std::numeric_limits<double>::infinity();
  Index found = 0;
  for (std::size_t i = 0; i < places.rows(); ++i) {
    double away = 0;
    for (std::size_t k = 0; k < node.size(); ++k) {
      away += (places(i, k) - node[k]) * (places(i, k) - node[k]);
    }
    if (away < least) {
      least = away;
      found = static_cast<Index>(i);
    }
  }
  return found;
}

/// Those that the order was found with; where it came without them or more are wanted than it
/// looks for, they are found anew.
detail::SlowModes modes_of(const Pseudotime& order, const Graph& connected,
                           const std::vector<Index>& cells, std::size_t n_modes,
                           const Context& context) {
  const SlowCoordinates& known = order.slow;
  const bool wants_more =
      n_modes > MilestoneOptions{}.n_modes && n_modes > known.eigenvalues.size();
  if (known.cells != cells || wants_more) {
    return detail::slow_modes(connected, n_modes, context);
  }
  detail::SlowModes slow{Matrix<double>(cells.size(), known.modes.cols()), known.eigenvalues};
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto row = known.modes.row(static_cast<std::size_t>(cells[k]));
    std::copy(row.begin(), row.end(), slow.modes.row(k).begin());
  }
  return slow;
}

/// Milestones numbered from the root outwards, edges pointing away from it.
void name_milestones(MilestoneNetwork& network, const Skeleton& skeleton,
                     std::vector<Polyline>& lines, const Matrix<double>& places,
                     std::span<const Index> cells) {
  const std::vector<double> away = along(skeleton, skeleton.root);
  std::set<Index> kept = {skeleton.root};
  double longest = 0;
  for (Polyline& line : lines) {
    const auto front = static_cast<std::size_t>(line.nodes.front());
    const auto back = static_cast<std::size_t>(line.nodes.back());
    if (away[front] > away[back]) std::reverse(line.nodes.begin(), line.nodes.end());
    kept.insert({line.nodes.front(), line.nodes.back()});
    longest = std::max({longest, away[front], away[back]});
  }
  std::vector<Index> order(kept.begin(), kept.end());
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return away[static_cast<std::size_t>(a)] < away[static_cast<std::size_t>(b)];
  });
  std::map<Index, Index> number;
  for (const Index node : order) {
    number[node] = static_cast<Index>(network.milestones.size());
    network.milestones.push_back(cells[static_cast<std::size_t>(
        nearest_to(skeleton.nodes.row(static_cast<std::size_t>(node)), places))]);
  }
  std::vector<std::size_t> degree(order.size(), 0);
  for (const Polyline& line : lines) {
    double length = 0;
    for (std::size_t s = 0; s + 1 < line.nodes.size(); ++s) {
      length += skeleton.length(line.nodes[s], line.nodes[s + 1]);
    }
    const MilestoneEdge edge{number[line.nodes.front()], number[line.nodes.back()],
                             longest > 0 ? length / longest : 0};
    ++degree[static_cast<std::size_t>(edge.from)];
    ++degree[static_cast<std::size_t>(edge.to)];
    network.edges.push_back(edge);
  }
  for (std::size_t m = 0; m < degree.size(); ++m) {
    if (degree[m] == 1 && m > 0) network.ends.push_back(static_cast<Index>(m));
    if (degree[m] > 2) network.branchings.push_back(static_cast<Index>(m));
  }
}

/// Milestones and edges of the skeleton, every cell on the nearest edge.
MilestoneNetwork network_of(const Skeleton& skeleton, const Matrix<double>& places,
                            std::span<const Index> cells, std::size_t n, const Context& context) {
  std::vector<Polyline> lines = cut_parallel(chains_of(skeleton));
  MilestoneNetwork network;
  network.n_loops = skeleton.n_loops;
  network.edge_of.assign(n, -1);
  network.fraction.assign(n, 0);
  name_milestones(network, skeleton, lines, places, cells);
  std::vector<double> length(lines.size(), 0);
  for (std::size_t e = 0; e < lines.size(); ++e) {
    for (std::size_t s = 0; s + 1 < lines[e].nodes.size(); ++s) {
      length[e] += skeleton.length(lines[e].nodes[s], lines[e].nodes[s + 1]);
    }
  }
  parallel_for(context, cells.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Projection best;
      for (std::size_t e = 0; e < lines.size(); ++e) {
        project(places.row(i), skeleton, lines[e], static_cast<Index>(e), best);
      }
      if (best.edge < 0) continue;
      const double whole = length[static_cast<std::size_t>(best.edge)];
      network.edge_of[static_cast<std::size_t>(cells[i])] = best.edge;
      network.fraction[static_cast<std::size_t>(cells[i])] =
          whole > 0 ? std::clamp(best.at / whole, 0.0, 1.0) : 0;
    }
  });
  return network;
}

}  // namespace

std::vector<std::string> issues_with(const MilestoneOptions& options) {
  std::vector<std::string> issues;
  const auto share = [&](const char* name, double value) {
    if (value >= 0 && value <= 1) return;
    issues.push_back(std::string(name) + " is " + std::to_string(value) +
                     ": give a number in [0, 1]");
  };
  if (options.n_modes < 2 || options.n_modes > 100) {
    issues.push_back("n_modes is " + std::to_string(options.n_modes) + ": give 2 to 100");
  }
  if (options.n_groups && *options.n_groups < 4) {
    issues.push_back("n_groups is " + std::to_string(*options.n_groups) + ": give 4 or more");
  }
  share("min_branch", options.min_branch);
  share("min_cells", options.min_cells);
  share("min_explained", options.min_explained);
  return issues;
}

MilestoneNetwork milestone_network(const Graph& graph, const Pseudotime& order, Index root,
                                   const MilestoneOptions& options, const Context& context) {
  auto issues = issues_with(options);
  const std::size_t n = graph.n_points();
  if (order.values.size() != n) {
    issues.push_back("the pseudotime is of " + std::to_string(order.values.size()) +
                     " cells, the graph of " + std::to_string(n));
  } else if (root < 0 || static_cast<std::size_t>(root) >= n ||
             !std::isfinite(order.values[static_cast<std::size_t>(root)])) {
    issues.push_back("root " + std::to_string(root) + " has no pseudotime");
  }
  refuse_if_any(issues);
  std::vector<Index> cells;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isfinite(order.values[i])) cells.push_back(static_cast<Index>(i));
  }
  const Graph connected = detail::part_of(graph, cells);
  const Matrix<double> places = detail::weighted_modes(
      modes_of(order, connected, cells, options.n_modes, context), options.n_modes, power);
  context.report_or_throw({"milestones", 0, cells.size()});
  std::vector<double> order_of_cells;
  for (const Index cell : cells) {
    order_of_cells.push_back(order.values[static_cast<std::size_t>(cell)]);
  }
  // Where it begins. Of several roots one may lie far from the others.
  auto root_place =
      static_cast<Index>(std::lower_bound(cells.begin(), cells.end(), root) - cells.begin());
  const auto first = std::ranges::min_element(order_of_cells);
  if (*first < order_of_cells[static_cast<std::size_t>(root_place)]) {
    root_place = static_cast<Index>(first - order_of_cells.begin());
  }
  const SomeGeodesics geodesics = some_geodesics(connected, places, context);
  const auto drawn = [&](double share_of_flow) {
    const Skeleton skeleton = detail::make_skeleton(connected, places, order_of_cells, root_place,
                                                    share_of_flow, options, context);
    MilestoneNetwork network = network_of(skeleton, places, cells, n, context);
    if (!network.edges.empty()) network.explained = share_explained(network, geodesics, cells);
    return network;
  };
  MilestoneNetwork network = drawn(usual_flow);
  if (network.explained < MilestoneOptions{}.min_explained) {
    // Cells may happen to be few where a loop closes: it is one if it explains more.
    MilestoneNetwork closed = drawn(little_flow);
    if (closed.n_loops > network.n_loops && closed.explained > network.explained) {
      network = std::move(closed);
    }
  }
  network.is_supported = network.explained >= options.min_explained;
  return network;
}

}  // namespace geotherm
