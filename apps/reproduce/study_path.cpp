// A path of 51 nodes: the squared distance of the midpoint to every node, by the exact kernel, by
// Chebyshev polynomials of order 20 and by backward Euler, as in the paper's appendix.
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "chart_svg.hpp"
#include "geotherm/dissimilarity.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "studies.hpp"

namespace geotherm::cli {
namespace of_path {

constexpr std::size_t n_nodes = 51, middle = 25;
const std::vector<double> times = {1, 10, 50};

struct Approximation {
  const char* name;
  HeatKernelOptions options;
};
const std::array approximations = {
    Approximation{"exact (eigenvectors)", {.method = KernelMethod::exact}},
    Approximation{"right in every entry", {.method = KernelMethod::uniformization}},
    Approximation{"Chebyshev, order 20", {.method = KernelMethod::chebyshev, .order = 20}},
    Approximation{"backward Euler, 20 steps", {.method = KernelMethod::euler, .order = 20}}};

nlohmann::json key() {
  return {{"label", "studies: path of 51 nodes"},
          {"experiment", "studies"},
          {"study", "path"},
          {"nodes", n_nodes},
          {"times", times}};
}

nlohmann::json measure(const Context& context) {
  std::vector<Triplet> edges;
  for (std::size_t i = 0; i + 1 < n_nodes; ++i) {
    const auto a = static_cast<Index>(i), b = static_cast<Index>(i + 1);
    edges.push_back({a, b, 1.0});
    edges.push_back({b, a, 1.0});
  }
  const Laplacian laplacian = build_laplacian(
      graph_from_affinities(sparse_from_triplets(n_nodes, n_nodes, std::move(edges)), context));
  nlohmann::json found;
  for (const double time : times) {
    for (const Approximation& approximation : approximations) {
      HeatKernelOptions options = approximation.options;
      options.time = time;
      const auto kernel = heat_kernel(laplacian, options, context);
      const Dissimilarity distances = heat_geodesic(*kernel, {.kernel_floor = 1e-16}, context);
      nlohmann::json& at = found[fmt::format("{:g}", time)][approximation.name];
      for (const double d : distances.values.row(middle)) at["squared"].push_back(d * d);
      at["floored"] = distances.unresolved_share;
    }
  }
  return found;
}

std::vector<Job> jobs(const ReproduceSettings&) { return {{key(), 0.1, measure}}; }

double truth_at(std::size_t node) {
  const double d = static_cast<double>(node) - static_cast<double>(middle);
  return d * d;
}

void present(const ReproduceSettings&, const Results& results, Section& section) {
  section.paragraphs.push_back(
      "**Truncation.** On a path of 51 nodes the distance of the midpoint is known: the number of "
      "steps. A polynomial of order 20 reaches no farther than 20 steps: all nodes beyond stand at "
      "the distance of the floor (kernel entries of 1e-16), the truncated distance of the paper, "
      "which grows with t. Backward Euler has no such end, though its far distances come out "
      "shorter. At small t every kernel meets the floor: heat has not come so far.");
  Table table = {.caption =
                     "Path of 51 nodes: squared distance of the midpoint to the end (true: "
                     "625), Pearson of squared distances with the true ones, pairs that are "
                     "not resolved",
                 .columns = {"t", "kernel", "to the end", "Pearson", "not resolved"},
                 .rows = {}};
  const nlohmann::json* found = results.of(key());
  for (const double time : times) {
    std::vector<ChartSeries> lines;
    for (const Approximation& approximation : approximations) {
      const std::string t = fmt::format("{:g}", time);
      if (found == nullptr) {
        table.rows.push_back({"t = " + t, approximation.name, results.reason(key()), "–", "–"});
        continue;
      }
      const nlohmann::json& at = found->at(t).at(approximation.name);
      const std::vector<double> squared = at.at("squared");
      ChartSeries line = {.name = approximation.name,
                          .y = squared,
                          .has_dots = false,
                          .is_dashed = approximation.options.method == KernelMethod::exact};
      std::vector<double> truth;
      for (std::size_t i = 0; i < n_nodes; ++i) {
        line.x.push_back(static_cast<double>(i) - static_cast<double>(middle));
        truth.push_back(truth_at(i));
      }
      table.rows.push_back({"t = " + t, approximation.name, fmt::format("{:.1f}", squared.back()),
                            fmt::format("{:.3f}", pearson(truth, squared)),
                            fmt::format("{:.1f} %", 100 * at.at("floored").get<double>())});
      if (lines.empty()) {
        lines.push_back({.name = "true", .x = line.x, .y = truth, .has_line = false});
      }
      lines.push_back(std::move(line));
    }
    if (lines.empty()) continue;
    section.figures.push_back(
        {.name = fmt::format("study_path_t{:g}", time),
         .caption =
             fmt::format("Squared distance of the midpoint of a path of 51 nodes, t = {:g}.", time),
         .svg = chart_svg(lines, {.title = fmt::format("Path of 51 nodes, t = {:g}", time),
                                  .x_title = "node, from the midpoint",
                                  .y_title = "squared distance"})});
  }
  section.tables.push_back(std::move(table));
}

}  // namespace of_path

const Study path_study = {of_path::jobs, of_path::present};

}  // namespace geotherm::cli
