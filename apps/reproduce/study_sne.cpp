// Scaling weighted by heat (SNE with the heat kernel) beside t-SNE and plain scaling: four
// Gaussians in 10 dimensions, and PBMC.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "geotherm/io.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "maps.hpp"
#include "studies.hpp"
#include "sweep.hpp"
#include "time_courses.hpp"
#include "unrefined.hpp"

namespace geotherm::cli {
namespace of_sne {

constexpr const char* pbmc_file = "pbmc3k_processed_pca50_small.npz";

struct Labelled {
  Matrix<double> points;
  std::vector<std::string> labels;
};

struct SneMethod {
  const char* name;
  EmbeddingRun (*embed)(const Input&, const MethodOptions&, const Context&);
};
constexpr std::array sne_methods = {SneMethod{"Heat-Geo weighted by heat", heat_geo_weighted},
                                    SneMethod{"t-SNE", tsne},
                                    SneMethod{"Heat-Geo, unweighted", heat_geo}};

Labelled four_gaussians(const ReproduceSettings& settings, const Context& context) {
  const Dataset made = synthesize(
      Shape::blobs, {.n = 1000 / settings.shrink, .noise = 1, .dim = 10, .branches = 4}, context);
  Labelled cells = {made.X, {}};
  for (const Index label : made.label) cells.labels.push_back(std::to_string(label));
  return cells;
}

Labelled pbmc(const std::filesystem::path& path, std::size_t shrink) {
  Labelled all = {
      read_table(path.string() + ":X_pca").to_double(),
      std::get<std::vector<std::string>>(read_npz_array(path.string(), "louvain").values)};
  if (shrink == 1) return all;
  Labelled some = {Matrix<double>(all.labels.size() / shrink, all.points.cols()), {}};
  for (std::size_t i = 0; i < some.points.rows(); ++i) {
    std::copy_n(all.points.row(i * shrink).begin(), all.points.cols(), some.points.row(i).begin());
    some.labels.push_back(all.labels[i * shrink]);
  }
  return some;
}

/// Mardia's kurtosis of the places of each group, median over groups of 20 points or more: 8 for a
/// Gaussian in two dimensions, 16/3 for a uniform disc, more for heavy tails. 0 without such
/// groups.
double typical_kurtosis(const Matrix<double>& map, const std::vector<Index>& labels) {
  std::map<Index, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < labels.size(); ++i) groups[labels[i]].push_back(i);
  std::vector<double> found;
  for (const auto& [label, rows] : groups) {
    if (rows.size() < 20) continue;
    const auto n = static_cast<double>(rows.size());
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0, fourth = 0;
    for (const std::size_t i : rows) {
      mx += map(i, 0) / n;
      my += map(i, 1) / n;
    }
    for (const std::size_t i : rows) {
      const double x = map(i, 0) - mx, y = map(i, 1) - my;
      xx += x * x / n;
      xy += x * y / n;
      yy += y * y / n;
    }
    const double determinant = xx * yy - xy * xy;
    if (!(determinant > 0)) continue;
    for (const std::size_t i : rows) {
      const double x = map(i, 0) - mx, y = map(i, 1) - my;
      const double squared = (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant;
      fourth += squared * squared / n;
    }
    found.push_back(fourth);
  }
  if (found.empty()) return 0;
  std::sort(found.begin(), found.end());
  return std::midpoint(found[(found.size() - 1) / 2], found[found.size() / 2]);
}

nlohmann::json measure(const Labelled& cells, const Context& context) {
  std::map<std::string, Index> numbers;
  std::vector<Index> labels;
  for (const std::string& label : cells.labels) {
    labels.push_back(numbers.emplace(label, static_cast<Index>(numbers.size())).first->second);
  }
  nlohmann::json found = {{"labels", cells.labels}};
  for (const SneMethod& method : sne_methods) {
    const Matrix<double> map =
        method.embed(cells.points.view(), without_refinement(), context).embedding.coordinates;
    const ClusteringScores scores = clustering_scores(map, labels, {}, context);
    nlohmann::json& at = found[method.name];
    at["homogeneity"] = scores.homogeneity;
    at["ami"] = scores.ami;
    at["accuracy"] = knn_accuracy({.coordinates = map.view()}, labels, {}, context);
    at["kurtosis"] = typical_kurtosis(map, labels);
    at["map"] = map_in_json(map, 1);
  }
  return found;
}

nlohmann::json gaussians_key(const ReproduceSettings& settings) {
  const std::uint64_t seed = settings.report_seeds.front();
  return {{"label", fmt::format("studies: SNE, four Gaussians, seed {}", seed)},
          {"experiment", "studies"},
          {"study", "sne"},
          {"data", "four Gaussians"},
          {"seed", seed},
          {"shrink", study_settings(settings).shrink},
          {"maps", map_form},
          {"defaults", key_of_defaults()}};
}
nlohmann::json pbmc_key(const ReproduceSettings& settings) {
  return {{"label", "studies: SNE, PBMC"},
          {"experiment", "studies"},
          {"study", "sne"},
          {"file", fingerprint(data_file(settings, pbmc_file))},
          {"shrink", study_settings(settings).shrink},
          {"maps", map_form},
          {"defaults", key_of_defaults()}};
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  const ReproduceSettings own = study_settings(settings);
  std::vector<Job> all;
  all.push_back({gaussians_key(settings), 8, [=](Context context) {
                   context.seed = settings.report_seeds.front();
                   return measure(four_gaussians(own, context), context);
                 }});
  const auto path = data_file(settings, pbmc_file);
  if (!path.empty()) {
    all.push_back({pbmc_key(settings), settings.quick ? 5.0 : 20.0, [=](const Context& context) {
                     return measure(pbmc(path, own.shrink), context);
                   }});
  }
  return all;
}

std::string maps_svg(const nlohmann::json& found) {
  std::vector<MapPanel> panels;
  panels.reserve(sne_methods.size());
  for (const SneMethod& method : sne_methods) {
    panels.push_back({method.name, map_from_json(found.at(method.name).at("map"))});
  }
  const auto labels = found.at("labels").get<std::vector<std::string>>();
  return panels_svg(panels, {.categories = labels}, panels.size());
}

void present(const ReproduceSettings& settings, const Results& results, Section& section) {
  section.paragraphs.push_back(
      "**SNE.** Scaling weighted by the heat kernel is SNE with that kernel; the paper expects "
      "groups "
      "shaped like Gaussians of it. Measured by Mardia's kurtosis of each true group's places in "
      "the map, median over groups of 20 or more: 8 for a Gaussian, 5.3 for a flat disc, more "
      "where "
      "a few points lie far out.");
  Table table = {.caption =
                     "Heat-weighted scaling against t-SNE: k-means on the z-scored map, share "
                     "of cells whose 10 nearest are mostly of their own group, kurtosis",
                 .columns = {"data", "method", "homogeneity", "AMI", "kNN accuracy", "kurtosis"},
                 .rows = {}};
  const bool has_pbmc = !data_file(settings, pbmc_file).empty();
  for (const bool is_pbmc : {false, true}) {
    const std::string name = is_pbmc ? "PBMC" : "four Gaussians in 10-d";
    const bool has_data = !is_pbmc || has_pbmc;
    const nlohmann::json key = !has_data ? nlohmann::json()
                               : is_pbmc ? pbmc_key(settings)
                                         : gaussians_key(settings);
    const nlohmann::json* found = has_data ? results.of(key) : nullptr;
    for (const SneMethod& method : sne_methods) {
      if (found == nullptr) {
        table.rows.push_back({name, method.name,
                              has_data ? results.reason(key) : data_is_missing(settings, pbmc_file),
                              "–", "–", "–"});
        continue;
      }
      std::vector<std::string> row = {name, method.name};
      for (const char* score : {"homogeneity", "ami", "accuracy", "kurtosis"}) {
        const double value = found->at(method.name).at(score);
        row.push_back(value == 0 ? "–" : fmt::format("{:.3f}", value));
      }
      table.rows.push_back(std::move(row));
    }
    if (found != nullptr) {
      section.figures.push_back({.name = is_pbmc ? "study_sne_pbmc" : "study_sne_gaussians",
                                 .caption = fmt::format("{} by each method.", name),
                                 .svg = maps_svg(*found)});
    }
  }
  section.tables.push_back(std::move(table));
}

}  // namespace of_sne

const Study sne_study = {of_sne::jobs, of_sne::present};

}  // namespace geotherm::cli
