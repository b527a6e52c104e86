// Heat-weighted HeatGeo: heat-geodesic distances, stress weighted by heat (docs/methods/phate.md).
#include "geotherm/methods.hpp"

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

}  // namespace geotherm
