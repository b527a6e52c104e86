// geotherm transform: a saved model and new points -> their places in its map.
#include <fmt/core.h>

#include "command.hpp"
#include "geotherm/model.hpp"
#include "geotherm/observations.hpp"
#include "output.hpp"
#include "run_context.hpp"

namespace geotherm::cli {
namespace {

struct TransformOptions {
  std::string model;
  std::string input;
  std::string output;
  ReadOptions read;
  RunOptions run;
};

Table new_points(const TransformOptions& options) {
  Observations read = read_observations(options.input, options.read);
  if (read.holds == Holds::sparse_points) return densified(read);
  if (read.holds == Holds::points) return std::move(read.table);
  throw InvalidArgument(fmt::format(
      "--use is '{}', a graph: new points are rows of a table (use X, raw, a layer or obsm)",
      options.read.use));
}

int transform(const TransformOptions& options) {
  RunContext run_context(options.run);
  const Model model = load_model(options.model);
  const Table table = new_points(options);
  run_context.say(fmt::format("{}: {}, {} places in {} dimensions", options.model, model.method,
                              model.n_places(), model.coordinates.cols()));
  Matrix<double> places;
  try {
    places = std::visit(
        [&](const auto& rows) { return place(model, rows.view(), run_context.context()); },
        table.values);
  } catch (const InvalidData& e) {
    throw InvalidData(options.input + ": " + e.what());
  }
  run_context.clear_bar();
  write_table(options.output, places, table.row_names, axis_names(places.cols()), "embedding");
  run_context.say(fmt::format("{} new points -> {}", places.rows(), options.output));
  return success;
}

}  // namespace

void add_transform(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TransformOptions>();
  CLI::App* command =
      app.add_subcommand("transform", "Place new points in a map that was made before");
  command->add_option("MODEL", options->model, "What 'geotherm embed --model' wrote")
      ->type_name("")
      ->required();
  command
      ->add_option("NEW", options->input, "Table of new points, with the columns of the first one")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "Their places: .csv .tsv (id,x1,x2,...), .npy, .npz (key embedding)")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--use", options->read.use,
                   ".h5ad: X, raw, layer:NAME or obsm:NAME, as for the first table.\n"
                   ".npz: the array's name")
      ->type_name("WHAT")
      ->group("Input");
  command->add_option("--columns", options->read.columns, "Only these columns, by name: a,b,c")
      ->type_name("NAMES")
      ->delimiter(',')
      ->group("Input");
  add_seedless_run_options(*command, options->run);
  command->footer(
      "Each place depends on its own row alone; rows of the first table fall on their own\n"
      "places, and nothing in the model changes.\n"
      "Example:\n"
      "  geotherm embed old.csv -o map.csv --model map.gtm\n"
      "  geotherm transform map.gtm new.csv -o new_map.csv\n");
  command->callback([options, &chosen] { chosen = [options] { return transform(*options); }; });
}

}  // namespace geotherm::cli
