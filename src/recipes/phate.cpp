// PHATE (docs/methods/phate.md): powers of the random walk, potential distance.
#include "recipes/stages.hpp"

namespace geotherm {
namespace {

constexpr detail::KernelDistance method = {detail::walk_of, detail::potential_of};

}  // namespace

DistanceRun phate_distances(const Input& input, const RecipeOptions& options,
                            const Context& context) {
  return detail::kernel_distances(method, input, options, context);
}

DistanceRun phate_landmarks(const Input& input, const RecipeOptions& options,
                            const Context& context) {
  return detail::kernel_landmarks(method, input, options, context);
}

EmbeddingRun phate(const Input& input, const RecipeOptions& options, const Context& context) {
  return detail::kernel_map(method, input, options, context);
}

}  // namespace geotherm
