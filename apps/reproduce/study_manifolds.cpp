// Circle, sphere and R^3: the heat-geodesic distance from the analytic kernel against the true
// geodesic, where the text slips, and the same shapes sampled and walked through the program's
// modules.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>

#include "chart_svg.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "studies.hpp"
#include "sweep.hpp"

namespace geotherm::cli {
namespace of_manifolds {

using std::numbers::pi;
constexpr std::size_t n_distances = 200;
const std::vector<double> times = {0.1, 0.25, 0.5, 1};

/// Theta function of the circle of length 2 pi, summed over the windings.
double circle_heat(double t, double d) {
  double sum = 0;
  for (int m = -8; m <= 8; ++m) {
    const double way = d + 2 * pi * m;
    sum += std::exp(-way * way / (4 * t));
  }
  return sum / std::sqrt(4 * pi * t);
}

/// Kernel of the unit 2-sphere: sum of exp(-l(l+1)t) (2l+1)/(4 pi) P_l(cos d). With `as_printed`
/// the exponent stands as in the text, -l(l+3) - 2t for n = 3.
double sphere_series(double t, double d, bool as_printed) {
  const double x = std::cos(d);
  double before = 1, now = x, sum = as_printed ? std::exp(-2 * t) : 1;
  for (int l = 1; l < 400; ++l) {
    const double exponent = as_printed ? -l * (l + 3.0) - 2 * t : -l * (l + 1.0) * t;
    sum += std::exp(exponent) * (2 * l + 1) * now;
    const double next = ((2 * l + 1) * x * now - l * before) / (l + 1);
    before = now;
    now = next;
  }
  return sum / (4 * pi);
}
double sphere_heat(double t, double d) { return sphere_series(t, d, false); }

double space_heat(double t, double d) {
  return std::exp(-d * d / (4 * t)) / std::pow(4 * pi * t, 1.5);
}

struct Manifold {
  const char* name;
  const char* file;
  double farthest;
  double (*heat)(double t, double d);
};
constexpr std::array manifolds = {Manifold{"circle", "circle", pi, circle_heat},
                                  Manifold{"sphere", "sphere", pi, sphere_heat},
                                  Manifold{"R^3", "space", 5, space_heat}};

std::vector<double> distances_on(const Manifold& manifold) {
  std::vector<double> distances(n_distances);
  for (std::size_t i = 0; i < n_distances; ++i) {
    distances[i] = manifold.farthest * static_cast<double>(i + 1) / n_distances;
  }
  return distances;
}

/// sqrt(-4t log h(d) + 4t log h(0)): sigma = 1.
std::vector<double> estimates_on(const Manifold& manifold, double t) {
  std::vector<double> estimates;
  for (const double d : distances_on(manifold)) {
    const double squared = -4 * t * std::log(manifold.heat(t, d) / manifold.heat(t, 0));
    estimates.push_back(std::sqrt(std::max(0.0, squared)));
  }
  return estimates;
}

nlohmann::json analytic() {
  nlohmann::json found;
  for (const Manifold& manifold : manifolds) {
    for (const double t : times) {
      found[manifold.name][fmt::format("{:g}", t)] = estimates_on(manifold, t);
    }
  }
  // All heat that left a point is somewhere: the integral over the sphere is 1.
  for (const bool as_printed : {false, true}) {
    double total = 0;
    constexpr int n_steps = 20000;
    for (int i = 0; i < n_steps; ++i) {
      const double d = pi * (i + 0.5) / n_steps;
      total += sphere_series(0.25, d, as_printed) * 2 * pi * std::sin(d) * pi / n_steps;
    }
    found[as_printed ? "total heat as printed" : "total heat"] = total;
  }
  // Termwise, the text says, each winding's share falls as d grows. Those of m < 0 rise.
  std::size_t rising = 0, terms = 0;
  for (int m = -8; m <= 8; ++m) {
    ++terms;
    rising += std::abs(0.1 + 2 * pi * m) > std::abs(0.2 + 2 * pi * m);
  }
  found["rising terms"] = static_cast<double>(rising) / static_cast<double>(terms);
  // With the volume of the ball of radius sqrt(t) in place of 1 / h(0), the square is off by a
  // constant.
  const double t = 0.25, d = 2, ball = 4.0 / 3 * pi * std::pow(t, 1.5);
  found["ball offset"] = (-4 * t * std::log(space_heat(t, d) * ball) - d * d) / (4 * t);
  return found;
}

struct Sampled {
  const char* name;
  Shape shape;
  std::size_t n;
  bool is_even = false;  ///< equal steps in place of a random sample
};
constexpr std::array sampled_shapes = {Sampled{"circle, equal steps", Shape::circle, 500, true},
                                       Sampled{"circle, drawn at random", Shape::circle, 500},
                                       Sampled{"sphere, drawn at random", Shape::sphere, 2000}};

struct SampledMethod {
  const char* name;
  MethodOptions (*options)();
};
constexpr std::array sampled_methods = {
    SampledMethod{"Heat-Geo, our defaults", [] { return MethodOptions{}; }},
    SampledMethod{"Heat-Geo, no pruning",
                  [] { return MethodOptions{.shortcuts = ShortcutOptions{.share = 0}}; }},
    SampledMethod{"Heat-Geo, as published", [] { return as_published({}); }}};

Dataset even_circle(std::size_t n) {
  Dataset made;
  made.X = Matrix<double>(n, 2);
  made.geodesic = Matrix<double>(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(n);
    made.X(i, 0) = std::cos(angle);
    made.X(i, 1) = std::sin(angle);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t steps = i > j ? i - j : j - i;
      made.geodesic(i, j) =
          2 * pi * static_cast<double>(std::min(steps, n - steps)) / static_cast<double>(n);
    }
  }
  return made;
}

nlohmann::json sampled(const Sampled& shape, const ReproduceSettings& settings,
                       const Context& context) {
  const std::size_t n = shape.n / settings.shrink;
  const Dataset made =
      shape.is_even ? even_circle(n) : synthesize(shape.shape, {.n = n, .noise = 0}, context);
  nlohmann::json found;
  for (const SampledMethod& method : sampled_methods) {
    const DistanceRun run = heat_geo_distances(made.X.view(), method.options(), context);
    const DistanceScores scores = score_distances(made.geodesic, run.dissimilarity.values, context);
    found[method.name] = {scores.pearson, scores.spearman};
  }
  return found;
}

nlohmann::json analytic_key() {
  return {{"label", "studies: analytic heat kernels"},
          {"experiment", "studies"},
          {"study", "manifolds"},
          {"distances", n_distances},
          {"times", times}};
}
nlohmann::json sampled_key(const Sampled& shape, std::uint64_t seed,
                           const ReproduceSettings& settings) {
  return {{"label", fmt::format("studies: sampled {}, seed {}", shape.name, seed)},
          {"experiment", "studies"},
          {"study", "sampled manifold, with and without pruning"},
          {"shape", shape.name},
          {"seed", seed},
          {"n", shape.n / study_settings(settings).shrink},
          {"defaults", key_of_defaults()}};
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all;
  all.push_back({analytic_key(), 1, [](const Context&) { return analytic(); }});
  const ReproduceSettings own = study_settings(settings);
  for (const Sampled& shape : sampled_shapes) {
    for (const std::uint64_t seed : settings.report_seeds) {
      all.push_back({sampled_key(shape, seed, settings), 5, [=](Context context) {
                       context.seed = seed;
                       return sampled(shape, own, context);
                     }});
    }
  }
  return all;
}

/// Rows of the analytic kernels and a chart of each manifold.
void present_analytic(const nlohmann::json* found, const std::string& why, Section& section) {
  Table table = {.caption =
                     "Analytic heat kernels: heat-geodesic distance (sigma = 1) against the "
                     "geodesic, at 200 distances up to the farthest",
                 .columns = {"manifold", "t", "rises throughout", "Pearson",
                             "at the farthest point", "true", "largest relative error"},
                 .rows = {}};
  for (const Manifold& manifold : manifolds) {
    const std::vector<double> truth = distances_on(manifold);
    std::vector<ChartSeries> lines = {
        {.name = "true", .x = truth, .y = truth, .has_dots = false, .is_dashed = true}};
    for (const double t : times) {
      const std::string at = fmt::format("{:g}", t);
      if (found == nullptr) {
        table.rows.push_back({manifold.name, at, why, "–", "–", "–", "–"});
        continue;
      }
      const std::vector<double> estimates = found->at(manifold.name).at(at);
      bool rises = true;
      double error = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        if (i > 0) rises = rises && estimates[i] > estimates[i - 1];
        error = std::max(error, std::abs(estimates[i] / truth[i] - 1));
      }
      table.rows.push_back({manifold.name, at, rises ? "yes" : "no",
                            fmt::format("{:.4f}", pearson(truth, estimates)),
                            fmt::format("{:.3f}", estimates.back()),
                            fmt::format("{:.3f}", truth.back()), fmt::format("{:.1e}", error)});
      lines.push_back(
          {.name = fmt::format("t = {:g}", t), .x = truth, .y = estimates, .has_dots = false});
    }
    if (found == nullptr) continue;
    section.figures.push_back(
        {.name = fmt::format("study_manifold_{}", manifold.file),
         .caption =
             fmt::format("Heat-geodesic distance from the analytic kernel: {}.", manifold.name),
         .svg = chart_svg(lines, {.title = fmt::format("Analytic kernel: {}", manifold.name),
                                  .x_title = "geodesic distance",
                                  .y_title = "heat-geodesic distance"})});
  }
  section.tables.push_back(std::move(table));
}

void present(const ReproduceSettings& settings, const Results& results, Section& section) {
  const nlohmann::json* found = results.of(analytic_key());
  std::string words =
      "**Circle, sphere, R^3.** Where the heat kernel depends on the geodesic alone and falls with "
      "it, the distance keeps the order of all pairs.";
  if (found != nullptr) {
    words += fmt::format(
        " The text argues term by term for the circle: {:.0f} % of the terms rise with d, yet "
        "their "
        "sum falls throughout. The sphere's kernel has exp(-l(l + n - 2) t) over the area in place "
        "of "
        "what is printed: total heat on the 2-sphere at t = 0.25 is {:.6f}, with the printed "
        "exponent {:.4f}. In R^3 the distance is exact; with the ball's volume for 1/h(0) d^2 is "
        "off "
        "by {:.6f} x 4t, which is log(6 sqrt(pi)) = {:.6f}.",
        100 * found->at("rising terms").get<double>(), found->at("total heat").get<double>(),
        found->at("total heat as printed").get<double>(), found->at("ball offset").get<double>(),
        std::log(6 * std::sqrt(pi)));
  }
  section.paragraphs.push_back(words);
  present_analytic(found, results.reason(analytic_key()), section);
  Table table = {
      .caption =
          "The same shapes sampled without noise: correlation with true geodesics. A "
          "circle drawn at random can be cut open, and distances then go the long way round: by "
          "a gap wider than ten neighbours reach, or by the search for shortcut edges, which "
          "takes the few edges across a wide gap for one",
      .columns = {"shape", "points", "method", "Pearson", "Spearman"},
      .rows = {}};
  for (const Sampled& shape : sampled_shapes) {
    std::vector<nlohmann::json> keys;
    for (const auto seed : settings.report_seeds)
      keys.push_back(sampled_key(shape, seed, settings));
    const OverSeeds over = over_seeds(results, keys);
    for (const SampledMethod& method : sampled_methods) {
      std::vector<std::string> row = {
          shape.name, fmt::format("{}", shape.n / study_settings(settings).shrink), method.name};
      for (const std::size_t which : {0u, 1u}) {
        const Measured at = over.of(
            [&](const nlohmann::json& r) { return r.at(method.name).at(which).get<double>(); });
        row.push_back(at.n > 0 ? in_words(at) : over.reason);
      }
      table.rows.push_back(std::move(row));
    }
  }
  section.tables.push_back(std::move(table));
}

}  // namespace of_manifolds

const Study manifold_study = {of_manifolds::jobs, of_manifolds::present};

}  // namespace geotherm::cli
