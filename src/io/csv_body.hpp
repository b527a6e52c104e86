// Rows of delimited text, once its layout is known. In: characters from the first data row on.
// Out: one row of numbers at a time with its name and label, or an IoError that names line, column
// and remedy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "geotherm/core.hpp"
#include "io/csv_cells.hpp"
#include "io/csv_columns.hpp"
#include "io/csv_layout.hpp"

namespace geotherm::detail {

/// Plain rows of numbers are read in one pass over the characters; whatever they trip over is read
/// again the careful way.
class CsvBody {
 public:
  CsvBody(std::string_view body, std::size_t line, const CsvLayout& layout,
          const CsvColumns& columns, const std::string& path)
      : layout_(layout),
        columns_(columns),
        path_(path),
        at_(body.data()),
        end_(body.data() + body.size()),
        careful_(body, layout.separator, path, line),
        line_(line) {}

  bool done() const { return at_ == end_; }
  const char* position() const { return at_; }
  const char* end() const { return end_; }
  /// Goes on with other characters: those from `position` on, and more of them.
  void move_to(std::string_view body);
  /// Reads the next row into `row` (null: only checks it). Where its characters are at fault, the
  /// position stays before it.
  void next(double* row);
  /// Of the row just read; empty where rows have none.
  const std::string& name() const { return name_; }
  const std::string& label() const { return label_; }

  /// From now on missing values are read as NaN and counted.
  void take_missing() { takes_missing_ = true; }
  std::size_t n_missing() const { return n_missing_; }
  /// The message for the first of them.
  const std::string& first_missing() const { return first_missing_; }

 private:
  bool is_separator(char c) const {
    return c == layout_.separator || (layout_.separator == kBlanks && c == '\t');
  }
  const char* past_spaces(const char* p) const {
    while (p != end_ && (*p == ' ' || (*p == '\t' && layout_.separator == kBlanks))) ++p;
    return p;
  }
  /// Past what parts a cell that ends at `p` from the next; null where nothing does.
  const char* past_separator(const char* p) const {
    const char* const next = past_spaces(p);
    if (next == end_) return nullptr;
    if (layout_.separator == kBlanks) return next == p ? nullptr : next;
    return *next == layout_.separator ? next + 1 : nullptr;
  }
  /// Whether the row ends at `p`; if so, goes on to the next.
  bool ends_row(const char* p) {
    p = past_spaces(p);
    if (p != end_ && *p == '\r') ++p;
    if (p != end_ && *p++ != '\n') return false;
    at_ = p;
    ++line_;
    return true;
  }
  const char* plain_name(const char* p, std::string& name) const;
  bool plain_row(double* row, std::size_t cols);
  bool mixed_row(double* row);
  void careful_row(double* row);
  void check_name();
  void check_label();
  [[noreturn]] void refuse_cell(CellKind kind, std::size_t line, std::size_t column,
                                const std::string& text) const;

  const CsvLayout& layout_;
  const CsvColumns& columns_;
  const std::string& path_;
  const char* at_;
  const char* end_;
  RecordReader careful_;
  std::size_t line_;
  std::vector<Cell> cells_;
  bool is_first_ = true;
  bool takes_missing_ = false;
  std::size_t n_missing_ = 0;
  std::string first_missing_;
  std::string first_name_, name_, label_;
};

}  // namespace geotherm::detail
