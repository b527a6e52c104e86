// SMACOF and SGD from a given start: distances.npy start.npy map.npy smacof|sgd threads repeats.
// One line of JSON with the seconds of the layout alone, as run_peer.py counts those of the peer:
// arrays in memory in, map out, checks of the input included, files not.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "geotherm/geotherm.hpp"

namespace {

using namespace geotherm;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) {
    std::fprintf(stderr, "%s D.npy start.npy map.npy smacof|sgd threads repeats [sweeps]\n",
                 argv[0]);
    return 2;
  }
  const Matrix<double> distances = std::get<Matrix<double>>(read_table(argv[1]).values);
  const Matrix<double> start = std::get<Matrix<double>>(read_table(argv[2]).values);
  const bool is_sgd = std::string(argv[4]) == "sgd";
  ThreadPool pool(std::strtoul(argv[5], nullptr, 10));
  const Context context{.executor = &pool};
  MdsOptions options;
  if (argc == 8) options.max_iterations = std::strtoul(argv[7], nullptr, 10);
  Embedding embedding;
  std::vector<double> wall, cpu;
  for (unsigned long r = 0; r < std::strtoul(argv[6], nullptr, 10); ++r) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_seconds();
    if (is_sgd) {
      SgdMds mds(distances, {}, start, options, context);
      mds.run_to(1000);
      embedding = mds.embedding();
    } else {
      Smacof mds(distances, {}, start, options, context);
      mds.run_to(300);
      embedding = mds.embedding();
    }
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    cpu.push_back(cpu_seconds() - cpu_begin);
  }
  write_table(argv[3], embedding.coordinates, {}, {}, "map");
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"seconds\": %.6f, \"cpu_s\": %.6f, \"repeats\": %zu, \"peak_mib\": %.1f, "
      "\"iterations\": %zu}\n",
      median(wall), median(cpu), wall.size(), static_cast<double>(usage.ru_maxrss) / 1024,
      embedding.iterations);
}
