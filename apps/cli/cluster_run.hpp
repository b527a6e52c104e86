// Clusters of the points on the graph that heat spreads on, and the genes that mark them.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "geotherm/clusters.hpp"
#include "input.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

struct ClusterCliOptions {
  bool is_wanted = false;
  ClusterOptions how = {};
};
void add_cluster_options(CLI::App& command, ClusterCliOptions& options);

struct ClusterRun {
  std::vector<std::string> labels;        ///< one per row; empty: not asked for
  std::vector<std::string> marker_genes;  ///< of counts: some a cluster, each once
  nlohmann::json manifest = {};
};
/// `run`: whose graph serves where it is of all points; else the graph is made anew.
ClusterRun run_clusters(const ClusterCliOptions& options, const LoadedInput& loaded,
                        const DistanceRun& run, const MethodOptions& settings,
                        RunContext& run_context);

}  // namespace geotherm::cli
