// Cells and records of delimited text: the general, careful way. The fast way is in csv.cpp.
#include "io/csv_cells.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/utf8.hpp"
#include "geotherm/core.hpp"

namespace geotherm::detail {
namespace {

bool is_missing(std::string_view cell) {
  // The last ones are what spreadsheets write where a formula failed.
  static constexpr std::string_view kWords[] = {
      "",     "na",   "n/a", "nan",     "+nan",    "-nan",  "null",  "none",
      "<na>", "#n/a", "#na", "#div/0!", "#value!", "#num!", "#ref!", "#null!"};
  if (cell.size() > 7) return false;
  std::string lowered(cell);
  for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(std::begin(kWords), std::end(kWords), lowered) != std::end(kWords);
}

// For a number that a double cannot hold: whether it is too close to zero, not too large. The
// decimal place of its first digit that is not zero decides.
bool is_tiny(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  if (e != std::string_view::npos && number.size() - e > 7) return number[e + 1] == '-';
  int exponent = 0;
  if (e != std::string_view::npos) {
    const char* first = number.data() + e + 1;
    if (*first == '+') ++first;
    std::from_chars(first, number.data() + number.size(), exponent);
  }
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t lead = digits.find_first_of("123456789");
  if (lead == std::string_view::npos) return true;
  return static_cast<std::ptrdiff_t>(point) - static_cast<std::ptrdiff_t>(lead) + exponent < 0;
}

// Marks between thousands that spreadsheets write and no keyboard has: blanks that do not break a
// line, narrow and thin ones, a raised comma.
std::string with_plain_marks(std::string_view cell) {
  static constexpr std::pair<std::string_view, char> marks[] = {
      {"\xC2\xA0", ' '}, {"\xE2\x80\xAF", ' '}, {"\xE2\x80\x89", ' '}, {"\xE2\x80\x99", '\''}};
  std::string plain(cell);
  for (const auto& [mark, as] : marks) {
    for (std::size_t at = plain.find(mark); at != std::string::npos; at = plain.find(mark, at)) {
      plain.replace(at, mark.size(), 1, as);
    }
  }
  return plain;
}

bool is_ascii(std::string_view cell) {
  return std::all_of(cell.begin(), cell.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

CellKind classify(std::string_view cell, double& value) {
  if (is_missing(cell)) return CellKind::missing;
  const char* begin = cell.data();
  const char* const end = begin + cell.size();
  if (const char* next = parse_number(begin, end, value)) {
    if (next != end) return CellKind::text;
    return std::isnan(value) ? CellKind::missing : CellKind::number;
  }
  if (*begin == '+') ++begin;
  const auto [next, error] = std::from_chars(begin, end, value);
  if (error != std::errc::result_out_of_range || next != end) return CellKind::text;
  if (!is_tiny({begin, end})) return CellKind::too_large;
  value = *begin == '-' ? -0.0 : 0.0;
  return CellKind::number;
}

CellKind classify(std::string_view cell) {
  double ignored = 0;
  return classify(cell, ignored);
}

CellKind NumberFormat::read(std::string_view cell, double& value) const {
  if (is_plain() || cell.empty()) return classify(cell, value);
  if ((thousands == ' ' || thousands == '\'') && !is_ascii(cell)) {
    const std::string plain_marks = with_plain_marks(cell);
    return is_ascii(plain_marks) ? read(plain_marks, value) : CellKind::text;
  }
  if (decimal != '.' && thousands != '.' && cell.find('.') != std::string_view::npos) {
    return classify(cell) == CellKind::missing ? CellKind::missing : CellKind::text;
  }
  const std::size_t point = std::min(cell.find(decimal), cell.size());
  std::string plain;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (thousands != '\0' && cell[i] == thousands && i < point) {
      // Three digits follow each mark, and one stands before it.
      const bool is_mark = i > 0 && std::isdigit(static_cast<unsigned char>(cell[i - 1])) &&
                           point - i > 3 && (point - i) % 4 == 0;
      if (!is_mark) return CellKind::text;
      continue;
    }
    plain += cell[i] == decimal ? '.' : cell[i];
  }
  return classify(plain, value);
}

NumberFormat format_with_thousands(std::string_view cell) {
  static constexpr NumberFormat formats[] = {{'.', ','}, {'.', ' '}, {'.', '\''},
                                             {',', '.'}, {',', ' '}, {',', '\''}};
  const std::string plain = with_plain_marks(cell);
  if (classify(plain) != CellKind::text) return {};
  for (const NumberFormat& format : formats) {
    const bool has_mark = plain.find(format.thousands) != std::string::npos;
    if (has_mark && format.read(plain) == CellKind::number) return format;
  }
  return {};
}

bool has_thousands(std::string_view cell) { return format_with_thousands(cell).thousands != '\0'; }

bool has_decimal_comma(std::string_view cell) {
  if (std::count(cell.begin(), cell.end(), ',') != 1) return false;
  std::string with_point(cell);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  return classify(with_point) == CellKind::number;
}

std::string shown(std::string_view cell) {
  constexpr int kMost = 40;
  std::string text = "'";
  int n = 0;
  for (std::size_t at = 0; at < cell.size();) {
    if (++n > kMost) {
      text += "...";
      break;
    }
    const std::uint32_t code = next_code_point(cell, at);
    append_utf8(text, code < 0x20 || (code >= 0x7F && code < 0xA0) ? kReplacement : code);
  }
  return text + "'";
}

void RecordReader::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || (*at_ == '\t' && separator_ != '\t'))) ++at_;
}

void RecordReader::quoted_cell(Cell& cell, std::size_t column) {
  const std::size_t opened_on = line_;
  const auto place = [&](std::size_t line) {
    return path_ + ", line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
  };
  cell.is_quoted = true;
  ++at_;
  for (;; ++at_) {
    if (at_ == end_) {
      throw IoError(place(opened_on) +
                    "a quotation mark opens here and is never closed (close it, or write a"
                    " literal one doubled inside quotes)");
    }
    if (*at_ == '"') {
      if (at_ + 1 == end_ || at_[1] != '"') break;
      ++at_;
    } else if (*at_ == '\n') {
      ++line_;
    }
    cell.text += *at_;
  }
  ++at_;
  if (separator_ != kBlanks) skip_blanks();
  if (!at_line_end() && !at_separator()) {
    throw IoError(place(line_) + "there is text after a closing quotation mark (write a literal" +
                  " quotation mark doubled inside quotes)");
  }
}

void RecordReader::next(std::vector<Cell>& cells) {
  cells.clear();
  skip_blanks();
  while (!at_line_end() || (!cells.empty() && separator_ != kBlanks)) {
    Cell& cell = cells.emplace_back();
    skip_blanks();
    if (at_ != end_ && *at_ == '"') {
      quoted_cell(cell, cells.size());
    } else {
      const char* const start = at_;
      while (!at_line_end() && !at_separator()) ++at_;
      const char* last = at_;
      while (last != start && (last[-1] == ' ' || last[-1] == '\t')) --last;
      cell.text.assign(start, last);
    }
    if (separator_ == kBlanks) {
      skip_blanks();
    } else if (at_line_end()) {
      break;
    } else {
      ++at_;  // the separator: another cell follows, be it an empty one
    }
  }
  if (at_ != end_ && *at_ == '\r') ++at_;
  if (at_ != end_) ++at_;
  ++line_;
}

}  // namespace geotherm::detail
