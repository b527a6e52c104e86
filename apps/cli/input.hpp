// Reads a file of observations and hands it to a method as the options say.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "geotherm/methods.hpp"
#include "geotherm/model.hpp"
#include "geotherm/observations.hpp"
#include "geotherm/single_cell.hpp"

namespace geotherm::cli {

/// What to take from the input file and what to do to it first.
struct InputOptions {
  ReadOptions read = {};
  std::string preprocess = "none";  ///< or "single-cell", "cytometry"
  SingleCellOptions cells = {};
  std::string scale = "none";      ///< or "standardise", "robust"
  std::string missing = "refuse";  ///< or "mean", "knn"
  std::string decimal = ".";
  std::string thousands = {};
  std::vector<std::string> categorical = {};  ///< columns of words: Gower's distance
  /// Given: sparse points are not made dense, their neighbours are found as they are.
  std::optional<NeighborOptions> sparse_neighbors = std::nullopt;
  bool keeps_steps = false;  ///< for a model that is to be made of rows before preprocessing
};
/// The argument INPUT, with the formats that are read.
void add_input_path(CLI::App& command, std::string& path, bool is_required = true);
void add_input_options(CLI::App& command, InputOptions& options);
nlohmann::json to_json(const InputOptions& options);

/// A column to colour by: its categories, or its numbers.
struct Colors {
  std::string name;
  Texts categories;
  std::vector<double> values;
};

/// The data and the view of it that methods take. Keep it alive while the input is used.
struct LoadedInput {
  Table table;
  Matrix<double> distances = {};  ///< where the table is a distance matrix
  Holds holds = Holds::points;
  SparseMatrix graph = {};                            ///< where `holds` is a graph
  Colors colors = {};                                 ///< one per row of the input; empty: none
  std::optional<SingleCellRun> cells = std::nullopt;  ///< where counts were preprocessed
  std::vector<std::string> gene_names = {};           ///< of the counts, before any was left out
  std::vector<std::string> gene_ids = {};
  std::vector<Column> quality = {};  ///< of counts: columns of the cells that were kept
  std::size_t n_rows_in_file = 0;
  ReadOptions number_style = {};  ///< of a text table: decimals, thousands, missing values
  std::vector<std::string> file_columns = {};  ///< names of the columns that were read; empty: none
  Preparation steps = {};                ///< keeps_steps: what was done to every row that is left
  std::vector<RowKey> keys_before = {};  ///< and those rows as they were in the file
  std::string reduction = {};            ///< where rows were reduced while they were read: how
  double reduction_s = 0;
  std::optional<NeighborLists> joined = std::nullopt;  ///< of several views (views_input.hpp)
  nlohmann::json views = {};                           ///< what each of them counted

  Input input() const;
  bool is_reduced() const { return !reduction.empty(); }
  /// What was read and assumed: "cells.csv: 2638 x 50, comma-separated, with a header".
  std::string in_words() const;
};

/// Reads, preprocesses, and refuses what no method can use: NaN, infinities, a single row, a
/// distance matrix that is not square.
LoadedInput load_input(const std::string& path, bool is_precomputed, const InputOptions& = {},
                       const Context& = {});

/// The end of load_input: refuses what no method can use.
void require_usable(const std::string& path, const LoadedInput& loaded);
/// Of sparse matrices that hold whole numbers alone.
void warn_of_counts(const std::string& path, const Context&);
Colors colors_of(const Column& column);
/// A column to colour by that lies beside the array in an .npz (`wanted`, else label, else t);
/// empty elsewhere.
Colors colors_beside(const std::string& path, std::size_t n_rows, const std::string& wanted = {});

}  // namespace geotherm::cli
