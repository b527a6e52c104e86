// What a trajectory is written as: a table with one row per cell, columns of an AnnData file, JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "geotherm/trajectory.hpp"
#include "input.hpp"

namespace geotherm::cli {

/// One row per cell of the input.
struct TrajectoryTable {
  Pseudotime order;
  MilestoneNetwork network;
  Matrix<double> fates;  ///< cells x ends
};

/// "M0" is the root's.
std::string milestone_name(Index milestone);

/// From distinct points to the rows of the input.
TrajectoryTable spread_to_rows(const TrajectoryTable& of_places,
                               const std::vector<Index>& unique_inverse);

/// Milestone network and percentages in dynverse's form.
nlohmann::json tree_json(const MilestoneNetwork& network, const LoadedInput& loaded);

/// .npy .npz .csv .tsv: pseudotime, low, high (with intervals), fate_<k>, milestone edge and
/// fraction. .h5ad: obs['heatgeo_pseudotime'], obsm['heatgeo_fate'], uns['heatgeo_tree'].
void save_trajectory(const std::string& input, const std::string& output, const LoadedInput& loaded,
                     const TrajectoryTable& table, const nlohmann::json& tree,
                     const nlohmann::json& manifest);

}  // namespace geotherm::cli
