// Heat-weighted HeatGeo: heat-geodesic distances, stress weighted by heat (docs/methods/phate.md).
#include "methods/method_rows.hpp"

namespace geotherm {
namespace {

MethodOptions weighted_by_heat(MethodOptions options) {
  options.mds.weights = MdsWeights::heat;
  return options;
}

}  // namespace

DistanceRun heat_geo_weighted_distances(const Input& input, const MethodOptions& options,
                                        const Context& context) {
  return heat_geo_distances(input, options, context);  // the weights matter to the map alone
}

EmbeddingRun heat_geo_weighted(const Input& input, const MethodOptions& options,
                               const Context& context) {
  EmbeddingRun run = heat_geo(input, weighted_by_heat(options), context);
  run.distances.report.resolved["mds_weights"] = std::string(to_string(MdsWeights::heat));
  return run;
}

namespace detail {

Method heat_geo_weighted_method() {
  return {.name = "heatgeo-weighted",
          .display = "Heat-weighted HeatGeo",
          .title = "Heat Geodesic Embedding with the stress weighted by heat",
          .summary = "heat-geodesic distances, MDS weighted by heat",
          .estimator = "HeatGeoWeighted",
          .aliases = {"sne"},
          .citations = {huguet},
          .has_parts = heat_geo_parts,
          .embed = heat_geo_weighted,
          .distances = heat_geo_weighted_distances,
          .by_landmarks = heat_geo_landmarks,
          .choices = with_heat_geo_choices};
}

}  // namespace detail
}  // namespace geotherm
