#include "match_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "geotherm/spelling.hpp"

namespace geotherm::cli {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > most) text += fmt::format(", ... ({} in all)", names.size());
  return text;
}

/// "; is its 'CD8a' the model's 'CD8'?", of the first absent column that another name is like.
std::string perhaps_renamed(const std::vector<std::string>& absent, const Model& model,
                            const Table& table) {
  const std::unordered_set<std::string> known(model.column_names.begin(), model.column_names.end());
  std::vector<std::string> others;
  for (const std::string& name : table.column_names) {
    if (!known.contains(name)) others.push_back(name);
  }
  constexpr std::size_t most_tried = 10;  // each is compared with every other name
  for (std::size_t i = 0; i < std::min(most_tried, absent.size()); ++i) {
    const std::string near = nearest_name(absent[i], others);
    if (!near.empty()) return fmt::format("; is its '{}' the model's '{}'?", near, absent[i]);
  }
  return {};
}

template <class T>
Matrix<T> taken(const Matrix<T>& from, const std::vector<Index>& places) {
  auto result = Matrix<T>::uninitialized(from.rows(), places.size());
  for (std::size_t i = 0; i < from.rows(); ++i) {
    for (std::size_t j = 0; j < places.size(); ++j) {
      result(i, j) = places[j] < 0 ? T{0} : from(i, static_cast<std::size_t>(places[j]));
    }
  }
  return result;
}

SparseMatrix taken(const SparseMatrix& from, const std::vector<Index>& places) {
  std::vector<Index> target(from.cols, -1);
  for (std::size_t j = 0; j < places.size(); ++j) {
    if (places[j] >= 0) target[static_cast<std::size_t>(places[j])] = static_cast<Index>(j);
  }
  SparseMatrix result;
  result.rows = from.rows;
  result.cols = places.size();
  std::vector<std::pair<Index, double>> row;
  for (std::size_t i = 0; i < from.rows; ++i) {
    row.clear();
    const auto at = from.row_indices(i);
    const auto values = from.row_values(i);
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Index column = target[static_cast<std::size_t>(at[k])];
      if (column >= 0) row.emplace_back(column, values[k]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      result.indices.push_back(column);
      result.values.push_back(value);
    }
    result.offsets.push_back(result.indices.size());
  }
  return result;
}

}  // namespace

void match_to_model(const Model& model, bool absent_are_zero, Observations& read,
                    RunContext& run_context) {
  Table& table = read.table;
  if (table.column_names.empty() || model.column_names.empty()) {
    if (!table.column_names.empty() || !model.column_names.empty()) {
      run_context.say(fmt::format("{} columns have no names: columns are taken in their order",
                                  model.column_names.empty() ? "the model's" : "the new table's"));
    }
    return;
  }
  const ColumnMatch match = match_columns(model, table.column_names);
  if (!match.absent.empty() && !absent_are_zero) {
    throw InvalidData(fmt::format(
        "{}: lacks {} of the model's {} columns: {}{} (add or rename them; or, where a missing "
        "gene means no counts, --absent zero)",
        table.source, match.absent.size(), model.column_names.size(), listed(match.absent),
        perhaps_renamed(match.absent, model, table)));
  }
  if (!match.absent.empty()) {
    const std::string words = fmt::format(
        "{}: {} of the model's {} columns are not there and taken as 0: {}", table.source,
        match.absent.size(), model.column_names.size(), listed(match.absent));
    // A few genes that were not seen are what --absent is for; many are genes of other names.
    if (10 * match.absent.size() > model.column_names.size()) {
      run_context.warn(words + " (check that columns have the model's names)");
    } else {
      run_context.say(words);
    }
  }
  if (match.is_reordered) {
    run_context.say(fmt::format(
        "{}: columns come in another order than the model's: matched by name", table.source));
  }
  if (match.n_extra > 0) {
    run_context.say(fmt::format("{}: {} column{} that the model does not know, not used",
                                table.source, match.n_extra, match.n_extra == 1 ? "" : "s"));
  }
  const bool is_as_it_is =
      match.places.size() == table.column_names.size() && match.n_extra == 0 && !match.is_reordered;
  if (is_as_it_is) return;
  if (read.holds == Holds::sparse_points) {
    read.sparse = taken(read.sparse, match.places);
  } else {
    std::visit([&](auto& values) { values = taken(values, match.places); }, table.values);
  }
  table.column_names = model.column_names;
}

}  // namespace geotherm::cli
