// The small parts of delimited text: numbers, cells, records. In: characters of a file.
// Out: values and cells, or an IoError with the line.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geotherm::detail {

/// Separator that stands for any run of spaces and tabs.
inline constexpr char kBlanks = ' ';

enum class CellKind { number, missing, text, too_large };

/// What a whole cell (without quotes and outer blanks) is. `value` is set for numbers.
CellKind classify(std::string_view cell, double& value);
CellKind classify(std::string_view cell);

/// How numbers are written: what stands before decimals, and between thousands (0: nothing).
struct NumberFormat {
  char decimal = '.';
  char thousands = '\0';

  bool is_plain() const { return decimal == '.' && thousands == '\0'; }
  /// As `classify`, of a cell that is written so.
  CellKind read(std::string_view cell, double& value) const;
  CellKind read(std::string_view cell) const {
    double ignored = 0;
    return read(cell, ignored);
  }
};

/// How a number with marks between its thousands is written: "1,234.5", "1.234,5", "1 234.5",
/// "1'234.5"; the plain format where the cell is none.
NumberFormat format_with_thousands(std::string_view cell);
bool has_thousands(std::string_view cell);

/// A number with a decimal comma, "1,5".
bool has_decimal_comma(std::string_view cell);

/// A cell for a message: quoted, shortened, without control characters.
std::string shown(std::string_view cell);

struct Cell {
  std::string text;
  bool is_quoted = false;
};

/// Records of delimited text, with quoted cells, doubled quotes and line breaks inside quotes.
class RecordReader {
 public:
  RecordReader(std::string_view text, char separator, const std::string& path, std::size_t line = 1)
      : at_(text.data()),
        end_(at_ + text.size()),
        separator_(separator),
        path_(path),
        line_(line) {}

  bool done() const { return at_ == end_; }
  const char* position() const { return at_; }
  /// Line on which the next record starts, from 1.
  std::size_t line() const { return line_; }
  /// The cells of the next record; none where the line is blank. Throws IoError for a quoted cell
  /// that does not end or goes on after its quote.
  void next(std::vector<Cell>& cells);
  /// Moves to a later record without reading; `line` is the line it starts on.
  void jump(const char* position, std::size_t line) {
    at_ = position;
    line_ = line;
  }
  /// Goes on in other text; `line` is the line it starts on.
  void restart(std::string_view text, std::size_t line) {
    end_ = text.data() + text.size();
    jump(text.data(), line);
  }

 private:
  void quoted_cell(Cell& cell, std::size_t column);
  bool at_line_end() const { return at_ == end_ || *at_ == '\n' || is_crlf(); }
  bool is_crlf() const { return *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n'); }
  bool at_separator() const {
    return *at_ == separator_ || (separator_ == kBlanks && *at_ == '\t');
  }
  void skip_blanks();

  const char* at_;
  const char* end_;
  char separator_;
  const std::string& path_;
  std::size_t line_;
};

/// Numbers of up to 15 or so digits whose value one exact multiplication gives: the common case
/// of "1.234567", several times faster than the general one. Null: take the general one.
inline const char* parse_short_number(const char* p, const char* end, double& value) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool is_negative = p != end && *p == '-';
  if (is_negative) ++p;
  std::uint64_t digits = 0;
  const char* const start = p;
  const auto digit = [&] { return static_cast<unsigned>(*p - '0'); };
  while (p != end && digit() < 10) digits = 10 * digits + digit(), ++p;
  std::ptrdiff_t n_digits = p - start;
  std::ptrdiff_t n_decimals = 0;
  if (p != end && *p == '.') {
    const char* const point = p++;
    while (p != end && digit() < 10) digits = 10 * digits + digit(), ++p;
    n_decimals = p - point - 1;
    n_digits += n_decimals;
  }
  // 19 digits cannot overflow; 2^53 is the largest integer up to which a double holds all.
  if (n_digits == 0 || n_digits > 19 || digits > (std::uint64_t{1} << 53) || n_decimals > 22) {
    return nullptr;
  }
  if (p != end && (*p == 'e' || *p == 'E')) return nullptr;
  const double magnitude = static_cast<double>(digits) / kPowers[n_decimals];
  value = is_negative ? -magnitude : magnitude;
  return p;
}

/// The number at the start of [p, end): the place after it, or null where there is none.
inline const char* parse_number(const char* p, const char* end, double& value) {
  if (p != end && *p == '+') {
    ++p;
    if (p != end && *p == '-') return nullptr;
  }
  const auto [next, error] = std::from_chars(p, end, value);
  return error == std::errc{} ? next : nullptr;
}

}  // namespace geotherm::detail
