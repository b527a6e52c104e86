#include "column.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <variant>

#include "geotherm/io.hpp"
#include "geotherm/observations.hpp"

namespace geotherm::cli {
namespace {

using Numbers = std::vector<double>;
using Names = std::vector<std::string>;
/// As in the file: integers and text as text, other numbers as numbers.
using Values = std::variant<Numbers, Names>;

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

std::optional<double> as_number(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [next, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || next != end) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_length(const std::string& path, std::size_t n_values, const RowsOf& rows) {
  throw InvalidData(fmt::format("{} has {} value{} but {} has {} row{}: there must be one per row",
                                path, n_values, n_values == 1 ? "" : "s", rows.file, rows.n,
                                rows.n == 1 ? "" : "s"));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

struct LastCells {
  Names values;                        ///< one per line, the header's too
  bool is_first_line_unnamed = false;  ///< ",label": how pandas begins a header
};

LastCells read_last_cells(const std::string& path, char separator) {
  if (std::filesystem::is_directory(path)) throw IoError(path + ": is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path + ": cannot be opened (is the name right?)");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find('\0') != std::string::npos) {
    throw IoError(path + ": is not a text file in UTF-8 (it holds zero bytes)");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (text.empty()) throw IoError(path + ": is empty");
  LastCells result;
  std::size_t n_cells = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string place = fmt::format("{}, line {}", path, result.values.size() + 1);
    Names cells = cells_of(std::string_view(text).substr(begin, end - begin), separator, place);
    if (cells.size() > 2) {
      throw IoError(fmt::format("{}: has {} columns; give a file of one, or of two: names, values",
                                place, cells.size()));
    }
    if (cells.back().empty()) throw IoError(place + ": the value is missing");
    if (n_cells == 0) {
      n_cells = cells.size();
      result.is_first_line_unnamed = n_cells == 2 && cells.front().empty();
    }
    if (cells.size() != n_cells) {
      throw IoError(fmt::format("{}: has {} column{}, the first line has {}", place, cells.size(),
                                cells.size() == 1 ? "" : "s", n_cells));
    }
    result.values.push_back(std::move(cells.back()));
    begin = end + 1;
  }
  return result;
}

/// A header is there where a line is too many or only the first line is no number. A first line
/// that could be a value is kept: a column with one value too many must not be read shifted.
Values read_text(const std::string& path, char separator, const RowsOf& rows) {
  auto [values, is_header] = read_last_cells(path, separator);
  const auto others = values.begin() + 1;
  const auto is_number = [](const std::string& cell) { return as_number(cell).has_value(); };
  const bool are_numbers = values.size() > 1 && std::all_of(others, values.end(), is_number);
  if (are_numbers) {
    is_header = is_header || !is_number(values.front());
  } else if (values.size() == rows.n + 1) {
    is_header = is_header || std::find(others, values.end(), values.front()) == values.end();
  }
  if (is_header) values.erase(values.begin());
  if (values.size() != rows.n) refuse_length(path, values.size(), rows);
  return std::move(values);
}

Values read_array(const std::string& file, const std::string& key, const RowsOf& rows) {
  NamedArray array = read_npz_array(file, key);
  const std::string source = file + ":" + key;
  const bool is_column =
      array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1);
  if (!is_column) {
    throw InvalidData(fmt::format("{}: has {} dimensions, one value per row is needed", source,
                                  array.shape.size()));
  }
  if (array.shape[0] != rows.n) refuse_length(source, array.shape[0], rows);
  return std::visit(
      [](auto& values) -> Values {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_floating_point_v<T>) {
          return Numbers(values.begin(), values.end());
        } else {
          Names texts;
          for (auto& value : values) texts.push_back(fmt::format("{}", value));
          return texts;
        }
      },
      array.values);
}

Values read_numbers(const std::string& path, const RowsOf& rows) {
  const Matrix<double> values = read_table(path).to_double();
  if (values.cols() != 1) {
    throw InvalidData(fmt::format("{}: is {} x {}, one value per row is needed", path,
                                  values.rows(), values.cols()));
  }
  if (values.rows() != rows.n) refuse_length(path, values.rows(), rows);
  return Numbers(values.data(), values.data() + values.size());
}

/// "cells.h5ad:louvain": a column of obs.
Values read_obs(const std::string& file, const std::string& name, const RowsOf& rows) {
  geotherm::Column column = read_h5ad_column(file, name);
  if (column.size() != rows.n) refuse_length(file + ":" + name, column.size(), rows);
  if (const auto* texts = std::get_if<Texts>(&column.values)) return texts->to_vector();
  return std::get<Numbers>(std::move(column.values));
}

Values read_column(const std::string& path, const std::vector<std::string>& keys,
                   const RowsOf& rows) {
  const std::size_t h5ad = path.rfind(".h5ad:");
  if (h5ad != std::string::npos)
    return read_obs(path.substr(0, h5ad + 5), path.substr(h5ad + 6), rows);
  const auto [file, key] = split_key(with_usual_key(path, keys));
  const std::string ending = ending_of(file);
  if (ending == ".npz") return read_array(file, key.empty() ? keys.front() : key, rows);
  if (ending == ".csv") return read_text(file, ',', rows);
  if (ending == ".tsv" || ending == ".txt") return read_text(file, '\t', rows);
  return read_numbers(path, rows);
}

}  // namespace

std::vector<std::string> cells_of(std::string_view line, char separator, const std::string& place) {
  std::vector<std::string> cells(1);
  bool is_quoted = false, was_quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (is_quoted) {
      if (c != '"') {
        cells.back() += c;
      } else if (at + 1 < line.size() && line[at + 1] == '"') {
        cells.back() += line[++at];
      } else {
        is_quoted = false;
        was_quoted = true;
      }
    } else if (c == separator) {
      if (!was_quoted) cells.back() = trimmed(cells.back());
      cells.emplace_back();
      was_quoted = false;
    } else if (c == '"' && trimmed(cells.back()).empty()) {
      cells.back().clear();
      is_quoted = true;
    } else if (!was_quoted) {
      cells.back() += c;
    } else if (c != ' ' && c != '\r') {
      throw IoError(place + ": a cell goes on after its closing quote");
    }
  }
  if (is_quoted) throw IoError(place + ": a quoted cell does not end on its line");
  if (!was_quoted) cells.back() = trimmed(cells.back());
  return cells;
}

std::string with_usual_key(const std::string& path, const std::vector<std::string>& keys) {
  const auto [file, key] = split_key(path);
  if (!key.empty() || ending_of(file) != ".npz") return path;
  const std::vector<ArrayInfo> infos = list_npz(file);
  for (const std::string& usual : keys) {
    for (const ArrayInfo& info : infos) {
      if (info.name == usual) return file + ":" + usual;
    }
  }
  return path;
}

std::vector<std::string> read_group_names(const std::string& path, const RowsOf& rows) {
  Values column = read_column(path, {"label", "labels"}, rows);
  if (const auto* numbers = std::get_if<Numbers>(&column)) {
    Names texts;
    for (const double number : *numbers) {
      // Beyond 2^53 neighbouring integers are one double.
      if (!(std::abs(number) <= 0x1p53) || number != std::floor(number)) {
        throw InvalidData(fmt::format("{}: row {} is {}; labels are text or integers", path,
                                      texts.size(), number));
      }
      texts.push_back(fmt::format("{}", static_cast<std::int64_t>(number)));
    }
    return texts;
  }
  return std::get<Names>(std::move(column));
}

std::vector<Index> read_labels(const std::string& path, const RowsOf& rows) {
  std::unordered_map<std::string, Index> groups;
  std::vector<Index> labels;
  for (const std::string& text : read_group_names(path, rows)) {
    labels.push_back(groups.try_emplace(text, static_cast<Index>(groups.size())).first->second);
  }
  return labels;
}

std::vector<double> read_times(const std::string& path, const RowsOf& rows) {
  const Values column = read_column(path, {"t", "time", "times"}, rows);
  Numbers times;
  if (const auto* numbers = std::get_if<Numbers>(&column)) {
    times = *numbers;
  } else {
    for (const std::string& text : std::get<Names>(column)) {
      const auto value = as_number(text);
      if (!value) {
        throw InvalidData(
            fmt::format("{}: row {} is '{}'; times are numbers", path, times.size(), text));
      }
      times.push_back(*value);
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) {
      throw InvalidData(fmt::format("{}: row {} is {}; times are finite", path, i, times[i]));
    }
  }
  return times;
}

}  // namespace geotherm::cli
