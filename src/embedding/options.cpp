// Names of methods and weights, and what can be wrong with the options.
#include <cmath>

#include "geotherm/embedding.hpp"

namespace geotherm {

std::string_view to_string(MdsMethod method) {
  switch (method) {
    case MdsMethod::classical:
      return "classical";
    case MdsMethod::smacof:
      return "smacof";
    case MdsMethod::sgd:
      return "sgd";
  }
  return "unknown";
}

std::optional<MdsMethod> mds_method_named(std::string_view name) {
  for (const MdsMethod method : {MdsMethod::classical, MdsMethod::smacof, MdsMethod::sgd}) {
    if (to_string(method) == name) return method;
  }
  return std::nullopt;
}

std::string_view to_string(MdsWeights weights) {
  switch (weights) {
    case MdsWeights::none:
      return "none";
    case MdsWeights::heat:
      return "heat";
    case MdsWeights::inverse:
      return "inverse";
    case MdsWeights::gaussian:
      return "gaussian";
  }
  return "unknown";
}

std::optional<MdsWeights> mds_weights_named(std::string_view name) {
  for (const MdsWeights weights :
       {MdsWeights::none, MdsWeights::heat, MdsWeights::inverse, MdsWeights::gaussian}) {
    if (to_string(weights) == name) return weights;
  }
  return std::nullopt;
}

std::vector<std::string> issues_with(const MdsOptions& options) {
  std::vector<std::string> issues;
  if (options.n_components < 1) {
    issues.push_back("n_components is 0: give 1 or more (2 for a map on a page)");
  }
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance)) {
    issues.push_back("tolerance is " + std::to_string(options.tolerance) +
                     ": give a number >= 0 (1e-6 is usual)");
  }
  return issues;
}

}  // namespace geotherm
