// Heat from some points over the graph of all -> their distances to all -> the map: what all pairs
// would give, at the price of some columns of the kernel.
#include <algorithm>
#include <cmath>

#include "core/transposed.hpp"
#include "dissimilarity/heat_rows.hpp"
#include "embedding/problem.hpp"
#include "landmarks/pull.hpp"
#include "linalg/blas.hpp"
#include "points/orthonormal_rows.hpp"
#include "methods/scaled.hpp"

namespace geotherm::detail {
namespace {

// Random vectors that estimate the kernel's diagonal: those of its range, those of the rest.
constexpr std::size_t n_in_range = 192;
constexpr std::size_t n_probes = 64;
// Where heat does not arrive, ways over other pivots stand in; of very many, nobody has tried it.
constexpr double most_unresolved = 0.1;

bool may_use_pivots(const MethodOptions& options, std::size_t n_points) {
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  const bool is_wanted =
      landmarks.has_full_pivots.value_or(!landmarks.count && n_points <= landmarks.max_exact);
  return is_wanted && options.mds.weights == MdsWeights::none &&
         options.mds.method != MdsMethod::classical && options.dissimilarity.denoise == 0;
}

Matrix<double> random_signs(std::size_t n, std::size_t count, std::string_view purpose,
                            const Context& context) {
  Matrix<double> signs = Matrix<double>::uninitialized(n, count);
  for (std::size_t s = 0; s < count; ++s) {
    Rng rng(context.seed, purpose, s);
    for (std::size_t i = 0; i < n; ++i) signs(i, s) = rng.uniform() < 0.5 ? -1.0 : 1.0;
  }
  return signs;
}

/// h_t(i, i) = |row i of A|^2 with A = h_t/2. Heat is smooth, so A has most of itself in the span Q
/// of its products with a few random vectors: |row i of A Q|^2, and what is left by random signs z
/// without their part in Q, E (A z)_i^2 (Meyer, Musco, Musco and Woodruff 2021, for a diagonal).
std::vector<double> estimated_diagonal(const DiffusionKernel& half_time, const Context& context) {
  const std::size_t n = half_time.size(), n_range = std::min(n_in_range, n / 2);
  Matrix<double> range = transposed(
      half_time.apply(random_signs(n, n_range, "landmarks.range", context), context), context);
  orthonormalize_rows(range, 0, context);
  std::vector<double> diagonal(n);
  const auto add_squares = [&](const Matrix<double>& heat, double share) {
    for (std::size_t i = 0; i < n; ++i) {
      for (const double h : heat.row(i)) diagonal[i] += share * h * h;
    }
  };
  add_squares(half_time.apply(transposed(range, context), context), 1);
  Matrix<double> rest = random_signs(n, n_probes, "landmarks.probes", context);
  Matrix<double> inside = Matrix<double>::uninitialized(n_range, n_probes);
  gemm(1, range, false, rest, false, 0, inside.view());
  gemm(-1, range, true, inside, false, 1, rest.view());
  add_squares(half_time.apply(rest, context), 1 / static_cast<double>(n_probes));
  return diagonal;
}

}  // namespace

std::optional<EmbeddingRun> map_by_pivots(DistanceRun& run, const MethodOptions& options,
                                          const Context& context) {
  const std::size_t n = run.graph.n_points();
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  if (!may_use_pivots(options, n) || n < 4) return std::nullopt;
  DistanceRun full = run;
  full.graph_before.reset();  // compared on all pairs only
  const auto kernel = kernel_of(full, options, context);
  if (!kernel->is_symmetric()) return std::nullopt;
  const std::vector<Index> pivots =
      draw_pivots(n, landmarks.n_pivots.value_or(usual_full_pivots), context);
  Matrix<float> to_pivots = Matrix<float>::uninitialized(n, pivots.size());
  double unit = 1;  // of the distances in float32: a power of two near the scale of the data
  auto& resolved = full.report.resolved;
  {
    const StageClock clock(full.report, "distances");
    HeatKernelOptions half = options.heat;
    half.time = 0.5 * full.kernel.time;
    half.order.reset();
    const Laplacian laplacian = build_laplacian(full.graph, options.laplacian, context);
    UnresolvedRows unresolved;
    HeatGeodesicOptions plain = options.dissimilarity;
    plain.max_distance.reset();  // given in units of the data
    Matrix<double> rows = heat_rows(
        *kernel, pivots, estimated_diagonal(*heat_kernel(laplacian, half, context), context), plain,
        WithoutHeat::is_infinite, unresolved, context);
    resolved["unresolved_share"] = unresolved.share;
    if (unresolved.share > most_unresolved) return std::nullopt;
    if (unresolved.share > 0 && fill_by_ways_over(pivots, rows, context) > 0) return std::nullopt;
    const bool has_units = options.rates == Rates::lengths && full.graph.has_lengths();
    const double scale = has_units ? length_over_heat(full.graph, pivots, rows) : 1;
    resolved["length_scale"] = scale;
    const double limit =
        options.dissimilarity.max_distance.value_or(std::numeric_limits<double>::infinity());
    unit = 1 / unit_for(scale);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t p = 0; p < pivots.size(); ++p) {
        to_pivots(i, p) = static_cast<float>(std::min(limit, scale * rows(p, i)) / unit);
      }
    }
  }
  EmbeddingRun result;
  {
    const StageClock clock(full.report, "layout");
    result.embedding = column_layout(pivots, to_pivots, options.mds, context, unit);
  }
  context.info("distances from " + std::to_string(pivots.size()) + " pivots (" +
               choose_solver(options, n).reason + ")");
  resolved["solver"] = std::string("pivots");
  resolved["mds"] = std::string(to_string(options.mds.method));
  resolved["pivots"] = static_cast<double>(pivots.size());
  resolved["stress"] = result.embedding.stress;
  resolved["layout_iterations"] = static_cast<double>(result.embedding.iterations);
  spread_to_rows(result.embedding, full.unique_inverse);
  result.distances = std::move(full);
  return result;
}

}  // namespace geotherm::detail
