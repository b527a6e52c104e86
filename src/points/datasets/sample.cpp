#include "points/datasets/sample.hpp"

#include <cmath>

#include "points/orthonormal_rows.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t points_per_stream = 512;

}  // namespace

void draw_points(const Context& context, std::string_view purpose, std::size_t n,
                 const std::function<void(Rng&, std::size_t)>& draw) {
  parallel_for(context, n, points_per_stream, [&](std::size_t begin, std::size_t end) {
    Rng rng(context.seed, purpose, begin / points_per_stream);
    for (std::size_t i = begin; i < end; ++i) draw(rng, i);
  });
}

std::vector<std::size_t> split_evenly(std::size_t n, std::size_t n_groups) {
  std::vector<std::size_t> sizes(n_groups, n / n_groups);
  for (std::size_t g = 0; g < n % n_groups; ++g) ++sizes[g];
  return sizes;
}

Matrix<double> into_ambient(Matrix<double> points, std::size_t dim, const Context& context) {
  const std::size_t own = points.cols();
  if (own == dim) return points;
  // Only the rows of the rotation that meet a coordinate of the shape are needed: Gaussian vectors,
  // made orthonormal in order, are the first rows of a Haar-distributed orthogonal matrix.
  Matrix<double> axes(own, dim);
  Rng rng(context.seed, "synth.rotation");
  for (std::size_t r = 0; r < own; ++r) {
    for (double& x : axes.row(r)) x = rng.normal();
  }
  orthonormalize_rows(axes, 0, context);
  Matrix<double> result(points.rows(), dim);
  parallel_for(context, points.rows(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto out = result.row(i);
      for (std::size_t r = 0; r < own; ++r) {
        const auto axis = axes.row(r);
        for (std::size_t j = 0; j < dim; ++j) out[j] += points(i, r) * axis[j];
      }
    }
  });
  return result;
}

void add_noise(Matrix<double>& points, double deviation, const Context& context) {
  if (deviation == 0) return;
  draw_points(context, "synth.noise", points.rows(), [&](Rng& rng, std::size_t i) {
    for (double& x : points.row(i)) x += deviation * rng.normal();
  });
}

}  // namespace geotherm::detail
