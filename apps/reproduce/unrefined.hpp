// The paper's maps are not refined.
#pragma once

#include "geotherm/methods.hpp"

namespace geotherm::cli {

inline MethodOptions without_refinement(MethodOptions options = {}) {
  options.refine = RefineOptions{.epochs = 0};
  return options;
}

}  // namespace geotherm::cli
