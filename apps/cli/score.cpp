// geotherm score: how well distances or a map keep what is known: true geodesics, groups, the
// neighbourhoods of the data, the course of time, or another set of points.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "column.hpp"
#include "command.hpp"
#include "compare_runs.hpp"
#include "geotherm/io.hpp"
#include "geotherm/points.hpp"
#include "help.hpp"
#include "run_context.hpp"
#include "score_measures.hpp"

namespace geotherm::cli {
namespace {

struct ScoreOptions {
  std::string estimate;
  std::vector<std::string> compare;
  std::string truth;
  std::string labels;
  std::string points;
  std::string times;
  std::string other;
  std::map<std::string, std::size_t, std::less<>> asked;  ///< scores on request
  std::optional<std::size_t> knn;
  bool json = false;
  RunOptions run;
};

/// Empty where the option was not given.
struct Material {
  Matrix<double> estimate;
  bool is_distances = false;  ///< else coordinates, one row per point
  Matrix<double> truth;
  std::vector<Index> labels;
  Matrix<double> points;
  std::vector<double> times;
  Matrix<double> other;

  ScoreData view(const ScoreOptions& options, std::size_t knn) const {
    return {.estimate = estimate,
            .is_distances = is_distances,
            .truth = truth,
            .labels = labels,
            .points = points,
            .times = times,
            .other = other,
            .knn = knn,
            .asked = options.asked};
  }
};

Matrix<double> read_finite(const std::string& path) {
  Matrix<double> values = read_table(path).to_double();
  try {
    require_finite(values.view());
  } catch (const InvalidData& e) {
    throw InvalidData(path + ": " + e.what());
  }
  return values;
}

void require_rows(const std::string& path, const Matrix<double>& values, const RowsOf& rows) {
  if (values.rows() == rows.n) return;
  throw InvalidData(fmt::format("{} has {} rows but {} has {}: both must be of the same points",
                                rows.file, rows.n, path, values.rows()));
}

void require_map(const ScoreOptions& options, const Material& m, const char* option) {
  if (!m.is_distances) return;
  throw InvalidData(
      fmt::format("{}: is {} x {}, so it is taken for distances; {} needs a map, n x dimensions",
                  options.estimate, m.estimate.rows(), m.estimate.cols(), option));
}

Material read_material(const ScoreOptions& options) {
  Material m;
  m.estimate = read_finite(options.estimate);
  m.is_distances = m.estimate.rows() == m.estimate.cols();
  const RowsOf rows{options.estimate, m.estimate.rows()};
  if (!options.truth.empty()) {
    m.truth = read_finite(with_usual_key(options.truth, {"geodesic"}));
    if (m.truth.rows() != m.truth.cols()) {
      throw InvalidData(fmt::format("{}: true distances are square, this array is {} x {}",
                                    options.truth, m.truth.rows(), m.truth.cols()));
    }
    require_rows(options.truth, m.truth, rows);
  }
  if (!options.labels.empty()) m.labels = read_labels(options.labels, rows);
  if (!options.points.empty()) {
    m.points = read_finite(with_usual_key(options.points, {"X", "points"}));
    require_rows(options.points, m.points, rows);
  }
  if (!options.times.empty()) {
    require_map(options, m, "--times");
    m.times = read_times(options.times, rows);
    const std::size_t n_times = std::set<double>(m.times.begin(), m.times.end()).size();
    if (n_times < 3) {
      throw InvalidData(fmt::format("{}: has {} distinct time{}; one between two others is needed",
                                    options.times, n_times, n_times == 1 ? "" : "s"));
    }
  }
  if (!options.other.empty()) {
    require_map(options, m, "--emd");
    m.other = read_finite(options.other);
    if (m.other.cols() != m.estimate.cols()) {
      throw InvalidData(
          fmt::format("{} has {} columns but {} has {}: both must lie in the same space",
                      options.estimate, m.estimate.cols(), options.other, m.other.cols()));
    }
  }
  return m;
}

/// Complaints about the numbers of neighbours under the names of their options.
void check_neighbors(const ScoreOptions& options, std::size_t knn, std::size_t n_points) {
  std::vector<std::string> complaints;
  const auto check = [&](const char* option, std::size_t k) {
    for (const std::string& complaint : issues_with(NeighborhoodOptions{.knn = k}, n_points)) {
      complaints.push_back(fmt::format("{}: {}", option, complaint));
    }
  };
  for (const auto& [option, number] : options.asked) {
    if (score_with_option(option)->option_has_number) check(("--" + option).c_str(), number);
  }
  if (!options.labels.empty() || !options.points.empty()) check("--knn", knn);
  if (complaints.empty() && !options.points.empty() && 2 * knn >= n_points) {
    complaints.push_back(fmt::format(
        "--knn: knn is {} and there are {} points: --points needs less than half", knn, n_points));
  }
  refuse_if_any(complaints);
}

/// Two runs against each other: the rest of the options is about one.
int compare(const ScoreOptions& options) {
  const auto refuse = [](const std::string& given, const char* option) {
    if (given.empty()) return;
    throw InvalidArgument(
        fmt::format("--compare compares two runs; {} scores one: leave one of them out", option));
  };
  refuse(options.estimate, "--estimate");
  refuse(options.truth, "--truth");
  refuse(options.points, "--points");
  refuse(options.times, "--times");
  refuse(options.other, "--emd");
  RunContext run_context(options.run);
  const std::string found = compared_runs({.runs = options.compare,
                                           .labels = options.labels,
                                           .knn = options.knn.value_or(CompareOptions{}.knn),
                                           .json = options.json},
                                          run_context.context());
  run_context.clear_bar();
  fmt::print("{}", found);
  return success;
}

void check_use(const ScoreOptions& options) {
  if (options.estimate.empty()) {
    throw InvalidArgument(
        "nothing to score: give --estimate FILE, or two runs to compare as "
        "--compare RUN1 RUN2");
  }
  const bool has_neighborhoods = !options.labels.empty() || !options.points.empty();
  if (options.truth.empty() && !has_neighborhoods && options.times.empty() &&
      options.other.empty()) {
    throw InvalidArgument(
        "nothing to compare the estimate with: give one or more of --truth, --labels, --points, "
        "--times, --emd");
  }
  if (options.knn && !has_neighborhoods) {
    throw InvalidArgument(
        "--knn counts the neighbours for --labels and --points: give one of them (for --truth "
        "there is --precision)");
  }
}

int score(const ScoreOptions& options) {
  if (!options.compare.empty()) return compare(options);
  check_use(options);
  RunContext run_context(options.run);
  const Context& context = run_context.context();
  const std::size_t knn = options.knn.value_or(NeighborhoodOptions{}.knn);
  const Material m = read_material(options);
  check_neighbors(options, knn, m.estimate.rows());

  const ScoreData data = m.view(options, knn);
  if (m.is_distances && !options.labels.empty()) {
    run_context.warn(options.estimate +
                     " holds distances: --labels gives knn_accuracy alone, k-means needs a map");
  }
  std::vector<ScoreGroup> groups;
  for (const Against what :
       {Against::truth, Against::labels, Against::points, Against::times, Against::other}) {
    if (data.has(what)) groups.push_back(score_group(what, data, options.other, context));
  }
  run_context.clear_bar();
  fmt::print("{}", options.json ? to_json(groups) : to_text(groups));
  return success;
}

void add_truth_options(CLI::App& command, ScoreOptions& options) {
  const char* group = "Against true distances";
  CLI::Option* truth = command.add_option(
      "--truth", options.truth,
      wrapped("True distances, n x n: T.npz (array geodesic), T.npz:key, .npy, .csv. Gives " +
              keys_against(Against::truth)));
  truth->group(group);
  for (const Score& score : scores()) {
    if (score.option.empty()) continue;
    const std::string name(score.option);
    const std::string help(score.help);
    CLI::Option* option =
        score.option_has_number
            ? command
                  .add_option_function<std::size_t>(
                      "--" + name, [&options, name](std::size_t k) { options.asked[name] = k; },
                      help)
                  ->type_name("K")
            : command.add_flag_callback(
                  "--" + name, [&options, name] { options.asked[name] = 1; }, help);
    option->needs(truth)->group(group);
  }
}

void add_other_options(CLI::App& command, ScoreOptions& options) {
  const char* group = "Against labels, points or times (FILE: .npz, .npz:key, .npy, .csv, .tsv)";
  command
      .add_option("--labels", options.labels,
                  wrapped("A group for each point, text or integers (array label; text of one "
                          "column, or two: names, labels). Gives " +
                          keys_against(Against::labels) +
                          "; clusters are of k-means on the z-scored map, as many as groups"))
      ->type_name("FILE")
      ->group(group);
  command
      .add_option(
          "--points", options.points,
          wrapped("The points that were mapped (array X). Gives " + keys_against(Against::points)))
      ->type_name("FILE")
      ->group(group);
  command.add_option("--knn", options.knn, "Number of neighbours for --labels and --points")
      ->type_name("K")
      ->default_str(std::to_string(NeighborhoodOptions{}.knn))
      ->group(group);
  command
      .add_option("--times", options.times,
                  wrapped("A time for each point (array t), three distinct or more. Gives " +
                          keys_against(Against::times) +
                          ": how far each inner time lies from the middle of its neighbours in "
                          "time"))
      ->type_name("FILE")
      ->group(group);
  command
      .add_option(
          "--emd", options.other,
          wrapped("Another set of points in the same space. Gives " + keys_against(Against::other) +
                  ": exact optimal transport between the rows, about 100 bytes per pair"))
      ->type_name("FILE")
      ->group(group);
}

}  // namespace

void add_score(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = app.add_subcommand(
      "score", "Score how well a map preserves geodesics, groups, neighbours or time");
  command->footer(
      "Give --estimate and at least one thing to compare it with:\n"
      "  geotherm score --truth roll.npz --estimate map.csv --precision 10 --demap\n"
      "  geotherm score --labels kinds.csv --points cells.npz:X --estimate map.csv --json\n"
      "or two runs to compare:\n"
      "  geotherm score --compare map.csv umap.csv --labels kinds.csv\n");
  command->add_option("--estimate", options->estimate,
                      "Distances (n x n) or a map (n x dimensions) to score");
  command
      ->add_option("--compare", options->compare,
                   "Instead: two runs of embed, each by its manifest (.json) or its map\n"
                   "(.h5ad as file.h5ad:X_heatgeo). Reports how far coordinates, distances\n"
                   "and neighbours differ (by group with --labels), and which options do")
      ->type_name("RUN1 RUN2")
      ->expected(2);
  command->add_flag("--json", options->json,
                    "Print one flat JSON object with the names below as keys");
  add_truth_options(*command, *options);
  add_other_options(*command, *options);
  add_run_options(*command, options->run);
  command->callback([options, &chosen] { chosen = [options] { return score(*options); }; });
}

}  // namespace geotherm::cli
