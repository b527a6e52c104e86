// Experiment 2: maps in two dimensions against true geodesics. One job is one data set of one seed,
// by the published methods or by our own method; two more make the maps that are shown.
#include <fmt/core.h>

#include <array>

#include "experiments.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "grid_jobs.hpp"
#include "grid_table.hpp"
#include "maps.hpp"
#include "unrefined.hpp"

namespace geotherm::cli {
namespace of_embeddings {

Sweep sweep_for(const ReproduceSettings& settings) {
  Sweep sweep = map_sweep(settings.quick);
  sweep.walk_sigmas = {1.0};
  sweep.more_walk_steps = {};
  sweep.has_one_component = true;
  return sweep;
}

std::vector<PaperData> data_sets() {
  std::vector<PaperData> all = paper_rolls({0.1, 0.5, 1.0, 5.0});
  for (PaperData& tree : paper_trees(0.1)) all.push_back(std::move(tree));
  return all;
}

PaperPlace unique_inverse(const PaperData& data) {
  return {data.shape == Shape::tree ? "app_embedding_tree" : "app_embedding_swiss", data.name,
          data.printed_noise};
}

nlohmann::json measure(const Dataset& made, const Sweep& sweep, Purpose purpose,
                       const Context& context) {
  const PaperScorer score(made.geodesic, purpose, context);
  nlohmann::json scores;
  const auto keep = [&](const std::string& method, const std::string& options,
                        const Matrix<double>& map) {
    scores[method][options] = score(pairwise_distances(map, context), context);
  };
  const auto lay_out = [&](const std::string& method, const std::string& options,
                           const Matrix<double>& distances) {
    keep(method, options, mds(distances, {}, {}, context).coordinates);
  };
  sweep_distances(made.X, sweep, lay_out, context);
  sweep_diffusion_maps(made.X, sweep, keep, context);
  sweep_layouts(made.X, sweep, keep, context);
  return scores;
}

nlohmann::json measure_own(const Dataset& made, const Context& context) {
  const PaperScorer score(made.geodesic, Purpose::report, context);
  const Matrix<double> map = heat_geo(made.X, without_refinement(), context).embedding.coordinates;
  return {{"geotherm", {{"defaults", score(pairwise_distances(map, context), context)}}}};
}

std::vector<Job> jobs_for(const PaperData& data, std::uint64_t seed,
                          const ReproduceSettings& settings) {
  return jobs_against_truth(
      {"embeddings", sweep_for(settings), settings.quick ? 8.0 : 25.0, 1.5, measure, measure_own},
      data, seed, settings);
}

// ---------------------------------------------------------------------------------------------
// Maps to look at: every method at its own defaults.

struct ShownMethod {
  const char* title;
  const char* method;
};
constexpr std::array shown_methods = {ShownMethod{"Heat-Geo, our defaults", "heatgeo"},
                                      ShownMethod{"PHATE", "phate"},
                                      ShownMethod{"Diffusion Map", "diffusion-map"},
                                      ShownMethod{"Shortest Path", "shortest-path"},
                                      ShownMethod{"t-SNE", "tsne"},
                                      ShownMethod{"UMAP", "umap"}};

std::vector<PaperData> shown_data() {
  return {{"Swiss roll", Shape::swiss_roll, 3, 1.0, 1.0, false},
          {"Tree", Shape::tree, 10, 1.0, 0.1, false}};
}

nlohmann::json key_for_maps(const PaperData& data, const ReproduceSettings& settings) {
  nlohmann::json methods = nlohmann::json::array();
  for (const ShownMethod& shown : shown_methods) methods.push_back(shown.method);
  return {{"label", "embeddings: maps of " + title_of(data)},
          {"experiment", "embeddings maps"},
          {"data", key_of(data, 47, settings)},
          {"methods", methods},
          {"maps", map_form},
          {"defaults", key_of_defaults()}};
}

nlohmann::json make_maps(const PaperData& data, const ReproduceSettings& settings,
                         Context context) {
  context.seed = 47;
  const Dataset made = make_data(data, settings, context);
  constexpr std::size_t stride = 3;
  nlohmann::json found;
  for (const ShownMethod& shown : shown_methods) {
    const Method& method = *method_named(shown.method);
    found["maps"][shown.method] = map_in_json(
        method.embed(made.X.view(), without_refinement(), context).embedding.coordinates, stride);
  }
  for (std::size_t i = 0; i < made.X.rows(); i += stride) {
    if (data.shape == Shape::tree) {
      found["category"].push_back(fmt::format("branch {}", made.label[i] + 1));
    } else {
      found["value"].push_back(made.t[i]);
    }
  }
  return found;
}

std::vector<Figure> figures(const ReproduceSettings& settings, const Results& results) {
  std::vector<Figure> all;
  for (const PaperData& data : shown_data()) {
    const nlohmann::json* found = results.of(key_for_maps(data, settings));
    if (found == nullptr) continue;
    PlotOptions look;
    if (found->contains("category")) {
      look.categories = (*found)["category"].get<std::vector<std::string>>();
    } else {
      look.values = (*found)["value"].get<std::vector<double>>();
      look.legend_title = "t";
    }
    std::vector<MapPanel> panels;
    panels.reserve(shown_methods.size());
    for (const ShownMethod& shown : shown_methods) {
      panels.push_back({shown.title, map_from_json((*found)["maps"][shown.method])});
    }
    all.push_back({data.shape == Shape::tree ? "maps_tree" : "maps_swiss_roll",
                   title_of(data) + ": a third of the points of seed 47, every method at its own "
                                    "defaults here, coloured by the true position.",
                   panels_svg(panels, look)});
  }
  return all;
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all;
  for (const PaperData& data : shown_data()) {
    all.push_back({key_for_maps(data, settings), 15,
                   [=](const Context& context) { return make_maps(data, settings, context); }});
  }
  for (Job& job : jobs_by_pair(data_sets(), settings, jobs_for)) all.push_back(std::move(job));
  return all;
}

Section present(const ReproduceSettings& settings, const Results& results) {
  Section section{"2. Maps in two dimensions", {}, {}, figures(settings, results)};
  section.paragraphs = {fmt::format(
      "The same data sets, and rolls with noise 5, through a map in two dimensions: Euclidean "
      "distances in the map against true geodesics. Distances become maps by metric MDS (SMACOF); "
      "Diffusion Map, t-SNE and UMAP are maps by themselves. The trees are those of the distance "
      "tables: the paper prints a tenth of their noise here. Heat-Geo's options are chosen from "
      "knn, t {} and sigma {}, by backward Euler; the other methods' from the paper's grid{}.",
      settings.quick ? "50 and auto" : "10, 50 and auto", settings.quick ? "1" : "0 and 1",
      settings.quick ? ", or a part of it" : "")};
  for (const PaperData& data : shown_data()) {
    const nlohmann::json key = key_for_maps(data, settings);
    if (results.of(key) != nullptr) continue;
    section.paragraphs.push_back(
        fmt::format("The picture of {} is missing: {}.", title_of(data), results.reason(key)));
  }
  std::vector<GridLine> lines = distance_lines();
  lines.push_back({"t-SNE", "TSNE", "TSNE"});
  lines.push_back({"UMAP", "UMAP", "UMAP"});
  Table correlations = empty_grid_table(
      "Correlations of distances in the map with true geodesics, against the paper's tables of "
      "embeddings.",
      correlation_metrics());
  Table norms = empty_grid_table(
      "Norms of the difference from true geodesics over N²; “maximum” is the largest row sum.",
      norm_metrics());
  for (const PaperData& data : data_sets()) {
    const GridScores scores(results, settings,
                            [&](std::uint64_t seed) { return jobs_for(data, seed, settings); });
    add_grid_rows(correlations, title_of(data), unique_inverse(data), lines, correlation_metrics(),
                  pearson_at, scores);
    add_grid_rows(norms, title_of(data), unique_inverse(data), lines, norm_metrics(), pearson_at,
                  scores);
  }
  section.tables = {std::move(correlations), std::move(norms)};
  return section;
}

}  // namespace of_embeddings

const Experiment embeddings_experiment = {
    "embeddings", "maps in two dimensions against true geodesics: all methods, t-SNE, UMAP",
    of_embeddings::jobs, of_embeddings::present};

}  // namespace geotherm::cli
