// The paper's own trees: a seed in; points, noise-free points and branches out. Trees of different
// seeds score so differently that the printed numbers belong to the very trees of the seeds, drawn
// from NumPy's legacy generator (numpy.random.RandomState, a Mersenne twister).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::cli {

class LegacyStream {
 public:
  explicit LegacyStream(std::uint32_t seed) : twister_(seed) {}
  double uniform() {
    const auto high = static_cast<double>(word() >> 5);
    const auto low = static_cast<double>(word() >> 6);
    return (high * 0x1p26 + low) * 0x1p-53;
  }
  /// In [0, bound): words are masked to the next power of two and refused above it.
  std::uint32_t below(std::uint32_t bound) {
    std::uint32_t mask = bound - 1;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    for (;;) {
      const std::uint32_t draw = word() & mask;
      if (draw < bound) return draw;
    }
  }
  /// Marsaglia's polar method; the second of a pair is returned first.
  double normal() {
    if (spare_) {
      const double kept = *spare_;
      spare_.reset();
      return kept;
    }
    for (;;) {
      const double x = 2 * uniform() - 1;
      const double y = 2 * uniform() - 1;
      const double square = x * x + y * y;
      if (square >= 1 || square == 0) continue;
      const double stretch = std::sqrt(-2 * std::log(square) / square);
      spare_ = stretch * x;
      return stretch * y;
    }
  }

 private:
  std::uint32_t word() { return static_cast<std::uint32_t>(twister_()); }
  std::mt19937 twister_;
  std::optional<double> spare_ = std::nullopt;
};

struct PapersTree {
  Matrix<double> points;
  Matrix<double> clean;
  std::vector<Index> branch;
};
/// Five branches of `length` points, increments uniform on [-1, 1]; each branch after the first
/// starts at a random point of the first.
inline PapersTree papers_tree(std::uint32_t seed, std::size_t length, std::size_t dim,
                              double noise) {
  constexpr std::size_t n_branches = 5;
  LegacyStream stream(seed);
  PapersTree tree;
  tree.clean = Matrix<double>(n_branches * length, dim);
  for (std::size_t branch = 0; branch < n_branches; ++branch) {
    const std::size_t root = branch == 0 ? 0 : stream.below(static_cast<std::uint32_t>(length));
    std::vector<double> at(dim, 0.0);
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t c = 0; c < dim; ++c) {
        at[c] += -1 + 2 * stream.uniform();
        tree.clean(branch * length + i, c) = at[c] + (branch == 0 ? 0 : tree.clean(root, c));
      }
      tree.branch.push_back(static_cast<Index>(branch));
    }
  }
  tree.points = tree.clean;
  for (std::size_t i = 0; i < tree.points.size(); ++i) {
    tree.points.data()[i] += noise * stream.normal();
  }
  return tree;
}

}  // namespace geotherm::cli
