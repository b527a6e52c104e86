// geotherm score: how well distances or a map keep the true geodesics.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "geotherm/io.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/points.hpp"
#include "run_context.hpp"

namespace geotherm::cli {
namespace {

struct ScoreOptions {
  std::string truth;
  std::string estimate;
  bool json = false;
  RunOptions run;
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

/// The file's `geodesic` array where it is an .npz that has one and no key is named.
std::string truth_path(const std::string& path) {
  const auto [file, key] = split_key(path);
  if (!key.empty() || !file.ends_with(".npz")) return path;
  for (const ArrayInfo& info : list_npz(file)) {
    if (info.name == "geodesic") return file + ":geodesic";
  }
  return path;
}

int score(const ScoreOptions& options) {
  RunContext run_context(options.run);
  const Matrix<double> truth = read_finite(truth_path(options.truth));
  const Matrix<double> estimate = read_finite(options.estimate);
  if (truth.rows() != truth.cols()) {
    throw InvalidData(fmt::format("{}: true distances are square, this array is {} x {}",
                                  options.truth, truth.rows(), truth.cols()));
  }
  if (estimate.rows() != truth.rows()) {
    throw InvalidData(fmt::format("{} has {} rows but {} has {}: both must be of the same points",
                                  options.estimate, estimate.rows(), options.truth, truth.rows()));
  }
  const bool is_distances = estimate.cols() == estimate.rows();
  const DistanceScores s = is_distances ? score_distances(truth, estimate, run_context.context())
                                        : score_embedding(truth, estimate, run_context.context());
  run_context.clear_bar();
  if (options.json) {
    const nlohmann::json json = {{"pearson", s.pearson},
                                 {"spearman", s.spearman},
                                 {"frobenius", s.frobenius},
                                 {"max", s.max}};
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{} against the true distances ({} points)\n", is_distances ? "distances" : "map",
               truth.rows());
    fmt::print("  pearson    {:.4f}   mean over points\n", s.pearson);
    fmt::print("  spearman   {:.4f}   mean over points\n", s.spearman);
    fmt::print("  frobenius  {:.4g}   of the difference, over n^2\n", s.frobenius);
    fmt::print("  max        {:.4g}   of the difference, over n^2\n", s.max);
  }
  return success;
}

}  // namespace

void add_score(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* command =
      app.add_subcommand("score", "Compare distances or a map with the true geodesics");
  command
      ->add_option("--truth", options->truth,
                   "True distances, n x n: T.npz (array geodesic), T.npz:key, .npy, .csv")
      ->required();
  command
      ->add_option("--estimate", options->estimate,
                   "Distances (n x n) or a map (n x dimensions) to judge")
      ->required();
  command->add_flag("--json", options->json, "Print JSON: pearson spearman frobenius max");
  add_run_options(*command, options->run);
  command->callback([options, &chosen] { chosen = [options] { return score(*options); }; });
}

}  // namespace geotherm::cli
