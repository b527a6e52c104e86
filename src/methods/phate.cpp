// PHATE (docs/methods/phate.md): powers of the random walk, potential distance.
#include <algorithm>

#include "methods/stages.hpp"

namespace geotherm {
namespace {

constexpr detail::KernelDistance method = {
    .kernel = detail::walk_of, .distance = detail::potential_of, .walks_between_cells = true};

}  // namespace

DistanceRun phate_distances(const Input& input, const MethodOptions& options,
                            const Context& context) {
  return detail::kernel_distances(method, input, options, context);
}

DistanceRun phate_landmarks(const Input& input, const MethodOptions& options,
                            const Context& context) {
  return detail::kernel_landmarks(method, input, options, context);
}

EmbeddingRun phate(const Input& input, const MethodOptions& options, const Context& context) {
  MethodOptions limited = options;
  if (limited.landmarks) {
    limited.landmarks->max_exact = std::min(limited.landmarks->max_exact, kMostPhatePoints);
  }
  return detail::refined(detail::kernel_map(method, input, limited, context), input, options,
                         context);
}

}  // namespace geotherm
