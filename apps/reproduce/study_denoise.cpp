// rho from 0 to 1: how far denoised heat-geodesic distances become those of PHATE with the heat
// kernel, and the identity behind it, on squared distances.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "chart_svg.hpp"
#include "geotherm/dissimilarity.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/report.hpp"
#include "studies.hpp"
#include "sweep.hpp"

namespace geotherm::cli {
namespace of_denoise {

const std::vector<double> rhos = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
constexpr double time = 10;

/// d^2 = -4t log H with sigma = 0, its diagonal as it comes: denoising reads that.
Matrix<double> squared_distances(const DiffusionKernel& kernel, const Context& context) {
  Matrix<double> squares = kernel.dense(context);
  for (std::size_t i = 0; i < squares.size(); ++i) {
    squares.data()[i] = -4 * time * std::log(std::clamp(squares.data()[i], 1e-300, 1.0));
  }
  return squares;
}

/// Largest deviation from PH = |d^2(i, .) - d^2(j, .)| / 4t, over the largest PH.
double identity_deviation(Matrix<double> squares, const DiffusionKernel& kernel,
                          const Context& context) {
  denoise_triplets(squares, 1.0, context);
  const Matrix<double> potential = potential_distance(kernel, {.offset = 1e-300}, context).values;
  const double largest = *std::max_element(potential.data(), potential.data() + potential.size());
  double deviation = 0;
  for (std::size_t i = 0; i < potential.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      deviation = std::max(deviation, std::abs(squares(i, j) / (4 * time) - potential(i, j)));
    }
  }
  return deviation / largest;
}

nlohmann::json measure(const PaperData& data, const ReproduceSettings& settings,
                       const Context& context) {
  const StudyGraph made = make_study_graph(data, 10, settings, context);
  const Laplacian laplacian = build_laplacian(made.graph, LaplacianKind::combinatorial, context);
  const auto kernel = heat_kernel(laplacian, {.time = time}, context);
  const Matrix<double> heat_phate =
      potential_distance(*kernel, {.offset = heat_phate_offset}, context).values;
  const int steps = static_cast<int>(choose_walk_steps(made.graph, {}, context).time);
  const Matrix<double> phate =
      potential_distance(*walk_power(random_walk(made.graph), steps, context), {}, context).values;
  Matrix<double> base = squared_distances(*kernel, context);
  nlohmann::json found = {{"identity", identity_deviation(base, *kernel, context)}};
  for (std::size_t i = 0; i < base.size(); ++i) base.data()[i] = std::sqrt(base.data()[i]);
  for (const double rho : rhos) {
    Matrix<double> distances = base;
    denoise_triplets(distances, rho, context);
    for (std::size_t i = 0; i < distances.rows(); ++i) distances(i, i) = 0;
    const auto pearson = [&](const Matrix<double>& other) {
      return score_distances(other, distances, context).pearson;
    };
    found["Heat-PHATE"].push_back(pearson(heat_phate));
    found["PHATE"].push_back(pearson(phate));
    found["true geodesics"].push_back(pearson(made.data.geodesic));
  }
  return found;
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  return study_jobs("denoising", study_data(), settings, {{"t", time}, {"rho", rhos}},
                    settings.quick ? 3.0 : 13.0, measure);
}

void present(const ReproduceSettings& settings, const Results& results, Section& section) {
  section.paragraphs.push_back(
      "**Towards PHATE.** D becomes (1 - rho) D + rho D_T, where D_T compares rows of D. The "
      "paper's "
      "proposition (PHATE's potential distance of the heat kernel) holds for squared distances "
      "with "
      "sigma = 0; there it is checked to rounding. On the distances themselves rho = 1 comes near "
      "PHATE without meeting it. sigma = 0, t = 10.");
  Table table = {.caption =
                     "rho towards PHATE: Pearson of the denoised distances with others; and "
                     "the largest deviation from the identity on squares, over the largest "
                     "distance",
                 .columns = {"data", "compared with"},
                 .rows = {}};
  for (const double rho : rhos) table.columns.push_back(fmt::format("rho {:g}", rho));
  table.columns.push_back("identity");
  for (const PaperData& data : study_data()) {
    const OverSeeds over =
        over_seeds(results, study_keys("denoising", data, settings, {{"t", time}, {"rho", rhos}}));
    std::vector<ChartSeries> lines;
    for (const char* other : {"Heat-PHATE", "PHATE", "true geodesics"}) {
      std::vector<std::string> row = {title_of(data), other};
      ChartSeries line = {.name = other, .x = rhos};
      for (std::size_t i = 0; i < rhos.size(); ++i) {
        const Measured at =
            over.of([&](const nlohmann::json& r) { return r.at(other)[i].get<double>(); });
        row.push_back(at.n > 0 ? in_words(at) : over.reason);
        line.y.push_back(at.mean);
        line.spread.push_back(at.std);
      }
      const Measured identity =
          over.of([](const nlohmann::json& r) { return r.at("identity").get<double>(); });
      row.push_back(identity.n > 0 && std::string_view(other) == "Heat-PHATE"
                        ? fmt::format("{:.1e}", identity.mean)
                        : "–");
      table.rows.push_back(std::move(row));
      lines.push_back(std::move(line));
    }
    if (over.found.empty()) continue;
    section.figures.push_back(
        {.name = data.shape == Shape::tree ? "study_rho_tree" : "study_rho_roll",
         .caption = fmt::format("{}: denoised distances against those of PHATE, over rho.",
                                title_of(data)),
         .svg = chart_svg(lines, {.title = "Towards PHATE: " + title_of(data),
                                  .x_title = "rho",
                                  .y_title = "Pearson"})});
  }
  section.tables.push_back(std::move(table));
}

}  // namespace of_denoise

const Study denoise_study = {of_denoise::jobs, of_denoise::present};

}  // namespace geotherm::cli
