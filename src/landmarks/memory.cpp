// How much memory there is.
#include <algorithm>
#include <fstream>

#include "core/platform.hpp"
#include "geotherm/landmarks.hpp"

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
  std::size_t bytes = detail::platform::physical_memory();
  if (bytes == 0) bytes = std::size_t{8} << 30U;
  bytes = limit_in("/sys/fs/cgroup/memory.max", bytes);
  return limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes);
}

}  // namespace geotherm
