// Bytes -> 64 bits that tell damaged or other content from the same: a guard against accidents, not
// against forgery.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace geotherm::detail {

class Checksum {
 public:
  void mix(std::uint64_t bits) {
    state_ = std::rotl(state_ ^ bits, 27) * 0x9fb21c651e98df25ULL;
    state_ ^= state_ >> 32;
  }
  /// The cut into calls matters: their lengths are mixed in.
  void add(const void* data, std::size_t n) {
    const char* bytes = static_cast<const char*>(data);
    for (std::size_t at = 0; at < n; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min<std::size_t>(8, n - at));
      mix(word);
    }
    mix(n);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
};

}  // namespace geotherm::detail
