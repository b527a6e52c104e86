#include "page_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>

#include "column.hpp"
#include "geotherm/spelling.hpp"

namespace geotherm::cli {
namespace {

/// Whole numbers of more kinds than this are measurements, not groups.
constexpr std::size_t most_groups = 40;

bool is_missing(const std::string& cell) {
  return cell.empty() || cell == "NA" || cell == "NaN" || cell == "nan" || cell == "N/A";
}

std::optional<double> as_number(const std::string& cell) {
  if (is_missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [next, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || next != end) return std::nullopt;
  return value;
}

bool are_few_kinds(const std::vector<double>& numbers) {
  std::set<double> kinds;
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    if (number != std::floor(number) || std::abs(number) > 1e9) return false;
    kinds.insert(number);
    if (kinds.size() > most_groups) return false;
  }
  return !kinds.empty();
}

PageColumn column_of(std::string name, std::vector<std::string> cells) {
  PageColumn column{.name = std::move(name)};
  std::vector<double> numbers;
  for (const std::string& cell : cells) {
    const auto number = as_number(cell);
    if (!number) break;
    numbers.push_back(*number);
  }
  if (numbers.size() == cells.size() && !are_few_kinds(numbers)) {
    column.numbers = std::move(numbers);
  } else {
    for (std::string& cell : cells) {
      if (is_missing(cell)) cell = "(missing)";
    }
    column.texts = std::move(cells);
  }
  return column;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path + ": cannot be opened (is the name right?)");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

constexpr std::size_t no_line = std::numeric_limits<std::size_t>::max();

/// For each row of the map the line that is about it, or no_line; empty where no name is known.
std::vector<std::size_t> order_by_names(const std::vector<std::string>& in_file,
                                        const std::vector<std::string>& row_names) {
  std::unordered_map<std::string, std::size_t> line_of;
  for (std::size_t i = 0; i < in_file.size(); ++i) line_of[in_file[i]] = i;
  std::vector<std::size_t> order;
  bool is_any_known = false;
  for (const std::string& name : row_names) {
    const auto found = line_of.find(name);
    order.push_back(found == line_of.end() ? no_line : found->second);
    is_any_known = is_any_known || found != line_of.end();
  }
  return is_any_known ? order : std::vector<std::size_t>();
}

/// Rows of a table of names and those of the map are matched by name: what the table does not know
/// is missing, what it has beyond is left out. Without names of the map they are in its order. A
/// table that begins with a column of the points (cluster) says more about its groups.
std::vector<PageColumn> read_text_columns(const std::string& path, char separator,
                                          std::size_t n_rows,
                                          const std::vector<std::string>& names_of_rows,
                                          const std::vector<PageColumn>& known) {
  const std::vector<std::string> lines = lines_of(path);
  const std::vector<std::string> header = cells_of(lines.front(), separator, path + ", line 1");
  std::vector<std::vector<std::string>> cells(header.size());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string place = fmt::format("{}, line {}", path, i + 1);
    std::vector<std::string> row = cells_of(lines[i], separator, place);
    if (row.size() != header.size()) {
      throw IoError(
          fmt::format("{}: has {} columns, the header has {}", place, row.size(), header.size()));
    }
    for (std::size_t k = 0; k < row.size(); ++k) cells[k].push_back(std::move(row[k]));
  }
  const std::vector<std::string>& first = cells.front();
  const std::set<std::string_view> kinds(first.begin(), first.end());
  const bool is_text = !first.empty() && !as_number(first.front()).has_value();
  const auto groups = std::ranges::find_if(known, [&](const PageColumn& column) {
    return column.name == header.front() && !column.texts.empty() && first.size() < n_rows;
  });
  const std::vector<std::string> row_names =
      groups == known.end() ? names_of_rows : groups->texts.to_vector();
  const bool has_ids =
      header.size() > 1 && kinds.size() == first.size() &&
      (is_text || header.front().empty() || header.front() == "id" || groups != known.end());
  const std::vector<std::size_t> order =
      has_ids ? order_by_names(first, row_names) : std::vector<std::size_t>();
  if (order.empty() && first.size() != n_rows) {
    throw InvalidData(fmt::format(
        "{} has {} rows after its header but the map has {}: there must be one per point{}", path,
        first.size(), n_rows,
        has_ids && !row_names.empty()
            ? fmt::format(", or names of the points in the first column (it has '{}', points are "
                          "named as '{}')",
                          first.empty() ? "" : first.front(), row_names.front())
            : ", or a first column of their names"));
  }
  std::vector<PageColumn> columns;
  for (std::size_t k = has_ids ? 1 : 0; k < header.size(); ++k) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::size_t line = order.empty() ? i : order[i];
      values.push_back(line == no_line ? std::string() : cells[k][line]);
    }
    columns.push_back(column_of(header[k], std::move(values)));
  }
  return columns;
}

PageColumn column_of(const NamedArray& array) {
  PageColumn column{.name = array.name};
  std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
          column.texts = values;
        } else {
          column.numbers.assign(values.begin(), values.end());
          if (!std::is_same_v<T, std::int64_t> || !are_few_kinds(column.numbers)) return;
          TextCollector texts;
          for (const auto& value : values) texts.add(fmt::format("{}", value));
          column.texts = texts.take();
          column.numbers.clear();
        }
      },
      array.values);
  return column;
}

std::vector<PageColumn> npz_columns(const std::string& file, std::size_t n_rows) {
  std::vector<PageColumn> columns;
  for (const ArrayInfo& info : list_npz(file)) {
    const bool is_readable = info.is_numeric || info.dtype.find('U') != std::string::npos;
    if (!is_readable || info.shape.size() != 1 || info.shape[0] != n_rows) continue;
    columns.push_back(column_of(read_npz_array(file, info.name)));
  }
  return columns;
}

PageColumn column_of(Column column, const LoadedInput* loaded) {
  PageColumn result{.name = std::move(column.name)};
  const auto kept = [&](auto& values) {
    using T = std::remove_cvref_t<decltype(values)>;
    if (loaded == nullptr || !loaded->cells) return std::move(values);
    T some;
    for (const Index row : loaded->cells->cells) {
      some.push_back(std::move(values[static_cast<std::size_t>(row)]));
    }
    return some;
  };
  if (auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
    result.numbers = kept(*numbers);
    if (are_few_kinds(result.numbers)) {
      std::vector<std::string> names;
      for (const double number : result.numbers) {
        names.push_back(std::isnan(number) ? "(missing)" : fmt::format("{}", number));
      }
      result.texts = names;
      result.numbers.clear();
    }
  } else {
    const auto& texts = std::get<Texts>(column.values);
    result.texts = loaded == nullptr || !loaded->cells ? texts : texts.rows(loaded->cells->cells);
  }
  return result;
}

/// Groups with a name of its own for each row (barcodes) tell nothing by colour.
bool is_worth_showing(const PageColumn& column) {
  if (column.texts.empty()) return true;
  const std::set<std::string_view> kinds(column.texts.begin(), column.texts.end());
  return kinds.size() < column.texts.size() || column.texts.size() < 3;
}

PageColumn feature_of(std::string name, const SparseMatrix& matrix, std::size_t k) {
  PageColumn feature{.name = std::move(name), .role = PageColumn::Role::feature, .is_sparse = true};
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const std::size_t place = matrix.find(i, static_cast<Index>(k));
    if (place == matrix.n_entries()) continue;
    feature.rows.push_back(static_cast<Index>(i));
    feature.values.push_back(matrix.values[place]);
  }
  return feature;
}

PageColumn feature_of(std::string name, const Table& table, std::size_t k) {
  PageColumn feature{.name = std::move(name), .role = PageColumn::Role::feature};
  const auto add = [&](const auto& values) {
    std::size_t n_zero = 0;
    for (std::size_t i = 0; i < values.rows(); ++i) n_zero += values(i, k) == 0;
    feature.is_sparse = 2 * n_zero > values.rows();
    for (std::size_t i = 0; i < values.rows(); ++i) {
      const auto value = static_cast<double>(values(i, k));
      if (!feature.is_sparse) {
        feature.numbers.push_back(value);
      } else if (value != 0) {
        feature.rows.push_back(static_cast<Index>(i));
        feature.values.push_back(value);
      }
    }
  };
  std::visit(add, table.values);
  return feature;
}

/// Position of a name; refuses one that is not there.
std::size_t column_named(const std::string& name, const std::vector<std::string>& known,
                         const std::string& where, const std::string& option) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) {
    throw InvalidArgument(
        fmt::format("{}: {} has no column '{}'{}", option, where, name,
                    known.empty() ? " (its columns have no names)" : did_you_mean(name, known)));
  }
  return static_cast<std::size_t>(found - known.begin());
}

Observations feature_matrix(const std::string& path, const LoadedInput& loaded,
                            const std::string& source) {
  if (!path.ends_with(".h5ad") || !source.empty()) {
    ReadOptions as_before = loaded.number_style;
    as_before.use = source;
    return read_observations(path, as_before);
  }
  try {
    return read_observations(path, {.use = "raw"});
  } catch (const IoError&) {
    return read_observations(path, {.use = "X"});  // there is no raw
  }
}

}  // namespace

std::vector<PageColumn> columns_beside(const std::string& path, std::size_t n_rows,
                                       const LoadedInput* loaded) {
  const std::string file = split_key(path).first;
  if (file.ends_with(".npz")) return npz_columns(file, n_rows);
  std::vector<PageColumn> columns;
  if (file.ends_with(".h5ad")) {
    for (const std::string& name : list_h5ad_columns(file)) {
      PageColumn column = column_of(read_h5ad_column(file, name), loaded);
      const bool fits = column.numbers.size() + column.texts.size() == n_rows;
      if (fits && is_worth_showing(column)) columns.push_back(std::move(column));
    }
  } else if (loaded != nullptr && !loaded->colors.name.empty()) {
    const Colors& labels = loaded->colors;
    columns.push_back({.name = labels.name, .numbers = labels.values, .texts = labels.categories});
  }
  return columns;
}

std::vector<PageColumn> read_columns(const std::string& path, std::size_t n_rows,
                                     const std::vector<std::string>& row_names,
                                     const std::vector<PageColumn>& known) {
  if (path.ends_with(".csv")) return read_text_columns(path, ',', n_rows, row_names, known);
  if (path.ends_with(".tsv") || path.ends_with(".txt")) {
    return read_text_columns(path, '\t', n_rows, row_names, known);
  }
  if (!split_key(path).first.ends_with(".npz")) {
    throw InvalidArgument(
        fmt::format("--annotations is '{}': columns are read from .csv, .tsv and .npz", path));
  }
  std::vector<PageColumn> columns = npz_columns(split_key(path).first, n_rows);
  if (columns.empty()) {
    throw InvalidData(
        fmt::format("{}: has no array of {} values, one for each point", path, n_rows));
  }
  return columns;
}

bool has_feature(const LoadedInput& loaded, const std::string& name) {
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (!loaded.cells) return is_in(loaded.file_columns);
  return std::ranges::any_of(loaded.cells->genes, [&](Index gene) {
    return loaded.gene_names[static_cast<std::size_t>(gene)] == name;
  });
}

std::vector<PageColumn> features_of(const std::string& path, const LoadedInput& loaded,
                                    const std::vector<std::string>& names,
                                    const std::string& source, const std::string& option) {
  std::vector<PageColumn> features;
  if (loaded.cells) {
    std::vector<std::string> genes;
    for (const Index gene : loaded.cells->genes) {
      genes.push_back(loaded.gene_names[static_cast<std::size_t>(gene)]);
    }
    for (const std::string& name : names) {
      const std::size_t k = column_named(name, genes, "the preprocessed data", option);
      features.push_back(feature_of(name, loaded.cells->normalized, k));
    }
    return features;
  }
  const Observations read = feature_matrix(path, loaded, source);
  for (const std::string& name : names) {
    const std::size_t k = column_named(name, read.table.column_names, read.table.source, option);
    features.push_back(read.holds == Holds::points ? feature_of(name, read.table, k)
                                                   : feature_of(name, read.sparse, k));
  }
  return features;
}

std::vector<PageColumn> all_features(const std::string& path, const LoadedInput& loaded,
                                     const std::string& source) {
  std::vector<PageColumn> features;
  if (loaded.cells) {
    for (std::size_t k = 0; k < loaded.cells->genes.size(); ++k) {
      const auto gene = static_cast<std::size_t>(loaded.cells->genes[k]);
      features.push_back(feature_of(loaded.gene_names[gene], loaded.cells->normalized, k));
    }
    return features;
  }
  const Observations read = feature_matrix(path, loaded, source);
  const auto& names = read.table.column_names;
  const bool is_dense = read.holds == Holds::points;
  const std::size_t n_columns = is_dense ? read.table.cols() : read.sparse.cols;
  for (std::size_t k = 0; k < n_columns; ++k) {
    const std::string name = k < names.size() ? names[k] : std::to_string(k);
    features.push_back(is_dense ? feature_of(name, read.table, k)
                                : feature_of(name, read.sparse, k));
  }
  return features;
}

}  // namespace geotherm::cli
