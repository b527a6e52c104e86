// PHATE with the heat kernel in place of the random walk (docs/methods/phate.md).
#include "methods/stages.hpp"

namespace geotherm {
namespace {

constexpr detail::KernelDistance method = {detail::kernel_of, detail::potential_of};

}  // namespace

DistanceRun heat_phate_distances(const Input& input, const MethodOptions& options,
                                 const Context& context) {
  return detail::kernel_distances(method, input, options, context);
}

DistanceRun heat_phate_landmarks(const Input& input, const MethodOptions& options,
                                 const Context& context) {
  return detail::kernel_landmarks(method, input, options, context);
}

EmbeddingRun heat_phate(const Input& input, const MethodOptions& options, const Context& context) {
  return detail::refined(detail::kernel_map(method, input, options, context), input, options,
                         context);
}

}  // namespace geotherm
