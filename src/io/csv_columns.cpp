#include "io/csv_columns.hpp"

#include <algorithm>
#include <cmath>

#include "geotherm/spelling.hpp"
#include "io/csv_cells.hpp"

namespace geotherm::detail {
namespace {

// For each column: whether the first rows hold nothing but text there.
std::vector<bool> columns_of_text(std::string_view text, const CsvLayout& layout,
                                  const std::string& path) {
  constexpr std::size_t kRows = 20;
  const std::size_t first = layout.has_names ? 1 : 0;
  std::vector<bool> is_text(layout.n_cells - first, true);
  RecordReader reader(text.substr(layout.data_offset), layout.separator, path,
                      layout.first_data_line);
  std::vector<Cell> cells;
  std::size_t n_rows = 0;
  for (; n_rows < kRows && !reader.done(); ++n_rows) {
    reader.next(cells);
    if (cells.size() != layout.n_cells) break;  // reported when the rows are read
    for (std::size_t j = 0; j < is_text.size(); ++j) {
      const std::string& cell = cells[first + j].text;
      is_text[j] = is_text[j] && layout.numbers.read(cell) == CellKind::text &&
                   !has_decimal_comma(cell) && !has_thousands(cell);
    }
  }
  // A single row is no pattern: its text is a fault to report.
  if (n_rows < 2) is_text.assign(is_text.size(), false);
  return is_text;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 30;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kMost ? text + ", ..." : text;
}

std::size_t column_named(const std::string& name, const CsvLayout& layout,
                         const std::string& option, const std::string& path) {
  const std::vector<std::string>& names = layout.column_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw IoError(path + ": " + option + " names '" + name + "', " +
                (names.empty() ? "but the file has no header"
                               : "which is no column of it; it has " + listed(names) +
                                     did_you_mean(name, names)));
}

// What columns of whole numbers are by their names.
struct NamedColumns {
  std::vector<bool> are_ids;     // they number the rows; never the last one, which may be measured
  std::vector<bool> are_labels;  // they number groups: some number comes twice
};

NamedColumns columns_by_name(std::string_view text, const CsvLayout& layout,
                             const std::string& path) {
  const std::size_t first = layout.has_names ? 1 : 0, n = layout.n_cells - first;
  NamedColumns named{std::vector<bool>(n, false), std::vector<bool>(n, false)};
  if (!layout.has_header || layout.column_names.size() != n) return named;
  const auto& names = layout.column_names;
  if (std::none_of(names.begin(), names.end(), [](const std::string& name) {
        return name_of_ids(name) != NameOfIds::none || is_name_of_labels(name);
      })) {
    return named;
  }
  const auto numbers = whole_numbers(text.substr(layout.data_offset), layout, path);
  for (std::size_t j = 0; j < n; ++j) {
    const WholeNumbers& column = numbers[first + j];
    named.are_ids[j] = j + 1 < n && are_ids(name_of_ids(names[j]), column);
    named.are_labels[j] = is_name_of_labels(names[j]) && column.are_all && !column.differ;
  }
  return named;
}

}  // namespace

CsvColumns choose_csv_columns(std::string_view text, const CsvLayout& layout,
                              const ReadOptions& options, const std::string& path) {
  CsvColumns columns;
  const std::size_t n = layout.n_cells - (layout.has_names ? 1 : 0);
  columns.roles.assign(n, CsvColumns::kSkipped);
  const bool is_chosen = !options.columns.empty();
  if (is_chosen && !options.drop.empty()) {
    throw InvalidArgument(
        "`columns` and `drop` are given: name the columns to take, or those not to");
  }
  std::vector<bool> is_text(n, false);
  if (layout.has_header && layout.column_names.size() == n) {
    is_text = columns_of_text(text, layout, path);
  }
  if (is_chosen) {
    for (const std::string& name : options.columns) {
      std::ptrdiff_t& role = columns.roles[column_named(name, layout, "`columns`", path)];
      if (role != CsvColumns::kSkipped)
        throw IoError(path + ": `columns` names '" + name + "' twice");
      role = static_cast<std::ptrdiff_t>(columns.n_values++);
      columns.names.push_back(name);
    }
  }
  if (!options.label_column.empty()) {
    const std::size_t place = column_named(options.label_column, layout, "`label_column`", path);
    if (columns.roles[place] >= 0) {
      throw IoError(path + ": '" + options.label_column +
                    "' is named by `columns` and by `label_column`");
    }
    columns.roles[place] = CsvColumns::kLabel;
    columns.label = options.label_column;
  }
  std::vector<bool> is_dropped(n, false);
  for (const std::string& name : options.drop) {
    is_dropped[column_named(name, layout, "`drop`", path)] = true;
  }
  std::vector<std::string> left_out, other_labels;
  NamedColumns named{std::vector<bool>(n, false), std::vector<bool>(n, false)};
  if (!is_chosen) named = columns_by_name(text, layout, path);
  std::vector<std::string> ids;
  for (std::size_t j = 0; j < n; ++j) {
    if (columns.roles[j] != CsvColumns::kSkipped || is_dropped[j]) continue;
    if (named.are_ids[j]) {
      ids.push_back(layout.column_names[j]);
      continue;
    }
    if (is_text[j] || named.are_labels[j]) {
      if (columns.label.empty()) {
        columns.roles[j] = CsvColumns::kLabel;
        columns.label = layout.column_names[j];
        columns.label_is_guessed = is_text[j];
      } else {
        (is_text[j] ? left_out : other_labels).push_back(layout.column_names[j]);
      }
    } else if (!is_chosen) {
      columns.roles[j] = static_cast<std::ptrdiff_t>(columns.n_values++);
      if (layout.column_names.size() == n) columns.names.push_back(layout.column_names[j]);
    }
  }
  if (columns.n_values == 0) {
    throw IoError(path + ": has no column of numbers" +
                  (columns.label.empty() ? "" : " beside the label '" + columns.label + "'"));
  }
  if (!ids.empty()) {
    columns.in_words = ", row numbers not used: " + listed(ids) + " (`columns` to take them)";
  }
  if (!options.drop.empty()) columns.in_words += ", dropped: " + listed(options.drop);
  if (!left_out.empty()) columns.in_words += ", text not used: " + listed(left_out);
  if (!other_labels.empty()) columns.in_words += ", labels not used: " + listed(other_labels);
  columns.are_all_values =
      columns.n_values == n && std::is_sorted(columns.roles.begin(), columns.roles.end());
  return columns;
}

Column column_of_cells(const std::string& name, std::vector<std::string> cells) {
  std::vector<double> numbers(cells.size());
  bool are_numbers = true, are_whole = true;
  for (std::size_t i = 0; i < cells.size() && are_numbers; ++i) {
    are_numbers = classify(cells[i], numbers[i]) == CellKind::number;
    are_whole = are_whole && numbers[i] == std::floor(numbers[i]);
  }
  if (are_numbers && !are_whole) return {name, std::move(numbers)};
  return {name, std::move(cells)};
}

}  // namespace geotherm::detail
