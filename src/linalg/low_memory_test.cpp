// BLAS and LAPACK where the address space is limited (ulimit -v) and the library's work area is
// refused: std::bad_alloc or the result, never a library that asks again for ever. Each test is a
// process of its own, which an alarm ends where it hangs.
#include <gtest/gtest.h>

#include "geotherm/core.hpp"
#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "linalg/tridiagonal_eigen.hpp"

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace geotherm::detail {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

/// Leaves so much address space beside what is in use, for ever.
void limit_to(std::size_t megabytes) {
  alarm(20);
  std::size_t pages = 0;
  std::FILE* sizes = std::fopen("/proc/self/statm", "r");
  if (sizes == nullptr || std::fscanf(sizes, "%zu", &pages) != 1) std::abort();
  std::fclose(sizes);
  const rlim_t in_use = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit{in_use + megabytes * megabyte, in_use + megabytes * megabyte};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::abort();
}

/// What another thread would do between the look for memory and the library's request.
void take_the_rest() {
  while (mmap(nullptr, megabyte, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
  }
}

/// Of a size that no shortcut for small products takes; without memory from the heap.
bool product_is_right() {
  constexpr std::size_t n = 120;
  std::array<double, n * n> ones, out;
  ones.fill(1.0);
  gemm(1.0, {ones.data(), n, n, n}, false, {ones.data(), n, n, n}, false, 0.0,
       {out.data(), n, n, n});
  return std::ranges::all_of(out, [](double x) { return x == static_cast<double>(n); });
}

[[noreturn]] void leave(bool as_wanted) { std::_Exit(as_wanted ? 0 : 1); }

/// Exits with 0 where the work ends in std::bad_alloc.
template <class Work>
[[noreturn]] void leave_where_refused(const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    leave(true);
  }
  leave(false);
}

class LowMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (std::strstr(blas_name(), "OpenBLAS") == nullptr) GTEST_SKIP() << "SKIPPED: no OpenBLAS";
    // A fresh process: one that is only forked may have the area already. Threads of the library's
    // own would each take one at a moment of their choosing.
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

const auto as_wanted = testing::ExitedWithCode(0);

TEST_F(LowMemory, AProductWithoutRoomForItsAreaIsRefused) {
  EXPECT_EXIT((limit_to(64), leave_where_refused([] { product_is_right(); })), as_wanted, "");
}

TEST_F(LowMemory, EigenvectorsWithoutRoomForTheirAreaAreRefused) {
  const auto dense = [] {
    limit_to(64);
    leave_where_refused([] {
      Matrix<double> a(200, 200);
      for (std::size_t i = 0; i < 200; ++i) {
        for (std::size_t j = 0; j < 200; ++j) a(i, j) = 1.0 / static_cast<double>(i + j + 1);
      }
      symmetric_eigen(a);
    });
  };
  EXPECT_EXIT(dense(), as_wanted, "");
  const auto tridiagonal = [] {
    limit_to(64);
    leave_where_refused(
        [] { tridiagonal_eigen(std::vector<double>(400, 2.0), std::vector<double>(399, -1.0)); });
  };
  EXPECT_EXIT(tridiagonal(), as_wanted, "");
}

// Memory that a thread takes between the look for memory and the request was seen to hang the
// program, once in some hundred runs on a busy machine.
TEST_F(LowMemory, ProductsOfAPoolHaveTheirAreaBeforeItsThreadsTakeMemory) {
  const auto run = [] {
    limit_to(400);
    ThreadPool pool(2);
    take_the_rest();
    bool right[2] = {};
    pool.run(2, [&](std::size_t block) { right[block] = product_is_right(); });
    leave(right[0] && right[1]);
  };
  EXPECT_EXIT(run(), as_wanted, "");
}

TEST_F(LowMemory, NoAreaIsTakenBesideThreads) {
  const auto run = [] {
    // Not enough as the pool begins, enough when a product asks: too late, since a thread could
    // take it meanwhile.
    limit_to(600);
    void* other = mmap(nullptr, 500 * megabyte, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (other == MAP_FAILED) leave(false);
    {
      ThreadPool pool(2);
      munmap(other, 500 * megabyte);
      try {
        product_is_right();
        leave(false);
      } catch (const std::bad_alloc&) {
      }
    }
    leave(product_is_right());  // the threads have ended
  };
  EXPECT_EXIT(run(), as_wanted, "");
}

}  // namespace
}  // namespace geotherm::detail
#endif
