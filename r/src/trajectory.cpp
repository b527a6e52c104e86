// Order from a root, ends, branches and fates.
#include <numeric>

#include "bindings.hpp"
#include "input.hpp"
#include "options.hpp"
#include "run.hpp"

namespace {

using namespace geotherm;
using namespace cpp11::literals;

struct Found {
  DistanceRun run;
  std::vector<Index> candidates;
  Pseudotime order;
  MilestoneNetwork network;
  Matrix<double> fates;
};

/// Values of places, one per row of the data.
template <class T>
std::vector<T> by_row(const std::vector<T>& values, const std::vector<Index>& place) {
  std::vector<T> rows;
  rows.reserve(place.size());
  for (const Index p : place) rows.push_back(values[static_cast<std::size_t>(p)]);
  return rows;
}

cpp11::writable::list to_r(const Found& found, const std::vector<Index>& place,
                           const std::vector<Index>& first) {
  std::vector<Index> from, to, cells;
  std::vector<double> lengths;
  for (const MilestoneEdge& edge : found.network.edges) {
    from.push_back(edge.from);
    to.push_back(edge.to);
    lengths.push_back(edge.length);
  }
  for (const Index m : found.network.milestones)
    cells.push_back(first[static_cast<std::size_t>(m)]);
  Matrix<double> fates(place.size(), found.fates.cols());
  for (std::size_t i = 0; i < place.size(); ++i) {
    const auto row = found.fates.row(static_cast<std::size_t>(place[i]));
    std::copy(row.begin(), row.end(), fates.row(i).begin());
  }
  cpp11::writable::list all(
      {"pseudotime"_nm = r::to_r(by_row(found.order.values, place)),
       "fates"_nm = r::to_r(fates.view()), "milestone_cells"_nm = r::indices_to_r(cells),
       "from"_nm = r::indices_to_r(from), "to"_nm = r::indices_to_r(to),
       "length"_nm = r::to_r(lengths),
       "edge_of"_nm = r::indices_to_r(by_row(found.network.edge_of, place)),
       "fraction"_nm = r::to_r(by_row(found.network.fraction, place)),
       "ends"_nm = r::indices_to_r(found.network.ends),
       "branchings"_nm = r::indices_to_r(found.network.branchings),
       "explained"_nm = found.network.explained, "is_supported"_nm = found.network.is_supported});
  if (!found.order.low.empty()) {
    all.push_back("low"_nm = r::to_r(by_row(found.order.low, place)));
    all.push_back("high"_nm = r::to_r(by_row(found.order.high, place)));
  }
  return all;
}

}  // namespace

/// Without roots: the rows of candidates alone.
extern "C" SEXP geotherm_trajectory(SEXP input, SEXP options, SEXP roots, SEXP wanted,
                                    SEXP settings) {
  BEGIN_CPP11
  MethodOptions chosen = r::method_options(r::method_of("heatgeo"), cpp11::list(options));
  chosen.rates = Rates::hops;
  chosen.components = ComponentPolicy::separate;
  const std::vector<Index> rows = r::indices_of(cpp11::integers(roots));
  const auto bootstrap =
      static_cast<std::size_t>(cpp11::as_cpp<int>(cpp11::list(wanted)["bootstrap"]));
  const double level = cpp11::as_cpp<double>(cpp11::list(wanted)["level"]);
  r::HeldInput held{cpp11::list(input)};
  r::Run run{cpp11::list(settings)};
  Found found;
  std::vector<Index> place, first;
  const bool is_whole = run([&](const Context& context) {
    held.prepare(context);
    chosen = with_heat_geo_choices(chosen, held.input.n_points());
    found.run = shared_graph(held.input, chosen, context);
    const Graph& graph = found.run.graph;
    place = found.run.unique_inverse;
    if (place.empty()) {
      place.resize(held.input.n_points());
      std::iota(place.begin(), place.end(), Index{0});
    }
    first.assign(graph.n_points(), -1);
    for (std::size_t i = place.size(); i-- > 0;) {
      first[static_cast<std::size_t>(place[i])] = static_cast<Index>(i);
    }
    if (rows.empty()) {
      for (const Index at : root_candidates(graph, 4, context)) {
        found.candidates.push_back(first[static_cast<std::size_t>(at)]);
      }
      return;
    }
    std::vector<Index> starts;
    for (const Index row : rows) starts.push_back(place[static_cast<std::size_t>(row)]);
    found.order = pseudotime(graph, starts, {.bootstrap = bootstrap, .level = level}, context);
    found.network = milestone_network(graph, found.order, starts.front(), {}, context);
    const SparseMatrix walk = directed_walk(graph, found.order.by_distance, {}, context);
    found.fates =
        fate_probabilities(walk, found.order.by_distance, cells_at_ends(found.network), context);
  });
  if (!is_whole) return r::interrupted();
  cpp11::writable::list all =
      rows.empty() ? cpp11::writable::list({"candidates"_nm = r::indices_to_r(found.candidates)})
                   : to_r(found, place, first);
  all.push_back("warnings"_nm = run.warnings());
  return all;
  END_CPP11
}
