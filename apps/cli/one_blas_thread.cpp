// Before main, and before the libraries start: under a limit on the address space (ulimit -v) the
// program begins again with OPENBLAS_NUM_THREADS=1. OpenBLAS otherwise starts a thread for each
// core as it is loaded, each with a work area of its own, and where the system refuses one it asks
// again for ever. We use one thread of it anyway: the library takes it to one for each call, and
// where the program has done so before, nothing is left to take.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int);
}

namespace {
[[maybe_unused]] const bool has_one_thread = [] {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  return true;
}();
}  // namespace

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace {

constexpr rlim_t roomy = rlim_t{16} << 30;
constexpr const char* setting = "OPENBLAS_NUM_THREADS=";

void begin_again_with_one_blas_thread(int, char** argv, char** environment) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= roomy) return;
  // No memory can be had here: libraries are mapped but not begun.
  static std::array<char*, 4096> with_one;
  static std::array<char, 4096> program;
  static char one[] = "OPENBLAS_NUM_THREADS=1";
  std::size_t n = 0;
  for (; environment[n] != nullptr; ++n) {
    if (std::strncmp(environment[n], setting, std::strlen(setting)) == 0) return;
    if (n + 2 >= with_one.size()) return;
    with_one[n] = environment[n];
  }
  with_one[n] = one;
  if (readlink("/proc/self/exe", program.data(), program.size() - 1) <= 0) return;
  execve(program.data(), argv, with_one.data());
}

}  // namespace

// The loader calls these of the program itself before the initialisers of any library.
[[gnu::section(".preinit_array"),
  gnu::used]] static void (*const before_the_libraries)(int, char**,
                                                        char**) = begin_again_with_one_blas_thread;
#endif
