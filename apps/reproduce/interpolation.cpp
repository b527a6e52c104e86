// Experiment 4: a time point is held out and met half-way between its neighbours in time. One job
// is one data set of one seed: a sample of its cells through the whole grid of every method.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "collapsed.hpp"
#include "experiments.hpp"
#include "geotherm/embedding.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/points.hpp"
#include "grid_table.hpp"
#include "time_courses.hpp"
#include "unrefined.hpp"

namespace geotherm::cli {
namespace of_interpolation {

constexpr std::array courses = {
    TimeCourse{"EMT", "tigon_EMT_3133x3.npz", "X", "time"},
    TimeCourse{"Bifurcation", "tigon_Bifurcation_1896x4.npz", "X", "time"},
    TimeCourse{"Weinreb", "weinreb_781_pca50.npz", "X_pca", "time"},
    TimeCourse{"EB", "eb_velocity_v5.npz", "pcs", "sample_labels"},
    TimeCourse{"IPSC", "ipscData.mat", "data", "data_time"},
    TimeCourse{"Cite", "cite.h5ad", "X_pca", "day"},
    TimeCourse{"Multi", "multi.h5ad", "X_pca", "day"},
};
constexpr std::size_t most_cells = 2000;  // as the paper draws of EB

/// By our names for methods in the sweep, and by the paper's in its table.
const std::vector<GridLine> lines = {
    {"Heat-Geo, plain", "Heat-Geo", "Heat-Geo"},
    {"**Heat-Geo, our defaults**", "geotherm", "Heat-Geo", false},
    {"**Heat-Geo, ours, options chosen**", "geotherm, chosen", "Heat-Geo"},
    {"PHATE", "PHATE", "PHATE"},
    {"Heat-PHATE", "Heat-PHATE", "PHATE-Heat"},
    {"Diffusion Map", "Diffusion Map", "Diffusion Maps"},
    {"t-SNE", "TSNE", "t-SNE"},
    {"UMAP", "UMAP", "UMAP"},
    {"Shortest Path", "Shortest Path", ""},
    {"PCA", "PCA", ""},
};
/// The distance, and its negative, by whose largest options are chosen.
enum Metric : std::size_t { distance_at, closeness_at };
const std::vector<GridMetric> metrics = {{distance_at, "EMD", "emd", Better::lower}};

Sweep sweep_for(const ReproduceSettings& settings) {
  Sweep sweep;
  if (settings.quick) {
    sweep.knn = {10};
    sweep.times = {1.0, 10.0, std::nullopt};
    sweep.sigmas = {0.0, 1.0};
    sweep.has_chebyshev = false;
    sweep.steps = {5, std::nullopt};
    sweep.map_steps = {1, 10};
    sweep.perplexities = {30};
    sweep.min_dists = {0.1, 0.5};
  }
  sweep.walk_sigmas = {};  // Rand-Geo is not in this table
  return sweep;
}

/// Options of our own method that are chosen as those of the others are.
struct OwnChoices {
  std::vector<std::size_t> knn = {5, 10, 15};
  std::vector<double> sigmas = {0.0, 0.5, 1.0};
};
OwnChoices own_choices(const ReproduceSettings& settings) {
  if (settings.quick) return {.knn = {10}, .sigmas = {0.0, 1.0}};
  return {};
}

bool is_validation(const ReproduceSettings& settings, std::uint64_t seed) {
  return std::count(settings.validation_seeds.begin(), settings.validation_seeds.end(), seed) > 0;
}

/// Four fifths of one half of the distinct cells, 2,000 at most: options are chosen on one half and
/// reported on the other, so that no cell has a say in both.
Cells sample(const Cells& cells, bool is_first_half, std::uint64_t seed) {
  std::vector<Index> rows = find_unique_rows(cells.points.view()).first;
  Rng(0, "reproduce.halves").shuffle(std::span<Index>(rows));
  const std::size_t middle = rows.size() / 2;
  std::vector<Index> half(
      rows.begin() + (is_first_half ? 0 : static_cast<std::ptrdiff_t>(middle)),
      is_first_half ? rows.begin() + static_cast<std::ptrdiff_t>(middle) : rows.end());
  Rng(seed, "reproduce.sample").shuffle(std::span<Index>(half));
  half.resize(std::min(half.size() * 4 / 5, most_cells));
  std::sort(half.begin(), half.end());
  return taken(cells, half);
}

nlohmann::json measure(const Cells& cells, const Sweep& sweep, const OwnChoices& own,
                       const Context& context) {
  nlohmann::json scores;
  const auto score = [&](const std::string& method, const std::string& options,
                         const Matrix<double>& map) {
    if (is_collapsed(map)) {  // the distance would be near 0, the best of all
      scores[method][options] = {nullptr, nullptr};
      return;
    }
    const double emd = score_interpolation(map, cells.time, context).mean;
    scores[method][options] = {emd, -emd};  // as Metric says
  };
  sweep_distances(
      cells.points, sweep,
      [&](const std::string& method, const std::string& options, const Matrix<double>& distances) {
        score(method, options, mds(distances, {.n_shakes = 0}, {}, context).coordinates);
      },
      context);
  sweep_diffusion_maps(cells.points, sweep, score, context);
  sweep_layouts(cells.points, sweep, score, context);
  score("geotherm", "defaults",
        heat_geo(cells.points.view(), without_refinement(), context).embedding.coordinates);
  for (const std::size_t knn : own.knn) {
    for (const double sigma : own.sigmas) {
      const MethodOptions options = {.neighbors = {.knn = knn},
                                     .dissimilarity = {.harnack = sigma},
                                     .refine = RefineOptions{.epochs = 0}};
      score("geotherm, chosen", fmt::format("knn {}, sigma {:g}", knn, sigma),
            heat_geo(cells.points.view(), options, context).embedding.coordinates);
    }
  }
  score("PCA", "2 components", pca_map(cells.points.view(), {}, context).embedding.coordinates);
  return scores;
}

nlohmann::json key_for(const TimeCourse& course, std::uint64_t seed,
                       const ReproduceSettings& settings) {
  return {{"label", fmt::format("interpolation: {}, seed {}", course.name, seed)},
          {"experiment", "interpolation"},
          {"file", fingerprint(file_of(course, settings))},
          {"first_half", is_validation(settings, seed)},
          {"seed", seed},
          {"shrink", settings.shrink},
          {"collapsed_maps", "not scored"},
          {"sweep", key_of(sweep_for(settings))},
          {"own", {{"knn", own_choices(settings).knn}, {"sigma", own_choices(settings).sigmas}}},
          {"defaults", key_of_defaults()}};
}

Job job_for(const TimeCourse& course, std::uint64_t seed, const ReproduceSettings& settings) {
  const auto path = file_of(course, settings);
  return {key_for(course, seed, settings), settings.quick ? 3.0 : 13.0, [=](Context context) {
            context.seed = seed;
            Cells cells = sample(read_cells(course, path), is_validation(settings, seed), seed);
            if (settings.shrink > 1) {
              std::vector<Index> few(cells.time.size() / settings.shrink);
              std::iota(few.begin(), few.end(), Index{0});
              for (Index& row : few) row *= static_cast<Index>(settings.shrink);
              cells = taken(cells, few);
            }
            return measure(cells, sweep_for(settings), own_choices(settings), context);
          }};
}

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all;
  for (const std::vector<std::uint64_t>& pair : seed_pairs(settings)) {
    for (const TimeCourse& course : courses) {
      if (file_of(course, settings).empty() || !has_exact_transport()) continue;
      for (const std::uint64_t seed : pair) all.push_back(job_for(course, seed, settings));
    }
  }
  return all;
}

/// "EMT: Heat-Geo knn 10, t 50; ...": options whose map is collapsed for some seed; empty: none.
std::string collapsed_options(const ReproduceSettings& settings, const Results& results) {
  std::string found;
  for (const TimeCourse& course : courses) {
    if (file_of(course, settings).empty()) continue;
    std::set<std::string> of_course;
    for (const auto* seeds : {&settings.validation_seeds, &settings.report_seeds}) {
      for (const std::uint64_t seed : *seeds) {
        const nlohmann::json* const result = results.of(key_for(course, seed, settings));
        if (result == nullptr) continue;
        for (const auto& [method, by_options] : result->items()) {
          for (const auto& [options, values] : by_options.items()) {
            if (values.at(distance_at).is_null()) of_course.insert(method + " " + options);
          }
        }
      }
    }
    if (of_course.empty()) continue;
    found +=
        fmt::format("{}{}: {}", found.empty() ? "" : ". ", course.name, fmt::join(of_course, "; "));
  }
  return found;
}

void add_rows(const TimeCourse& course, const ReproduceSettings& settings, const Results& results,
              Table& table) {
  if (file_of(course, settings).empty() || !has_exact_transport()) {
    const std::string why = has_exact_transport()
                                ? data_is_missing(settings, course.file)
                                : "not run: this build has no exact transport (LEMON)";
    for (const GridLine& line : lines) {
      const auto paper = printed("tab3_emd", course.name, 0, line.printed, "emd");
      table.rows.push_back(
          {course.name, line.shown, paper ? in_words(*paper) : "–", why, "–", "–"});
    }
    return;
  }
  std::vector<nlohmann::json> validation, report;
  for (const auto seed : settings.validation_seeds) {
    validation.push_back(key_for(course, seed, settings));
  }
  for (const auto seed : settings.report_seeds) report.push_back(key_for(course, seed, settings));
  add_grid_rows(table, course.name, {"tab3_emd", course.name}, lines, metrics, closeness_at,
                {results, validation, report});
}

Section present(const ReproduceSettings& settings, const Results& results) {
  Section section = {
      .title = "Time points held out", .paragraphs = {}, .tables = {}, .figures = {}};
  section.paragraphs = {
      "Cells of several times are mapped to two dimensions together. Each inner time point is then "
      "hidden, its neighbours in time are joined by the optimal transport plan, and the midpoints "
      "of the plan are compared with the cells that were hidden: earth mover's distance, exact, on "
      "coordinates z-scored by axis, mean over the inner time points. **Lower is better.**",
      "The distinct cells are cut into two halves once. The options of the paper's table are "
      "chosen "
      "on samples of four fifths of the first half (2,000 cells at most), and reported on samples "
      "of the second: mean and standard deviation over the seeds. Our method stands there twice, "
      "as "
      "it comes, and with neighbours and sigma chosen in the same way. PCA stands there as a "
      "measure of "
      "how much the map matters at all. The paper's own files are not with the program: where one "
      "is in the data folder, its rows are run.",
  };
  const std::string collapsed = collapsed_options(settings, results);
  section.paragraphs.push_back(
      "A map that puts nearly all cells at one place would come out best, near 0. Where the middle "
      "four fifths of the cells lie within a thousandth of the map's extent the map is collapsed: "
      "it is not scored, and its options are not chosen. " +
      (collapsed.empty() ? "No map is." : "Such maps have " + collapsed + "."));
  Table table =
      empty_grid_table("Earth mover's distance to a held-out time point (paper: table 3)", metrics);
  for (const TimeCourse& course : courses) add_rows(course, settings, results, table);
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace of_interpolation

const Experiment interpolation_experiment = {
    "interpolation", "time points held out of EMT, Bifurcation, Weinreb, EB, IPSC, Cite, Multi",
    of_interpolation::jobs, of_interpolation::present};

}  // namespace geotherm::cli
