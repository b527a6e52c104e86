// Rand-Geo: the heat-geodesic formula on powers of the random walk (docs/methods/phate.md).
#include "methods/stages.hpp"

namespace geotherm {
namespace {

constexpr detail::KernelDistance method = {detail::walk_of, detail::geodesic_of};

}  // namespace

DistanceRun rand_geo_distances(const Input& input, const MethodOptions& options,
                               const Context& context) {
  return detail::kernel_distances(method, input, options, context);
}

DistanceRun rand_geo_landmarks(const Input& input, const MethodOptions& options,
                               const Context& context) {
  return detail::kernel_landmarks(method, input, options, context);
}

EmbeddingRun rand_geo(const Input& input, const MethodOptions& options, const Context& context) {
  return detail::refined(detail::kernel_map(method, input, options, context), input, options,
                         context);
}

}  // namespace geotherm
