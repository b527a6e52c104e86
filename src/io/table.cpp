// Tables by the ending of their name: finds the format, checks what all of them need, and hands on.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "io/formats.hpp"
#include "io/npy.hpp"
#include "io/npy_rows.hpp"

namespace geotherm {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

std::size_t Table::rows() const {
  return std::visit([](const auto& matrix) { return matrix.rows(); }, values);
}

std::size_t Table::cols() const {
  return std::visit([](const auto& matrix) { return matrix.cols(); }, values);
}

Matrix<double> Table::to_double() const {
  if (const auto* matrix = std::get_if<Matrix<double>>(&values)) return *matrix;
  const auto& matrix = std::get<Matrix<float>>(values);
  auto result = Matrix<double>::uninitialized(matrix.rows(), matrix.cols());
  std::copy(matrix.data(), matrix.data() + matrix.size(), result.data());
  return result;
}

std::pair<std::string, std::string> split_key(const std::string& path) {
  constexpr std::string_view mark = ".npz:";
  if (is_file(path)) return {path, ""};
  const std::string lowered = lower(path);
  const auto split_at = [&](std::size_t at) {
    const std::size_t colon = at + mark.size() - 1;
    return std::pair(path.substr(0, colon), path.substr(colon + 1));
  };
  const std::size_t first = lowered.find(mark);
  if (first == std::string::npos) return {path, ""};
  // Names with several marks are split where the left part is a file.
  for (std::size_t at = first; at != std::string::npos; at = lowered.find(mark, at + 1)) {
    auto parts = split_at(at);
    if (is_file(parts.first)) return parts;
  }
  return split_at(first);
}

Table read_table(const std::string& path) {
  Observations read = read_observations(path);
  if (read.holds != Holds::points) return densified(read);
  return std::move(read.table);
}

void write_table(const std::string& path, MatrixView<const double> values,
                 const std::vector<std::string>& row_names,
                 const std::vector<std::string>& column_names, const std::string& key) {
  std::vector<std::string> issues;
  if (!row_names.empty() && row_names.size() != values.rows) {
    issues.push_back("row_names has " + std::to_string(row_names.size()) + " names for " +
                     std::to_string(values.rows) + " rows (give one a row, or none)");
  }
  if (!column_names.empty() && column_names.size() != values.cols) {
    issues.push_back("column_names has " + std::to_string(column_names.size()) + " names for " +
                     std::to_string(values.cols) + " columns (give one a column, or none)");
  }
  refuse_if_any(issues);
  const auto [file, key_in_path] = split_key(path);
  const std::string ending = detail::format_of(file);
  const bool is_packed = lower(file).ends_with(".gz");
  if (is_packed && (ending == ".npz" || ending == ".npy" || ending == ".fcs")) {
    detail::refuse_ending(file, "written");
  } else if (ending == ".npz") {
    const std::string& given = key_in_path.empty() ? key : key_in_path;
    detail::write_npz_table(file, given.empty() ? "data" : given, values);
  } else if (ending == ".npy") {
    detail::write_npy_table(file, values);
  } else if (ending == ".csv" || ending == ".tsv" || ending == ".txt") {
    detail::write_csv_table(file, ending == ".csv" ? ',' : '\t', values, row_names, column_names);
  } else if (ending == ".mtx") {
    detail::write_mtx(file, values);
  } else if (ending == ".fcs") {
    detail::write_fcs(file, values, column_names);
  } else if (ending == ".h5ad") {
    NewH5ad content;
    content.dense = values;
    content.obs_names = row_names;
    content.var_names = column_names;
    write_new_h5ad(file, content);
  } else {
    detail::refuse_ending(file, "written");
  }
}

void write_table_with(const std::string& path, MatrixView<const double> values,
                      const std::vector<std::string>& row_names,
                      const std::vector<std::string>& column_names, const std::string& key,
                      const std::vector<Column>& extras) {
  std::vector<std::string> issues;
  for (const Column& column : extras) {
    if (column.size() == values.rows) continue;
    issues.push_back("column " + column.name + " has " + std::to_string(column.size()) +
                     " values for " + std::to_string(values.rows) + " rows");
  }
  refuse_if_any(issues);
  const auto [file, key_in_path] = split_key(path);
  const std::string ending = detail::format_of(file);
  const bool is_text = ending == ".csv" || ending == ".tsv" || ending == ".txt";
  if (extras.empty() || (!is_text && ending != ".npz" && ending != ".h5ad")) {
    write_table(path, values, row_names, column_names, key);
  } else if (is_text) {
    detail::write_csv_table(file, ending == ".csv" ? ',' : '\t', values, row_names, column_names,
                            extras);
  } else if (ending == ".npz") {
    std::vector<NamedArray> arrays;
    std::vector<double> all;
    for (std::size_t i = 0; i < values.rows; ++i) {
      all.insert(all.end(), values.row(i).begin(), values.row(i).end());
    }
    arrays.push_back({key_in_path.empty() ? key : key_in_path, {values.rows, values.cols}, all});
    for (const Column& column : extras) {
      if (const auto* texts = std::get_if<Texts>(&column.values)) {
        arrays.push_back({column.name, {column.size()}, texts->to_vector()});
      } else {
        arrays.push_back(
            {column.name, {column.size()}, std::get<std::vector<double>>(column.values)});
      }
    }
    write_npz(file, arrays);
  } else {
    NewH5ad content;
    content.dense = {nullptr, values.rows, 0, 0};
    content.obs_names = row_names;
    content.results.obsm.emplace_back("X_" + key, values);
    content.results.obs = extras;
    write_new_h5ad(file, content);
  }
}

namespace detail {

std::string format_of(const std::string& path) {
  std::filesystem::path name(lower(path));
  if (name.extension() == ".gz") name.replace_extension();
  return name.extension().string();
}

void refuse_ending(const std::string& path, const std::string& verb) {
  const std::string ending = format_of(path);
  std::string why = "the ending '" + ending + "' is unknown";
  if (ending.empty()) why = "the name has no ending";
  if (ending == ".parquet" || ending == ".feather") {
    why = "no small library reads '" + ending +
          "' (in Python: pandas.read_parquet('a.parquet').to_csv('a.csv.gz'))";
  }
  const bool reads = verb == "read";
  throw IoError(path + ": cannot be " + verb + ": " + why +
                "; supported are .csv, .tsv, .txt, .mtx (also .gz), .npy, .npz, .h5ad" +
                (reads ? ", .h5 and folders of 10x, and .fcs" : " and .fcs"));
}

namespace {

Table words_for(const std::string& path, const NpyHeader& header) {
  Table table;
  table.source = path;
  table.assumed = type_in_words(header) + (header.shape.size() == 1 ? ", read as one column" : "");
  return table;
}

}  // namespace

Table read_npy_table(const std::string& path) {
  const InputFile file(path);
  FileSource source(file);
  const NpyHeader header = read_npy_header(source);
  Table table = words_for(path, header);
  read_npy_matrix(header, source, table);
  return table;
}

std::unique_ptr<ObservationRows> open_npy_rows(const std::string& path) {
  auto file = std::make_unique<InputFile>(path);
  FileSource source(*file);
  Table table = words_for(path, read_npy_header(source));
  return rows_of_npy(std::move(file), std::move(table),
                     [](const InputFile& opened) { return std::make_unique<FileSource>(opened); });
}

}  // namespace detail
}  // namespace geotherm
