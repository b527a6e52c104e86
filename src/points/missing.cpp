// A table with gaps -> the same table without them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "geotherm/columns.hpp"

namespace geotherm {
namespace {

constexpr std::size_t n_neighbors = 5;

struct ColumnSummary {
  std::vector<double> mean, inverse_deviation;
};

ColumnSummary summarise(MatrixView<const double> points) {
  ColumnSummary all;
  for (std::size_t j = 0; j < points.cols; ++j) {
    double sum = 0, squares = 0, n = 0;
    for (std::size_t i = 0; i < points.rows; ++i) {
      if (!std::isnan(points(i, j))) sum += points(i, j), ++n;
    }
    if (n == 0) {
      throw InvalidData("column " + std::to_string(j) +
                        " has no value at all: leave it out (`drop`)");
    }
    const double mean = sum / n;
    for (std::size_t i = 0; i < points.rows; ++i) {
      const double offset = points(i, j) - mean;
      if (!std::isnan(offset)) squares += offset * offset;
    }
    const double deviation = std::sqrt(squares / n);
    all.mean.push_back(mean);
    all.inverse_deviation.push_back(deviation > 0 ? 1 / deviation : 0);
  }
  return all;
}

/// Squared distance over the columns that both rows have, scaled up to all; infinite without any.
double distance(std::span<const double> a, std::span<const double> b,
                const std::vector<double>& inverse_deviation) {
  double sum = 0;
  std::size_t n_shared = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double offset = (a[j] - b[j]) * inverse_deviation[j];
    if (std::isnan(offset)) continue;
    sum += offset * offset;
    ++n_shared;
  }
  if (n_shared == 0) return std::numeric_limits<double>::infinity();
  return sum * static_cast<double>(a.size()) / static_cast<double>(n_shared);
}

void fill_row(MatrixView<const double> given, std::size_t row, const ColumnSummary& columns,
              std::span<double> out) {
  std::vector<std::pair<double, std::size_t>> others;
  for (std::size_t i = 0; i < given.rows; ++i) {
    if (i == row) continue;
    others.emplace_back(distance(given.row(row), given.row(i), columns.inverse_deviation), i);
  }
  std::sort(others.begin(), others.end());
  for (std::size_t j = 0; j < given.cols; ++j) {
    if (!std::isnan(given(row, j))) continue;
    double sum = 0;
    std::size_t n = 0;
    for (const auto& [d, i] : others) {
      if (n == n_neighbors || !std::isfinite(d)) break;
      if (!std::isnan(given(i, j))) sum += given(i, j), ++n;
    }
    out[j] = n > 0 ? sum / static_cast<double>(n) : columns.mean[j];
  }
}

}  // namespace

std::optional<MissingValues> missing_values_named(std::string_view name) {
  if (name == "refuse") return MissingValues::refuse;
  if (name == "mean") return MissingValues::mean;
  if (name == "knn") return MissingValues::knn;
  return std::nullopt;
}

std::size_t fill_missing(MatrixView<double> points, MissingValues missing, const Context& context) {
  std::size_t n_missing = 0;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto row = points.row(i);
    const auto n = static_cast<std::size_t>(
        std::count_if(row.begin(), row.end(), [](double x) { return std::isnan(x); }));
    if (n > 0) rows.push_back(i);
    n_missing += n;
  }
  if (n_missing == 0) return 0;
  if (missing == MissingValues::refuse) {
    throw InvalidData(std::to_string(n_missing) + " of " +
                      std::to_string(points.rows * points.cols) + " values are missing, the first" +
                      " in row " + std::to_string(rows.front()) + " (fill them in: mean or knn)");
  }
  const ColumnSummary columns = summarise(points);
  if (missing == MissingValues::mean) {
    for (const std::size_t i : rows) {
      for (std::size_t j = 0; j < points.cols; ++j) {
        if (std::isnan(points(i, j))) points(i, j) = columns.mean[j];
      }
    }
    return n_missing;
  }
  // Neighbours are judged by what was given, not by what was filled in before.
  Matrix<double> given(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i) {
    std::copy(points.row(i).begin(), points.row(i).end(), given.row(i).begin());
  }
  constexpr std::size_t at_once = 64;
  for (std::size_t first = 0; first < rows.size(); first += at_once) {
    context.report_or_throw({"missing values", first, rows.size()});
    const std::size_t count = std::min(at_once, rows.size() - first);
    parallel_for(context, count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t i = rows[first + k];
        fill_row(given.view(), i, columns, points.row(i));
      }
    });
  }
  return n_missing;
}

}  // namespace geotherm
