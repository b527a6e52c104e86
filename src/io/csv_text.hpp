// What the text of a delimited file has to be before it is looked at.
#pragma once

#include <string>
#include <string_view>

namespace geotherm::detail {

/// Without blank lines at its end.
std::string_view without_blank_end(std::string_view text);
/// Without byte-order mark and without blank lines at its end; refuses what is no text.
std::string_view clean_text(std::string_view text, const std::string& path);

}  // namespace geotherm::detail
