// geotherm synth: data sets whose true geodesics are known.
#include <fmt/core.h>

#include <cmath>

#include "command.hpp"
#include "geotherm/dissimilarity.hpp"
#include "geotherm/io.hpp"
#include "geotherm/points.hpp"
#include "run_context.hpp"

namespace geotherm::cli {
namespace {

struct SynthCommand {
  std::string shape;
  std::string output;
  SynthOptions synth;
  std::size_t pairs = 0;
  RunOptions run;
};

NamedArray as_array(std::string name, const Matrix<double>& m) {
  return {
      std::move(name), {m.rows(), m.cols()}, std::vector<double>(m.data(), m.data() + m.size())};
}

/// True distances of some pairs, for sets too large for all of them: `n_sources` points drawn at
/// random, each with as many others.
struct TruePairs {
  std::vector<std::int64_t> rows;  ///< from, to, from, to, ...
  std::vector<double> distances;
};

/// The lengths of shortest paths along the 10 nearest noise-free points, as for all pairs.
Matrix<double> along_points(const Matrix<double>& points, std::span<const Index> sources,
                            const Context& context) {
  Graph graph = build_graph(find_neighbors(points.view(), {.knn = 10}, context),
                            {.kind = Affinity::knn}, context);
  graph = connect_components(std::move(graph), ComponentPolicy::bridge, points, context);
  return shortest_paths(graph, sources, context);
}

TruePairs true_pairs(Shape shape, const Dataset& data, std::size_t count, const Context& context) {
  const std::size_t n = data.X.rows(), n_sources = std::min<std::size_t>(32, count);
  Rng rng(context.seed, "synth.pairs");
  std::vector<Index> sources;
  for (std::size_t s = 0; s < n_sources; ++s) sources.push_back(static_cast<Index>(rng.below(n)));
  Matrix<double> along;
  if (shape == Shape::tree) along = along_points(data.coordinates, sources, context);
  TruePairs pairs;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t s = k * n_sources / count, i = static_cast<std::size_t>(sources[s]);
    const std::size_t other = rng.below(n - 1), j = other < i ? other : other + 1;
    double distance = 0;
    if (shape == Shape::tree) {
      distance = along(s, j);
    } else {
      for (std::size_t c = 0; c < data.coordinates.cols(); ++c) {
        const double step = data.coordinates(i, c) - data.coordinates(j, c);
        distance += step * step;
      }
      distance = std::sqrt(distance);
    }
    pairs.rows.push_back(static_cast<std::int64_t>(i));
    pairs.rows.push_back(static_cast<std::int64_t>(j));
    pairs.distances.push_back(distance);
  }
  return pairs;
}

int synth(const SynthCommand& options) {
  if (!options.output.ends_with(".npz")) {
    throw InvalidArgument(fmt::format(
        "-o is '{}': synth writes several arrays, so the file is an .npz", options.output));
  }
  RunContext run_context(options.run);
  const Shape shape = *shape_named(options.shape);
  if (options.pairs > 0 && shape != Shape::swiss_roll && shape != Shape::tree) {
    throw InvalidArgument(
        fmt::format("--pairs is {}: they are known for swiss-roll and tree; {} has "
                    "all pairs up to 20,000 points",
                    options.pairs, options.shape));
  }
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
  if (options.pairs > 0) {
    TruePairs pairs = true_pairs(shape, data, options.pairs, run_context.context());
    arrays.push_back({"pairs", {options.pairs, 2}, std::move(pairs.rows)});
    arrays.push_back({"pair_geodesic", {options.pairs}, std::move(pairs.distances)});
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
  CLI::App* command = app.add_subcommand("synth", "Generate a data set with known geodesics");
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
  command->add_option("--dim", options->synth.dim, "Ambient dimension; auto: that of the shape")
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
  command
      ->add_option("--pairs", options->pairs,
                   "swiss-roll, tree: also true distances of N pairs, for large sets\n"
                   "(arrays pairs, pair_geodesic)")
      ->type_name("N");
  add_run_options(*command, options->run);
  command->footer(
      "Examples:\n"
      "  geotherm synth swiss-roll --n 1000 --noise 0.3 -o roll.npz\n"
      "  geotherm synth tree --branches 8 --dim 50 --seed 3 -o tree.npz\n");
  command->callback([options, &chosen] { chosen = [options] { return synth(*options); }; });
}

}  // namespace geotherm::cli
