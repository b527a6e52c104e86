#pragma once

namespace geotherm::detail {

/// Whether a held map has the neighbourhoods of the new layout rather than those of the old map.
constexpr bool keeps_new_neighborhoods(double hold) { return hold < 0.5; }

}  // namespace geotherm::detail
