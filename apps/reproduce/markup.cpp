#include "markup.hpp"

namespace geotherm::cli {
namespace {

/// Calls plain(text), code(text) and bold(text) for the pieces of `text` in their order. A mark
/// that is not closed is plain text.
template <class Plain, class Code, class Bold>
void for_pieces(std::string_view text, Plain plain, Code code, Bold bold) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_bold = text.substr(at, 2) == "**";
    if (!is_bold && text[at] != '`') {
      ++at;
      continue;
    }
    const std::string_view mark = text.substr(at, is_bold ? 2 : 1);
    const std::size_t end = text.find(mark, at + mark.size());
    if (end == std::string_view::npos) {
      at += mark.size();
      continue;
    }
    plain(text.substr(begin, at - begin));
    const std::string_view inside = text.substr(at + mark.size(), end - at - mark.size());
    if (is_bold) {
      bold(inside);
    } else {
      code(inside);
    }
    begin = at = end + mark.size();
  }
  plain(text.substr(begin));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return safe;
}

std::string in_html(std::string_view text) {
  std::string html;
  for_pieces(
      text, [&](std::string_view piece) { html += escaped(piece); },
      [&](std::string_view piece) { html += "<code>" + escaped(piece) + "</code>"; },
      [&](std::string_view piece) { html += "<strong>" + escaped(piece) + "</strong>"; });
  return html;
}

std::string in_markdown(std::string_view text) {
  std::string markdown;
  const auto plain = [&](std::string_view piece) {
    for (const char c : piece) {
      if (c == '|' || c == '*' || c == '_' || c == '\\' || c == '[' || c == ']') markdown += '\\';
      if (c == '<') {
        markdown += "&lt;";
      } else {
        markdown += c == '\n' ? ' ' : c;
      }
    }
  };
  for_pieces(
      text, plain,
      [&](std::string_view piece) {
        markdown += '`';
        for (const char c : piece) markdown += c == '|' ? std::string("\\|") : std::string(1, c);
        markdown += '`';
      },
      [&](std::string_view piece) {
        markdown += "**";
        plain(piece);
        markdown += "**";
      });
  return markdown;
}

}  // namespace geotherm::cli
