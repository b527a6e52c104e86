// Four ways to make the graph: correlation with true geodesics on the 10-dimensional roll, and maps
// of a tree, as in the paper's appendix.
#include <fmt/core.h>

#include <array>

#include "chart_svg.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "maps.hpp"
#include "studies.hpp"

namespace geotherm::cli {
namespace of_graphs {

struct Construction {
  Affinity kind;
  const char* name;
};
constexpr std::array constructions = {Construction{Affinity::alpha_decay, "alpha decay (PHATE)"},
                                      Construction{Affinity::knn, "kNN, Gaussian weights"},
                                      Construction{Affinity::gaussian, "Gaussian (scanpy)"},
                                      Construction{Affinity::fuzzy_union, "fuzzy union (UMAP)"}};
constexpr double time = 20;

std::vector<PaperData> rolls() {
  std::vector<PaperData> all;
  for (PaperData& data : paper_rolls({0.1, 0.5, 1.0})) {
    if (data.dim == 10) all.push_back(std::move(data));
  }
  return all;
}
PaperData tree() {
  return {.name = "Tree", .shape = Shape::tree, .dim = 10, .noise = 1, .printed_noise = 1};
}

MethodOptions options_for(Affinity kind, std::size_t knn) {
  MethodOptions options =
      as_published({.neighbors = {.knn = knn}, .affinity = {.kind = kind}, .heat = {.time = time}});
  options.time_choice.reset();
  return options;
}

nlohmann::json measure_roll(const PaperData& data, const ReproduceSettings& settings,
                            const Context& context) {
  const Dataset made = make_data(data, settings, context);
  nlohmann::json found;
  for (const Construction& construction : constructions) {
    const DistanceRun run =
        heat_geo_distances(made.X.view(), options_for(construction.kind, 10), context);
    found[construction.name] =
        score_distances(made.geodesic, run.dissimilarity.values, context).pearson;
  }
  return found;
}

nlohmann::json map_tree(const ReproduceSettings& settings, const Context& context) {
  const Dataset made = make_data(tree(), settings, context);
  nlohmann::json found = {{"label", made.label}};
  for (const Construction& construction : constructions) {
    const EmbeddingRun run = heat_geo(made.X.view(), options_for(construction.kind, 5), context);
    nlohmann::json& at = found[construction.name];
    at["pearson"] = score_embedding(made.geodesic, run.embedding.coordinates, context).pearson;
    at["map"] = map_in_json(run.embedding.coordinates, 1);
  }
  return found;
}

nlohmann::json tree_key(const ReproduceSettings& settings) {
  return study_key("maps of graphs", tree(), settings.report_seeds.front(), settings,
                   {{"t", time}, {"knn", 5}, {"maps", map_form}});
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all = study_jobs("graphs", rolls(), settings, {{"t", time}, {"knn", 10}},
                                    settings.quick ? 2.0 : 6.0, measure_roll);
  all.push_back({tree_key(settings), settings.quick ? 6.0 : 20.0,
                 [=, own = study_settings(settings)](Context context) {
                   context.seed = settings.report_seeds.front();
                   return map_tree(own, context);
                 }});
  return all;
}

std::string tree_svg(const nlohmann::json& found) {
  std::vector<MapPanel> panels;
  panels.reserve(constructions.size());
  for (const Construction& construction : constructions) {
    panels.push_back({construction.name, map_from_json(found.at(construction.name).at("map"))});
  }
  PlotOptions look = {.legend_title = "branch"};
  TextCollector categories;
  for (const int label : found.at("label").get<std::vector<int>>()) {
    categories.add(std::to_string(label));
  }
  look.categories = categories.take();
  return panels_svg(panels, look, 2);
}

void present(const ReproduceSettings& settings, const Results& results, Section& section) {
  Table table = {.caption =
                     "Graph constructions: Pearson on the 10-d Swiss roll (10 neighbours, t = "
                     "20), and of the 2-D map of a tree (noise 1, 5 neighbours, t = 20)",
                 .columns = {"graph"},
                 .rows = {}};
  for (const PaperData& data : rolls())
    table.columns.push_back(fmt::format("noise {:g}", data.noise));
  table.columns.push_back("tree, map");
  std::vector<ChartSeries> lines;
  const nlohmann::json* maps = results.of(tree_key(settings));
  for (const Construction& construction : constructions) {
    std::vector<std::string> row = {construction.name};
    ChartSeries line = {.name = construction.name};
    for (const PaperData& data : rolls()) {
      const OverSeeds over =
          over_seeds(results, study_keys("graphs", data, settings, {{"t", time}, {"knn", 10}}));
      const Measured at =
          over.of([&](const nlohmann::json& r) { return r.at(construction.name).get<double>(); });
      row.push_back(at.n > 0 ? in_words(at) : over.reason);
      if (at.n == 0) continue;
      line.x.push_back(data.noise);
      line.y.push_back(at.mean);
      line.spread.push_back(at.std);
    }
    row.push_back(
        maps != nullptr
            ? fmt::format("{:.3f}", maps->at(construction.name).at("pearson").get<double>())
            : results.reason(tree_key(settings)));
    table.rows.push_back(std::move(row));
    if (!line.x.empty()) lines.push_back(std::move(line));
  }
  if (maps != nullptr) {
    section.figures.push_back(
        {.name = "study_graph_maps",
         .caption = "A tree of five branches (noise 1) from each graph: 5 neighbours, t = 20.",
         .svg = tree_svg(*maps)});
  }
  section.tables.push_back(std::move(table));
  if (lines.empty()) return;
  section.figures.push_back(
      {.name = "study_graphs",
       .caption = "Correlation with true geodesics on the 10-d Swiss roll, by "
                  "graph construction.",
       .svg = chart_svg(lines, {.title = "Graph constructions: Swiss roll in 10-d",
                                .x_title = "noise",
                                .y_title = "Pearson"})});
}

}  // namespace of_graphs

const Study graph_study = {of_graphs::jobs, of_graphs::present};

}  // namespace geotherm::cli
