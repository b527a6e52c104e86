// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), read off the bits; then, with s = f / (2 +
// f), log(1 + f) = 2 atanh(s) = 2s + s R, R = sum 2 s^2j / (2j + 1): |s| < 0.172, so that ten terms
// leave 1e-17 of the value. Only additions, products, one quotient and integer steps on the bits.
#include "core/vector_log.hpp"

#include <bit>
#include <cstdint>

#include "core/simd.hpp"

namespace geotherm::detail {

GEOTHERM_WIDE void log_in_place(double* x, std::size_t n) {
  constexpr std::uint64_t one = 0x3ff0000000000000;
  constexpr std::uint64_t root_half = 0x3fe6a09e00000000;  // slightly below sqrt(1/2)
  constexpr std::uint64_t mantissa = 0x000fffffffffffff;
  // An integer below 2^52 put into the mantissa of 2^52 is that number plus 2^52: a conversion that
  // every vector unit has.
  constexpr std::uint64_t two_52 = 0x4330000000000000;
  constexpr double two_52_and_bias = 4503599627370496.0 + 1023.0;
  // log 2 in two parts, the first so short that k times it is exact.
  constexpr double log2_high = 0x1.62e42fee00000p-1;
  constexpr double log2_low = 0x1.a39ef35793c76p-33;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x[i]) + (one - root_half);
    const double k = std::bit_cast<double>((shifted >> 52) | two_52) - two_52_and_bias;
    const double f = std::bit_cast<double>((shifted & mantissa) + root_half) - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double r = 2.0 / 21;
    r = r * z + 2.0 / 19;
    r = r * z + 2.0 / 17;
    r = r * z + 2.0 / 15;
    r = r * z + 2.0 / 13;
    r = r * z + 2.0 / 11;
    r = r * z + 2.0 / 9;
    r = r * z + 2.0 / 7;
    r = r * z + 2.0 / 5;
    r = r * z + 2.0 / 3;
    r = r * z;
    // 2s = f - f^2/2 + s f^2/2: the leading part of the sum is then f itself, which has no error.
    const double half_square = 0.5 * f * f;
    const double small = s * (half_square + r) + k * log2_low;
    x[i] = k * log2_high + (f - (half_square - small));
  }
}

}  // namespace geotherm::detail
