// Shortcut edges join regions that are far apart along the data. They are found by one search over
// the whole graph, confirmed by searches over subsamples, and removed (docs/methods/shortcuts.md).
#include "geotherm/shortcuts.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "graph/degrees.hpp"
#include "graph/shortcut_search.hpp"

namespace geotherm {
namespace {

using detail::at;
using detail::CandidateEdge;
using detail::degrees;
using detail::ShortcutSearch;
using detail::Windows;

/// What is left of the weight of an edge that is not rejected in most subsamples: so little that
/// heat takes any other path, and this one only where there is none.
constexpr double doubtful_weight = 1e-20;

/// For each rejected edge, the share of the subsamples with both of its ends in which it is not
/// cleared. (An outlier may keep its other side there: the two sides are apart all the same.)
std::vector<double> recurrence(const Graph& graph, const std::vector<CandidateEdge>& candidates,
                               const ShortcutOptions& options,
                               const std::vector<CandidateEdge>& rejected, const Context& context) {
  std::vector<double> n_rejected(rejected.size(), 0);
  std::vector<double> n_seen(rejected.size(), 0);
  const std::size_t n = graph.n_points();
  for (std::size_t b = 0; b < options.n_subsamples; ++b) {
    context.report_or_throw({"shortcut edges", b, options.n_subsamples});
    std::vector<char> in_sample(n, 0);
    Rng rng(context.seed, "shortcuts.subsample", b);
    for (char& inside : in_sample) inside = rng.uniform() < 0.8 ? 1 : 0;
    const ShortcutSearch search(graph, candidates, options, in_sample, context);
    for (std::size_t c = 0; c < rejected.size(); ++c) {
      const CandidateEdge& e = rejected[c];
      if (in_sample[at(e.from)] == 0 || in_sample[at(e.to)] == 0) continue;
      n_seen[c] += 1;
      n_rejected[c] += search.is_cleared(e) ? 0 : 1;
    }
  }
  for (std::size_t c = 0; c < rejected.size(); ++c) {
    n_rejected[c] = n_seen[c] == 0 ? 1 : n_rejected[c] / n_seen[c];
  }
  return n_rejected;
}

void drop_empty_edges(Graph& graph) {
  SparseMatrix& w = graph.weights;
  std::size_t place = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < w.rows; ++i) {
    const std::size_t end = w.offsets[i + 1];
    for (std::size_t k = begin; k < end; ++k) {
      if (w.values[k] == 0) continue;
      w.indices[place] = w.indices[k];
      w.values[place] = w.values[k];
      graph.lengths[place] = graph.lengths[k];
      ++place;
    }
    w.offsets[i + 1] = place;
    begin = end;
  }
  w.indices.resize(place);
  w.values.resize(place);
  graph.lengths.resize(place);
}

/// Where a point lost more than `max_loss` of its weighted degree, its other edges are raised.
void raise_kept_edges(SparseMatrix& w, const std::vector<double>& before, double max_loss) {
  const std::vector<double> after = degrees(w);
  std::vector<double> factor(w.rows, 1);
  for (std::size_t i = 0; i < w.rows; ++i) {
    const double least = (1 - max_loss) * before[i];
    if (after[i] > 0 && after[i] < least) factor[i] = least / after[i];
  }
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
      w.values[k] *= std::max(factor[i], factor[at(w.indices[k])]);
    }
  }
}

}  // namespace

std::vector<std::string> issues_with(const ShortcutOptions& o) {
  std::vector<std::string> found;
  const auto complain = [&](const std::string& field, double value, const std::string& remedy) {
    found.push_back("shortcuts." + field + " is " + std::to_string(value) + ": give " + remedy);
  };
  if (!(o.share >= 0 && o.share <= 0.5)) complain("share", o.share, "a share in [0, 0.5]");
  if (o.window < 2) complain("window", static_cast<double>(o.window), "2 or more");
  if (!(o.spread > 1)) complain("spread", o.spread, "a number above 1");
  if (!(o.detour > 1)) complain("detour", o.detour, "a number above 1");
  if (o.least_population < 1) complain("least_population", 0, "1 or more");
  if (!(o.max_loss > 0 && o.max_loss <= 1)) complain("max_loss", o.max_loss, "a share in (0, 1]");
  return found;
}

ShortcutRemoval remove_shortcuts(Graph given, const NeighborLists& wide,
                                 const ShortcutOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  ShortcutRemoval result{.graph = std::move(given), .report = {}};
  Graph& graph = result.graph;
  ShortcutReport& report = result.report;
  report.removed_fraction.assign(graph.n_points(), 0);
  if (options.share == 0 || !graph.has_lengths() || graph.weights.n_entries() == 0) return result;
  const Windows windows(wide, options.window, options.spread, context);
  const std::vector<CandidateEdge> candidates =
      detail::find_candidates(graph, windows, options.share, context);
  report.n_edges = graph.weights.n_entries() / 2;
  report.n_candidates = candidates.size();
  std::vector<CandidateEdge> rejected;
  {
    const ShortcutSearch whole(graph, candidates, options, {}, context);
    for (const CandidateEdge& e : candidates) {
      if (whole.is_rejected(e)) rejected.push_back(e);
    }
  }
  if (rejected.empty()) return result;
  std::sort(rejected.begin(), rejected.end(),
            [](const CandidateEdge& a, const CandidateEdge& b) { return a.entry < b.entry; });
  const std::vector<double> certainty =
      options.n_subsamples > 0 ? recurrence(graph, candidates, options, rejected, context)
                               : std::vector<double>(rejected.size(), 1);

  const std::vector<double> before = degrees(graph.weights);
  for (std::size_t c = 0; c < rejected.size(); ++c) {
    const CandidateEdge& e = rejected[c];
    double& weight = graph.weights.values[e.entry];
    const Edge edge{e.from, e.to, graph.lengths[e.entry], weight};
    const bool is_sure = certainty[c] > 0.5;
    (is_sure ? report.removed : report.down_weighted).push_back(edge);
    weight *= is_sure ? 0 : doubtful_weight;
    graph.weights.values[e.mirror] = weight;
  }
  drop_empty_edges(graph);
  raise_kept_edges(graph.weights, before, options.max_loss);
  const std::vector<double> after = degrees(graph.weights);
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    if (before[i] > 0) report.removed_fraction[i] = std::max(0.0, 1 - after[i] / before[i]);
  }
  return result;
}

}  // namespace geotherm
