// Tables as delimited text: a header `id,<columns>`, then one row per point. Numbers are the
// shortest that read back as the same double.
#include <charconv>

#include "io/formats.hpp"
#include "io/gzip.hpp"

namespace geotherm::detail {
namespace {

// Quoted where it would otherwise be read as something else.
void append_cell(std::string& line, const std::string& text, char separator) {
  const bool is_plain =
      text.find_first_of(std::string("\"\n\r") + separator) == std::string::npos &&
      (text.empty() || (text.front() != ' ' && text.back() != ' ' && text.front() != '\t' &&
                        text.back() != '\t' && text.front() != '#'));
  if (is_plain) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

template <class Sink>
void write_rows(Sink& file, char separator, MatrixView<const double> values,
                const std::vector<std::string>& row_names,
                const std::vector<std::string>& column_names, const std::vector<Column>& extras) {
  std::string line = "id";
  for (std::size_t j = 0; j < values.cols; ++j) {
    line += separator;
    append_cell(
        line,
        column_names.empty() ? std::string("x").append(std::to_string(j + 1)) : column_names[j],
        separator);
  }
  for (const Column& column : extras) {
    line += separator;
    append_cell(line, column.name, separator);
  }
  line += '\n';
  file.write(line);
  char digits[32];
  const auto append_number = [&](double value) {
    const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
    static_cast<void>(error);  // 32 characters hold every double
    line.append(digits, end);
  };
  for (std::size_t i = 0; i < values.rows; ++i) {
    line.clear();
    append_cell(line, row_names.empty() ? std::to_string(i) : row_names[i], separator);
    for (const double value : values.row(i)) {
      line += separator;
      append_number(value);
    }
    for (const Column& column : extras) {
      line += separator;
      if (const auto* texts = std::get_if<Texts>(&column.values)) {
        append_cell(line, (*texts)[i], separator);
      } else {
        append_number(std::get<std::vector<double>>(column.values)[i]);
      }
    }
    line += '\n';
    file.write(line);
  }
}

}  // namespace

void write_csv_table(const std::string& path, char separator, MatrixView<const double> values,
                     const std::vector<std::string>& row_names,
                     const std::vector<std::string>& column_names,
                     const std::vector<Column>& extras) {
  write_maybe_packed(path, [&](auto& sink) {
    write_rows(sink, separator, values, row_names, column_names, extras);
  });
}

}  // namespace geotherm::detail
