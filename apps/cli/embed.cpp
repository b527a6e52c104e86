// geotherm embed: a table of points -> a map of them.
#include <fmt/core.h>

#include "command.hpp"
#include "geotherm/report.hpp"
#include "input.hpp"
#include "manifest.hpp"
#include "method_options.hpp"

namespace geotherm::cli {
namespace {

struct EmbedOptions {
  std::string input;
  std::string output;
  std::string manifest;
  std::string plot;
  MethodOptions method;
  RunOptions run;
};

std::vector<std::string> axis_names(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back("x" + std::to_string(i));
  return names;
}

void draw(const EmbedOptions& options, const EmbeddingRun& run, std::size_t n_rows) {
  const Colors colors = colors_beside(options.input, n_rows);
  const std::string svg = scatter_svg(run.embedding.coordinates, {.title = options.input,
                                                                  .values = colors.values,
                                                                  .categories = colors.categories,
                                                                  .legend_title = colors.name});
  write_file_atomically(options.plot, svg);
}

int embed(EmbedOptions& options) {
  resolve(options.method);
  if (!options.plot.empty() && !options.plot.ends_with(".svg")) {
    throw InvalidArgument(
        fmt::format("--plot is '{}': pictures are written as .svg", options.plot));
  }
  RunContext run_context(options.run);
  const LoadedInput loaded = load_input(options.input, options.method.is_precomputed());
  run_context.say(loaded.in_words());

  const Input input = loaded.input();
  const Method& method = *method_named(options.method.method);
  const EmbeddingRun run = method.embed(input, options.method.recipe, run_context.context());
  run_context.clear_bar();
  const std::size_t n = input.n_points();
  const Embedding& embedding = run.embedding;
  if (embedding.outcome == Outcome::iteration_limit) {
    run_context.warn(
        fmt::format("the layout stopped at its limit of {} sweeps; more may lower the "
                    "stress of {:.4g} (--max-iterations)",
                    embedding.iterations, embedding.stress));
  }

  write_table(options.output, embedding.coordinates, loaded.table.row_names,
              axis_names(embedding.coordinates.cols()), "embedding");
  if (!options.plot.empty()) draw(options, run, n);
  nlohmann::json asked = to_json(options.method);
  asked["input"] = options.input;
  asked["output"] = options.output;
  write_json(options.manifest, make_manifest("embed", std::move(asked), run.distances,
                                             embedding.outcome, options.run, run_context));
  const bool has_stress = run.distances.report.resolved.contains("stress");
  run_context.say(fmt::format("{} points -> {} ({} dimensions{})", n, options.output,
                              embedding.coordinates.cols(),
                              has_stress ? fmt::format(", stress {:.4g}", embedding.stress) : ""));
  return embedding.outcome == Outcome::stopped ? interrupted : success;
}

}  // namespace

void add_embed(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App* command = app.add_subcommand("embed", "Make a map of the points in a table");
  command
      ->add_option("INPUT", options->input,
                   "Table, one row a point: .csv .tsv .npy .npz (file.npz:key)")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "The map: .csv .tsv (id,x1,x2,...), .npy, .npz (key embedding)")
      ->type_name("FILE")
      ->required();
  command->add_option("--plot", options->plot, "Also draw it, as .svg")->type_name("FILE");
  command
      ->add_option("--manifest", options->manifest,
                   "Also write what was run, chosen and seen, as .json")
      ->type_name("FILE");
  add_method_options(*command, options->method, false);
  add_layout_options(*command, options->method);
  add_run_options(*command, options->run);
  command->footer(
      "Examples:\n"
      "  geotherm embed cells.csv -o map.csv --plot map.svg\n"
      "  geotherm embed data.npz:X -o map.npy --method phate --knn 5 --manifest run.json\n");
  command->callback([options, &chosen] { chosen = [options] { return embed(*options); }; });
}

}  // namespace geotherm::cli
