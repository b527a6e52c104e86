// Data that real tables hold now and then: tiny, flat, huge, far apart, in pieces.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::testing {

/// Distances between such rows overflow: they may be refused.
inline constexpr const char* largest_numbers = "the largest numbers there are";

struct OddData {
  std::string name;
  Matrix<double> points;
};

inline Matrix<double> cloud(std::size_t n, std::size_t d, std::uint64_t seed, double scale = 1) {
  Rng rng(seed, "properties.cloud");
  Matrix<double> points(n, d);
  for (std::size_t k = 0; k < points.size(); ++k) points.data()[k] = scale * rng.normal();
  return points;
}

/// Every kind once, a few dozen rows each.
inline std::vector<OddData> odd_data(std::uint64_t seed) {
  std::vector<OddData> all;
  for (const std::size_t n : {1, 2, 3}) {
    all.push_back({std::to_string(n) + " rows", cloud(n, 4, seed)});
  }
  all.push_back({"all rows equal", Matrix<double>(20, 3, 2.5)});
  all.push_back({"all zero", Matrix<double>(20, 3, 0.0)});
  Matrix<double> clusters = cloud(40, 3, seed);
  for (std::size_t i = 20; i < 40; ++i) clusters(i, 0) += 1e6;
  all.push_back({"two clusters far apart", clusters});
  all.push_back({"scale 1e-300", cloud(40, 3, seed, 1e-300)});
  all.push_back({"scale 1e300", cloud(40, 3, seed, 1e300)});
  all.push_back({"scale 1e-300, 12 columns", cloud(40, 12, seed, 1e-300)});
  all.push_back({"scale 1e300, 12 columns", cloud(40, 12, seed, 1e300)});
  Matrix<double> mixed = cloud(40, 3, seed);
  for (std::size_t i = 0; i < 40; ++i) {
    mixed(i, 0) *= 1e-200;
    mixed(i, 2) *= 1e200;
  }
  all.push_back({"columns of every scale", mixed});
  Matrix<double> flat = cloud(40, 5, seed);
  for (std::size_t i = 0; i < 40; ++i) flat(i, 1) = flat(i, 3) = 7;
  all.push_back({"constant columns", flat});
  Matrix<double> outlier = cloud(40, 3, seed);
  outlier(17, 1) = 1e9;
  all.push_back({"one outlier", outlier});
  all.push_back({"one column", cloud(40, 1, seed)});
  Matrix<double> twins = cloud(40, 3, seed);
  for (std::size_t i = 1; i < 40; i += 2) {
    for (std::size_t c = 0; c < 3; ++c) twins(i, c) = twins(i - 1, c) * (1 + 1e-15);
  }
  all.push_back({"near twins", twins});
  Matrix<double> lone(24, 2);  // every point its own component of any graph: gaps double
  for (std::size_t i = 0; i < 24; ++i) lone(i, 0) = std::pow(4.0, static_cast<double>(i));
  all.push_back({"ever wider gaps", lone});
  Matrix<double> grid(49, 2);
  for (std::size_t i = 0; i < 49; ++i) {
    grid(i, 0) = static_cast<double>(i % 7);
    grid(i, 1) = static_cast<double>(i / 7);
  }
  all.push_back({"a grid full of ties", grid});
  Matrix<double> line(40, 3, 0.0);
  for (std::size_t i = 0; i < 40; ++i) line(i, 1) = static_cast<double>(i);
  all.push_back({"a straight line", line});
  Matrix<double> offset = cloud(40, 3, seed);
  for (std::size_t k = 0; k < offset.size(); ++k) offset.data()[k] += 1e15;
  all.push_back({"an offset that eats the digits", offset});
  Matrix<double> extremes = cloud(30, 2, seed);
  extremes(0, 0) = std::numeric_limits<double>::max();
  extremes(1, 0) = -std::numeric_limits<double>::max();
  all.push_back({largest_numbers, extremes});
  return all;
}

inline Matrix<float> subnormal_floats(std::uint64_t seed) {
  Rng rng(seed, "properties.subnormal");
  Matrix<float> points(40, 10);
  for (std::size_t k = 0; k < points.size(); ++k) {
    points.data()[k] =
        static_cast<float>(rng.below(1000)) * std::numeric_limits<float>::denorm_min();
  }
  return points;
}

}  // namespace geotherm::testing
