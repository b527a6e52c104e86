#include "allocation/failing_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

extern "C" {
void* __real_malloc(std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_calloc(std::size_t, std::size_t);
}

namespace geotherm::testing {
namespace {

constexpr std::size_t never = ~std::size_t{0};
std::atomic<std::size_t> n_asked{0};
std::atomic<std::size_t> first_to_fail{never};
std::atomic<bool> all_that_follow{false};
std::atomic<long> n_held{0};

bool is_refused() {
  if (first_to_fail == never) return false;
  const std::size_t number = ++n_asked;
  return number == first_to_fail || (number > first_to_fail && all_that_follow);
}

void* taken(void* block) {
  if (block != nullptr) ++n_held;
  return block;
}

void* plain(std::size_t size) noexcept {
  return is_refused() ? nullptr : taken(__real_malloc(size > 0 ? size : 1));
}

void* aligned(std::size_t size, std::align_val_t alignment) noexcept {
  const auto to = static_cast<std::size_t>(alignment);
  return is_refused() ? nullptr : taken(std::aligned_alloc(to, (size / to + 1) * to));
}

void* or_throw(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void give_back(void* block) noexcept {
  if (block == nullptr) return;
  --n_held;
  std::free(block);
}

}  // namespace

void let_allocation_fail(std::size_t n, Failing failing) {
  n_asked = 0;
  all_that_follow = failing == Failing::from_on;
  first_to_fail = n;
}

std::size_t stop_failing() {
  first_to_fail = never;
  return n_asked;
}

long n_blocks_held() { return n_held; }

}  // namespace geotherm::testing

// The linker sends the calls of malloc in our objects here (--wrap).
extern "C" {
void* __wrap_malloc(std::size_t size) {
  return geotherm::testing::is_refused() ? nullptr : __real_malloc(size);
}
void* __wrap_realloc(void* block, std::size_t size) {
  return geotherm::testing::is_refused() ? nullptr : __real_realloc(block, size);
}
void* __wrap_calloc(std::size_t n, std::size_t size) {
  return geotherm::testing::is_refused() ? nullptr : __real_calloc(n, size);
}
}

using namespace geotherm::testing;

void* operator new(std::size_t size) { return or_throw(plain(size)); }
void* operator new[](std::size_t size) { return or_throw(plain(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return plain(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return plain(size); }
void* operator new(std::size_t size, std::align_val_t to) { return or_throw(aligned(size, to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return or_throw(aligned(size, to)); }
void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }
void operator delete[](void* block, std::size_t) noexcept { give_back(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { give_back(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { give_back(block); }
