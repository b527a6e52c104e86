#include "viewer/deflate.hpp"

#include <zlib.h>

#include <new>

namespace geotherm::detail {

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

}  // namespace geotherm::detail
