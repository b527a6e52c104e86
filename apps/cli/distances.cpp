// geotherm distances: distances of a method between all points, or from chosen ones.
#include <fmt/core.h>

#include "command.hpp"
#include "input.hpp"
#include "manifest.hpp"
#include "method_options.hpp"

namespace geotherm::cli {
namespace {

struct DistancesOptions {
  std::string input;
  std::string output;
  std::string manifest;
  std::vector<Index> from;
  bool prints_json = false;
  InputOptions reading;
  MethodOptions method;
  RunOptions run;
};

/// One row a point and one column a source, as the file has it.
Matrix<double> transposed(const Matrix<double>& rows) {
  Matrix<double> columns = Matrix<double>::uninitialized(rows.cols(), rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) columns(j, i) = rows(i, j);
  }
  return columns;
}

int distances(DistancesOptions& options) {
  resolve(options.method);
  RunContext run_context(options.run);
  const LoadedInput loaded = load_input(options.input, options.method.is_precomputed(),
                                        options.reading, run_context.context());
  run_context.say(loaded.in_words());
  const Input input = loaded.input();
  const std::size_t n = input.n_points();
  const auto name_of = [&](std::size_t row) {
    return loaded.table.row_names.empty() ? std::to_string(row) : loaded.table.row_names[row];
  };

  DistanceRun run;
  std::vector<std::string> columns;
  Matrix<double> result;
  if (options.from.empty()) {
    const Method& method = *method_named(options.method.method);
    run = method.distances(input, options.method.recipe, run_context.context());
    result = std::move(run.dissimilarity.values);
    for (std::size_t i = 0; i < n; ++i) columns.push_back(name_of(i));
  } else {
    if (options.method.method != "heatgeo") {
      throw InvalidArgument(fmt::format("--from works with --method heatgeo; {} needs all pairs",
                                        options.method.method));
    }
    run =
        heat_geo_distances_from(input, options.from, options.method.recipe, run_context.context());
    result = transposed(run.rows);
    for (const Index row : options.from) columns.push_back(name_of(static_cast<std::size_t>(row)));
  }
  run_context.clear_bar();
  write_table(options.output, result, loaded.table.row_names, columns, "distances");
  nlohmann::json asked = to_json(options.method);
  asked["input"] = options.input;
  asked["output"] = options.output;
  asked["from"] = options.from;
  asked["reading"] = to_json(options.reading);
  const nlohmann::json manifest = make_manifest("distances", std::move(asked), run,
                                                Outcome::converged, options.run, run_context);
  write_json(options.manifest, manifest);
  if (options.prints_json) fmt::print("{}\n", in_text(manifest));
  run_context.say(
      fmt::format("{} x {} distances -> {}", result.rows(), result.cols(), options.output));
  return success;
}

}  // namespace

void add_distances(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<DistancesOptions>();
  CLI::App* command =
      app.add_subcommand("distances", "Distances between points along the shape of the data");
  command
      ->add_option("INPUT", options->input,
                   "One row a point: .csv .tsv .txt .mtx (also .gz), .npy,\n"
                   ".npz (file.npz:key), .h5ad, .h5 or a folder of 10x, .fcs")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "The distances: .npy, .npz (key distances), .csv, .tsv")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--from", options->from,
                   "heatgeo: only from these rows, as 0,17 (counted from 0); one column\n"
                   "each, without forming n x n")
      ->type_name("ROWS")
      ->delimiter(',');
  command
      ->add_option("--manifest", options->manifest,
                   "Also write what was run, chosen and seen, as .json")
      ->type_name("FILE");
  command->add_flag("--json", options->prints_json, "Print the manifest on stdout");
  add_input_options(*command, options->reading);
  add_method_options(*command, options->method, true);
  add_run_options(*command, options->run);
  command->footer(
      "Examples:\n"
      "  geotherm distances cells.csv -o all_pairs.npy --time 5\n"
      "  geotherm distances data.npz:X -o from_two.npy --from 0,17\n");
  command->callback([options, &chosen] { chosen = [options] { return distances(*options); }; });
}

}  // namespace geotherm::cli
