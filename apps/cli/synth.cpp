// geotherm synth: data sets whose true geodesics are known.
#include <fmt/core.h>

#include "command.hpp"
#include "geotherm/io.hpp"
#include "geotherm/points.hpp"
#include "run_context.hpp"

namespace geotherm::cli {
namespace {

struct SynthCommand {
  std::string shape;
  std::string output;
  SynthOptions synth;
  RunOptions run;
};

NamedArray as_array(std::string name, const Matrix<double>& m) {
  return {
      std::move(name), {m.rows(), m.cols()}, std::vector<double>(m.data(), m.data() + m.size())};
}

int synth(const SynthCommand& options) {
  if (!options.output.ends_with(".npz")) {
    throw InvalidArgument(fmt::format(
        "-o is '{}': synth writes several arrays, so the file is an .npz", options.output));
  }
  RunContext run_context(options.run);
  const Shape shape = *shape_named(options.shape);
  const Dataset data = synthesize(shape, options.synth, run_context.context());
  std::vector<NamedArray> arrays;
  arrays.push_back(as_array("X", data.X));
  if (!data.geodesic.empty()) arrays.push_back(as_array("geodesic", data.geodesic));
  if (!data.coordinates.empty()) arrays.push_back(as_array("coordinates", data.coordinates));
  if (!data.t.empty()) arrays.push_back({"t", {data.t.size()}, data.t});
  if (!data.label.empty()) {
    arrays.push_back({"label",
                      {data.label.size()},
                      std::vector<std::int64_t>(data.label.begin(), data.label.end())});
  }
  write_npz(options.output, arrays);
  std::string names;
  for (const NamedArray& array : arrays) names += " " + array.name;
  run_context.say(fmt::format("{} points in {} dimensions -> {} (arrays:{})", data.X.rows(),
                              data.X.cols(), options.output, names));
  return success;
}

}  // namespace

void add_synth(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<SynthCommand>();
  CLI::App* command = app.add_subcommand("synth", "Make a data set whose true geodesics are known");
  CLI::IsMember known({"swiss-roll", "tree", "blobs", "circle", "sphere", "torus", "path"});
  known.description("");  // the option's own text lists them
  command
      ->add_option("SHAPE", options->shape, "swiss-roll, tree, blobs, circle, sphere, torus, path")
      ->type_name("")
      ->required()
      ->check(known);
  command
      ->add_option("-o,--output", options->output,
                   "An .npz with X and, where the shape has them, geodesic (up to\n"
                   "20,000 points), coordinates, label, t")
      ->type_name("FILE")
      ->required();
  command->add_option("--n", options->synth.n, "Points in all")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--noise", options->synth.noise, "Standard deviation of the noise")
      ->type_name("X")
      ->capture_default_str();
  command
      ->add_option("--dim", options->synth.dim,
                   "Dimensions of the space around it; auto: the shape's own")
      ->type_name("N")
      ->default_str("auto");
  command->add_flag("--clustered", options->synth.clustered,
                    "swiss-roll: points from two clusters on the sheet");
  command->add_option("--branches", options->synth.branches, "tree: branches; blobs: clusters")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--width", options->synth.width, "swiss-roll: width of the sheet")
      ->type_name("X")
      ->capture_default_str();
  add_run_options(*command, options->run);
  command->footer(
      "Examples:\n"
      "  geotherm synth swiss-roll --n 1000 --noise 0.3 -o roll.npz\n"
      "  geotherm synth tree --branches 8 --dim 50 --seed 3 -o tree.npz\n");
  command->callback([options, &chosen] { chosen = [options] { return synth(*options); }; });
}

}  // namespace geotherm::cli
