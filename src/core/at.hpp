// Indices of points where a container wants a size.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

constexpr std::size_t at(Index i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace geotherm::detail
