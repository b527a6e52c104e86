#include "viewer/deflate.hpp"

#ifdef GEOTHERM_WITH_ZLIB
#include <zlib.h>

#include <new>
#else
#include <cstdint>
#endif

namespace geotherm::detail {

#ifdef GEOTHERM_WITH_ZLIB
std::string deflated(std::string_view bytes, int level) {
  uLongf n = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(n, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &n,
                reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                level) != Z_OK) {
    throw std::bad_alloc();  // the only way in which it can fail here
  }
  result.resize(n);
  return result;
}
#else
std::string deflated(std::string_view bytes, int) {
  constexpr std::size_t most = 65535;
  std::string result = "\x78\x01";
  std::uint32_t a = 1, b = 0;
  for (std::size_t at = 0; at == 0 || at < bytes.size(); at += most) {
    const std::string_view part = bytes.substr(at, most);
    const auto n = static_cast<unsigned>(part.size());
    result += at + most >= bytes.size() ? '\1' : '\0';
    for (const unsigned size : {n, ~n}) {
      result += static_cast<char>(size & 0xFF);
      result += static_cast<char>(size >> 8 & 0xFF);
    }
    result += part;
    for (const char c : part) {
      a = (a + static_cast<unsigned char>(c)) % 65521;
      b = (b + a) % 65521;
    }
  }
  const std::uint32_t sum = b << 16 | a;
  for (int shift = 24; shift >= 0; shift -= 8) result += static_cast<char>(sum >> shift & 0xFF);
  return result;
}
#endif

}  // namespace geotherm::detail
