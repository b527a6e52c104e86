// Heat from some points over the graph of all -> their distances to all -> the map: what all pairs
// would give, at the price of some columns of the kernel.
#include "landmarks/pull.hpp"
#include "methods/heat_distances.hpp"
#include "methods/scaled.hpp"

namespace geotherm {

std::optional<std::size_t> pivots_on_points(const MethodOptions& options, std::size_t n_points) {
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  const bool is_wanted = landmarks.has_full_pivots.value_or(!landmarks.count &&
                                                            n_points <= landmarks.max_pivot_points);
  if (!is_wanted || n_points < 4 || options.mds.weights != MdsWeights::none ||
      options.mds.method == MdsMethod::classical || options.dissimilarity.denoise != 0 ||
      options.laplacian == LaplacianKind::random_walk) {
    return std::nullopt;
  }
  return std::min(n_points, landmarks.n_pivots.value_or(detail::usual_full_pivots(n_points)));
}

namespace detail {

std::optional<EmbeddingRun> map_by_pivots(const DistanceRun& run, const MethodOptions& options,
                                          const Context& context) {
  const std::size_t n = run.graph.n_points();
  const std::optional<std::size_t> count = pivots_on_points(options, n);
  if (!count) return std::nullopt;
  DistanceRun full = run;
  HeatDistances heat(std::move(full.graph), TimeHints::of(full), options, full.report, context);
  // Between landmarks paths are shorter.
  const bool is_asked_for = options.landmarks && options.landmarks->has_full_pivots;
  if (!heat.sees_all() && !is_asked_for) return std::nullopt;
  const std::vector<Index> pivots = draw_pivots(n, *count, context);
  std::optional<Matrix<double>> rows;
  auto& resolved = full.report.resolved;
  {
    const StageClock clock(full.report, "distances");
    rows = heat.from_pivots(pivots, context);
    if (!rows) return std::nullopt;
  }
  EmbeddingRun result;
  {
    const StageClock clock(full.report, "layout");
    result.embedding =
        row_layout(pivots, *rows, options.dissimilarity.max_distance, options.mds, context);
  }
  context.info("distances from " + std::to_string(pivots.size()) + " pivots (" +
               choose_solver(options, n).reason + ")");
  resolved["solver"] = std::string("pivots");
  resolved["mds"] = std::string(to_string(options.mds.method));
  resolved["pivots"] = static_cast<double>(pivots.size());
  resolved["stress"] = result.embedding.stress;
  resolved["layout_iterations"] = static_cast<double>(result.embedding.iterations);
  spread_to_rows(result.embedding, full.unique_inverse);
  result.distances = std::move(heat).added_to(std::move(full));
  return result;
}

}  // namespace detail
}  // namespace geotherm
