// Device modules against the CPU's results and laws: test_gpu [part of a name]. Needs a GPU.
#include <chrono>
#include <ctime>
#include <memory>

#include "fixture.hpp"

namespace gpu_tests {
namespace {

ThreadPool& pool() {
  static ThreadPool threads;
  return threads;
}

}  // namespace

const Context& cpu() {
  static const Context context{.executor = &pool()};
  return context;
}

const Context& gpu() {
  static const DeviceContext on = on_device(DeviceKind::cuda, cpu());
  return on.context;
}

int run_all(const std::string& filter) {
  const auto device = cuda_device();
  if (!device) {
    std::printf("SKIPPED: %s\n", why_no_cuda_device().c_str());
    return 77;
  }
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  std::printf("%s, device: %s, %.1f GiB, %d multiprocessors\n", date, device->name.c_str(),
              static_cast<double>(device->memory) / (1024.0 * 1024 * 1024),
              device->n_multiprocessors);
  int n_run = 0, n_failed = 0;
  for (const Test& test : all_tests()) {
    if (test.name.find(filter) == std::string::npos) continue;
    ++n_run;
    const int before = n_failures();
    std::printf("  %s\n", test.name.c_str());
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    try {
      test.run();
    } catch (const std::exception& error) {
      ++n_failures();
      std::printf("    threw: %s\n", error.what());
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (n_failures() > before) ++n_failed;
    std::printf("    %s, %.2f s\n", n_failures() > before ? "FAILED" : "passed", taken.count());
  }
  std::printf("%d tests, %d failed\n", n_run, n_failed);
  return n_failed == 0 ? 0 : 1;
}

}  // namespace gpu_tests

int main(int argc, char** argv) { return gpu_tests::run_all(argc > 1 ? argv[1] : ""); }
