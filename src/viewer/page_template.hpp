// The page without its data: made from viewer/ at build time, empty where that was left out.
#pragma once

#include <string_view>

namespace geotherm::detail {

/// The data go where this comment stands in it, once.
inline constexpr std::string_view kPageSlot = "<!--geotherm:data-->";

std::string_view page_template();

}  // namespace geotherm::detail
