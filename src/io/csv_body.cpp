#include "io/csv_body.hpp"

#include <limits>

namespace geotherm::detail {
namespace {

std::string missing_at(const std::string& path, std::size_t line, std::size_t column,
                       const std::string& text) {
  const std::string place =
      path + ", line " + std::to_string(line) + ", column " + std::to_string(column + 1) + ": ";
  return place + (text.empty() ? "empty cell" : "missing value " + shown(text));
}

std::string in_cells(std::size_t n) { return std::to_string(n) + (n == 1 ? " cell" : " cells"); }

}  // namespace

void CsvBody::move_to(std::string_view body) {
  at_ = body.data();
  end_ = at_ + body.size();
  careful_.restart(body, line_);
}

void CsvBody::next(double* row) {
  const bool is_read =
      row != nullptr && layout_.numbers.is_plain() &&
      (columns_.are_all_values ? plain_row(row, columns_.n_values) : mixed_row(row));
  if (!is_read) careful_row(row);
  if (layout_.names_are_guessed) check_name();
  if (columns_.label_is_guessed) check_label();
  is_first_ = false;
}

// The name at `p`, quoted or not, and the place after its separator; null where it holds quotes
// or line breaks, or nothing follows.
const char* CsvBody::plain_name(const char* p, std::string& name) const {
  const bool is_quoted = p != end_ && *p == '"';
  const char* const start = is_quoted ? ++p : p;
  const auto ends = [&](char c) { return is_quoted ? c == '"' : is_separator(c); };
  while (p != end_ && *p != '\n' && !ends(*p)) ++p;
  if (p == end_ || *p == '\n') return nullptr;
  const char* last = p;
  if (is_quoted) {
    if (++p == end_ || !is_separator(*p)) return nullptr;
  } else {
    while (last != start && (last[-1] == ' ' || last[-1] == '\t')) --last;
  }
  name.assign(start, last);
  return p + 1;
}

// One row of plain numbers without faults; false (and nothing moved) for any other.
bool CsvBody::plain_row(double* row, std::size_t cols) {
  const char* p = past_spaces(at_);
  if (layout_.has_names) {
    p = plain_name(p, name_);
    if (p == nullptr) return false;
  }
  bool is_short = true;  // until a number of the row says otherwise
  for (std::size_t j = 0; j < cols; ++j) {
    p = past_spaces(p);
    const char* next = is_short ? parse_short_number(p, end_, row[j]) : nullptr;
    if (next == nullptr) {
      is_short = false;
      next = parse_number(p, end_, row[j]);
      if (next == nullptr || std::isnan(row[j])) return false;
    }
    p = j + 1 < cols ? past_separator(next) : next;
    if (p == nullptr) return false;
  }
  return ends_row(p);
}

// The same for rows of which only some cells are wanted as numbers.
bool CsvBody::mixed_row(double* row) {
  const char* p = past_spaces(at_);
  if (layout_.has_names) {
    p = plain_name(p, name_);
    if (p == nullptr) return false;
  }
  for (std::size_t j = 0; j < columns_.roles.size(); ++j) {
    p = past_spaces(p);
    const std::ptrdiff_t role = columns_.roles[j];
    const char* next = p;
    if (role >= 0) {
      next = parse_number(p, end_, row[role]);
      if (next == nullptr || std::isnan(row[role])) return false;
    } else {
      if (p != end_ && *p == '"') return false;
      while (next != end_ && *next != '\n' && *next != '\r' && !is_separator(*next)) ++next;
      if (role == CsvColumns::kLabel) label_.assign(p, next);
    }
    p = j + 1 < columns_.roles.size() ? past_separator(next) : next;
    if (p == nullptr) return false;
  }
  while (label_.ends_with(' ')) label_.pop_back();
  return ends_row(p);
}

void CsvBody::careful_row(double* row) {
  careful_.jump(at_, line_);
  careful_.next(cells_);
  if (cells_.empty()) {
    throw IoError(path_ + ", line " + std::to_string(line_) +
                  ": is blank, but data follows (remove the line)");
  }
  if (cells_.size() != layout_.n_cells) {
    throw IoError(path_ + ", line " + std::to_string(line_) + ": has " + in_cells(cells_.size()) +
                  ", but line " + std::to_string(layout_.reference_line) + " has " +
                  std::to_string(layout_.n_cells_of_reference) +
                  (layout_.is_r_style ? " and the first data row one more" : "") +
                  " (every row needs the same number, here " +
                  words_for_separator(layout_.separator) + ")");
  }
  const std::size_t first = layout_.has_names ? 1 : 0;
  if (layout_.has_names) name_ = cells_[0].text;
  for (std::size_t j = 0; j < columns_.roles.size(); ++j) {
    const std::ptrdiff_t role = columns_.roles[j];
    if (role == CsvColumns::kLabel) label_ = cells_[first + j].text;
    if (role < 0) continue;
    double value = 0;
    const CellKind kind = layout_.numbers.read(cells_[first + j].text, value);
    if (kind == CellKind::missing && takes_missing_) {
      if (n_missing_++ == 0) {
        first_missing_ = missing_at(path_, line_, first + j, cells_[first + j].text);
      }
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (kind != CellKind::number)
      refuse_cell(kind, line_, first + j, cells_[first + j].text);
    if (row != nullptr) row[role] = value;
  }
  at_ = careful_.position();
  line_ = careful_.line();
}

// Row names that were only guessed from the first row must not turn out to be numbers: then one
// bad cell in a numeric column would make the whole column vanish.
void CsvBody::check_name() {
  if (is_first_) {
    first_name_ = name_;
  } else if (layout_.numbers.read(name_) == CellKind::number) {
    throw IoError(path_ + ", line " + std::to_string(layout_.first_data_line) +
                  ", column 1: " + shown(first_name_) + " is not a number, though line " +
                  std::to_string(line_ - 1) + " has one there: " + shown(name_) +
                  " (correct it; or, where the column holds names, head it 'id')");
  }
}

// A column was taken for labels since its first rows are text; a number among them may be the
// measurement that the others lack.
void CsvBody::check_label() {
  if (layout_.numbers.read(label_) != CellKind::number) return;
  throw IoError(path_ + ", line " + std::to_string(line_ - 1) + ", column '" + columns_.label +
                "': " + shown(label_) +
                " is a number, though the first rows hold text there (`label_column` " +
                columns_.label + " where these are labels, `drop` " + columns_.label +
                " to leave it out, or correct it)");
}

void CsvBody::refuse_cell(CellKind kind, std::size_t line, std::size_t column,
                          const std::string& text) const {
  const std::string place =
      path_ + ", line " + std::to_string(line) + ", column " + std::to_string(column + 1) + ": ";
  if (kind == CellKind::missing) {
    throw IoError(missing_at(path_, line, column, text) +
                  " (remove the row or the column, or fill in the value: `missing` mean or knn)");
  }
  if (kind == CellKind::too_large) {
    throw IoError(place + shown(text) + " is too large for a number (the limit is 1.8e308)");
  }
  std::string remedy = "remove the column or replace its text by numbers";
  const std::size_t first = layout_.has_names ? 1 : 0;
  const auto role = column < first ? CsvColumns::kSkipped : columns_.roles[column - first];
  if (role >= 0 && static_cast<std::size_t>(role) < columns_.names.size()) {
    const std::string& name = columns_.names[static_cast<std::size_t>(role)];
    remedy = "`drop` " + name + " leaves the column '" + name + "' out, `label_column` " + name +
             " takes it as labels; or correct it";
  }
  if (layout_.numbers.decimal == '.' && has_decimal_comma(text)) {
    remedy = "write decimals with a point, or use `decimal` ,";
  } else if (layout_.numbers.thousands == '\0' && has_thousands(text)) {
    const NumberFormat format = format_with_thousands(text);
    remedy = "for thousands separators use `thousands` " +
             (format.thousands == ' '    ? std::string("space")
              : format.thousands == '\'' ? std::string("\"'\"")
                                         : std::string(1, format.thousands)) +
             (format.decimal == layout_.numbers.decimal || text.find(',') == std::string::npos
                  ? ""
                  : " `decimal` ,");
  } else if (column == 0) {
    remedy = "correct it; or, where the first column holds names, head it 'id'";
  } else if (line == 1) {
    remedy = "correct it; or, where line 1 is a header, name every column in words";
  }
  throw IoError(place + shown(text) + " is not a number (" + remedy + ")");
}

}  // namespace geotherm::detail
