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

}  // namespace geotherm
