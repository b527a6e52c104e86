// geotherm distances: distances of a method between all points, or from chosen ones.
#include <fmt/core.h>

#include <cmath>

#include "command.hpp"
#include "estimate.hpp"
#include "help.hpp"
#include "input.hpp"
#include "manifest.hpp"
#include "method_flags.hpp"
#include "output.hpp"
#include "output_check.hpp"
#include "row_names.hpp"
#include "streamed_input.hpp"

namespace geotherm::cli {
namespace {

struct DistancesOptions {
  std::string input;
  std::string output;
  std::string manifest;
  std::vector<std::string> from;
  bool prints_json = false;
  InputOptions reading;
  std::string pairs;
  bool estimate = false;
  MethodFlags method;
  RunOptions run;
};

/// One row per point and one column per source, as the file has it.
Matrix<double> transposed(const Matrix<double>& rows) {
  Matrix<double> columns = Matrix<double>::uninitialized(rows.cols(), rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) columns(j, i) = rows(i, j);
  }
  return columns;
}

using Pairs = std::vector<std::pair<Index, Index>>;

/// "N": that many drawn at random; else a file of two columns of row numbers.
Pairs pairs_of(const std::string& word, std::size_t n, std::uint64_t seed) {
  Pairs pairs;
  if (word.find_first_not_of("0123456789") == std::string::npos && word.size() < 10) {
    Rng rng(seed, "distances.pairs");
    const std::size_t count = std::stoul(word);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = rng.below(n), j = rng.below(n - 1);
      pairs.emplace_back(static_cast<Index>(i), static_cast<Index>(j < i ? j : j + 1));
    }
    return pairs;
  }
  const Matrix<double> table = read_table(word).to_double();
  if (table.cols() != 2) {
    throw InvalidData(
        fmt::format("{}: pairs are two columns of row numbers, this has {}", word, table.cols()));
  }
  for (std::size_t k = 0; k < table.rows(); ++k) {
    for (const double row : table.row(k)) {
      if (!(row >= 0 && row < static_cast<double>(n)) || row != std::floor(row)) {
        throw InvalidData(fmt::format("{}: row {} names point {}; they are numbered 0 to {}", word,
                                      k, row, n - 1));
      }
    }
    pairs.emplace_back(static_cast<Index>(table(k, 0)), static_cast<Index>(table(k, 1)));
  }
  return pairs;
}

/// One row per pair: both points, and how far apart they are.
template <class Between>
Matrix<double> measured(const Pairs& pairs, const Between& between) {
  auto result = Matrix<double>::uninitialized(pairs.size(), 3);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    result(k, 0) = pairs[k].first;
    result(k, 1) = pairs[k].second;
    result(k, 2) = between(static_cast<std::size_t>(pairs[k].first),
                           static_cast<std::size_t>(pairs[k].second));
  }
  return result;
}

/// Rows of all distances, from a run by landmarks.
Matrix<double> rows_of(const DistanceRun& run, const std::vector<Index>& from,
                       const Context& context) {
  std::vector<Index> points;
  points.reserve(from.size());
  for (const Index row : from) points.push_back(run.unique_inverse[static_cast<std::size_t>(row)]);
  Matrix<double> of_points = run.landmarks.from(points, context);
  auto rows = Matrix<double>::uninitialized(from.size(), run.unique_inverse.size());
  for (std::size_t r = 0; r < from.size(); ++r) {
    for (std::size_t j = 0; j < run.unique_inverse.size(); ++j) {
      rows(r, j) = of_points(r, static_cast<std::size_t>(run.unique_inverse[j]));
    }
  }
  return rows;
}

/// Into a table; of an .h5ad into a copy of it: columns of obs from chosen cells, obsm for all
/// pairs.
std::string save(const DistancesOptions& options, const LoadedInput& loaded,
                 const Matrix<double>& result, std::vector<std::string> columns) {
  const bool into_copy = is_h5ad(options.input) && is_h5ad(options.output) && options.pairs.empty();
  if (!into_copy) {
    const std::vector<std::string> no_names;
    write_table(options.output, result, options.pairs.empty() ? loaded.table.row_names : no_names,
                columns, "distances");
    return options.output;
  }
  const std::string method = name_in_h5ad(options.method.method);
  if (options.from.empty()) columns.clear();
  for (std::string& column : columns) column = method + "_distance_from_" + column;
  const std::string key = method + "_distances";
  save_into_copy(options.input, options.output, result, columns, key,
                 loaded.cells ? loaded.cells->cells : std::vector<Index>(), loaded.n_rows_in_file);
  return options.output +
         (columns.empty() ? ", obsm['" + key + "']" : ", obs['" + columns[0] + "']") +
         (columns.size() > 1 ? ", ..." : "");
}

int distances(DistancesOptions& options) {
  const std::vector<std::string> idle = resolve(options.method);
  require_outputs({{"-o", options.output, OutputFile::Kind::table},
                   {"--manifest", options.manifest, OutputFile::Kind::manifest}});
  RunContext run_context(options.run);
  for (const std::string& warning : idle) run_context.warn(warning);
  require_other_file(options.input, options.output);
  const std::optional<LoadedInput> found =
      load_or_reduce(options.input, options.method, options.reading, false, options.estimate,
                     run_context.context());
  if (!found) return success;
  const LoadedInput& loaded = *found;
  run_context.say(loaded.in_words());
  const Input input = loaded.input();
  const std::size_t n = input.n_points();
  const auto name_of = [&](std::size_t row) {
    return loaded.table.row_names.empty() ? std::to_string(row) : loaded.table.row_names[row];
  };

  DistanceRun run;
  std::vector<std::string> columns;
  Matrix<double> result;
  if (!options.from.empty() && !options.pairs.empty()) {
    throw InvalidArgument("--from and --pairs are both given: choose one");
  }
  const std::vector<Index> from = rows_named("--from", options.from, loaded.table.row_names, n);
  MethodFlags measured_pairs = options.method;
  if (auto& landmarks = measured_pairs.settings.landmarks) {
    landmarks->max_exact = landmarks->max_all_pairs;
  }
  if (!loaded.is_reduced() &&
      only_estimates(options.estimate, measured_pairs, shape_of(input), run_context.context())) {
    return success;
  }
  const Method& method = *method_named(options.method.method);
  const MethodOptions& settings = options.method.settings;
  const Context& context = run_context.context();
  const bool by_landmarks =
      method.by_landmarks != nullptr && choose_distance_solver(settings, n).by_landmarks;
  if (!options.pairs.empty()) {
    const Pairs pairs = pairs_of(options.pairs, n, options.run.seed);
    columns = {"from", "to", "distance"};
    run = by_landmarks ? method.by_landmarks(input, settings, context)
                       : method.distances(input, settings, context);
    const Matrix<double>& all = run.dissimilarity.values;
    result = by_landmarks
                 ? measured(pairs,
                            [&](std::size_t i, std::size_t j) {
                              return run.landmarks.between(
                                  static_cast<std::size_t>(run.unique_inverse[i]),
                                  static_cast<std::size_t>(run.unique_inverse[j]));
                            })
                 : measured(pairs, [&](std::size_t i, std::size_t j) { return all(i, j); });
  } else if (options.from.empty()) {
    if (n > LandmarkOptions{}.max_exact) {
      run_context.say(
          fmt::format("all pairs of {} points: time grows with the cube (--from and "
                      "--pairs measure some)",
                      n));
    }
    run = method.distances(input, settings, context);
    result = std::move(run.dissimilarity.values);
    for (std::size_t i = 0; i < n; ++i) columns.push_back(name_of(i));
  } else {
    // As the map has them: by the heat of the points themselves, where there are not too many.
    const bool by_rows =
        method.distances_from != nullptr && (!by_landmarks || pivots_on_points(settings, n));
    if (by_rows) {
      run = method.distances_from(input, from, settings, context);
    } else if (by_landmarks) {
      run = method.by_landmarks(input, settings, context);
      run.rows = rows_of(run, from, context);
    } else {
      throw InvalidArgument(fmt::format(
          "--from works with --method heatgeo, or by landmarks (--landmarks N); {} needs all pairs",
          options.method.method));
    }
    result = transposed(run.rows);
    for (const Index row : from) columns.push_back(name_of(static_cast<std::size_t>(row)));
  }
  note_reduction(loaded, run.report);
  run_context.begin_to_write();
  const std::string written = save(options, loaded, result, std::move(columns));
  nlohmann::json asked = to_json(options.method, MethodUse::distances);
  asked["input"] = options.input;
  asked["output"] = options.output;
  asked["from"] = from;
  asked["pairs"] = options.pairs;
  asked["reading"] = to_json(options.reading);
  nlohmann::json manifest = make_manifest("distances", std::move(asked), run, Outcome::converged,
                                          options.run, run_context);
  manifest["resolved"]["n_points"] = n;
  if (loaded.cells) manifest["resolved"]["preprocessing"] = loaded.cells->in_words;
  write_json(options.manifest, manifest);
  if (options.prints_json) fmt::print("{}\n", in_text(manifest));
  run_context.say(fmt::format("{} x {} distances -> {}", result.rows(), result.cols(), written));
  return success;
}

}  // namespace

void add_distances(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<DistancesOptions>();
  CLI::App* command = app.add_subcommand("distances", "Compute geodesic distances between points");
  add_input_path(*command, options->input);
  command
      ->add_option("-o,--output", options->output,
                   "The distances: .npy, .npz (key distances), .csv, .tsv; .h5ad: columns\n"
                   "of obs (--from) or obsm in a copy of INPUT, where that is one")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--from", options->from,
                   "Only from these rows, by name or number (counted from 0): AAAC-1,17;\n"
                   "one column each, without forming n x n; methods other than heatgeo\n"
                   "by landmarks")
      ->type_name("ROWS")
      ->delimiter(',');
  command
      ->add_option("--pairs", options->pairs,
                   "Only some pairs: how many to draw, or a file of two columns of row\n"
                   "numbers; rows are from, to, distance")
      ->type_name("N|FILE");
  command
      ->add_option("--manifest", options->manifest,
                   "Also write options, choices and results of the run, as .json")
      ->type_name("FILE");
  command->add_flag("--json", options->prints_json, "Print the manifest on stdout");
  command->add_flag("--estimate", options->estimate, "Only estimate memory and time");
  group_the_rest(*command, "Output");
  add_method_options(*command, options->method, MethodUse::distances);
  add_input_options(*command, options->reading);
  add_run_options(*command, options->run);
  command->footer(
      "Examples:\n"
      "  geotherm distances cells.csv -o all_pairs.npy --time 5\n"
      "  geotherm distances data.npz:X -o from_two.npy --from 0,17\n"
      "  geotherm distances data.npz:X -o some.csv --pairs 100000\n");
  command->callback([options, &chosen] { chosen = [options] { return distances(*options); }; });
}

}  // namespace geotherm::cli
