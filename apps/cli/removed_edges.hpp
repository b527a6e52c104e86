// What the search for shortcut edges took from each point: into the manifest, a warning where it
// bears on a group, and a column.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "geotherm/trust.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

/// Warns for each group whose points lose more than 5 % of their weighted degree on average.
void warn_of_losses(const std::vector<double>& removed_fraction, const Texts& groups,
                    RunContext& run_context);

/// For the manifest: mean, largest, by group. Null where no search was made.
nlohmann::json losses_in_short(const std::vector<double>& removed_fraction, const Texts& groups);

}  // namespace geotherm::cli
