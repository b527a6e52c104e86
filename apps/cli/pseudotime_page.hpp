// The page of a trajectory: a map with the order as colour, the tree over it, branches and fates.
#pragma once

#include "method_flags.hpp"
#include "page_run.hpp"
#include "pseudotime_output.hpp"

namespace geotherm::cli {

/// Makes the map by the method of `flags` and writes the page.
void write_trajectory_page(const std::string& path, const std::string& input_path,
                           const LoadedInput& loaded, const MethodFlags& flags,
                           const TrajectoryTable& table, const nlohmann::json& manifest,
                           PageCliOptions page, RunContext& run_context);

}  // namespace geotherm::cli
