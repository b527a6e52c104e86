#include "pseudotime_output.hpp"

#include <fmt/core.h>

#include <cmath>

#include "manifest.hpp"
#include "output.hpp"

namespace geotherm::cli {
namespace {

std::vector<double> picked(const std::vector<double>& from, const std::vector<Index>& places) {
  std::vector<double> result;
  if (from.empty()) return result;
  result.reserve(places.size());
  for (const Index place : places) result.push_back(from[static_cast<std::size_t>(place)]);
  return result;
}

}  // namespace

std::string milestone_name(Index m) { return fmt::format("M{}", m); }

TrajectoryTable spread_to_rows(const TrajectoryTable& of_places,
                               const std::vector<Index>& unique_inverse) {
  TrajectoryTable rows = of_places;
  rows.order.values = picked(of_places.order.values, unique_inverse);
  rows.order.low = picked(of_places.order.low, unique_inverse);
  rows.order.high = picked(of_places.order.high, unique_inverse);
  rows.order.n_unreached = 0;
  for (const double value : rows.order.values) rows.order.n_unreached += std::isnan(value) ? 1 : 0;
  rows.network.fraction = picked(of_places.network.fraction, unique_inverse);
  rows.network.edge_of.clear();
  rows.fates = Matrix<double>(unique_inverse.size(), of_places.fates.cols());
  std::vector<Index> first_row(of_places.order.values.size(), -1);
  for (std::size_t i = 0; i < unique_inverse.size(); ++i) {
    const auto place = static_cast<std::size_t>(unique_inverse[i]);
    rows.network.edge_of.push_back(of_places.network.edge_of[place]);
    std::copy(of_places.fates.row(place).begin(), of_places.fates.row(place).end(),
              rows.fates.row(i).begin());
    if (first_row[place] < 0) first_row[place] = static_cast<Index>(i);
  }
  for (Index& cell : rows.network.milestones) cell = first_row[static_cast<std::size_t>(cell)];
  return rows;
}

nlohmann::json tree_json(const MilestoneNetwork& network, const LoadedInput& loaded) {
  const auto cell_name = [&](std::size_t i) {
    return loaded.table.row_names.empty() ? std::to_string(i) : loaded.table.row_names[i];
  };
  nlohmann::json tree = {{"milestone_network", nlohmann::json::array()},
                         {"milestones", nlohmann::json::array()},
                         {"progressions", nlohmann::json::array()},
                         {"explained", network.explained},
                         {"n_loops", network.n_loops}};
  for (std::size_t m = 0; m < network.milestones.size(); ++m) {
    const auto id = static_cast<Index>(m);
    const auto has = [&](const std::vector<Index>& list) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    tree["milestones"].push_back(
        {{"id", milestone_name(id)},
         {"row", network.milestones[m]},
         {"cell", cell_name(static_cast<std::size_t>(network.milestones[m]))},
         {"kind", m == 0                    ? "root"
                  : has(network.ends)       ? "end"
                  : has(network.branchings) ? "branching"
                                            : "milestone"}});
  }
  for (const MilestoneEdge& edge : network.edges) {
    tree["milestone_network"].push_back({{"from", milestone_name(edge.from)},
                                         {"to", milestone_name(edge.to)},
                                         {"length", edge.length},
                                         {"directed", true}});
  }
  for (std::size_t i = 0; i < network.edge_of.size(); ++i) {
    if (network.edge_of[i] < 0) continue;
    const MilestoneEdge& edge = network.edges[static_cast<std::size_t>(network.edge_of[i])];
    tree["progressions"].push_back({{"cell_id", cell_name(i)},
                                    {"from", milestone_name(edge.from)},
                                    {"to", milestone_name(edge.to)},
                                    {"percentage", network.fraction[i]}});
  }
  return tree;
}

void save_trajectory(const std::string& input, const std::string& output, const LoadedInput& loaded,
                     const TrajectoryTable& table, const nlohmann::json& tree,
                     const nlohmann::json& manifest) {
  const std::size_t n = table.order.values.size(), n_ends = table.fates.cols();
  const bool has_interval = !table.order.low.empty();
  if (!is_h5ad(output)) {
    std::vector<std::string> columns = {"pseudotime"};
    if (has_interval) columns.insert(columns.end(), {"low", "high"});
    for (const Index end : table.network.ends) {
      columns.push_back("fate_" + milestone_name(end));
    }
    Matrix<double> values(n, columns.size());
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t c = 0;
      values(i, c++) = table.order.values[i];
      if (has_interval) {
        values(i, c++) = table.order.low[i];
        values(i, c++) = table.order.high[i];
      }
      for (std::size_t k = 0; k < n_ends; ++k) values(i, c++) = table.fates(i, k);
    }
    write_table(output, values, loaded.table.row_names, columns, "pseudotime");
    return;
  }
  H5adResults results;
  results.uns_key = "heatgeo_tree";
  results.uns = {{"tree", in_text(tree)}, {"manifest", in_text(manifest)}};
  results.obs.push_back({"heatgeo_pseudotime", table.order.values});
  if (has_interval) {
    results.obs.push_back({"heatgeo_pseudotime_low", table.order.low});
    results.obs.push_back({"heatgeo_pseudotime_high", table.order.high});
  }
  if (n_ends > 0) results.obsm.emplace_back("heatgeo_fate", table.fates.view());
  if (is_h5ad(split_key(input).first) && !loaded.cells) {
    write_into_h5ad(input, output, results);
    return;
  }
  NewH5ad content;
  const Matrix<double> dense = loaded.table.to_double();
  content.dense = dense.view();
  content.obs_names = loaded.table.row_names;
  content.results = std::move(results);
  write_new_h5ad(output, content);
}

}  // namespace geotherm::cli
