// The pipeline of the methods of kernel distances: graph, kernel, distances, map; where there are
// too many points, kernel and distances on landmarks.
#include "core/device.hpp"
#include "dissimilarity/device_geodesic.hpp"
#include "dissimilarity/kernel_distance.hpp"
#include "embedding/device_pairs.hpp"
#include "methods/check_map.hpp"
#include "methods/heat_distances.hpp"
#include "methods/run_state.hpp"
#include "methods/scaled.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm::detail {
namespace {

/// What is done to distances once they have their unit.
void finish(Matrix<double>& values, const HeatGeodesicOptions& options, const Context& context) {
  if (options.denoise > 0) denoise_triplets(values, options.denoise, context);
  if (options.max_distance) cut_to(values, *options.max_distance, context);
}

#ifdef GEOTHERM_WITH_CUDA
/// Few points are sooner done than sent; weights and denoising are the CPU's.
bool lays_out_on_device(const DistanceRun& run, const MethodOptions& options,
                        const Context& context) {
  constexpr std::size_t fewest = 1000;
  return device_of(context) != nullptr && run.graph.n_points() >= fewest &&
         options.mds.weights == MdsWeights::none && options.dissimilarity.denoise == 0 &&
         options.mds.n_components <= most_device_components;
}
#endif

/// A run with the distances between the points of its graph: in run.dissimilarity, or on a GPU.
struct Measured {
  DistanceRun run;
  ResidentDistances resident;  ///< empty: run.dissimilarity has them
};

/// `may_be_resident`: distances may stay on the device of the context, if it has one.
Measured measured(const KernelDistance& method, DistanceRun run, const MethodOptions& options,
                  const Context& context, [[maybe_unused]] bool may_be_resident = false) {
  ResidentDistances resident;
  if (!method.has_units) {
    KernelRun made =
        method.kernel(std::move(run.graph), run.time_factor, options, run.report, context);
    run.graph = std::move(made.graph);
    run.time_choice = std::move(made.time_choice);
    run.kernel = made.kernel->report();
    const StageClock clock(run.report, "distances");
    run.dissimilarity = method.distance(*made.kernel, options, context);
    run.heat = heat_weights(*made.kernel, options, context);
  } else {
#ifdef GEOTHERM_WITH_CUDA
    const bool tries_device = may_be_resident && lays_out_on_device(run, options, context);
#endif
    HeatDistances heat(std::move(run.graph), TimeHints::of(run), options, run.report, context);
    const StageClock clock(run.report, "distances");
#ifdef GEOTHERM_WITH_CUDA
    if (tries_device) {
      if (auto found = heat.resident_pairs(*device_of(context), context)) {
        resident = std::move(found->distances);
        run.dissimilarity = std::move(found->notes);
        if (options.dissimilarity.max_distance) {
          cut_to(resident, *options.dissimilarity.max_distance);
        }
      }
    }
#endif
    if (resident.empty()) {
      run.dissimilarity = heat.all_pairs(context);
      // Limit and denoising come after the unit: the limit is in the units of the data.
      finish(run.dissimilarity.values, options.dissimilarity, context);
    }
    run.heat = heat_weights(heat.kernel(), options, context);
    run = std::move(heat).added_to(std::move(run));
  }
  note_distances(run.dissimilarity, run.report);
  return {std::move(run), std::move(resident)};
}

#ifdef GEOTHERM_WITH_CUDA
/// Embeds distances on a GPU. They stay there: the run has none.
EmbeddingRun lay_out_on_device(DistanceRun run, const ResidentDistances& distances,
                               const MethodOptions& options, const Context& context) {
  EmbeddingRun result;
  {
    const StageClock clock(run.report, "layout");
    result.embedding = mds_of_resident(distances, options.mds, context);
  }
  note_layout(result.embedding, options, run.report);
  spread_to_rows(result.embedding, run.unique_inverse);
  result.distances = std::move(run);
  return result;
}
#endif

}  // namespace

CoarseMethod on_landmarks(const KernelDistance& method) {
  return {[method](DistanceRun coarse, const Cells&, const MethodOptions& options,
                   const Context& context) {
            auto [run, resident] = measured(method, std::move(coarse), options, context, true);
#ifdef GEOTHERM_WITH_CUDA
            if (!resident.empty()) run.dissimilarity.values = download(resident, context);
#endif
            return std::move(run);
          },
          method.walks_between_cells, method.has_units, method.has_units};
}

Dissimilarity geodesic_of(const DiffusionKernel& kernel, const MethodOptions& options,
                          const Context& context) {
  return heat_geodesic(kernel, options.dissimilarity, context);
}

Dissimilarity potential_of(const DiffusionKernel& kernel, const MethodOptions&,
                           const Context& context) {
  return potential_distance(kernel, {}, context);
}

Dissimilarity heat_potential_of(const DiffusionKernel& kernel, const MethodOptions&,
                                const Context& context) {
  return potential_distance(kernel, {.offset = heat_potential_offset}, context);
}

DistanceRun kernel_distances(const KernelDistance& method, const Input& input,
                             const MethodOptions& options, const Context& context) {
  DistanceRun run = graph_of(input, options, context);
  refuse_all_pairs(run, options);
  run = measured(method, std::move(run), options, context).run;
  spread_to_rows(run.dissimilarity, run.unique_inverse, context);
  return run;
}

DistanceRun kernel_landmarks(const KernelDistance& method, const Input& input,
                             const MethodOptions& options, const Context& context) {
  return measured_by_landmarks(graph_of(input, options, context), on_landmarks(method), options,
                               context);
}

EmbeddingRun kernel_map(const KernelDistance& method, const Input& input,
                        const MethodOptions& asked, const Context& context) {
  DistanceRun run = graph_of(input, asked, context);
  const MethodOptions options = with_start(asked, input, run, context);
  note_start(options, run.report);
  if (goes_by_landmarks(run.graph.n_points(), options, run.report)) {
    if (method.has_units) {
      if (auto map = map_by_pivots(run, options, context)) {
        return checked(turned_to_start(std::move(*map), options), input);
      }
    }
    return checked(
        turned_to_start(map_by_landmarks(std::move(run), on_landmarks(method), options, context),
                        options),
        input);
  }
#ifdef GEOTHERM_WITH_CUDA
  if (device_of(context) != nullptr) {
    auto [found, resident] = measured(method, std::move(run), options, context, true);
    return checked(resident.empty()
                       ? lay_out(std::move(found), options, context)
                       : lay_out_on_device(std::move(found), resident, options, context),
                   input);
  }
#endif
  run = made_once<DistanceRun>(context, "distances", [&](const Context& listening) {
    return measured(method, std::move(run), options, listening).run;
  });
  return checked(turned_to_start(lay_out(std::move(run), options, context), options), input);
}

}  // namespace geotherm::detail
