// What the streams of one purpose have in common: a device makes the state of stream `index` from
// it (state words: splitmix64 started at base ^ index), to the bits of Rng(seed, purpose, index).
#pragma once

#include <cstdint>
#include <string_view>

namespace geotherm::detail {

std::uint64_t stream_base(std::uint64_t seed, std::string_view purpose);

}  // namespace geotherm::detail
