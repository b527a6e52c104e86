// Bytes in, the same bytes in zlib's format out: for pictures and pages.
#pragma once

#include <string>
#include <string_view>

namespace geotherm::detail {

/// `level` from 1 (fast) to 9 (small).
std::string deflated(std::string_view bytes, int level);

}  // namespace geotherm::detail
