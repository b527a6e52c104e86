// How much memory there is.
#include <algorithm>
#include <fstream>

#include "geotherm/landmarks.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace geotherm {
namespace {

/// A limit that a file of the control groups holds; `otherwise` where there is none ("max").
std::size_t limit_in(const char* path, std::size_t otherwise) {
  std::ifstream file(path);
  std::size_t limit = 0;
  return file >> limit && limit > 0 ? std::min(limit, otherwise) : otherwise;
}

}  // namespace

std::size_t machine_memory() {
  std::size_t bytes = std::size_t{8} << 30U;
#ifdef _SC_PHYS_PAGES
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    bytes = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  }
#endif
  bytes = limit_in("/sys/fs/cgroup/memory.max", bytes);
  return limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes);
}

}  // namespace geotherm
