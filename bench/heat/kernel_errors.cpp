// How far every heat kernel is from values computed with 250 digits, entry by entry: the largest
// relative error among entries of like size, on a path, a random weighted graph and a roll.
//   bench_kernel_errors [path51_log_heat.csv]     writes the table of kernel_errors.md
// The file holds values that another program computed with 250 digits: they judge the judge.
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "geotherm/geotherm.hpp"
#include "heat/high_precision.hpp"
#include "heat/test_graphs.hpp"

namespace {

using namespace geotherm;
using namespace geotherm::testing;
using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<250>,
                                             boost::multiprecision::et_off>;
using Exact = SquareOf<Digits>;

/// Entries of [floors[k], floors[k - 1]) are judged together. Below the last, 0 is an answer.
constexpr std::array floors = {1e-4, 1e-8, 1e-16, 1e-50, 1e-150, 1e-290};
constexpr std::array times = {0.001, 0.1, 1.0, 10.0, 100.0};
constexpr int euler_steps = 30;

struct Errors {
  std::array<double, floors.size()> worst = {};
  std::array<std::size_t, floors.size()> count = {};

  void add(const Matrix<double>& found, const Exact& truth) {
    for (std::size_t i = 0; i < truth.n; ++i) {
      for (std::size_t j = 0; j < truth.n; ++j) {
        const auto size = static_cast<double>(truth(i, j));
        std::size_t k = 0;
        while (k < floors.size() && size < floors[k]) ++k;
        if (k == floors.size()) continue;
        const Digits error = abs(Digits(found(i, j)) - truth(i, j)) / truth(i, j);
        worst[k] = std::max(worst[k], static_cast<double>(error));
        ++count[k];
      }
    }
  }
};

Graph roll_graph(std::size_t n) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = n, .noise = 0.0}, {.seed = 1});
  return build_graph(find_neighbors(roll.X.view(), {.knn = 5}), {});
}

/// Each point to the next and to one at random, weights from 1e-3 to 1.
Graph random_graph(std::size_t n) {
  Rng rng(1, "bench.random_graph");
  std::map<std::pair<Index, Index>, double> edges;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t partners[] = {(i + 1) % n, static_cast<std::size_t>(rng.below(n))};
    for (const std::size_t j : partners) {
      if (i == j) continue;
      edges[std::minmax({static_cast<Index>(i), static_cast<Index>(j)})] =
          std::pow(10.0, -3 * rng.uniform());
    }
  }
  std::vector<Triplet> list;
  for (const auto& [pair, weight] : edges) list.push_back({pair.first, pair.second, weight});
  return graph_of(n, list);
}

Matrix<double> by_rows(const DiffusionKernel& kernel) {
  std::vector<Index> all(kernel.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  return kernel.rows(all);
}

using Table = std::vector<std::pair<std::string, Errors>>;

Table table_of(const Graph& graph) {
  Errors poisson, poisson_rows, exact, chebyshev, euler_as_heat, euler, walk;
  for (const LaplacianKind kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    for (const double time : times) {
      const auto heat = reference_heat<Digits>(graph, kind, time);
      const auto kernel_by = [&](KernelMethod method) {
        return heat_kernel(laplacian, {.time = time, .method = method});
      };
      const auto by_poisson = kernel_by(KernelMethod::uniformization);
      poisson.add(by_poisson->dense(), heat);
      poisson_rows.add(by_rows(*by_poisson), heat);
      exact.add(kernel_by(KernelMethod::exact)->dense(), heat);
      chebyshev.add(kernel_by(KernelMethod::chebyshev)->dense(), heat);
      const auto by_euler = heat_kernel(
          laplacian, {.time = time, .method = KernelMethod::euler, .order = euler_steps});
      euler_as_heat.add(by_euler->dense(), heat);
      euler.add(by_euler->dense(), reference_euler<Digits>(graph, kind, time, euler_steps));
    }
  }
  const SparseMatrix step = random_walk(graph);
  Exact one(graph.n_points());
  const Matrix<double> dense = to_dense(step);
  for (std::size_t k = 0; k < dense.size(); ++k) one.values[k] = dense.data()[k];
  for (const int steps : {1, 10, 100})
    walk.add(walk_power(step, steps)->dense(), power(one, steps));
  const std::string n_steps = std::to_string(euler_steps) + " steps";
  return {{"uniformization, all pairs", poisson},
          {"uniformization, rows alone", poisson_rows},
          {"exact (eigenvectors)", exact},
          {"chebyshev, tolerance 1e-12", chebyshev},
          {"euler, " + n_steps + ", as the heat kernel", euler_as_heat},
          {"euler, " + n_steps + ", as the kernel it defines", euler},
          {"walk powers 1, 10, 100", walk}};
}

void print(const std::string& graph, const Table& table) {
  for (const auto& [kernel, errors] : table) {
    std::printf("| %s | %s |", graph.c_str(), kernel.c_str());
    for (std::size_t k = 0; k < floors.size(); ++k) {
      if (errors.count[k] == 0) {
        std::printf(" - |");
      } else if (errors.worst[k] >= 1) {
        std::printf(" no digit |");
      } else {
        std::printf(" %.1e |", errors.worst[k]);
      }
    }
    std::printf("\n");
  }
}

/// Largest relative difference of our reference from the file's values of h. Negative: no file.
double error_of_reference(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return -1;
  std::map<std::string, Exact> heats;
  double worst = 0;
  while (std::getline(file, line)) {
    std::istringstream row(line);
    std::string t, i, j, log_h;
    std::getline(row, t, ',');
    std::getline(row, i, ',');
    std::getline(row, j, ',');
    std::getline(row, log_h, ',');
    if (!heats.contains(t)) {
      // The time as it is written: 0.1 is not the double 0.1.
      heats.emplace(
          t, reference_heat<Digits>(path_graph(51), LaplacianKind::combinatorial, Digits(t)));
    }
    const Digits ours = log(heats.at(t)(std::stoul(i), std::stoul(j)));
    const Digits theirs(log_h.substr(0, log_h.find('\r')));
    worst = std::max(worst, static_cast<double>(abs(ours - theirs)));
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("# Errors of the heat kernels, entry by entry\n\n");
  std::printf(
      "Written by `bench/heat/kernel_errors.cpp` (`make kernel-errors`). The largest relative "
      "error "
      "|found - true| / true of\nany entry, by the size of the true entry, over the three "
      "Laplacians and the times");
  for (const double time : times) std::printf(" %g%s", time, time == times.back() ? "" : ",");
  std::printf(
      ";\nthe true values have 250 digits. \"no digit\": an error as large as the entry itself. "
      "uniformization, "
      "the default, sees every entry;\nexact and chebyshev are right to an absolute error, which "
      "`kernel_resolution` in the manifest tells; euler is another kernel,\nnear the heat kernel, "
      "and right in every entry as what it is.\n\n");
  if (argc > 1) {
    const double error = error_of_reference(argv[1]);
    if (error < 0) {
      std::fprintf(stderr, "bench_kernel_errors: %s cannot be read\n", argv[1]);
      return 1;
    }
    std::printf(
        "The values used as the truth agree with those that another program computed with 250 "
        "digits for the path to %.0e\n(relative; that file is written with 20 digits).\n\n",
        error);
  }
  std::printf(
      "| graph | kernel | 1 to 1e-4 | to 1e-8 | to 1e-16 | to 1e-50 | to 1e-150 | to 1e-290 |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  print("path, 51 nodes", table_of(path_graph(51)));
  print("random weighted, 60 nodes", table_of(random_graph(60)));
  print("Swiss roll, 80 points", table_of(roll_graph(80)));
  return 0;
}
