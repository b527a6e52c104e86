// Distances or coordinates of the distinct points -> the map of the rows of the input.
#include <algorithm>
#include <cmath>

#include "core/take_rows.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {

Matrix<double> graph_eigenmaps(const Graph& graph, std::size_t n_components,
                               const Context& context) {
  // A start has to show the arrangement, not the last digit.
  return spectral_embedding(graph, {.n_components = n_components, .tolerance = 1e-6}, context)
      .coordinates;
}

EmbeddingRun finish(DistanceRun run, SpectralEmbedding found) {
  const std::vector<double>& values = found.eigenvalues;
  if (values.size() > 1) {
    double gap = std::abs(values[1] - values[0]);
    for (std::size_t k = 2; k < values.size(); ++k) {
      gap = std::min(gap, std::abs(values[k] - values[k - 1]));
    }
    run.report.resolved["smallest_eigengap"] = gap;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    run.report.resolved["eigenvalue_" + std::to_string(k + 1)] = values[k];
  }
  EmbeddingRun result =
      finish(std::move(run), std::move(found.coordinates), found.outcome, found.n_products);
  result.eigenvalues = std::move(found.eigenvalues);
  return result;
}

EmbeddingRun finish(DistanceRun run, Matrix<double> coordinates, Outcome outcome,
                    std::size_t iterations) {
  EmbeddingRun result;
  result.embedding.coordinates = std::move(coordinates);
  result.embedding.outcome = outcome;
  result.embedding.iterations = iterations;
  run.report.resolved["layout_iterations"] = static_cast<double>(iterations);
  run.report.resolved["outcome"] = std::string(to_string(outcome));
  spread_to_rows(result.embedding, run.unique_inverse);
  result.distances = std::move(run);
  return result;
}

void spread_to_rows(Dissimilarity& distances, const std::vector<Index>& unique_inverse,
                    const Context& context) {
  const Matrix<double>& of_points = distances.values;
  if (are_points(unique_inverse)) return;
  const std::size_t n = unique_inverse.size();
  Matrix<double> rows = Matrix<double>::uninitialized(n, n);
  parallel_for(context, n, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = of_points.row(static_cast<std::size_t>(unique_inverse[i]));
      const auto to = rows.row(i);
      for (std::size_t j = 0; j < n; ++j) to[j] = from[static_cast<std::size_t>(unique_inverse[j])];
    }
  });
  distances.values = std::move(rows);
}

void spread_to_rows(Embedding& embedding, const std::vector<Index>& unique_inverse) {
  if (are_points(unique_inverse)) return;
  embedding.coordinates = take_rows<double>(embedding.coordinates.view(), unique_inverse);
}

void note_layout(const Embedding& embedding, const MethodOptions& options, RunReport& report) {
  auto& resolved = report.resolved;
  resolved["mds"] = std::string(to_string(options.mds.method));
  // Infinite where all weighted distances are 0: no number to report.
  if (std::isfinite(embedding.stress)) resolved["stress"] = embedding.stress;
  resolved["layout_iterations"] = static_cast<double>(embedding.iterations);
}

void note_device(const DeviceContext& on, const MethodOptions& options, RunReport& report) {
  if (options.device == DeviceKind::cpu) return;
  const DeviceKind used = on.executor != nullptr ? DeviceKind::cuda : DeviceKind::cpu;
  report.resolved["device"] = std::string(to_string(used));
}

EmbeddingRun lay_out(DistanceRun run, const MethodOptions& options, const Context& context) {
  EmbeddingRun result;
  {
    const StageClock clock(run.report, "layout");
    result.embedding = mds(run.dissimilarity.values, options.mds, run.heat, context);
  }
  note_layout(result.embedding, options, run.report);
  spread_to_rows(result.embedding, run.unique_inverse);
  spread_to_rows(run.dissimilarity, run.unique_inverse, context);
  result.distances = std::move(run);
  return result;
}

}  // namespace geotherm::detail
