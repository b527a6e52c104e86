// Which time? Distances at many times against true geodesics, beside the knee of the entropy curve
// (the paper's choice) and the reach of heat (ours).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "chart_svg.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "studies.hpp"

namespace geotherm::cli {
namespace of_time {

const std::vector<double> times = {0.1, 0.3, 1, 3, 10, 30, 100};

struct AtTime {
  double right = 0;    // kernel right in every entry
  double floored = 0;  // entries raised to 1e-16, as every published route has it
};
AtTime pearson_at(const Laplacian& laplacian, double time, const Matrix<double>& truth,
                  const Context& context) {
  const auto kernel = heat_kernel(laplacian, {.time = time}, context);
  return {score_distances(truth, heat_geodesic(*kernel, {}, context).values, context).pearson,
          score_distances(truth, heat_geodesic(*kernel, {.kernel_floor = 1e-16}, context).values,
                          context)
              .pearson};
}

nlohmann::json measure(const PaperData& data, const ReproduceSettings& settings,
                       const Context& context) {
  const StudyGraph made = make_study_graph(data, 10, settings, context);
  const Laplacian laplacian = build_laplacian(made.graph, LaplacianKind::combinatorial, context);
  const TimeChoice knee = choose_time(laplacian, {.rule = TimeRule::knee}, context);
  const TimeChoice reach = choose_time(laplacian, {}, context);
  nlohmann::json found = {{"knee", {{"time", knee.time}}},
                          {"reach", {{"time", reach.time}}},
                          {"times", knee.times},
                          {"entropies", knee.entropies}};
  const auto keep = [&](nlohmann::json& into, double time) {
    const AtTime at = pearson_at(laplacian, time, made.data.geodesic, context);
    into["right"] = at.right;
    into["floored"] = at.floored;
  };
  for (const double time : times) {
    nlohmann::json at = {{"time", time}};
    keep(at, time);
    found["sweep"].push_back(at);
  }
  keep(found["knee"], knee.time);
  keep(found["reach"], reach.time);
  return found;
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  return study_jobs("time", study_data(), settings, times, settings.quick ? 3.0 : 13.0, measure);
}

std::string figure_for(const PaperData& data, const OverSeeds& over) {
  const nlohmann::json& first = *over.found.front();
  ChartSeries right = {.name = "Pearson, right in every entry"};
  ChartSeries floored = {.name = "Pearson, floored at 1e-16"};
  ChartSeries entropy = {.name = "entropy of the kernel, 0 to 1",
                         .x = first.at("times"),
                         .has_dots = false,
                         .is_dashed = true};
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (auto [series, name] : {std::pair{&right, "right"}, std::pair{&floored, "floored"}}) {
      const Measured at = over.of(
          [i, &n = name](const nlohmann::json& r) { return r["sweep"][i][n].get<double>(); });
      series->x.push_back(times[i]);
      series->y.push_back(at.mean);
      series->spread.push_back(at.std);
    }
  }
  const std::vector<double> values = first.at("entropies");
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  for (const double value : values) entropy.y.push_back((value - *low) / (*high - *low));
  const auto mean_time = [&](const char* rule) {
    return over.of([&](const nlohmann::json& r) { return r[rule]["time"].get<double>(); }).mean;
  };
  return chart_svg({right, floored, entropy},
                   {.title = "Choice of t: " + title_of(data),
                    .x_title = "diffusion time t",
                    .y_title = "Pearson; entropy from 0 to 1",
                    .has_log_x = true,
                    .marks = {{mean_time("knee"), "knee"}, {mean_time("reach"), "reach"}}});
}

void present(const ReproduceSettings& settings, const Results& results, Section& section) {
  Table table = {.caption =
                     "Choice of t: the knee of the entropy (the paper's rule), the reach of "
                     "heat (ours), and the best of the times tried; Pearson",
                 .columns = {"data", "kernel", "t at the knee", "Pearson", "t by reach", "Pearson",
                             "best t of the sweep", "Pearson"},
                 .rows = {}};
  for (const PaperData& data : study_data()) {
    const OverSeeds over = over_seeds(results, study_keys("time", data, settings, times));
    for (const auto& [kernel, name] :
         {std::pair{"right in every entry", "right"}, std::pair{"floored at 1e-16", "floored"}}) {
      std::vector<std::string> row = {title_of(data), kernel};
      if (over.found.empty()) {
        row.insert(row.end(), {over.reason, "–", "–", "–", "–", "–"});
        table.rows.push_back(row);
        continue;
      }
      for (const char* rule : {"knee", "reach"}) {
        row.push_back(in_words(
            over.of([&](const nlohmann::json& r) { return r[rule]["time"].get<double>(); }), 2));
        row.push_back(in_words(over.of(
            [rule, &n = name](const nlohmann::json& r) { return r[rule][n].get<double>(); })));
      }
      Measured best = {.mean = -1};
      double best_time = 0;
      for (std::size_t i = 0; i < times.size(); ++i) {
        const Measured at = over.of(
            [i, &n = name](const nlohmann::json& r) { return r["sweep"][i][n].get<double>(); });
        if (at.mean <= best.mean) continue;
        best = at;
        best_time = times[i];
      }
      row.push_back(fmt::format("{:g}", best_time));
      row.push_back(in_words(best));
      table.rows.push_back(row);
    }
    if (over.found.empty()) continue;
    section.figures.push_back(
        {.name = data.shape == Shape::tree ? "study_time_tree" : "study_time_roll",
         .caption =
             fmt::format("{}: correlation with true geodesics over t, with both kernels, and "
                         "the entropy curve of the first seed whose knee the paper takes.",
                         title_of(data)),
         .svg = figure_for(data, over)});
  }
  section.tables.push_back(std::move(table));
}

}  // namespace of_time

const Study time_study = {of_time::jobs, of_time::present};

}  // namespace geotherm::cli
