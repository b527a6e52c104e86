// Tables by the ending of their name: finds the format, checks what all of them need, and hands on.
#include <algorithm>

#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm {
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
                     std::to_string(values.rows) + " rows (give one per row, or none)");
  }
  if (!column_names.empty() && column_names.size() != values.cols) {
    issues.push_back("column_names has " + std::to_string(column_names.size()) + " names for " +
                     std::to_string(values.cols) + " columns (give one per column, or none)");
  }
  refuse_if_any(issues);
  const FileName file = file_name(path);
  const Format* format = format_of(file);
  if (format == nullptr || format->write == nullptr) detail::refuse_ending(file, "written");
  format->write(file, {values, row_names, column_names, key});
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
  const FileName file = file_name(path);
  const bool is_text = file.ending == ".csv" || file.ending == ".tsv" || file.ending == ".txt";
  const bool has_obs = file.ending == ".h5ad";
  if ((extras.empty() && !has_obs) || (!is_text && file.ending != ".npz" && !has_obs)) {
    write_table(path, values, row_names, column_names, key);
  } else if (is_text) {
    detail::write_csv_table(file.path, file.ending == ".csv" ? ',' : '\t', values, row_names,
                            column_names, extras);
  } else if (file.ending == ".npz") {
    std::vector<NamedArray> arrays;
    std::vector<double> all;
    for (std::size_t i = 0; i < values.rows; ++i) {
      all.insert(all.end(), values.row(i).begin(), values.row(i).end());
    }
    arrays.push_back({file.key.empty() ? key : file.key, {values.rows, values.cols}, all});
    for (const Column& column : extras) {
      if (const auto* texts = std::get_if<Texts>(&column.values)) {
        arrays.push_back({column.name, {column.size()}, texts->to_vector()});
      } else {
        arrays.push_back(
            {column.name, {column.size()}, std::get<std::vector<double>>(column.values)});
      }
    }
    write_npz(file.path, arrays);
  } else {
    NewH5ad content;
    content.dense = {nullptr, values.rows, 0, 0};
    content.obs_names = row_names;
    content.results.obsm.emplace_back("X_" + key, values);
    content.results.obs = extras;
    write_new_h5ad(file.path, content);
  }
}

}  // namespace geotherm
