#include "new_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <unordered_map>
#include <unordered_set>

#include "categorical.hpp"
#include "column.hpp"
#include "geotherm/spelling.hpp"
#include "match_columns.hpp"
#include "page_columns.hpp"

namespace geotherm::cli {
namespace {

/// Sparse points are made dense some at a time: counts of many genes would not fit whole.
Placement place_sparse_points(const Placer& placer, const SparseMatrix& rows, std::size_t n_axes,
                              const Context& context) {
  constexpr std::size_t at_once = 512;
  Placement all{Matrix<double>::uninitialized(rows.rows, n_axes)};
  NeighborLists& lists = all.neighbors;
  for (std::size_t first = 0; first < rows.rows; first += at_once) {
    const std::size_t count = std::min(at_once, rows.rows - first);
    Matrix<double> dense(count, rows.cols);
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = rows.row_indices(first + i);
      const auto values = rows.row_values(first + i);
      for (std::size_t k = 0; k < at.size(); ++k) {
        dense(i, static_cast<std::size_t>(at[k])) = values[k];
      }
    }
    const Placement some = placer.place_and_measure(dense.view(), context);
    std::copy(some.coordinates.data(), some.coordinates.data() + some.coordinates.size(),
              all.coordinates.row(first).data());
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(all.remoteness, some.remoteness);
    append(all.novelty, some.novelty);
    append(lists.indices, some.neighbors.indices);
    append(lists.distances, some.neighbors.distances);
    for (std::size_t i = 0; i < some.neighbors.n_points; ++i) {
      lists.offsets.push_back(lists.offsets.back() + some.neighbors.neighbors(i).size());
    }
    lists.knn = some.neighbors.knn;
    lists.n_points += some.neighbors.n_points;
  }
  return all;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

SparseMatrix sparse_of(const Matrix<double>& dense) {
  SparseMatrix sparse;
  sparse.rows = dense.rows();
  sparse.cols = dense.cols();
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    for (std::size_t j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0) continue;
      sparse.indices.push_back(static_cast<Index>(j));
      sparse.values.push_back(dense(i, j));
    }
    sparse.offsets.push_back(sparse.indices.size());
  }
  return sparse;
}

/// New rows are not filled in: what is missing there is not the first table's to know.
void refuse_missing(const Table& table, const std::string& path) {
  std::size_t n_missing = 0, first = 0;
  std::visit(
      [&](const auto& values) {
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (!std::isnan(values.data()[k])) continue;
          if (n_missing++ == 0) first = k;
        }
      },
      table.values);
  if (n_missing == 0) return;
  const std::size_t all = table.rows() * table.cols(), column = first % table.cols();
  throw InvalidData(fmt::format(
      "{}: {} of {} values are missing, {:.2g} %, the first in row {}, column {} (fill them in, or "
      "leave those rows out: new rows are placed as they are)",
      path, n_missing, all, 100 * static_cast<double>(n_missing) / static_cast<double>(all),
      first / table.cols(),
      column < table.column_names.size() ? table.column_names[column] : std::to_string(column)));
}

bool has_several_columns(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line.find(file.ends_with(".tsv") ? '\t' : ',') != std::string::npos;
}

/// Labels of "cells.h5ad:column" by the names of the cells, where the model's rows have names too
/// and share some; else in the order of the file.
std::vector<std::string> labels_of_cells(const Model& model, const std::string& model_path,
                                         const std::string& path) {
  const std::string file = path.substr(0, path.rfind(".h5ad:") + 5);
  std::vector<std::string> names;
  if (!model.row_names.empty()) names = read_h5ad_names(file);
  const std::unordered_set<std::string> known(model.row_names.begin(), model.row_names.end());
  if (std::ranges::none_of(names, [&](const std::string& name) { return known.contains(name); })) {
    return read_group_names(path, {model_path, model.n_rows()});
  }
  std::unordered_map<std::string, std::string> label_of;
  const std::vector<std::string> labels = read_group_names(path, {file, names.size()});
  for (std::size_t i = 0; i < names.size(); ++i) label_of.emplace(names[i], labels[i]);
  std::vector<std::string> in_order;
  for (const std::string& name : model.row_names) {
    const auto found = label_of.find(name);
    in_order.push_back(found == label_of.end() ? std::string() : found->second);
  }
  return in_order;
}

}  // namespace

void add_new_rows_options(CLI::App& command, NewRowsOptions& options) {
  command.add_option("MODEL", options.model, "What 'geotherm embed --model' wrote")
      ->type_name("")
      ->required();
  command
      .add_option("NEW", options.input,
                  "Table of new points, with the columns of the first one; or of their\n"
                  "distances or affinities to the first one's rows (--as)")
      ->type_name("")
      ->required();
  command
      .add_option("--as", options.given_as,
                  "What NEW holds: points; distances or affinities to the training rows,\n"
                  "one column each (.mtx: stored entries alone). Empty: what the model\n"
                  "was made from")
      ->check(CLI::IsMember({"points", "distances", "affinities"}).description(""))
      ->type_name("WHAT")
      ->group("Input");
  command
      .add_option("--use", options.read.use,
                  ".h5ad: X, raw, layer:NAME or obsm:NAME, as for the first table.\n"
                  ".npz: the array's name")
      ->type_name("WHAT")
      ->group("Input");
  command.add_option("--columns", options.read.columns, "Only these columns, by name: a,b,c")
      ->type_name("NAMES")
      ->delimiter(',')
      ->group("Input");
  command
      .add_option("--absent", options.absent,
                  "Columns of the model that NEW lacks: refuse; zero (genes not seen)")
      ->check(CLI::IsMember({"refuse", "zero"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str()
      ->group("Input");
}

NewRows read_new_rows(const Model& model, const NewRowsOptions& options, RunContext& run_context) {
  NewRows rows;
  rows.given_as = options.given_as.empty() ? model.input : *model_input_named(options.given_as);
  rows.read = [&] {
    const SignalsEndAtOnce nothing_is_written_yet;
    if (rows.given_as == ModelInput::points && is_encoded(model.column_names, options.input)) {
      Observations encoded;
      encoded.table = encoded_like(model.column_names, options.input, run_context);
      return encoded;
    }
    ReadOptions read = options.read;
    read.reads_missing = rows.given_as == ModelInput::points;
    return read_observations(options.input, read);
  }();
  if (rows.read.holds == Holds::points) refuse_missing(rows.read.table, options.input);
  const bool is_graph =
      rows.read.holds == Holds::affinities || rows.read.holds == Holds::sparse_distances;
  if (is_graph && rows.given_as == ModelInput::points) {
    throw InvalidArgument(fmt::format(
        "--use is '{}', a graph: new points are rows of a table (use X, raw, a layer or obsm)",
        options.read.use));
  }
  const std::size_t n_columns = rows.read.holds == Holds::points ? rows.read.table.cols()
                                                                 : rows.read.sparse.cols;
  if (options.given_as.empty() && rows.given_as == ModelInput::points &&
      n_columns == model.n_rows() && n_columns != model.preparation.n_columns) {
    throw InvalidData(fmt::format(
        "{}: the new points have {} columns: the model was made from {} (it has {} rows: distances "
        "to them are given with --as distances)",
        options.input, n_columns, model.preparation.n_columns, model.n_rows()));
  }
  if (rows.given_as == ModelInput::points && model.input == ModelInput::points) {
    match_to_model(model, options.absent == "zero", rows.read, run_context);
  }
  return rows;
}

Placement place_new_rows(const Model& model, const NewRows& rows, const std::string& path,
                         const Context& context) {
  const Placer placer(model);
  const bool is_sparse = rows.read.holds != Holds::points;
  try {
    if (rows.given_as == ModelInput::affinities) {
      return placer.place_by_affinities(
          is_sparse ? rows.read.sparse : sparse_of(rows.read.table.to_double()), context);
    }
    if (rows.given_as == ModelInput::distances) {
      return is_sparse ? placer.place_by_distances(rows.read.sparse, context)
                       : placer.place_by_distances(rows.read.table.to_double().view(), context);
    }
    if (is_sparse) {
      return place_sparse_points(placer, rows.read.sparse, model.coordinates.cols(), context);
    }
    return std::visit(
        [&](const auto& points) { return placer.place_and_measure(points.view(), context); },
        rows.read.table.values);
  } catch (const InvalidData& e) {
    throw InvalidData(path + ": " + e.what());
  }
}

UniqueRowLabels labels_for_transfer(const Model& model, const std::string& model_path,
                                    const std::string& name, const std::string& file) {
  if (file.empty()) {
    const UniqueRowLabels* kept = model.labels_named(name);
    if (kept != nullptr) return *kept;
    std::vector<std::string> names;
    for (const UniqueRowLabels& labels : model.labels) names.push_back(labels.name);
    throw InvalidArgument(
        fmt::format("--transfer is '{}': {} keeps no labels of that name (it keeps {}); make it "
                    "with 'geotherm "
                    "embed --keep {}', or give the labels of its rows here with --labels FILE{}",
                    name, model_path, listed(names), name, did_you_mean(name, names)));
  }
  const RowsOf rows{model_path, model.n_rows()};
  const std::string text = split_key(file).first;
  const bool is_text = text.ends_with(".csv") || text.ends_with(".tsv");
  const std::string wanted = name.empty() ? "label" : name;
  if (!name.empty() && file.ends_with(".h5ad")) {
    return unique_row_labels(model, name, labels_of_cells(model, model_path, file + ":" + name));
  }
  if (file.find(".h5ad:") != std::string::npos) {
    return unique_row_labels(model, wanted, labels_of_cells(model, model_path, file));
  }
  if (is_text && (!name.empty() || (!model.row_names.empty() && has_several_columns(file)))) {
    std::vector<std::string> names;
    const std::vector<PageColumn> columns = read_columns(file, rows.n, model.row_names);
    for (const PageColumn& column : columns) {
      const bool is_wanted = column.name == wanted || (name.empty() && columns.size() == 1);
      if (is_wanted && !column.texts.empty()) {
        return unique_row_labels(model, wanted, column.texts.to_vector());
      }
      names.push_back(column.name);
    }
    if (!name.empty() && names.size() > 1) {
      throw InvalidArgument(
          fmt::format("--transfer is '{}': {} has no column of labels of that name "
                      "(it has {}){}",
                      name, file, listed(names), did_you_mean(name, names)));
    }
  }
  return unique_row_labels(model, wanted, read_group_names(file, rows));
}

}  // namespace geotherm::cli
