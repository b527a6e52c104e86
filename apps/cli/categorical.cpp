#include "categorical.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "column.hpp"
#include "geotherm/spelling.hpp"

namespace geotherm::cli {
namespace {

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> columns;
  std::vector<std::string> row_names;  ///< a first column of names, removed
  std::size_t n_rows = 0;
};

bool is_missing(const std::string& cell) {
  return cell.empty() || cell == "NA" || cell == "NaN" || cell == "nan" || cell == "N/A";
}

std::optional<double> as_number(const std::string& cell) {
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [next, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || next != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool are_numbers(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) {
    return is_missing(cell) || as_number(cell).has_value();
  });
}

bool are_all_different(const std::vector<std::string>& cells) {
  const std::set<std::string_view> kinds(cells.begin(), cells.end());
  return kinds.size() == cells.size() && cells.size() > 2;
}

TextTable read_text_table(const std::string& path) {
  const bool is_tabbed = path.ends_with(".tsv") || path.ends_with(".txt");
  if (!is_tabbed && !path.ends_with(".csv")) {
    throw InvalidArgument(fmt::format(
        "--categorical reads text tables (.csv, .tsv with a header); the input is '{}'", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path + ": cannot be opened (is the name right?)");
  TextTable table;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.empty()) continue;
    const std::string place = fmt::format("{}, line {}", path, number);
    std::vector<std::string> cells = cells_of(line, is_tabbed ? '\t' : ',', place);
    if (table.header.empty()) {
      table.header = std::move(cells);
      table.columns.resize(table.header.size());
      continue;
    }
    if (cells.size() != table.header.size()) {
      throw IoError(fmt::format("{}: has {} cells, the header has {}", place, cells.size(),
                                table.header.size()));
    }
    for (std::size_t c = 0; c < cells.size(); ++c) table.columns[c].push_back(std::move(cells[c]));
    ++table.n_rows;
  }
  if (table.n_rows == 0) throw IoError(path + ": has no rows after its header");
  const bool names_rows = table.header.front() == "id" || table.header.front().empty() ||
                          !are_numbers(table.columns.front());
  if (table.header.size() > 1 && names_rows && are_all_different(table.columns.front())) {
    table.row_names = std::move(table.columns.front());
    table.columns.erase(table.columns.begin());
    table.header.erase(table.header.begin());
  }
  return table;
}

double number_in(const TextTable& table, std::size_t c, std::size_t i, const std::string& path) {
  const std::string& cell = table.columns[c][i];
  if (const auto value = as_number(cell)) return *value;
  throw InvalidData(fmt::format(
      "{}: '{}' in row {} of column '{}' is no number; fill it or leave the row out (text columns: "
      "--categorical {})",
      path, cell, i, table.header[c], table.header[c]));
}

struct Encoding {
  std::vector<std::string> names;  ///< "colour=red", or the name of a column of numbers
  std::vector<std::size_t> from;
  std::vector<std::string> word;  ///< empty for numbers
};

}  // namespace

LoadedInput load_categorical(const std::string& path, const std::vector<std::string>& named,
                             const InputOptions& options) {
  const TextTable table = read_text_table(path);
  const bool is_auto = std::ranges::find(named, "auto") != named.end();
  for (const std::string& name : named) {
    if (name == "auto" || std::ranges::find(table.header, name) != table.header.end()) continue;
    throw InvalidArgument(fmt::format("--categorical is '{}': {} has no column of that name{}",
                                      name, path, did_you_mean(name, table.header)));
  }
  const auto has = [](const std::vector<std::string>& all, const std::string& name) {
    return std::ranges::find(all, name) != all.end();
  };
  LoadedInput loaded;
  Encoding encoding;
  std::string left_out;
  std::size_t n_used = 0;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    const std::string& name = table.header[c];
    if (name == options.read.label_column) {
      loaded.colors = {name, Texts(table.columns[c]), {}};
      continue;
    }
    if (has(options.read.drop, name)) continue;
    if (!options.read.columns.empty() && !has(options.read.columns, name)) continue;
    const bool is_text = has(named, name) || (is_auto && !are_numbers(table.columns[c]));
    if (is_text && !has(named, name) && are_all_different(table.columns[c])) {
      left_out += (left_out.empty() ? "" : ", ") + name;
      continue;
    }
    ++n_used;
    if (!is_text) {
      encoding.names.push_back(name);
      encoding.from.push_back(c);
      encoding.word.emplace_back();
      continue;
    }
    const std::set<std::string> words(table.columns[c].begin(), table.columns[c].end());
    for (const std::string& word : words) {
      encoding.names.push_back(name + "=" + word);
      encoding.from.push_back(c);
      encoding.word.push_back(word);
    }
  }
  if (n_used == 0) throw InvalidData(path + ": no column is left to compare rows by");
  Matrix<double> values(table.n_rows, encoding.names.size());
  std::vector<double> shift(values.cols(), 0.0), scale(values.cols());
  for (std::size_t k = 0; k < values.cols(); ++k) {
    const bool is_number = encoding.names[k] == table.header[encoding.from[k]];
    double least = 0, most = 0;
    for (std::size_t i = 0; i < table.n_rows; ++i) {
      values(i, k) = is_number
                         ? number_in(table, encoding.from[k], i, path)
                         : (table.columns[encoding.from[k]][i] == encoding.word[k] ? 1.0 : 0.0);
      least = i == 0 ? values(i, k) : std::min(least, values(i, k));
      most = i == 0 ? values(i, k) : std::max(most, values(i, k));
    }
    const double range = is_number ? most - least : 2.0;
    shift[k] = is_number ? least : 0.0;
    scale[k] = range > 0 ? 1 / (range * static_cast<double>(n_used)) : 0.0;
  }
  if (options.keeps_steps) {
    loaded.steps.n_columns = values.cols();
    loaded.steps.shift = shift;
    loaded.steps.scale = scale;
    loaded.keys_before = row_keys(std::as_const(values).view());
  }
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t k = 0; k < values.cols(); ++k) {
      values(i, k) = (values(i, k) - shift[k]) * scale[k];
    }
  }
  loaded.n_rows_in_file = table.n_rows;
  loaded.file_columns = encoding.names;
  loaded.table.values = std::move(values);
  loaded.table.column_names = encoding.names;
  loaded.table.row_names = table.row_names;
  loaded.table.source = path;
  loaded.table.assumed = fmt::format("Gower distance over {} columns", n_used);
  if (!left_out.empty()) {
    loaded.table.assumed += fmt::format(", left out as names of rows: {}", left_out);
  }
  return loaded;
}

namespace {

/// Words that no column "name=word" of the model stands for: such a row is unlike all others there.
void warn_of_unknown_words(const std::vector<std::string>& model_columns, const TextTable& read,
                           const std::string& path, RunContext& run_context) {
  const auto is_of_model = [&](const std::string& name) {
    return std::ranges::find(model_columns, name) != model_columns.end();
  };
  for (std::size_t c = 0; c < read.header.size(); ++c) {
    const std::string prefix = read.header[c] + "=";
    const bool holds_words = std::ranges::any_of(
        model_columns, [&](const std::string& name) { return name.starts_with(prefix); });
    if (!holds_words || is_of_model(read.header[c])) continue;
    std::size_t n_unknown = 0;
    std::string first;
    for (const std::string& word : read.columns[c]) {
      if (is_of_model(prefix + word)) continue;
      if (n_unknown++ == 0) first = word;
    }
    if (n_unknown == 0) continue;
    run_context.warn(
        fmt::format("{}: {} of {} rows have a word in column '{}' that the model has not seen "
                    "(first '{}'): they "
                    "count as different from all of its rows there (check the spelling)",
                    path, n_unknown, read.n_rows, read.header[c], first));
  }
}

}  // namespace

bool is_encoded(const std::vector<std::string>& model_columns, const std::string& path) {
  return (path.ends_with(".csv") || path.ends_with(".tsv")) &&
         std::ranges::any_of(model_columns, [](const std::string& name) {
           return name.find('=') != std::string::npos;
         });
}

Table encoded_like(const std::vector<std::string>& model_columns, const std::string& path,
                   RunContext& run_context) {
  const TextTable read = read_text_table(path);
  Matrix<double> values(read.n_rows, model_columns.size());
  for (std::size_t k = 0; k < model_columns.size(); ++k) {
    const std::string& name = model_columns[k];
    const auto column_named = [&](const std::string& wanted) {
      return static_cast<std::size_t>(std::ranges::find(read.header, wanted) - read.header.begin());
    };
    std::size_t c = column_named(name);
    const std::size_t mark = name.find('=');
    const bool is_number = c < read.header.size() || mark == std::string::npos;
    if (!is_number) c = column_named(name.substr(0, mark));
    if (c >= read.header.size()) {
      throw InvalidData(fmt::format("{}: lacks the model's column '{}'", path,
                                    is_number ? name : name.substr(0, mark)));
    }
    for (std::size_t i = 0; i < read.n_rows; ++i) {
      values(i, k) = is_number ? number_in(read, c, i, path)
                               : (read.columns[c][i] == name.substr(mark + 1) ? 1.0 : 0.0);
    }
  }
  warn_of_unknown_words(model_columns, read, path, run_context);
  Table table;
  table.values = std::move(values);
  table.row_names = read.row_names;
  table.column_names = model_columns;
  table.source = path;
  return table;
}

}  // namespace geotherm::cli
