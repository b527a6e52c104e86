// Heat from some points over the graph of all -> their distances to all -> the map: what all pairs
// would give, at the price of some columns of the kernel.
#include "landmarks/pull.hpp"
#include "methods/heat_distances.hpp"
#include "methods/scaled.hpp"

namespace geotherm::detail {
namespace {

bool may_use_pivots(const MethodOptions& options, std::size_t n_points) {
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  const bool is_wanted = landmarks.has_full_pivots.value_or(!landmarks.count &&
                                                            n_points <= landmarks.max_pivot_points);
  return is_wanted && options.mds.weights == MdsWeights::none &&
         options.mds.method != MdsMethod::classical && options.dissimilarity.denoise == 0;
}

}  // namespace

std::optional<EmbeddingRun> map_by_pivots(const DistanceRun& run, const MethodOptions& options,
                                          const Context& context) {
  const std::size_t n = run.graph.n_points();
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  if (!may_use_pivots(options, n) || n < 4) return std::nullopt;
  if (options.laplacian == LaplacianKind::random_walk) return std::nullopt;
  DistanceRun full = run;
  HeatDistances heat(std::move(full.graph), full.time_factor, options, full.report, context);
  const std::vector<Index> pivots =
      draw_pivots(n, landmarks.n_pivots.value_or(usual_full_pivots), context);
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

}  // namespace geotherm::detail
