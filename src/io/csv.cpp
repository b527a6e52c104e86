// Delimited text with or without header and row names, recognised by looking. In: a file.
// Out: its numbers, or an IoError that names line, column and remedy. Plain rows of numbers are
// read in one pass over the characters; whatever they trip over is read again the careful way.
#include <algorithm>
#include <cstdio>

#include "core/percent.hpp"
#include "io/csv_body.hpp"
#include "io/csv_text.hpp"
#include "io/formats.hpp"
#include "io/gzip.hpp"

namespace geotherm::detail {

std::string_view without_blank_end(std::string_view text) {
  while (!text.empty()) {
    const std::size_t line = text.rfind('\n') + 1;  // 0 where there is none
    if (text.find_first_not_of(" \t\r", line) != std::string_view::npos) break;
    text = text.substr(0, line == 0 ? 0 : line - 1);
  }
  return text;
}

std::string_view clean_text(std::string_view text, const std::string& path) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw IoError(path + ": is UTF-16 text (save it as UTF-8)");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.substr(0, 4096).find('\0') != std::string_view::npos) {
    throw IoError(path + ": is not a text file (it holds zero bytes)");
  }
  text = without_blank_end(text);
  if (text.empty()) throw IoError(path + ": is empty (a table needs at least one row of numbers)");
  return text;
}

namespace {

// Every row of a table that is in memory.
Matrix<double> read_rows(CsvBody& body, const CsvLayout& layout, const CsvColumns& columns,
                         bool reads_missing, std::vector<std::string>& row_names,
                         std::vector<std::string>& labels) {
  const std::size_t cols = columns.n_values;
  const auto n_bytes = static_cast<std::size_t>(body.end() - body.position());
  // A row takes a byte per value at the least (cells may be missing), so this many are enough
  // whatever the lines promise.
  const auto n_lines = static_cast<std::size_t>(std::count(body.position(), body.end(), '\n')) + 1;
  const std::size_t n_most = std::min(n_lines, (n_bytes + 1) / cols + 1);
  auto values = Matrix<double>::uninitialized(n_most, cols);
  body.take_missing();
  std::size_t n_rows = 0;
  for (; !body.done(); ++n_rows) {
    body.next(n_rows < n_most ? values.row(n_rows).data() : nullptr);
    if (!columns.label.empty()) labels.push_back(body.label());
    if (layout.has_names) row_names.push_back(body.name());
  }
  if (body.n_missing() > 0 && !reads_missing) {
    const double share = static_cast<double>(body.n_missing()) / static_cast<double>(n_rows * cols);
    throw IoError(body.first_missing() + "; " + std::to_string(body.n_missing()) + " of " +
                  std::to_string(n_rows * cols) + " values are missing, " + in_percent(share) +
                  " (remove the row or the column, or fill in the value: `missing` mean or knn)");
  }
  if (n_rows == n_most) return values;
  // Line breaks inside quotes: fewer rows than lines.
  auto fewer = Matrix<double>::uninitialized(n_rows, cols);
  std::copy(values.data(), values.data() + n_rows * cols, fewer.data());
  return fewer;
}

}  // namespace

Observations read_csv(const std::string& path, const std::string& ending,
                      const ReadOptions& options) {
  const Bytes bytes = read_unpacked_file(path);
  const std::string_view text = clean_text({bytes.data(), bytes.size()}, path);
  const CsvLayout layout =
      find_csv_layout(text, ending, path, {options.decimal, options.thousands});
  CsvColumns columns = choose_csv_columns(text, layout, options, path);
  CsvBody body(text.substr(layout.data_offset), layout.first_data_line, layout, columns, path);
  Observations result;
  Table& table = result.table;
  std::vector<std::string> labels;
  table.values = read_rows(body, layout, columns, options.reads_missing, table.row_names, labels);
  if (!columns.label.empty()) result.labels = column_of_cells(columns.label, std::move(labels));
  table.column_names = std::move(columns.names);
  table.source = path;
  table.assumed = layout.in_words + columns.in_words;
  return result;
}

}  // namespace geotherm::detail
