// Delimited text with or without header and row names, recognised by looking. In: a file.
// Out: its numbers, or an IoError that names line, column and remedy. Plain rows of numbers are
// read in one pass over the characters; whatever they trip over is read again the careful way.
#include <algorithm>

#include "io/csv_cells.hpp"
#include "io/csv_columns.hpp"
#include "io/csv_layout.hpp"
#include "io/formats.hpp"
#include "io/gzip.hpp"

namespace geotherm::detail {
namespace {

// The text without byte-order mark and without blank lines at its end.
std::string_view clean_text(const Bytes& bytes, const std::string& path) {
  std::string_view text(bytes.data(), bytes.size());
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw IoError(path + ": is UTF-16 text (save it as UTF-8)");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.substr(0, 4096).find('\0') != std::string_view::npos) {
    throw IoError(path + ": is not a text file (it holds zero bytes)");
  }
  while (!text.empty()) {
    const std::size_t line = text.rfind('\n') + 1;  // 0 where there is none
    if (text.find_first_not_of(" \t\r", line) != std::string_view::npos) break;
    text = text.substr(0, line == 0 ? 0 : line - 1);
  }
  if (text.empty()) throw IoError(path + ": is empty (a table needs at least one row of numbers)");
  return text;
}

class BodyReader {
 public:
  BodyReader(std::string_view body, std::size_t line, const CsvLayout& layout,
             const CsvColumns& columns, const std::string& path)
      : layout_(layout),
        columns_(columns),
        path_(path),
        at_(body.data()),
        end_(body.data() + body.size()),
        careful_(body, layout.separator, path, line),
        line_(line) {}

  Matrix<double> read(std::vector<std::string>& row_names, std::vector<std::string>& labels) {
    const std::size_t cols = columns_.n_values;
    const auto n_bytes = static_cast<std::size_t>(end_ - at_);
    // A row that is read without complaint takes two bytes a value at the least, so this many are
    // enough whatever the lines promise.
    const auto n_lines = static_cast<std::size_t>(std::count(at_, end_, '\n')) + 1;
    const std::size_t n_most = std::min(n_lines, (n_bytes + 1) / (2 * cols) + 1);
    auto values = Matrix<double>::uninitialized(n_most, cols);
    std::size_t n_rows = 0;
    std::string name;
    for (; at_ != end_; ++n_rows) {
      double* row = n_rows < n_most ? values.row(n_rows).data() : nullptr;
      const bool is_read = row != nullptr && (columns_.are_all_values ? plain_row(row, cols, name)
                                                                      : mixed_row(row, name));
      if (!is_read) careful_row(row, name);
      if (!columns_.label.empty()) labels.push_back(label_);
      if (!layout_.has_names) continue;
      if (layout_.names_are_guessed) check_name(name, n_rows);
      row_names.push_back(name);
    }
    if (n_rows == n_most) return values;
    // Line breaks inside quotes: fewer rows than lines.
    auto fewer = Matrix<double>::uninitialized(n_rows, cols);
    std::copy(values.data(), values.data() + n_rows * cols, fewer.data());
    return fewer;
  }

 private:
  bool is_separator(char c) const {
    return c == layout_.separator || (layout_.separator == kBlanks && c == '\t');
  }
  const char* past_spaces(const char* p) const {
    while (p != end_ && (*p == ' ' || (*p == '\t' && layout_.separator == kBlanks))) ++p;
    return p;
  }

  // The name at `p`, quoted or not, and the place after its separator; null where it holds quotes
  // or line breaks, or nothing follows.
  const char* plain_name(const char* p, std::string& name) const {
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
  bool plain_row(double* row, std::size_t cols, std::string& name) {
    const char* p = past_spaces(at_);
    if (layout_.has_names) {
      p = plain_name(p, name);
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
      const char* const number_end = next;
      next = past_spaces(next);
      if (j + 1 < cols) {
        if (next == end_) return false;
        if (layout_.separator == kBlanks) {
          if (next == number_end) return false;
        } else if (*next++ != layout_.separator) {
          return false;
        }
      }
      p = next;
    }
    if (p != end_ && *p == '\r') ++p;
    if (p != end_ && *p++ != '\n') return false;
    at_ = p;
    ++line_;
    return true;
  }

  // The same for rows of which only some cells are wanted as numbers.
  bool mixed_row(double* row, std::string& name) {
    const char* p = past_spaces(at_);
    if (layout_.has_names) {
      p = plain_name(p, name);
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
      const char* const cell_end = next;
      next = past_spaces(next);
      if (j + 1 < columns_.roles.size()) {
        if (next == end_) return false;
        if (layout_.separator == kBlanks) {
          if (next == cell_end) return false;
        } else if (*next++ != layout_.separator) {
          return false;
        }
      }
      p = next;
    }
    if (p != end_ && *p == '\r') ++p;
    if (p != end_ && *p++ != '\n') return false;
    while (label_.ends_with(' ')) label_.pop_back();
    at_ = p;
    ++line_;
    return true;
  }

  void careful_row(double* row, std::string& name) {
    careful_.jump(at_, line_);
    careful_.next(cells_);
    if (cells_.empty()) {
      throw IoError(path_ + ", line " + std::to_string(line_) +
                    ": is blank, but data follows (remove the line)");
    }
    if (cells_.size() != layout_.n_cells) {
      throw IoError(path_ + ", line " + std::to_string(line_) + ": has " + cells(cells_.size()) +
                    ", but line " + std::to_string(layout_.reference_line) + " has " +
                    std::to_string(layout_.n_cells_of_reference) +
                    (layout_.is_r_style ? " and the first data row one more" : "") +
                    " (every row needs the same number, here " + separator_in_words() + ")");
    }
    const std::size_t first = layout_.has_names ? 1 : 0;
    if (layout_.has_names) name = cells_[0].text;
    for (std::size_t j = 0; j < columns_.roles.size(); ++j) {
      const std::ptrdiff_t role = columns_.roles[j];
      if (role == CsvColumns::kLabel) label_ = cells_[first + j].text;
      if (role < 0) continue;
      double value = 0;
      const CellKind kind = classify(cells_[first + j].text, value);
      if (kind != CellKind::number) refuse_cell(kind, line_, first + j, cells_[first + j].text);
      if (row != nullptr) row[role] = value;
    }
    at_ = careful_.position();
    line_ = careful_.line();
  }

  // Row names that were only guessed from the first row must not turn out to be numbers: then one
  // bad cell in a numeric column would make the whole column vanish.
  void check_name(const std::string& name, std::size_t row) {
    if (row == 0) {
      first_name_ = name;
    } else if (classify(name) == CellKind::number) {
      throw IoError(path_ + ", line " + std::to_string(layout_.first_data_line) +
                    ", column 1: " + shown(first_name_) + " is not a number, though line " +
                    std::to_string(line_ - 1) + " has one there: " + shown(name) +
                    " (correct it; or, where the column holds names, head it 'id')");
    }
  }

  static std::string cells(std::size_t n) {
    return std::to_string(n) + (n == 1 ? " cell" : " cells");
  }
  std::string separator_in_words() const { return words_for_separator(layout_.separator); }

  [[noreturn]] void refuse_cell(CellKind kind, std::size_t line, std::size_t column,
                                const std::string& text) const {
    const std::string place =
        path_ + ", line " + std::to_string(line) + ", column " + std::to_string(column + 1) + ": ";
    if (text.empty()) {
      throw IoError(place + "empty cell (remove the row or the column, or fill in the value)");
    }
    if (kind == CellKind::missing) {
      throw IoError(place + "missing value " + shown(text) +
                    " (remove the row or the column, or fill in the value)");
    }
    if (kind == CellKind::too_large) {
      throw IoError(place + shown(text) + " is too large for a number (the limit is 1.8e308)");
    }
    std::string remedy = "remove the column or replace its text by numbers";
    if (has_decimal_comma(text)) {
      remedy = "write decimals with a point";
    } else if (column == 0) {
      remedy = "correct it; or, where the first column holds names, head it 'id'";
    } else if (line == 1) {
      remedy = "correct it; or, where line 1 is a header, name every column in words";
    }
    throw IoError(place + shown(text) + " is not a number (" + remedy + ")");
  }

  const CsvLayout& layout_;
  const CsvColumns& columns_;
  const std::string& path_;
  const char* at_;
  const char* end_;
  RecordReader careful_;
  std::size_t line_;
  std::vector<Cell> cells_;
  std::string first_name_;
  std::string label_;
};

}  // namespace

Observations read_csv(const std::string& path, const std::string& ending,
                      const ReadOptions& options) {
  const Bytes bytes = read_unpacked_file(path);
  const std::string_view text = clean_text(bytes, path);
  const CsvLayout layout = find_csv_layout(text, ending, path);
  CsvColumns columns = choose_csv_columns(text, layout, options, path);
  BodyReader body(text.substr(layout.data_offset), layout.first_data_line, layout, columns, path);
  Observations result;
  Table& table = result.table;
  std::vector<std::string> labels;
  table.values = body.read(table.row_names, labels);
  if (!columns.label.empty()) result.labels = column_of_cells(columns.label, std::move(labels));
  table.column_names = std::move(columns.names);
  table.source = path;
  table.assumed = layout.in_words + columns.in_words;
  return result;
}

}  // namespace geotherm::detail
