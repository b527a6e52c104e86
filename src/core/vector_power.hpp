// x^p in single precision from polynomials for log2 and exp2, right to about 1e-6: without calls or
// branches, so that loops over pairs become wide ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace geotherm::detail {

// x^p for normal positive x and results within the range of floats.
[[gnu::always_inline]] inline float power(float x, float p) {
  constexpr std::uint32_t one = 0x3f800000, root_half = 0x3f3504f3, mantissa = 0x007fffff;
  // log2 x = k + log2(1 + f), with s = f / (2 + f): 2 atanh(s) / log 2, |s| < 0.172
  const std::uint32_t shifted = std::bit_cast<std::uint32_t>(x) + (one - root_half);
  const float k = static_cast<float>(static_cast<std::int32_t>(shifted >> 23) - 127);
  const float f = std::bit_cast<float>((shifted & mantissa) + root_half) - 1.0f;
  const float s = f / (2.0f + f), z = s * s;
  const float log2 = k + s * (2.8853901f + z * (0.9617967f + z * (0.5770780f + z * 0.4121986f)));
  // 2^y = 2^i 2^r, |r| <= 1/2
  const float y = log2 * p;
  constexpr float round = 12582912.0f;  // 1.5 * 2^23: adding and taking it away rounds
  const float i = (y + round) - round, r = y - i;
  float e = 1.5403530e-4f;
  e = e * r + 1.3333558e-3f;
  e = e * r + 9.6181291e-3f;
  e = e * r + 5.5504109e-2f;
  e = e * r + 2.4022651e-1f;
  e = e * r + 6.9314718e-1f;
  e = e * r + 1.0f;
  // Limits are kept in whole numbers: comparisons of floats may trap, which keeps loops narrow.
  const std::int32_t exponent = std::clamp(static_cast<std::int32_t>(i), -126, 126);
  return e * std::bit_cast<float>(static_cast<std::uint32_t>((exponent + 127) << 23));
}

/// The smaller and the larger of two floats >= 0, which lie as their bits do.
[[gnu::always_inline]] inline float smaller(float x, float y) {
  return std::bit_cast<float>(
      std::min(std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y)));
}
[[gnu::always_inline]] inline float larger(float x, float y) {
  return std::bit_cast<float>(
      std::max(std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y)));
}

}  // namespace geotherm::detail
