// Names and checks of the graph options, and how far a kernel reaches.
#include <algorithm>
#include <cmath>
#include <string>

#include "geotherm/graph.hpp"

namespace geotherm {

std::string_view to_string(Affinity affinity) {
  switch (affinity) {
    case Affinity::alpha_decay:
      return "alpha-decay";
    case Affinity::knn:
      return "knn";
    case Affinity::gaussian:
      return "gaussian";
    case Affinity::fuzzy_union:
      return "umap";
  }
  return "unknown";
}

std::optional<Affinity> affinity_named(std::string_view name) {
  for (const Affinity affinity :
       {Affinity::alpha_decay, Affinity::knn, Affinity::gaussian, Affinity::fuzzy_union}) {
    if (name == to_string(affinity)) return affinity;
  }
  return std::nullopt;
}

std::string_view to_string(ComponentPolicy policy) {
  switch (policy) {
    case ComponentPolicy::bridge:
      return "bridge";
    case ComponentPolicy::separate:
      return "separate";
    case ComponentPolicy::error:
      return "error";
  }
  return "unknown";
}

std::optional<ComponentPolicy> component_policy_named(std::string_view name) {
  for (const ComponentPolicy policy :
       {ComponentPolicy::bridge, ComponentPolicy::separate, ComponentPolicy::error}) {
    if (name == to_string(policy)) return policy;
  }
  return std::nullopt;
}

std::vector<std::string> issues_with(const AffinityOptions& options) {
  std::vector<std::string> issues;
  if (to_string(options.kind) == "unknown") {
    issues.push_back("affinity = " + std::to_string(static_cast<int>(options.kind)) +
                     ": give alpha-decay, knn, gaussian or umap");
  }
  if (!(options.decay > 0) || !std::isfinite(options.decay)) {
    issues.push_back("decay = " + std::to_string(options.decay) +
                     ": must be above 0 and finite; 40 is usual");
  }
  if (!(options.threshold > 0 && options.threshold < 1)) {
    issues.push_back("threshold = " + std::to_string(options.threshold) +
                     ": must be between 0 and 1; 1e-4 is usual");
  }
  if (!(options.anisotropy >= 0 && options.anisotropy <= 1)) {
    issues.push_back("anisotropy = " + std::to_string(options.anisotropy) +
                     ": must be from 0 (density kept) to 1 (density divided out)");
  }
  return issues;
}

double reach_of(const AffinityOptions& options) {
  if (options.kind != Affinity::alpha_decay) return 1;
  // A little more, so that rounding does not lose an affinity that equals the threshold.
  const double reach = std::pow(-std::log(options.threshold), 1 / options.decay) * (1 + 1e-12);
  return std::max(1.0, reach);
}

}  // namespace geotherm
