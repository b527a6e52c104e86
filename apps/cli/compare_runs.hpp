// geotherm score --compare: two runs of embed, named by their manifests or their maps -> how the
// maps differ, and which options do.
#pragma once

#include <string>
#include <vector>

#include "geotherm/compare.hpp"

namespace geotherm::cli {

struct CompareRuns {
  std::vector<std::string> runs;  ///< two: a manifest (.json) or a map
  std::string labels;             ///< groups, as for score; empty: none
  std::size_t knn = 10;
  bool json = false;
};

/// What score prints.
std::string compared_runs(const CompareRuns& options, const Context& context);

}  // namespace geotherm::cli
