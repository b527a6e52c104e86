// geotherm transform: a saved model and new points -> their places in its map.
#include <fmt/core.h>

#include <algorithm>

#include "command.hpp"
#include "geotherm/model.hpp"
#include "geotherm/observations.hpp"
#include "match_columns.hpp"
#include "output.hpp"
#include "output_check.hpp"
#include "run_context.hpp"

namespace geotherm::cli {
namespace {

struct TransformOptions {
  std::string model;
  std::string input;
  std::string output;
  std::string absent = "refuse";
  ReadOptions read;
  RunOptions run;
};

/// Sparse rows are made dense some at a time: counts of many genes would not fit whole.
Placement place_sparse(const Placer& placer, const SparseMatrix& rows, std::size_t n_axes,
                       const Context& context) {
  constexpr std::size_t at_once = 512;
  Placement all{Matrix<double>::uninitialized(rows.rows, n_axes)};
  for (std::size_t first = 0; first < rows.rows; first += at_once) {
    const std::size_t count = std::min(at_once, rows.rows - first);
    Matrix<double> dense(count, rows.cols);
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = rows.row_indices(first + i);
      const auto values = rows.row_values(first + i);
      for (std::size_t k = 0; k < at.size(); ++k) {
        dense(i, static_cast<std::size_t>(at[k])) = values[k];
      }
    }
    const auto [placed, remoteness] = placer.place_and_measure(dense.view(), context);
    std::copy(placed.data(), placed.data() + placed.size(), all.coordinates.row(first).data());
    all.remoteness.insert(all.remoteness.end(), remoteness.begin(), remoteness.end());
  }
  return all;
}

Placement places_of(const Model& model, const Observations& read, const Context& context) {
  const Placer placer(model);
  if (read.holds == Holds::sparse_points) {
    return place_sparse(placer, read.sparse, model.coordinates.cols(), context);
  }
  return std::visit(
      [&](const auto& rows) { return placer.place_and_measure(rows.view(), context); },
      read.table.values);
}

int transform(const TransformOptions& options) {
  require_outputs({{"-o", options.output, OutputFile::Kind::table}});
  require_other_file(options.input, options.output);
  RunContext run_context(options.run);
  const Model model = load_model(options.model);
  Observations read = [&] {
    const SignalsEndAtOnce nothing_is_written_yet;
    return read_observations(options.input, options.read);
  }();
  if (read.holds != Holds::sparse_points && read.holds != Holds::points) {
    throw InvalidArgument(fmt::format(
        "--use is '{}', a graph: new points are rows of a table (use X, raw, a layer or obsm)",
        options.read.use));
  }
  run_context.say(fmt::format("{}: {}, {} places in {} dimensions", options.model, model.method,
                              model.n_places(), model.coordinates.cols()));
  match_to_model(model, options.absent == "zero", read, run_context);
  Placement placed;
  try {
    placed = places_of(model, read, run_context.context());
  } catch (const InvalidData& e) {
    throw InvalidData(options.input + ": " + e.what());
  }
  run_context.clear_bar();
  if (const std::string words = remoteness_in_words(placed.remoteness); !words.empty()) {
    run_context.warn(words);
  }
  const Matrix<double>& places = placed.coordinates;
  std::string written = options.output;
  if (is_h5ad(options.input) && is_h5ad(options.output)) {
    const std::string key = "X_" + name_in_h5ad(model.method);
    save_into_copy(options.input, options.output, places, {}, key, {}, places.rows());
    written += fmt::format(", obsm['{}']", key);
  } else {
    write_table(options.output, places, read.table.row_names, axis_names(places.cols()),
                "embedding");
  }
  run_context.say(fmt::format("{} new points -> {}", places.rows(), written));
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
                   "Their places: .csv .tsv (id,x1,x2,...), .npy, .npz (key embedding);\n"
                   ".h5ad: obsm['X_<method>'] in a copy of NEW, where that is one")
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
  command
      ->add_option("--absent", options->absent,
                   "Columns of the model that NEW lacks: refuse; zero (genes not seen)")
      ->check(CLI::IsMember({"refuse", "zero"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str()
      ->group("Input");
  add_seedless_run_options(*command, options->run);
  command->footer(
      "Columns are matched by name where both tables have names: they may come in another\n"
      "order, and further ones are left out. Without names their number must be the same.\n"
      "Each place depends on its own row alone; rows of the first table fall on their own\n"
      "places, and nothing in the model changes.\n"
      "Example:\n"
      "  geotherm embed old.csv -o map.csv --model map.gtm\n"
      "  geotherm transform map.gtm new.csv -o new_map.csv\n");
  command->callback([options, &chosen] { chosen = [options] { return transform(*options); }; });
}

}  // namespace geotherm::cli
