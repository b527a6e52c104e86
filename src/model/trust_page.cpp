// Trust and the run it is of -> what a page shows of them.
#include "core/take_rows.hpp"
#include "geotherm/trust.hpp"

namespace geotherm {
namespace {

PageGraph graph_of(const Trust& trust, const DistanceRun& fine, LaplacianKind laplacian) {
  const bool has_landmarks = trust.landmarks.graph.n_points() > 0;
  const DistanceRun& run = has_landmarks ? trust.landmarks : fine;
  PageGraph graph{.weights = &run.graph.weights,
                  .has_landmarks = has_landmarks,
                  .laplacian = std::string(to_string(laplacian)),
                  .time = run.kernel.time,
                  .length_scale = run.length_scale,
                  .diagonal_times = trust.diagonal_times,
                  .diagonal = trust.diagonal.view()};
  if (!detail::are_points(run.unique_inverse)) graph.unique_inverse = run.unique_inverse;
  for (const Edge& edge : run.shortcuts.removed) graph.removed.emplace_back(edge.from, edge.to);
  return graph;
}

}  // namespace

TrustOptions trust_options_for_page(std::size_t n_rows, const PageOptions& limits) {
  TrustOptions options;
  if (n_rows > 20'000) options = {.knn = 12, .n_sources = 64, .n_probes = 48, .n_times = 9};
  options.max_rows = limits.max_heat_points;
  return options;
}

PageData with_trust(PageData page, const Trust& trust, const DistanceRun& run,
                    LaplacianKind laplacian) {
  for (std::size_t p = 0; p < trust.distortion.size(); ++p) {
    page.columns.push_back({.name = std::string(kDistortionColumn),
                            .role = PageColumn::Role::trust,
                            .numbers = trust.distortion[p],
                            .panel = p});
  }
  if (!trust.removed_share.empty()) {
    page.columns.push_back({.name = std::string(kRemovedColumn),
                            .role = PageColumn::Role::trust,
                            .numbers = trust.removed_share});
  }
  page.graph = graph_of(trust, run, laplacian);
  if (!trust.neighbors.empty()) {
    page.neighbors =
        PageNeighbors{trust.neighbors.view(), trust.neighbor_distances.view(), trust.neighbor_rows};
  }
  const TimeChoice& choice =
      run.time_choice.times.empty() ? trust.landmarks.time_choice : run.time_choice;
  if (!choice.times.empty()) {
    page.entropy = PageCurve{choice.times, choice.entropies, choice.time, choice.how};
  }
  return page;
}

}  // namespace geotherm
