// Experiment 6: studies of the method's own choices, and the case studies of the paper.
#include "studies.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "experiments.hpp"
#include "geotherm/methods.hpp"
#include "sweep.hpp"

namespace geotherm::cli {
namespace of_studies {

const std::array studies = {&time_study,    &sweep_study, &graph_study,   &path_study,
                            &denoise_study, &sne_study,   &manifold_study};

std::uint64_t seed_of(const nlohmann::json& key) {
  const nlohmann::json& holder =
      key.contains("data") && key.at("data").is_object() ? key.at("data") : key;
  return holder.value("seed", std::uint64_t{0});
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all;
  for (const Study* study : studies) {
    for (Job& job : study->jobs(settings)) all.push_back(std::move(job));
  }
  // A seed of every study first: a run that is stopped has all rows.
  std::stable_sort(all.begin(), all.end(),
                   [](const Job& a, const Job& b) { return seed_of(a.key) < seed_of(b.key); });
  return all;
}

Section present(const ReproduceSettings& settings, const Results& results) {
  Section section = {.title = "Studies", .paragraphs = {}, .tables = {}, .figures = {}};
  const ReproduceSettings own = study_settings(settings);
  section.paragraphs.push_back(fmt::format(
      "Made data: a Swiss roll (3-d, noise 0.1, {} points) and a tree (10-d, noise 5, {} points), "
      "over {} seed{}. Pearson is the mean over rows of the correlation with true geodesics, as in "
      "the tables above. Times t are for the combinatorial Laplacian of the published graph (alpha "
      "decay, 10 neighbours) unless something else is said.",
      2000 / own.shrink, 2500 / own.shrink, settings.report_seeds.size(),
      settings.report_seeds.size() == 1 ? "" : "s"));
  for (const Study* study : studies) study->present(settings, results, section);
  return section;
}

}  // namespace of_studies

const Experiment studies_experiment = {
    "studies", "time, sweeps, graphs, truncation, PHATE's limit, SNE, circle, sphere and R^3",
    of_studies::jobs, of_studies::present};

std::vector<PaperData> study_data() {
  return {paper_rolls({0.1}).front(),
          {.name = "Tree", .shape = Shape::tree, .dim = 10, .noise = 5, .printed_noise = 5}};
}

ReproduceSettings study_settings(const ReproduceSettings& settings) {
  ReproduceSettings own = settings;
  if (settings.quick) own.shrink *= 2;
  return own;
}

StudyGraph make_study_graph(const PaperData& data, std::size_t knn,
                            const ReproduceSettings& settings, const Context& context) {
  StudyGraph made = {make_data(data, settings, context), {}};
  made.graph =
      shared_graph(made.data.X.view(), as_published({.neighbors = {.knn = knn}}), context).graph;
  return made;
}

nlohmann::json study_key(const std::string& study, const PaperData& data, std::uint64_t seed,
                         const ReproduceSettings& settings, const nlohmann::json& options) {
  return {{"label", fmt::format("studies: {}, {}, seed {}", study, title_of(data), seed)},
          {"experiment", "studies"},
          {"study", study},
          {"data", key_of(data, seed, study_settings(settings))},
          {"options", options},
          {"heat_phate_offset", heat_phate_offset},
          {"defaults", key_of_defaults()}};
}

std::vector<nlohmann::json> study_keys(const std::string& study, const PaperData& data,
                                       const ReproduceSettings& settings,
                                       const nlohmann::json& options) {
  std::vector<nlohmann::json> keys;
  for (const std::uint64_t seed : settings.report_seeds) {
    keys.push_back(study_key(study, data, seed, settings, options));
  }
  return keys;
}

std::vector<Job> study_jobs(const std::string& study, const std::vector<PaperData>& rows,
                            const ReproduceSettings& settings, const nlohmann::json& options,
                            double cost,
                            nlohmann::json (*measure)(const PaperData&, const ReproduceSettings&,
                                                      const Context&)) {
  std::vector<Job> all;
  const ReproduceSettings own = study_settings(settings);
  for (const PaperData& data : rows) {
    for (const std::uint64_t seed : settings.report_seeds) {
      all.push_back({study_key(study, data, seed, settings, options), cost, [=](Context context) {
                       context.seed = seed;
                       return measure(data, own, context);
                     }});
    }
  }
  return all;
}

OverSeeds over_seeds(const Results& results, const std::vector<nlohmann::json>& keys) {
  OverSeeds over;
  for (const nlohmann::json& key : keys) {
    if (const nlohmann::json* result = results.of(key)) {
      over.found.push_back(result);
    } else {
      over.reason = results.reason(key);
    }
  }
  return over;
}

Measured OverSeeds::of(const std::function<double(const nlohmann::json&)>& value) const {
  std::vector<double> values;
  for (const nlohmann::json* result : found) values.push_back(value(*result));
  return measured(values);
}

}  // namespace geotherm::cli
