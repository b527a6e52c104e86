// What the shapes have in common: a noise-free sample, and the true distances on it.
#pragma once

#include <vector>

#include "geotherm/points.hpp"

namespace geotherm::detail {

/// Points on the shape itself: no noise, not yet turned into the ambient space.
struct Sample {
  Matrix<double> points;       ///< n x (the shape's own dimension)
  Matrix<double> coordinates;  ///< as in Dataset
  std::vector<double> t;
  std::vector<Index> label;
};

// One pair a shape: draw `options.n` points; all true distances among them. Trees and blobs fill
// `dim` dimensions themselves, the others have a dimension of their own.
Sample sample_swiss_roll(const SynthOptions&, std::size_t dim, const Context&);
Matrix<double> swiss_roll_distances(const Sample&, const Context&);
Sample sample_tree(const SynthOptions&, std::size_t dim, const Context&);
Matrix<double> tree_distances(const Sample&, const Context&);
Sample sample_blobs(const SynthOptions&, std::size_t dim, const Context&);
Matrix<double> blobs_distances(const Sample&, const Context&);
Sample sample_circle(const SynthOptions&, std::size_t dim, const Context&);
Matrix<double> circle_distances(const Sample&, const Context&);
Sample sample_sphere(const SynthOptions&, std::size_t dim, const Context&);
Matrix<double> sphere_distances(const Sample&, const Context&);
Sample sample_torus(const SynthOptions&, std::size_t dim, const Context&);
Matrix<double> torus_distances(const Sample&, const Context&);
Sample sample_path(const SynthOptions&, std::size_t dim, const Context&);
Matrix<double> path_distances(const Sample&, const Context&);

/// Draws points in parallel: draw(rng, i) for every i, with one stream a fixed block of points.
void draw_points(const Context&, std::string_view purpose, std::size_t n,
                 const std::function<void(Rng&, std::size_t i)>& draw);

/// n items over the groups as evenly as can be, the first ones taking the remainder.
std::vector<std::size_t> split_evenly(std::size_t n, std::size_t n_groups);

/// The points in `dim` dimensions: padded with zeros and turned by a random rotation (uniform, in
/// Haar's sense). Unchanged where they have that dimension already.
Matrix<double> into_ambient(Matrix<double> points, std::size_t dim, const Context&);

/// Adds independent Gaussian noise to every coordinate.
void add_noise(Matrix<double>& points, double deviation, const Context&);

}  // namespace geotherm::detail
