// The little that tests on a GPU machine need: no library beside CUDA and a compiler is asked for.
#pragma once

#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace gpu_tests {

struct Test {
  std::string name;
  std::function<void()> run;
};
inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}
inline int& n_failures() {
  static int count = 0;
  return count;
}
struct Registered {
  Registered(std::string name, std::function<void()> run) {
    all_tests().push_back({std::move(name), std::move(run)});
  }
};

inline void expect(bool is_true, const char* text, const char* file, int line) {
  if (is_true) return;
  ++n_failures();
  std::printf("    %s:%d: not so: %s\n", file, line, text);
}
/// value <= most; both are shown, so that a log says how much room there is.
inline void expect_at_most(double value, double most, const char* text, const char* file,
                           int line) {
  const bool holds = value <= most;  // a NaN does not
  std::printf("    %-58s %.3g (at most %.3g)\n", text, value, most);
  if (holds) return;
  ++n_failures();
  std::printf("    %s:%d: too large\n", file, line);
}

/// Runs the tests whose name holds `filter`; the exit code of the program.
int run_all(const std::string& filter);

}  // namespace gpu_tests

#define GPU_TEST(name)                                              \
  static void test_##name();                                        \
  static const gpu_tests::Registered registered_##name(#name, test_##name); \
  static void test_##name()
#define EXPECT(condition) gpu_tests::expect(condition, #condition, __FILE__, __LINE__)
#define EXPECT_AT_MOST(value, most) \
  gpu_tests::expect_at_most(value, most, #value, __FILE__, __LINE__)
