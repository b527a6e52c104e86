// Synthetic data sets: a shape's name in; points with noise, true distances and labels out.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geotherm/points.hpp"
#include "points/datasets/sample.hpp"

namespace geotherm {
namespace {

struct Generator {
  Shape shape;
  std::string_view name;
  std::size_t smallest_dim;
  std::size_t default_dim;
  detail::Sample (*sample)(const SynthOptions&, std::size_t dim, const Context&);
  Matrix<double> (*distances)(const detail::Sample&, const Context&);
};

constexpr std::array<Generator, 7> generators = {{
    {Shape::swiss_roll, "swiss-roll", 3, 3, detail::sample_swiss_roll,
     detail::swiss_roll_distances},
    {Shape::tree, "tree", 1, 10, detail::sample_tree, detail::tree_distances},
    {Shape::blobs, "blobs", 1, 10, detail::sample_blobs, detail::blobs_distances},
    {Shape::circle, "circle", 2, 2, detail::sample_circle, detail::circle_distances},
    {Shape::sphere, "sphere", 3, 3, detail::sample_sphere, detail::sphere_distances},
    {Shape::torus, "torus", 3, 3, detail::sample_torus, detail::torus_distances},
    {Shape::path, "path", 1, 1, detail::sample_path, detail::path_distances},
}};

const Generator& generator_of(Shape shape) {
  return *std::find_if(generators.begin(), generators.end(),
                       [&](const Generator& generator) { return generator.shape == shape; });
}

}  // namespace

std::optional<Shape> shape_named(std::string_view name) {
  std::string wanted(name);
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  for (const Generator& generator : generators) {
    if (generator.name == wanted) return generator.shape;
  }
  return std::nullopt;
}

std::vector<std::string> issues_with(Shape shape, const SynthOptions& options) {
  const Generator& generator = generator_of(shape);
  const std::string name(generator.name);
  std::vector<std::string> complaints;
  const auto refuse = [&](const std::string& field, const std::string& value,
                          const std::string& remedy) {
    complaints.push_back(field + " is " + value + ": give " + remedy);
  };
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  if (options.n < 2 || options.n > most) {
    refuse("n", std::to_string(options.n), "2 to " + std::to_string(most) + " points");
  }
  if (!(options.noise >= 0 && std::isfinite(options.noise))) {
    refuse("noise", std::to_string(options.noise), "a standard deviation of 0 or more");
  }
  if (options.dim && *options.dim < generator.smallest_dim) {
    refuse("dim", std::to_string(*options.dim),
           std::to_string(generator.smallest_dim) + " or more for the shape " + name + ", or none");
  }
  if (shape == Shape::swiss_roll && !(options.width > 0 && std::isfinite(options.width))) {
    refuse("width", std::to_string(options.width), "a positive number");
  }
  if (shape == Shape::tree || shape == Shape::blobs) {
    if (options.branches < 1) {
      refuse("branches", "0", "1 or more");
    } else if (options.branches > options.n / 2) {
      refuse("branches", std::to_string(options.branches),
             "at most n / 2 = " + std::to_string(options.n / 2) +
                 ", or a larger n: each needs two points");
    }
  }
  return complaints;
}

Dataset synthesize(Shape shape, const SynthOptions& options, const Context& context) {
  refuse_if_any(issues_with(shape, options));
  const Generator& generator = generator_of(shape);
  const std::size_t dim = options.dim.value_or(generator.default_dim);
  context.report_or_throw({.stage = "synthesis"});
  detail::Sample sample = generator.sample(options, dim, context);
  Dataset result;
  if (options.n <= options.geodesic_limit) result.geodesic = generator.distances(sample, context);
  result.X = detail::into_ambient(std::move(sample.points), dim, context);
  detail::add_noise(result.X, options.noise, context);
  result.coordinates = std::move(sample.coordinates);
  result.t = std::move(sample.t);
  result.label = std::move(sample.label);
  return result;
}

}  // namespace geotherm
