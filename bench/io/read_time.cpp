// Times one reader on one file, or the steps from raw counts to components: seconds of CPU and of
// wall clock, the best of several rounds, as one line of JSON. Driven by bench/io/compare.py.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "geotherm/geotherm.hpp"

namespace {

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double wall_s() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "bench_io_read read|preprocess FILE ROUNDS [USE]\n");
    return 2;
  }
  const std::string what = argv[1], file = argv[2];
  const int n_rounds = std::atoi(argv[3]);
  const geotherm::ReadOptions options{.use = argc > 4 ? argv[4] : ""};
  double cpu = 1e300, wall = 1e300;
  std::size_t rows = 0, cols = 0;
  geotherm::Observations read;
  if (what == "preprocess") read = geotherm::read_observations(file, options);
  for (int round = 0; round < n_rounds; ++round) {
    const double cpu_start = cpu_s(), wall_start = wall_s();
    if (what == "preprocess") {
      const auto run = geotherm::preprocess_single_cell(read.sparse, read.table.column_names);
      rows = run.scores.rows();
      cols = run.scores.cols();
    } else {
      const geotherm::Observations fresh = geotherm::read_observations(file, options);
      rows = fresh.rows();
      cols = fresh.cols();
    }
    cpu = std::min(cpu, cpu_s() - cpu_start);
    wall = std::min(wall, wall_s() - wall_start);
  }
  std::printf("{\"cpu_s\": %.6f, \"wall_s\": %.6f, \"rows\": %zu, \"cols\": %zu}\n", cpu, wall,
              rows, cols);
}
