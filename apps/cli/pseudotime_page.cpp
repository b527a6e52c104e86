#include "pseudotime_page.hpp"

#include <iterator>
#include <utility>

namespace geotherm::cli {
namespace {

constexpr const char* order_column = "pseudotime";
constexpr const char* branch_column = "branch";

PageTrajectory trajectory_of(const MilestoneNetwork& network) {
  PageTrajectory shown{.pseudotime = order_column, .columns = {branch_column}};
  for (std::size_t m = 0; m < network.milestones.size(); ++m) {
    shown.milestones.push_back(milestone_name(static_cast<Index>(m)));
  }
  for (const MilestoneEdge& edge : network.edges) shown.edges.emplace_back(edge.from, edge.to);
  shown.ends = network.ends;
  shown.edge_of = network.edge_of;
  shown.fraction = network.fraction;
  return shown;
}

std::vector<std::string> branch_names(const MilestoneNetwork& network) {
  std::vector<std::string> names;
  names.reserve(network.edge_of.size());
  for (const Index e : network.edge_of) {
    if (e < 0) {
      names.emplace_back("none");
      continue;
    }
    const MilestoneEdge& edge = network.edges[static_cast<std::size_t>(e)];
    names.push_back(milestone_name(edge.from) + "-" + milestone_name(edge.to));
  }
  return names;
}

}  // namespace

void write_trajectory_page(const std::string& path, const std::string& input_path,
                           const LoadedInput& loaded, const MethodFlags& flags,
                           const TrajectoryTable& table, const nlohmann::json& manifest,
                           PageCliOptions page, RunContext& run_context) {
  PageSource source;
  source.data_path = input_path;
  source.loaded = &loaded;
  source.settings = flags.settings;
  source.trajectory = trajectory_of(table.network);
  source.columns.push_back({.name = order_column, .numbers = table.order.values});
  source.columns.push_back({.name = branch_column, .texts = branch_names(table.network)});
  for (std::size_t k = 0; k < table.network.ends.size(); ++k) {
    PageColumn fate{.name = "fate " + milestone_name(table.network.ends[k])};
    for (std::size_t i = 0; i < table.fates.rows(); ++i) fate.numbers.push_back(table.fates(i, k));
    source.trajectory->columns.push_back(fate.name);
    source.columns.push_back(std::move(fate));
  }
  source.names = loaded.table.row_names;
  if (page.color.empty()) page.color = order_column;
  // Columns of the data come after those of the trajectory.
  const std::string color = std::exchange(page.color, "");
  std::vector<PageColumn> others =
      page_columns(input_path, &loaded, source.names, table.order.values.size(), page);
  std::move(others.begin(), others.end(), std::back_inserter(source.columns));
  page.color = color;
  const EmbeddingRun run = flags.row().embed(loaded.input(), flags.settings, run_context.context());
  source.maps.push_back({shown_name(flags.method), run.embedding.coordinates});
  const DistanceRun of_heat = heat_graph(loaded.input(), flags.settings, run_context.context());
  source.heat = &of_heat;
  source.manifest = manifest;
  write_page(path, source, page, run_context);
}

}  // namespace geotherm::cli
