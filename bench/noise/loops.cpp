// Circles and rings, drawn by the hundred: how many does the search for shortcut edges cut open?
// And what is left of its use on noisy rolls and trees. Writes a table in Markdown to standard
// output.
//
//   bench_noise_loops [DRAWS_PER_ROW] > bench/noise/loops.md
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "geotherm/geotherm.hpp"

namespace {

using namespace geotherm;

constexpr double torn_below = 0.93;

/// A ring of radius 1 in the first two columns, with noise in all of `dims`.
Dataset ring(std::size_t n, double noise, std::size_t dims, std::uint64_t seed) {
  Rng rng(seed, "loops.ring", n);
  Dataset data;
  data.X = Matrix<double>(n, dims);
  data.geodesic = Matrix<double>(n, n);
  std::vector<double> angle(n);
  for (std::size_t i = 0; i < n; ++i) {
    angle[i] = 2 * 3.14159265358979323846 * rng.uniform();
    for (std::size_t c = 0; c < dims; ++c) data.X(i, c) = noise * rng.normal();
    data.X(i, 0) += std::cos(angle[i]);
    data.X(i, 1) += std::sin(angle[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double apart = std::abs(angle[i] - angle[j]);
      data.geodesic(i, j) = std::min(apart, 2 * 3.14159265358979323846 - apart);
    }
  }
  return data;
}

struct Scores {
  double mean = 0, least = 1, edges = 0;
  std::size_t n_draws = 0, n_cut = 0, n_torn = 0;

  void add(const Dataset& data, const MethodOptions& options, const Context& context) {
    const DistanceRun run = heat_geo_distances(data.X.view(), options, context);
    const double score = score_distances(data.geodesic, run.dissimilarity.values, context).spearman;
    mean += score;
    least = std::min(least, score);
    const std::size_t n_removed = run.shortcuts.removed.size() + run.shortcuts.down_weighted.size();
    edges += static_cast<double>(n_removed);
    n_cut += n_removed > 0 ? 1 : 0;
    n_torn += score < torn_below ? 1 : 0;
    ++n_draws;
  }
};

void print_row(const char* name, std::size_t n, std::size_t dims, double noise, const Scores& on,
               const Scores& off) {
  const auto draws = static_cast<double>(on.n_draws);
  std::printf("| %s | %zu | %zu | %.2f | %zu | %zu | %.1f | %zu | %.3f | %.3f ", name, n, dims,
              noise, on.n_draws, on.n_cut, on.edges / draws, on.n_torn, on.mean / draws, on.least);
  std::printf("| %zu | %.3f | %.3f |\n", off.n_torn, off.mean / draws, off.least);
}

}  // namespace

int main(int argc, char** argv) {
  const auto n_draws = static_cast<std::uint64_t>(argc > 1 ? std::atoi(argv[1]) : 20);
  MethodOptions with;
  MethodOptions without;
  without.shortcuts = ShortcutOptions{.share = 0};
  std::printf(
      "# Loops are not cut open\n\n"
      "Written by `bench_noise_loops`; do not edit. Default options with and without the search "
      "for shortcut edges; Spearman\n"
      "correlation of heat distances with the distance along the ring, the unrolled sheet or the "
      "tree. Cut: draws in which an edge\n"
      "was removed or down-weighted. Torn: correlation below %.2f.\n\n"
      "| data | points | columns | noise | draws | cut | edges a draw | torn | mean | least | torn "
      "without | mean | least |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      torn_below);
  Scores all, all_without;
  for (const std::size_t dims : {2, 3, 10}) {
    for (const std::size_t n : {100, 200, 500, 1000}) {
      for (const double noise : {0.03, 0.05, 0.08}) {
        if (noise * std::sqrt(static_cast<double>(dims)) > 0.2) continue;
        Scores on, off;
        for (std::uint64_t seed = 1; seed <= n_draws; ++seed) {
          const Context context{.seed = seed};
          const Dataset data = ring(n, noise, dims, seed);
          on.add(data, with, context);
          off.add(data, without, context);
        }
        print_row("ring", n, dims, noise, on, off);
        std::fflush(stdout);
        all.n_draws += on.n_draws;
        all.n_cut += on.n_cut;
        all.n_torn += on.n_torn;
        all_without.n_torn += off.n_torn;
      }
    }
  }
  struct Row {
    const char* name;
    Shape shape;
    SynthOptions synth;
  };
  const std::vector<Row> rows = {
      {"roll", Shape::swiss_roll, {.n = 2000, .noise = 1, .dim = 3}},
      {"roll", Shape::swiss_roll, {.n = 2000, .noise = 1, .dim = 10}},
      {"roll", Shape::swiss_roll, {.n = 2000, .noise = 1, .dim = 50}},
      {"tree", Shape::tree, {.n = 2500, .noise = 1, .dim = 10}},
      {"tree", Shape::tree, {.n = 2500, .noise = 5, .dim = 10}},
      {"tree", Shape::tree, {.n = 2500, .noise = 5, .dim = 30}},
  };
  for (const Row& row : rows) {
    Scores on, off;
    for (std::uint64_t seed = 42; seed <= 51; ++seed) {
      const Context context{.seed = seed};
      const Dataset data = synthesize(row.shape, row.synth, context);
      on.add(data, with, context);
      off.add(data, without, context);
    }
    print_row(row.name, row.synth.n, *row.synth.dim, row.synth.noise, on, off);
    std::fflush(stdout);
  }
  std::printf("\nRings: %zu of %zu torn with the search (%zu lost an edge), %zu without.\n",
              all.n_torn, all.n_draws, all.n_cut, all_without.n_torn);
}
