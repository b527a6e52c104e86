#include "core/blas_area.hpp"

#ifdef GEOTHERM_WITH_BLAS
#include <cblas.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "core/platform.hpp"
#endif

namespace geotherm::detail {

#ifdef GEOTHERM_WITH_BLAS

extern "C" {
// OpenBLAS's own; absent from other BLAS libraries, hence weak.
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) int openblas_get_num_threads(void);
}

namespace {

std::mutex mutex;
bool is_taken = false;
std::size_t n_pools = 0;

bool is_limited() {
  constexpr std::uint64_t roomy = std::uint64_t{16} << 30U;
  static const bool answer = platform::address_space_limit() < roomy;
  return answer;
}

std::mutex threads_mutex;
std::size_t n_calls = 0;  // of ours that run now
int threads_of_host = 1;  // while any runs

/// The first call takes the library to one thread, the last gives back what the host had: its own
/// products are slower only while one of ours runs.
void begin_call() {
  if (openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return;
  const std::lock_guard lock(threads_mutex);
  if (n_calls++ > 0) return;
  threads_of_host = openblas_get_num_threads();
  if (threads_of_host != 1) openblas_set_num_threads(1);
}

void end_call() {
  if (openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return;
  const std::lock_guard lock(threads_mutex);
  if (--n_calls > 0 || threads_of_host == 1) return;
  // Threads that cannot be had are asked for again for ever.
  if (!is_limited()) openblas_set_num_threads(threads_of_host);
}

/// With the mutex held.
void take_where_there_is_room() {
  constexpr std::size_t area = std::size_t{160} << 20;
  if (!platform::can_map(area)) return;
  begin_call();
  // Small products (dgemm) do without the area on some processors; this one never does.
  const double one = 1;
  double square = 0;
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, 1, 1, 1.0, &one, 1, 0.0, &square, 1);
  end_call();
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
  if (is_limited()) {
    lock_ = std::unique_lock(mutex);
    if (!is_taken && n_pools == 0) take_where_there_is_room();
    if (!is_taken) throw std::bad_alloc();
  }
  begin_call();
}

BlasTurn::~BlasTurn() { end_call(); }

#else

// Eigen takes its memory like anybody: nothing to hold.
ThreadsRun::ThreadsRun() {}
ThreadsRun::~ThreadsRun() {}
BlasTurn::BlasTurn() = default;
BlasTurn::~BlasTurn() = default;

#endif

}  // namespace geotherm::detail
