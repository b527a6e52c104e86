// Code points to UTF-8 and back. In: any numbers or bytes. Out: valid UTF-8 or code points, with
// U+FFFD in the place of what is neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace geotherm::detail {

inline constexpr std::uint32_t kReplacement = 0xFFFD;

inline void append_utf8(std::string& text, std::uint32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = kReplacement;
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// The code point at `at`, which moves past it; `at` must lie inside `text`.
inline std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int n_more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4) return kReplacement;
  std::uint32_t code = first & (0x3Fu >> n_more);
  std::size_t next = at;
  for (int i = 0; i < n_more; ++i, ++next) {
    if (next == text.size() || (static_cast<unsigned char>(text[next]) & 0xC0) != 0x80) {
      return kReplacement;
    }
    code = (code << 6) | (static_cast<unsigned char>(text[next]) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0x80, 0x800, 0x10000};
  if (code < kLeast[n_more - 1] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return kReplacement;
  }
  at = next;
  return code;
}

}  // namespace geotherm::detail
