// Places in arrays of more than 2^31 and 2^32 elements. The arrays are address space alone: only
// the pages that are touched take memory.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "geotherm/core.hpp"

namespace geotherm {
namespace {

/// n x n bytes of address space; empty where the system does not give them.
class Reserved {
 public:
  explicit Reserved(std::size_t n_bytes) : n_bytes_(n_bytes) {
    void* got = ::mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got != MAP_FAILED) data = static_cast<unsigned char*>(got);
  }
  ~Reserved() {
    if (data != nullptr) ::munmap(data, n_bytes_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  unsigned char* data = nullptr;

 private:
  std::size_t n_bytes_;
};

TEST(LargeIndex, EntriesOfAllPairsAreToldApartPast46341Points) {
  // 46,341^2 is the first square past 2^31, 65,536^2 is 2^32.
  for (const std::size_t n : {50000U, 70000U}) {
    const Reserved memory(n * n);
    if (memory.data == nullptr) GTEST_SKIP() << "SKIPPED: no address space of " << n * n;
    const MatrixView<unsigned char> view{memory.data, n, n, n};
    const std::size_t rows[] = {0, 1, 46340, 46341, n - 1};
    unsigned char mark = 0;
    for (const std::size_t i : rows) {
      for (const std::size_t j : {std::size_t{0}, n - 1}) view(i, j) = ++mark;
    }
    mark = 0;
    for (const std::size_t i : rows) {
      EXPECT_EQ(view(i, 0), ++mark) << i << " of " << n;
      EXPECT_EQ(view.row(i).back(), ++mark) << i << " of " << n;
      EXPECT_EQ(static_cast<std::size_t>(view.row(i).data() - view.data), i * n);
    }
  }
}

TEST(LargeIndex, BlocksOfMoreThanTwoBillionItemsAreCutWithoutOverflow) {
  // Neighbour lists of 2^31 / k points hold more entries than 32 bits count.
  const std::size_t n = (std::size_t{1} << 33) + 5, block = std::size_t{1} << 30;
  std::size_t covered = 0, last_end = 0, n_blocks = 0;
  parallel_for({}, n, block, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin, last_end);
    last_end = end;
    covered += end - begin;
    ++n_blocks;
  });
  EXPECT_EQ(covered, n);
  EXPECT_EQ(last_end, n);
  EXPECT_EQ(n_blocks, 9U);
  EXPECT_EQ(parallel_sum({}, n, block,
                         [](std::size_t begin, std::size_t end) {
                           return static_cast<double>(end - begin);
                         }),
            static_cast<double>(n));
}

}  // namespace
}  // namespace geotherm
