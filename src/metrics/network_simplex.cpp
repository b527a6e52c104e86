// Integer supplies and demands with real costs in, cheapest flow out, by LEMON's network simplex.
#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/transport.hpp"

#ifdef GEOTHERM_WITH_LEMON
#define LEMON_ONLY_TEMPLATES  // the headers alone, no library to link
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>
#endif

namespace geotherm {

bool has_exact_transport() {
#ifdef GEOTHERM_WITH_LEMON
  return true;
#else
  return false;
#endif
}

namespace detail {

#ifdef GEOTHERM_WITH_LEMON

std::vector<IntegerFlow> cheapest_flow(MatrixView<const double> costs, std::span<const Mass> supply,
                                       std::span<const Mass> demand) {
  const std::size_t n = costs.rows, m = costs.cols, n_nodes = n + m;
  // LEMON numbers arcs by int and adds one artificial arc a node.
  constexpr auto int_limit = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (n > int_limit / 4 || m > int_limit / 4 || n * m > int_limit - 4 * n_nodes) {
    throw InvalidArgument("transport between " + std::to_string(n) + " and " + std::to_string(m) +
                          " points has too many pairs: draw samples of 40,000 or fewer");
  }
  double least = costs(0, 0), most = costs(0, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const double cost : costs.row(i)) {
      least = std::min(least, cost);
      most = std::max(most, cost);
    }
  }
  // Integer costs make every comparison exact, so the simplex cannot cycle on rounding errors. Node
  // potentials are sums along a path of at most n_nodes arcs, on top of an artificial cost of 2^62:
  // costs below 2^60 / (n_nodes + 2) leave them module. Subtracting `least` moves all plans alike.
  const double half_range = most * 0.5 - least * 0.5;  // halves, since the difference may overflow
  const double limit = 0x1p60 / static_cast<double>(n_nodes + 2);
  const auto to_integer = [&](double cost) {
    if (half_range == 0) return Mass{0};
    return static_cast<Mass>(std::llround((cost * 0.5 - least * 0.5) / half_range * limit));
  };

  using Graph = lemon::StaticDigraph;
  Graph graph;
  {
    std::vector<std::pair<int, int>> arcs;
    arcs.reserve(n * m);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        arcs.emplace_back(static_cast<int>(i), static_cast<int>(n + j));
      }
    }
    graph.build(static_cast<int>(n_nodes), arcs.begin(), arcs.end());
  }
  Graph::ArcMap<Mass> integer_costs(graph);
  Graph::NodeMap<Mass> balance(graph);
  for (std::size_t i = 0; i < n; ++i) {
    balance[Graph::node(static_cast<int>(i))] = supply[i];
    for (std::size_t j = 0; j < m; ++j) {
      integer_costs[Graph::arc(static_cast<int>(i * m + j))] = to_integer(costs(i, j));
    }
  }
  for (std::size_t j = 0; j < m; ++j) balance[Graph::node(static_cast<int>(n + j))] = -demand[j];

  using Simplex = lemon::NetworkSimplex<Graph, Mass, Mass>;
  Simplex simplex(graph);
  simplex.costMap(integer_costs).supplyMap(balance);
  if (simplex.run() != Simplex::OPTIMAL) {
    // Cannot be: every source reaches every sink and the totals agree.
    throw std::logic_error("the transport problem was not solved: supplies and demands differ");
  }
  std::vector<IntegerFlow> flows;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const Mass mass = simplex.flow(Graph::arc(static_cast<int>(i * m + j)));
      if (mass > 0) flows.push_back({static_cast<Index>(i), static_cast<Index>(j), mass});
    }
  }
  return flows;
}

#else

std::vector<IntegerFlow> cheapest_flow(MatrixView<const double>, std::span<const Mass>,
                                       std::span<const Mass>) {
  throw InvalidArgument(
      "this build cannot solve transport problems: build it where LEMON's headers are "
      "(liblemon-dev) and with GEOTHERM_WITH_LEMON on");
}

#endif

}  // namespace detail
}  // namespace geotherm
