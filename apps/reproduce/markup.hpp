// Text of sections as HTML and as Markdown: plain but for `code` and **bold**.
#pragma once

#include <string>
#include <string_view>

namespace geotherm::cli {

/// For element content and attributes of HTML and SVG.
std::string escaped(std::string_view text);
/// Escaped, with the two kinds of markup as elements.
std::string in_html(std::string_view text);
/// With what Markdown would read as its own escaped; `|` too, so that it may stand in a table.
std::string in_markdown(std::string_view text);

}  // namespace geotherm::cli
