#include "core/blas_area.hpp"

#ifdef GEOTHERM_WITH_BLAS
#include <cblas.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <new>
#endif

namespace geotherm::detail {

#ifdef GEOTHERM_WITH_BLAS

extern "C" {
// OpenBLAS's own; absent from other BLAS libraries, hence weak.
__attribute__((weak)) void openblas_set_num_threads(int);
}

namespace {

std::mutex mutex;
bool is_taken = false;
std::size_t n_pools = 0;

bool is_limited() {
  static const bool answer = [] {
    constexpr rlim_t roomy = rlim_t{16} << 30;
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < roomy;
  }();
  return answer;
}

void keep_to_one_thread() {
  static const bool once = [] {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
    return true;
  }();
  (void)once;
}

/// With the mutex held.
void take_where_there_is_room() {
  constexpr std::size_t area = std::size_t{160} << 20;
  void* probe = mmap(nullptr, area, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return;
  munmap(probe, area);
  keep_to_one_thread();
  // Small products (dgemm) do without the area on some processors; this one never does.
  const double one = 1;
  double square = 0;
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, 1, 1, 1.0, &one, 1, 0.0, &square, 1);
  is_taken = true;
}

}  // namespace

ThreadsRun::ThreadsRun() {
  if (!is_limited()) return;
  const std::lock_guard lock(mutex);
  if (!is_taken && n_pools == 0) take_where_there_is_room();
  ++n_pools;
}

ThreadsRun::~ThreadsRun() {
  if (!is_limited()) return;
  const std::lock_guard lock(mutex);
  --n_pools;
}

BlasTurn::BlasTurn() {
  keep_to_one_thread();
  if (!is_limited()) return;
  lock_ = std::unique_lock(mutex);
  if (!is_taken && n_pools == 0) take_where_there_is_room();
  if (!is_taken) throw std::bad_alloc();
}

#else

// Eigen takes its memory like anybody: nothing to hold.
ThreadsRun::ThreadsRun() {}
ThreadsRun::~ThreadsRun() {}
BlasTurn::BlasTurn() = default;

#endif

}  // namespace geotherm::detail
