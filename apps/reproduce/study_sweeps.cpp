// Sweeps of t, order, knn and sigma: Pearson correlation with true geodesics for several methods.
// One job is one sweep of one data set and seed; graph and kernels are made once in it.
#include <fmt/core.h>

#include "chart_svg.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "geotherm/spectral.hpp"
#include "studies.hpp"
#include "sweep.hpp"

namespace geotherm::cli {
namespace of_sweeps {

/// What a sweep found: {method: [Pearson at each x]}.
using Found = nlohmann::json;

struct Sweeping {
  const char* name;     ///< "t"
  const char* x_title;  ///< in words
  std::vector<double> values;
  bool has_log_x;
  double cost;
  Found (*measure)(const StudyGraph&, const std::vector<double>& values, const Context&);
};

double pearson_of(const StudyGraph& made, const Dissimilarity& found, const Context& context) {
  return score_distances(made.data.geodesic, found.values, context).pearson;
}

Found over_times(const StudyGraph& made, const std::vector<double>& times, const Context& context) {
  const Laplacian laplacian = build_laplacian(made.graph, LaplacianKind::combinatorial, context);
  const SparseMatrix walk = random_walk(made.graph);
  const std::vector<double> stationary = stationary_distribution(made.graph);
  Found found;
  for (const double time : times) {
    const auto heat = heat_kernel(laplacian, {.time = time}, context);
    found["Heat-Geo"].push_back(pearson_of(made, heat_geodesic(*heat, {}, context), context));
    found["Heat-PHATE"].push_back(
        pearson_of(made, potential_distance(*heat, {.offset = heat_phate_offset}, context),
                   context));
    const auto steps = walk_power(walk, static_cast<int>(time), context);
    found["Rand-Geo"].push_back(pearson_of(made, heat_geodesic(*steps, {}, context), context));
    found["PHATE"].push_back(pearson_of(made, potential_distance(*steps, {}, context), context));
    found["Diffusion distance"].push_back(
        pearson_of(made, diffusion_distance(*steps, stationary, context), context));
  }
  return found;
}

Found over_orders(const StudyGraph& made, const std::vector<double>& orders,
                  const Context& context) {
  const Laplacian laplacian = build_laplacian(made.graph, LaplacianKind::combinatorial, context);
  Found found;
  const double right = pearson_of(
      made, heat_geodesic(*heat_kernel(laplacian, {.time = 10}, context), {}, context), context);
  for (const double order : orders) {
    for (const KernelMethod method : {KernelMethod::chebyshev, KernelMethod::euler}) {
      const auto kernel = heat_kernel(
          laplacian, {.time = 10, .method = method, .order = static_cast<int>(order)}, context);
      const bool is_euler = method == KernelMethod::euler;
      found[is_euler ? "backward Euler" : "Chebyshev"].push_back(
          pearson_of(made, heat_geodesic(*kernel, {.kernel_floor = 1e-16}, context), context));
    }
    found["right in every entry (no order)"].push_back(right);
  }
  return found;
}

Found over_knn(const StudyGraph& made, const std::vector<double>& values, const Context& context) {
  Found found;
  const Input input(made.data.X.view());
  for (const double value : values) {
    MethodOptions own = {.neighbors = {.knn = static_cast<std::size_t>(value)}};
    MethodOptions plain = as_published(own);
    plain.time_choice.reset();
    plain.heat.time = 10;
    const auto keep = [&](const char* name, const DistanceRun& run) {
      found[name].push_back(pearson_of(made, run.dissimilarity, context));
    };
    keep("Heat-Geo, t = 10", heat_geo_distances(input, plain, context));
    keep("Heat-Geo, our defaults", heat_geo_distances(input, own, context));
    keep("PHATE, t = 10", phate_distances(input, plain, context));
    keep("Shortest Path", shortest_path_distances(input, own, context));
  }
  return found;
}

Found over_sigmas(const StudyGraph& made, const std::vector<double>& sigmas,
                  const Context& context) {
  const Laplacian laplacian = build_laplacian(made.graph, LaplacianKind::combinatorial, context);
  Found found;
  for (const double time : {1.0, 10.0, 50.0}) {
    const auto kernel = heat_kernel(laplacian, {.time = time}, context);
    for (const double sigma : sigmas) {
      found[fmt::format("t = {:g}", time)].push_back(
          pearson_of(made, heat_geodesic(*kernel, {.harnack = sigma}, context), context));
    }
  }
  return found;
}

const std::vector<Sweeping>& sweepings() {
  static const std::vector<Sweeping> all = {
      {"t", "diffusion time t (walks: steps)", {1, 3, 10, 30, 100}, true, 35, over_times},
      {"order",
       "order of the approximation, t = 10",
       {5, 10, 20, 30, 50, 100},
       true,
       20,
       over_orders},
      {"knn", "neighbours", {5, 10, 15, 20, 30}, false, 45, over_knn},
      {"sigma",
       "sigma, weight of the volume term",
       {0, 0.25, 0.5, 0.75, 1, 1.5, 2},
       false,
       20,
       over_sigmas},
  };
  return all;
}

std::string study_name(const Sweeping& sweeping) {
  return fmt::format("sweep of {}", sweeping.name);
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all;
  const ReproduceSettings own = study_settings(settings);
  for (const PaperData& data : study_data()) {
    for (const Sweeping& sweeping : sweepings()) {
      for (const std::uint64_t seed : settings.report_seeds) {
        all.push_back({study_key(study_name(sweeping), data, seed, settings, sweeping.values),
                       settings.quick ? sweeping.cost / 5 : sweeping.cost,
                       [=, &sweeping](Context context) {
                         context.seed = seed;
                         const StudyGraph made = make_study_graph(data, 10, own, context);
                         return sweeping.measure(made, sweeping.values, context);
                       }});
      }
    }
  }
  return all;
}

void present(const ReproduceSettings& settings, const Results& results, Section& section) {
  section.paragraphs.push_back(
      "**Sweeps.** One option moves at a time. Rand-Geo, PHATE and diffusion distance walk t whole "
      "steps. The order is that of the Chebyshev polynomial or the number of backward Euler steps, "
      "with kernel entries floored at 1e-16 as published.");
  for (const Sweeping& sweeping : sweepings()) {
    Table table = {.caption = fmt::format("Sweep of {}: Pearson", sweeping.name),
                   .columns = {"data", "method"},
                   .rows = {}};
    for (const double value : sweeping.values) table.columns.push_back(fmt::format("{:g}", value));
    for (const PaperData& data : study_data()) {
      const OverSeeds over =
          over_seeds(results, study_keys(study_name(sweeping), data, settings, sweeping.values));
      if (over.found.empty()) {
        std::vector<std::string> row(table.columns.size(), "–");
        row[0] = title_of(data);
        row[1] = over.reason;
        table.rows.push_back(std::move(row));
        continue;
      }
      std::vector<ChartSeries> lines;
      for (const auto& [method, first] : over.found.front()->items()) {
        std::vector<std::string> row = {title_of(data), method};
        ChartSeries line = {.name = method, .x = sweeping.values};
        for (std::size_t i = 0; i < sweeping.values.size(); ++i) {
          const Measured at =
              over.of([i, &m = method](const nlohmann::json& r) { return r[m][i].get<double>(); });
          row.push_back(in_words(at));
          line.y.push_back(at.mean);
          line.spread.push_back(at.std);
        }
        table.rows.push_back(std::move(row));
        lines.push_back(std::move(line));
      }
      const bool is_tree = data.shape == Shape::tree;
      section.figures.push_back(
          {.name = fmt::format("study_sweep_{}_{}", sweeping.name, is_tree ? "tree" : "roll"),
           .caption = fmt::format("Sweep of {} on {}: correlation with true geodesics, mean and "
                                  "standard deviation over seeds.",
                                  sweeping.name, title_of(data)),
           .svg = chart_svg(lines,
                            {.title = fmt::format("Sweep of {}: {}", sweeping.name, title_of(data)),
                             .x_title = sweeping.x_title,
                             .y_title = "Pearson",
                             .has_log_x = sweeping.has_log_x})});
    }
    section.tables.push_back(std::move(table));
  }
}

}  // namespace of_sweeps

const Study sweep_study = {of_sweeps::jobs, of_sweeps::present};

}  // namespace geotherm::cli
