// geotherm transform: a saved model and new rows -> their coordinates in its map, their novelty,
// and labels from their neighbours.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "command.hpp"
#include "new_rows.hpp"
#include "output.hpp"
#include "output_check.hpp"

namespace geotherm::cli {
namespace {

struct TransformOptions {
  NewRowsOptions rows;
  std::string output;
  std::string transfer;
  std::string labels;
  double max_novelty = std::numeric_limits<double>::infinity();
  RunOptions run;
};

/// Rows too far from the training data get coordinates nan.
void leave_out_novel(double most, Placement& placed, RunContext& run_context) {
  std::size_t n_left_out = 0;
  for (std::size_t i = 0; i < placed.novelty.size(); ++i) {
    if (!(placed.novelty[i] > most)) continue;
    std::ranges::fill(placed.coordinates.row(i), std::numeric_limits<double>::quiet_NaN());
    ++n_left_out;
  }
  if (n_left_out > 0) {
    run_context.say(
        fmt::format("{} of {} rows have a novelty above {:g}: their coordinates are nan",
                    n_left_out, placed.novelty.size(), most));
  }
}

void add_labels(const Model& model, const UniqueRowLabels& labels, const Placement& placed,
                std::vector<Column>& extras, RunContext& run_context) {
  const LabelRule rule = fit_label_rule(model, labels);
  const LabelTransfer found = transfer_labels(model, labels, rule, placed);
  std::vector<std::string> texts;
  for (const Index code : found.codes) {
    texts.push_back(code < 0 ? "" : labels.names[static_cast<std::size_t>(code)]);
  }
  extras.push_back({"label", Texts(texts)});
  extras.push_back({"probability", found.probabilities});
  run_context.say(fmt::format("labels '{}' by {} neighbours ({} kinds)", labels.name,
                              rule.n_neighbors, labels.names.size()));
}

int transform(const TransformOptions& options) {
  require_outputs({{"-o", options.output, OutputFile::Kind::table}});
  require_other_file(options.rows.input, options.output);
  RunContext run_context(options.run);
  const Model model = load_model(options.rows.model);
  const bool has_labels = !options.transfer.empty() || !options.labels.empty();
  UniqueRowLabels labels;
  if (has_labels) {
    labels = labels_for_transfer(model, options.rows.model, options.transfer, options.labels);
  }
  if (std::isnan(options.max_novelty)) {
    throw InvalidArgument("--max-novelty is nan: give a positive number");
  }
  if (std::isfinite(options.max_novelty) && model.neighbors.n_points == 0) {
    throw InvalidArgument(fmt::format(
        "--max-novelty: {} keeps no neighbours to measure novelty by; make it anew by 'geotherm "
        "embed --model' with a method other than pca",
        options.rows.model));
  }
  const NewRows rows = read_new_rows(model, options.rows, run_context);
  run_context.say(fmt::format("{}: {}, {} distinct points in {} dimensions", options.rows.model,
                              model.method, model.n_unique(), model.coordinates.cols()));
  Placement placed = place_new_rows(model, rows, options.rows.input, run_context.context());
  run_context.clear_bar();
  if (const std::string words = remoteness_in_words(placed.remoteness); !words.empty()) {
    run_context.warn(words);
  }
  std::vector<Column> extras;
  if (has_labels) add_labels(model, labels, placed, extras, run_context);
  if (!placed.novelty.empty()) extras.push_back({"novelty", placed.novelty});
  leave_out_novel(options.max_novelty, placed, run_context);
  const Matrix<double>& coordinates = placed.coordinates;
  std::string written = options.output;
  if (is_h5ad(options.output)) {
    const std::string key = name_in_h5ad(model.method);
    if (is_h5ad(options.rows.input)) {
      H5adResults results;
      results.uns_key = "geotherm";
      results.uns = {{"version", version()}};
      results.obsm.emplace_back("X_" + key, coordinates.view());
      results.obs = extras;
      write_into_h5ad(options.rows.input, options.output, results);
    } else {
      write_table_with(options.output, coordinates, rows.read.table.row_names, {}, key, extras);
    }
    written += fmt::format(", obsm['X_{}']", key);
  } else {
    write_table_with(options.output, coordinates, rows.read.table.row_names,
                     axis_names(coordinates.cols()), "embedding", extras);
  }
  run_context.say(fmt::format("{} new points -> {}", coordinates.rows(), written));
  return success;
}

}  // namespace

void add_transform(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TransformOptions>();
  CLI::App* command = app.add_subcommand("transform", "Place new points in an existing map");
  add_new_rows_options(*command, options->rows);
  command
      ->add_option("-o,--output", options->output,
                   "Their coordinates: .csv .tsv (id,x1,x2,...), .npz (key embedding), each\n"
                   "with novelty and labels; .npy: coordinates only; .h5ad:\n"
                   "obsm['X_<method>'] and obs in a copy of NEW, where that is one")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--transfer", options->transfer,
                   "Also give each row the label of its neighbours: labels that 'geotherm\n"
                   "embed --keep NAME' kept, or those of --labels. Columns label and\n"
                   "probability")
      ->type_name("NAME");
  command
      ->add_option("--labels", options->labels,
                   "Labels of the training rows for --transfer: .csv, .npz:key, .npy or\n"
                   "cells.h5ad:column; by row name where there are names, else in order")
      ->type_name("FILE");
  command
      ->add_option("--max-novelty", options->max_novelty,
                   "Rows with a larger novelty get coordinates nan. Novelty is the\n"
                   "distance to the training data in units of its scale there: about 1\n"
                   "within the data, 0 for a training row")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("X");
  add_seedless_run_options(*command, options->run);
  command->footer(
      "Columns are matched by name where both tables have names: they may come in another\n"
      "order, and further ones are left out. Without names their number must be the same.\n"
      "The coordinates of a row depend on that row alone; rows of the first table get their\n"
      "old coordinates, and the model does not change.\n"
      "Examples:\n"
      "  geotherm embed old.csv -o map.csv --model map.gtm\n"
      "  geotherm transform map.gtm new.csv -o new_map.csv\n"
      "  geotherm embed cells.csv -o atlas.csv --model atlas.gtm --keep cell_type\n"
      "  geotherm transform atlas.gtm new.csv -o query.csv --transfer cell_type\n");
  command->callback([options, &chosen] { chosen = [options] { return transform(*options); }; });
}

}  // namespace geotherm::cli
