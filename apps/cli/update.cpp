// geotherm update: a saved model and new rows -> the map of both, and the model of it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "checkpoint_run.hpp"
#include "command.hpp"
#include "geotherm/options.hpp"
#include "manifest.hpp"
#include "new_rows.hpp"
#include "output.hpp"
#include "output_check.hpp"

namespace geotherm::cli {
namespace {

struct UpdateOptions {
  NewRowsOptions rows;
  std::string output;
  std::string model;
  std::string manifest;
  double hold = 1;
  CheckpointCliOptions checkpoint;
  RunOptions run;
};

/// The options that the map was made with, as far as its description tells.
MethodOptions settings_of(const Model& model, const nlohmann::json& description) {
  const Method& method = *method_named(model.method);
  GivenOptions given;
  if (description.is_object() && description.contains("options")) {
    for (const auto& [name, value] : description["options"].items()) {
      const Option* option = option_of(method, name);
      if (option == nullptr || value.is_null()) continue;
      try {
        given[name] =
            parse_option(*option, value.is_string() ? value.get<std::string>() : value.dump());
      } catch (const InvalidArgument&) {
        continue;  // "the method's own choice"
      }
    }
  }
  return options_for(method, given);
}

GrownModel grown_by(const Model& model, const NewRows& rows, const std::string& path,
                    const Context& context) {
  if (model.input != ModelInput::points) {
    return grow_model(model, place_new_rows(model, rows, path, context));
  }
  if (rows.given_as != ModelInput::points) {
    throw InvalidArgument("--as: the map was made from points, so it can grow by points alone");
  }
  try {
    if (rows.read.holds != Holds::points) {
      const Table dense = densified(rows.read);
      return std::visit([&](const auto& all) { return grow_model(model, all.view(), context); },
                        dense.values);
    }
    return std::visit([&](const auto& all) { return grow_model(model, all.view(), context); },
                      rows.read.table.values);
  } catch (const InvalidData& e) {
    throw InvalidData(path + ": " + e.what());
  }
}

Input points_of(const Model& model) {
  return std::visit([](const auto& points) { return Input(points); }, model.points);
}

/// All that decides a layout made anew, for --checkpoint.
std::map<std::string, std::string> layout_in_words(const Model& all, const RunOptions& run,
                                                   const nlohmann::json& description) {
  return {{"method", all.method},
          {"options", description.contains("options") ? description["options"].dump() : ""},
          {"seed", std::to_string(run.seed)},
          {"input", fingerprint(points_of(all))},
          {"start", fingerprint(all.coordinates)}};
}

void require_sensible(const UpdateOptions& options, const Model& model) {
  // Not a number is within every range.
  if (std::isnan(options.hold)) {
    throw InvalidArgument("--hold is nan: give a number from 0 to 1");
  }
  if (options.hold == 1) return;
  if (model.input != ModelInput::points || model.is_linear) {
    throw InvalidArgument(fmt::format(
        "--hold is {:g}: the map is laid out again only where it was made from points and by a "
        "method that is not linear; leave --hold at 1, where old points stay",
        options.hold));
  }
}

nlohmann::json in_json(const Movement& movement) {
  return {{"mean", movement.mean}, {"median", movement.median}, {"largest", movement.largest}};
}

int update(const UpdateOptions& options) {
  require_outputs({{"-o", options.output, OutputFile::Kind::table},
                   {"--model", options.model, OutputFile::Kind::model},
                   {"--manifest", options.manifest, OutputFile::Kind::manifest},
                   {"--checkpoint", options.checkpoint.folder, OutputFile::Kind::folder}});
  require_other_file(options.rows.input, options.output);
  RunContext run_context(options.run);
  const Model model = load_model(options.rows.model);
  require_sensible(options, model);
  const NewRows rows = read_new_rows(model, options.rows, run_context);
  GrownModel grown = grown_by(model, rows, options.rows.input, run_context.context());
  Model& all = grown.model;
  const std::size_t n_old = model.n_unique();
  nlohmann::json description = nlohmann::json::parse(model.description, nullptr, false);
  if (!description.is_object()) description = nlohmann::json::object();
  Outcome outcome = Outcome::converged;
  std::unique_ptr<CheckpointFolder> kept;
  if (options.hold < 1) {
    if (!options.checkpoint.folder.empty()) {
      kept = open_checkpoint(options.checkpoint, layout_in_words(all, options.run, description),
                             run_context);
    }
    Context keeping = run_context.context();
    keeping.checkpoint = kept.get();
    outcome = lay_out_again(all, n_old, options.hold, settings_of(all, description), keeping);
  }
  run_context.begin_to_write();
  const MatrixView<const double> old_after{all.coordinates.data(), n_old, all.coordinates.cols(),
                                           all.coordinates.cols()};
  const Movement movement = movement_between(model.coordinates.view(), old_after);
  nlohmann::json updates = description.value("updates", nlohmann::json::array());
  updates.push_back({{"new_rows", rows.n_rows()},
                     {"new_unique_rows", all.n_unique() - n_old},
                     {"hold", options.hold},
                     {"outcome", to_string(outcome)},
                     {"movement", in_json(movement)}});
  description["updates"] = updates;
  all.description = in_text(description);

  Matrix<double> map(all.n_rows(), all.coordinates.cols());
  std::vector<double> is_new(all.n_rows(), 0.0), novelty(all.n_rows(), 0.0);
  std::vector<std::string> names;
  const std::vector<std::string>& new_names = rows.read.table.row_names;
  for (std::size_t i = 0; i < all.n_rows(); ++i) {
    const auto place =
        all.unique_inverse.empty() ? i : static_cast<std::size_t>(all.unique_inverse[i]);
    std::ranges::copy(all.coordinates.row(place), map.row(i).begin());
    if (!new_names.empty() && i < model.n_rows()) {
      names.push_back(model.row_names.empty() ? std::to_string(i) : model.row_names[i]);
    }
    if (i < model.n_rows()) continue;
    is_new[i] = 1;
    if (!grown.novelty.empty()) novelty[i] = grown.novelty[i - model.n_rows()];
  }
  names.insert(names.end(), new_names.begin(), new_names.end());
  if (!model.row_names.empty()) all.row_names = names;
  std::vector<Column> extras = {{"is_new", is_new}};
  if (!grown.novelty.empty()) extras.push_back({"novelty", novelty});
  const bool is_file_of_cells = is_h5ad(options.output);
  write_table_with(options.output, map, names,
                   is_file_of_cells ? std::vector<std::string>() : axis_names(map.cols()),
                   is_file_of_cells ? name_in_h5ad(model.method) : "embedding", extras);
  if (!options.model.empty()) save_model(options.model, all);
  write_json(options.manifest, description);
  run_context.say(fmt::format(
      "{} rows and {} new ones -> {}; old points moved by {:.3g} % of the map's extent on average, "
      "{:.3g} % at most",
      model.n_rows(), rows.n_rows(), options.output, 100 * movement.mean, 100 * movement.largest));
  return close_run(kept.get(), options.checkpoint.folder, outcome, run_context);
}

}  // namespace

void add_update(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<UpdateOptions>();
  CLI::App* command = app.add_subcommand("update", "Add new rows to an existing map and its model");
  add_new_rows_options(*command, options->rows);
  command
      ->add_option("-o,--output", options->output,
                   "The map of all rows, old ones first: .csv .tsv (id,x1,x2,...,is_new,\n"
                   "novelty), .npz, .h5ad; .npy: coordinates only")
      ->type_name("FILE")
      ->required();
  command->add_option("--model", options->model, "The model of all rows, for 'geotherm transform'")
      ->type_name("FILE");
  command
      ->add_option("--hold", options->hold,
                   "How near the old map all stays, 0 to 1. 1: old points do not move, and\n"
                   "new ones are placed among them. Less: all points are laid out again\n"
                   "from there, and the map moves by 1 - X of the way to that layout")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--manifest", options->manifest, "Also write how far old points moved, as .json")
      ->type_name("FILE");
  add_checkpoint_options(*command, options->checkpoint);
  add_run_options(*command, options->run);
  command->footer(
      "Neighbours of old rows are completed by new ones, not searched for again;\n"
      "a new layout (--hold below 1) takes about the time of a whole run.\n"
      "Example:\n"
      "  geotherm embed old.csv -o map.csv --model map.gtm\n"
      "  geotherm update map.gtm new.csv -o all.csv --model all.gtm\n");
  command->callback([options, &chosen] { chosen = [options] { return update(*options); }; });
}

}  // namespace geotherm::cli
