// zlib where the build found it. Elsewhere (a wheel built with nothing but a compiler) a stand-in
// for the few calls that this module makes: checksums work, and compressed members are refused in
// words.
#pragma once

#ifdef GEOTHERM_WITH_ZLIB
#include <zlib.h>
#else

#include <array>
#include <cstddef>
#include <cstdint>

#include "geotherm/core.hpp"

namespace geotherm::detail {

using Bytef = unsigned char;
using uInt = unsigned int;
using uLong = unsigned long;
using uLongf = unsigned long;

/// The checksum of zip archives, a byte at a time; null starts it.
inline uLong crc32_z(uLong crc, const Bytef* bytes, std::size_t n) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      made[i] = c;
    }
    return made;
  }();
  if (bytes == nullptr) return 0;
  auto c = static_cast<std::uint32_t>(crc) ^ 0xFFFFFFFFu;
  for (std::size_t i = 0; i < n; ++i) c = table[(c ^ bytes[i]) & 0xFF] ^ (c >> 8);
  return c ^ 0xFFFFFFFFu;
}
inline uLong crc32(uLong crc, const Bytef* bytes, uInt n) { return crc32_z(crc, bytes, n); }

struct z_stream {
  Bytef* next_in = nullptr;
  uInt avail_in = 0;
  Bytef* next_out = nullptr;
  uInt avail_out = 0;
};
inline constexpr int Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5, Z_MEM_ERROR = -4;
inline constexpr int Z_NO_FLUSH = 0, Z_FINISH = 4, MAX_WBITS = 15;
inline constexpr int Z_DEFLATED = 8, Z_DEFAULT_STRATEGY = 0;

[[noreturn]] inline void refuse_compressed() {
  throw IoError(
      "the file is compressed and this build of geotherm has no zlib: use an uncompressed one "
      "(numpy.savez, no .gz), or build where zlib's headers are installed");
}
inline int inflateInit2(z_stream*, int) { refuse_compressed(); }
inline int deflateInit2(z_stream*, int, int, int, int, int) { refuse_compressed(); }
// Never reached: no stream begins.
inline int inflate(z_stream*, int) { return Z_MEM_ERROR; }
inline int inflateReset(z_stream*) { return Z_MEM_ERROR; }
inline int inflateEnd(z_stream*) { return Z_OK; }
inline int deflate(z_stream*, int) { return Z_STREAM_END; }
inline int deflateEnd(z_stream*) { return Z_OK; }

/// A zlib stream of stored blocks: any reader takes it, nothing is saved.
inline constexpr uLong stored_block = 65535;
inline uLong compressBound(uLong n) { return n + 5 * (n / stored_block + 1) + 6; }
inline int compress2(Bytef* out, uLongf* size, const Bytef* bytes, uLong n, int) {
  Bytef* end = out;
  *end++ = 0x78;
  *end++ = 0x01;
  std::uint32_t a = 1, b = 0;  // Adler-32
  uLong done = 0;
  do {
    const uLong part = n - done < stored_block ? n - done : stored_block;
    *end++ = done + part == n ? 1 : 0;
    for (const uLong field : {part, ~part}) {
      *end++ = static_cast<Bytef>(field & 0xFF);
      *end++ = static_cast<Bytef>((field >> 8) & 0xFF);
    }
    for (uLong i = 0; i < part; ++i) {
      a = (a + bytes[done + i]) % 65521;
      b = (b + a) % 65521;
      *end++ = bytes[done + i];
    }
    done += part;
  } while (done < n);
  const std::uint32_t sum = (b << 16) | a;
  for (int shift = 24; shift >= 0; shift -= 8) *end++ = static_cast<Bytef>((sum >> shift) & 0xFF);
  *size = static_cast<uLong>(end - out);
  return Z_OK;
}

}  // namespace geotherm::detail
#endif
