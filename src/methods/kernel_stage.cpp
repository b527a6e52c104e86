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

/// run.graph -> distances between its points. Where `resident` is given they may come to lie on a
/// GPU instead, if there is one.
Dissimilarity distances_on_graph(const KernelDistance& method, DistanceRun& run,
                                 const MethodOptions& options, const Context& context,
                                 [[maybe_unused]] ResidentDistances* resident = nullptr) {
  if (!method.has_units) {
    const auto kernel = method.kernel(run, options, context);
    const StageClock clock(run.report, "distances");
    note_distances(run, method.distance(*kernel, options, context), *kernel, options, context);
    return std::move(run.dissimilarity);
  }
  HeatDistances heat(run, options, context);
  const StageClock clock(run.report, "distances");
#ifdef GEOTHERM_WITH_CUDA
  if (resident != nullptr && lays_out_on_device(run, options, context)) {
    Dissimilarity notes;
    if (auto found = heat.resident_pairs(*device_of(context), notes, context)) {
      *resident = std::move(*found);
      if (options.dissimilarity.max_distance) cut_to(*resident, *options.dissimilarity.max_distance);
      note_distances(run, std::move(notes), heat.kernel(), options, context);
      return std::move(run.dissimilarity);
    }
  }
#endif
  // Limit and denoising come after the unit: the limit is in the units of the data.
  Dissimilarity distances = heat.all_pairs(context);
  finish(distances.values, options.dissimilarity, context);
  note_distances(run, std::move(distances), heat.kernel(), options, context);
  return std::move(run.dissimilarity);
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
  note_layout(run, result.embedding, options);
  spread_to_rows(result.embedding, run.unique_inverse);
  result.distances = std::move(run);
  return result;
}
#endif

}  // namespace

CoarseMethod on_landmarks(const KernelDistance& method) {
  return {[method](DistanceRun& coarse, const Cells&, const MethodOptions& options,
                   const Context& context) {
            return distances_on_graph(method, coarse, options, context);
          },
          method.walks_between_cells, method.has_units};
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
  run.dissimilarity = distances_on_graph(method, run, options, context);
  spread_to_rows(run.dissimilarity, run.unique_inverse, context);
  return run;
}

DistanceRun kernel_landmarks(const KernelDistance& method, const Input& input,
                             const MethodOptions& options, const Context& context) {
  DistanceRun run = graph_of(input, options, context);
  measure_by_landmarks(run, on_landmarks(method), options, context);
  return run;
}

EmbeddingRun kernel_map(const KernelDistance& method, const Input& input,
                        const MethodOptions& asked, const Context& context) {
  DistanceRun run = graph_of(input, asked, context);
  const MethodOptions options = with_start(asked, input, run, context);
  if (goes_by_landmarks(run, options)) {
    if (method.has_units) {
      if (auto map = map_by_pivots(run, options, context)) {
        return checked(turned_to_start(std::move(*map), options), input);
      }
    }
    return checked(turned_to_start(map_by_landmarks(std::move(run), on_landmarks(method), options,
                                                    context),
                                   options),
                   input);
  }
#ifdef GEOTHERM_WITH_CUDA
  if (device_of(context) != nullptr) {
    ResidentDistances resident;
    run.dissimilarity = distances_on_graph(method, run, options, context, &resident);
    return checked(resident.empty()
                       ? lay_out(std::move(run), options, context)
                       : lay_out_on_device(std::move(run), resident, options, context),
                   input);
  }
#endif
  run = made_once<DistanceRun>(context, "distances", [&](const Context& listening) {
    run.dissimilarity = distances_on_graph(method, run, options, listening);
    return std::move(run);
  });
  return checked(turned_to_start(lay_out(std::move(run), options, context), options), input);
}

}  // namespace geotherm::detail
