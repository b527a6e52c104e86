#include "input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "categorical.hpp"
#include "cell_quality.hpp"
#include "geotherm/formats.hpp"
#include "geotherm/spelling.hpp"
#include "help.hpp"
#include "table_options.hpp"

namespace geotherm::cli {
namespace {

template <class T>
std::vector<T> taken(const std::vector<T>& from, const std::vector<Index>& rows) {
  std::vector<T> result;
  if (from.empty()) return result;
  for (const Index row : rows) result.push_back(from[static_cast<std::size_t>(row)]);
  return result;
}

SparseMatrix sparse_of(const Table& table) {
  SparseMatrix sparse;
  sparse.rows = table.rows();
  sparse.cols = table.cols();
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 0; i < values.rows(); ++i) {
          for (std::size_t j = 0; j < values.cols(); ++j) {
            if (values(i, j) == 0) continue;
            sparse.indices.push_back(static_cast<Index>(j));
            sparse.values.push_back(static_cast<double>(values(i, j)));
          }
          sparse.offsets.push_back(sparse.indices.size());
        }
      },
      table.values);
  return sparse;
}

void keep_steps_of_cells(const SparseMatrix& counts, const SingleCellOptions& options,
                         LoadedInput& loaded) {
  const SingleCellRun& run = *loaded.cells;
  Preparation& steps = loaded.steps;
  steps.n_columns = counts.cols;
  steps.target_sum = options.target_sum;
  steps.counted = run.genes;
  steps.columns = taken(run.genes, run.variable);
  if (!run.gene_deviation.empty()) {
    steps.shift = run.gene_mean;
    for (const double deviation : run.gene_deviation) steps.scale.push_back(1 / deviation);
    steps.clip = options.max_value;
  }
  steps.rotation = run.components;
  steps.offset = run.centre;
  Matrix<double> row(1, counts.cols);
  for (const Index cell : run.cells) {
    const auto i = static_cast<std::size_t>(cell);
    const auto at = counts.row_indices(i);
    const auto values = counts.row_values(i);
    for (std::size_t k = 0; k < at.size(); ++k) row(0, static_cast<std::size_t>(at[k])) = values[k];
    loaded.keys_before.push_back(row_keys(row.view()).front());
    for (const Index column : at) row(0, static_cast<std::size_t>(column)) = 0;
  }
}

void preprocess_cells(const Observations& read, const InputOptions& options, const Context& context,
                      LoadedInput& loaded) {
  const bool is_sparse = read.holds == Holds::sparse_points;
  const SparseMatrix dense = is_sparse ? SparseMatrix() : sparse_of(read.table);
  const SparseMatrix& counts = is_sparse ? read.sparse : dense;
  loaded.cells = preprocess_single_cell(counts, read.table.column_names, options.cells, context);
  const SingleCellRun& run = *loaded.cells;
  loaded.gene_names = read.table.column_names;
  loaded.gene_ids = read.column_ids;
  loaded.quality = quality_columns(counts, read.table.column_names, run.cells);
  loaded.table.values = run.scores;
  loaded.table.column_names.clear();
  loaded.table.row_names = taken(read.table.row_names, run.cells);
  if (!loaded.colors.categories.empty()) {
    loaded.colors.categories = loaded.colors.categories.rows(run.cells);
  }
  loaded.colors.values = taken(loaded.colors.values, run.cells);
  loaded.table.assumed += fmt::format("\npreprocessed: {}", run.in_words);
  if (options.keeps_steps) keep_steps_of_cells(counts, options.cells, loaded);
}

// Mass and flow cytometry: asinh(x / 5), the usual scale on which counts of ions compare.
void preprocess_cytometry(LoadedInput& loaded) {
  std::visit(
      [](auto& values) {
        using T = std::remove_cvref_t<decltype(values(0, 0))>;
        for (std::size_t i = 0; i < values.rows(); ++i) {
          for (T& value : values.row(i)) value = std::asinh(value / T{5});
        }
      },
      loaded.table.values);
  loaded.table.assumed += ", asinh(x / 5) of every value";
}

// The first few by name, and how many there are.
std::string columns_in_words(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 4;
  if (names.empty()) return {};
  std::string text = names.size() == 1 ? ", column " : ", columns ";
  for (std::size_t j = 0; j < std::min(shown, names.size()); ++j) {
    text += (j == 0 ? "" : ", ") + names[j];
  }
  return names.size() > shown ? text + fmt::format(", ... ({})", names.size()) : text;
}

bool looks_like_counts(const SparseMatrix& sparse) {
  return std::all_of(sparse.values.begin(), sparse.values.end(),
                     [](double value) { return value >= 0 && value == std::floor(value); });
}

}  // namespace

void warn_of_counts(const std::string& path, const Context& context) {
  context.warn(fmt::format(
      "{}: the matrix holds whole numbers, as raw counts do; they are taken as they are "
      "(--preprocess single-cell normalises them and takes principal components)",
      path));
}

namespace {

/// A matrix of distances that is stored by its entries: those that are not there are unknown, and
/// not 0. One that lacks none but its diagonal is a whole one.
void take_as_distances(const std::string& path, Observations& read) {
  if (read.holds != Holds::sparse_points) return;
  const SparseMatrix& stored = read.sparse;
  read.table.assumed.clear();
  if (stored.rows != stored.cols) {
    throw InvalidData(fmt::format("{}: a distance matrix is square, this table is {} x {}", path,
                                  stored.rows, stored.cols));
  }
  for (std::size_t i = 0; i < stored.rows; ++i) {
    const auto others = stored.row_indices(i);
    const bool has_own = std::ranges::find(others, static_cast<Index>(i)) != others.end();
    if (others.size() - (has_own ? 1 : 0) + 1 >= stored.rows) continue;
    read.holds = Holds::sparse_distances;
    return;
  }
}

// The matrix of `read`, as points or as a graph.
void take_values(Observations& read, const InputOptions& options, const Context& context,
                 LoadedInput& loaded) {
  const bool is_graph = read.holds == Holds::affinities || read.holds == Holds::sparse_distances;
  if (is_graph && options.preprocess != "none") {
    throw InvalidArgument(
        fmt::format("--preprocess is '{}', but --use takes a graph (use X, raw "
                    "or a layer)",
                    options.preprocess));
  }
  if (options.preprocess == "single-cell") {
    loaded.table = read.table;
    preprocess_cells(read, options, context, loaded);
    return;
  }
  if (is_graph) {
    loaded.holds = read.holds;
    loaded.table = std::move(read.table);
    loaded.graph = std::move(read.sparse);
    return;
  }
  if (read.holds == Holds::sparse_points && options.sparse_neighbors) {
    loaded.table = std::move(read.table);
    loaded.table.values = Matrix<double>(read.sparse.rows, 0);
    loaded.table.assumed += fmt::format("{}kept sparse, {} columns",
                                        loaded.table.assumed.empty() ? "" : ", ", read.sparse.cols);
    loaded.joined = find_neighbors(read.sparse, *options.sparse_neighbors, context);
    return;
  }
  if (read.holds == Holds::sparse_points) {
    if (looks_like_counts(read.sparse)) {
      warn_of_counts(read.table.source, context);
    }
    loaded.table = densified(read);
  } else {
    loaded.table = std::move(read.table);
  }
  if (options.preprocess != "cytometry") return;
  if (options.keeps_steps) {
    loaded.steps.n_columns = loaded.table.cols();
    loaded.steps.asinh_by = 5;
    loaded.keys_before =
        std::visit([](const auto& values) { return row_keys(values.view()); }, loaded.table.values);
  }
  preprocess_cytometry(loaded);
}

/// Whole numbers of few kinds are names of groups.
void group_whole_numbers(Colors& colors) {
  constexpr std::size_t most_groups = 40;
  std::set<double> kinds;
  for (const double value : colors.values) {
    if (std::isnan(value) || value != std::floor(value)) return;
    kinds.insert(value);
    if (kinds.size() > most_groups) return;
  }
  std::vector<std::string> names;
  for (const double value : colors.values) names.push_back(fmt::format("{:.0f}", value));
  colors.categories = names;
  colors.values.clear();
}

}  // namespace

Colors colors_of(const Column& column) {
  Colors colors{column.name, {}, {}};
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
    colors.values = *numbers;
    group_whole_numbers(colors);
  } else {
    colors.categories = std::get<Texts>(column.values);
  }
  return colors;
}

void require_usable(const std::string& path, const LoadedInput& loaded) {
  const std::size_t rows = loaded.holds == Holds::points ? loaded.table.rows() : loaded.graph.rows;
  if (rows < 2) {
    throw InvalidData(fmt::format("{}: the table has {} row{}; a map needs at least 2 points", path,
                                  rows, rows == 1 ? "" : "s"));
  }
  try {
    std::visit(
        [](const auto& values) {
          if (!values.empty()) require_finite(values.view());
        },
        loaded.table.values);
  } catch (const InvalidData& e) {
    throw InvalidData(path + ": " + e.what() + gaps_in_words(loaded.table));
  }
}

void add_input_path(CLI::App& command, std::string& path, bool is_required) {
  command.add_option("INPUT", path, wrapped("One row per point: " + readable_in_words()))
      ->type_name("")
      ->required(is_required);
}

void add_input_options(CLI::App& command, InputOptions& options) {
  const std::string group = "Input";
  command
      .add_option("--use", options.read.use,
                  ".h5ad: X, raw, layer:NAME, obsm:NAME or obsp:NAME (a graph);\n"
                  "empty takes obsm:X_pca if there is one, else X. .npz: the array's name")
      ->type_name("WHAT")
      ->group(group);
  command
      .add_option("--columns", options.read.columns,
                  "Only these columns of a table, .fcs or matrix, by name: a,b,c")
      ->type_name("NAMES")
      ->delimiter(',')
      ->group(group);
  add_table_options(command, options);
  command
      .add_option("--label-column", options.read.label_column,
                  "Column to colour by, not part of the points: a column of obs in an\n"
                  ".h5ad, an array beside the matrix in an .npz, or a column of a text\n"
                  "table. Empty: detected where unambiguous")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--preprocess", options.preprocess,
                  "none; single-cell: raw counts -> filtered, normalised, logged,\n"
                  "variable genes, PCA (as scanpy does); cytometry: asinh(x / 5)")
      ->check(CLI::IsMember({"none", "single-cell", "cytometry"}).description(""))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  const std::string cells = advanced("Input of --preprocess single-cell");
  command.add_option("--min-genes", options.cells.min_genes, "Leave out cells with fewer genes")
      ->type_name("N")
      ->capture_default_str()
      ->group(cells);
  command.add_option("--min-cells", options.cells.min_cells, "Leave out genes in fewer cells")
      ->type_name("N")
      ->capture_default_str()
      ->group(cells);
  command
      .add_option("--max-mito", options.cells.max_mito,
                  "Leave out cells with a larger percentage of counts in MT- genes")
      ->type_name("PERCENT")
      ->group(cells);
  command
      .add_option("--top-genes", options.cells.n_top_genes,
                  "Take this many variable genes; empty: by scanpy's bounds on\n"
                  "mean and dispersion")
      ->type_name("N")
      ->group(cells);
  command.add_option("--pcs", options.cells.n_components, "Principal components")
      ->type_name("N")
      ->capture_default_str()
      ->group(cells);
}

nlohmann::json to_json(const InputOptions& options) {
  nlohmann::json json = {{"use", options.read.use},
                         {"columns", options.read.columns},
                         {"label_column", options.read.label_column},
                         {"preprocess", options.preprocess}};
  if (!options.read.drop.empty()) json["drop"] = options.read.drop;
  if (options.scale != "none") json["scale"] = options.scale;
  if (options.missing != "refuse") json["missing"] = options.missing;
  if (options.decimal != ".") json["decimal"] = options.decimal;
  if (!options.thousands.empty()) json["thousands"] = options.thousands;
  if (options.preprocess != "single-cell") return json;
  const SingleCellOptions& cells = options.cells;
  json["min_genes"] = cells.min_genes;
  json["min_cells"] = cells.min_cells;
  json["pcs"] = cells.n_components;
  if (cells.max_mito) json["max_mito"] = *cells.max_mito;
  if (cells.n_top_genes) json["top_genes"] = *cells.n_top_genes;
  return json;
}

Input LoadedInput::input() const {
  if (joined) return &*joined;
  if (holds == Holds::affinities) return Affinities{&graph};
  if (holds == Holds::sparse_distances) return SparseDistances{&graph};
  if (!distances.empty()) return DistanceMatrix{distances.view()};
  if (const auto* single = std::get_if<Matrix<float>>(&table.values)) {
    return single->view();
  }
  return std::get<Matrix<double>>(table.values).view();
}

std::string LoadedInput::in_words() const {
  const bool is_graph = holds != Holds::points;
  const std::size_t rows = is_graph            ? graph.rows
                           : distances.empty() ? table.rows()
                                               : distances.rows();
  const std::size_t cols = is_graph            ? graph.cols
                           : distances.empty() ? table.cols()
                                               : distances.cols();
  std::string text = fmt::format("{}: {} x {}{}{}", table.source, cells ? n_rows_in_file : rows,
                                 cells ? gene_names.size() : cols,
                                 table.assumed.empty() ? "" : ", ", table.assumed);
  if (!is_graph && !cells && distances.empty() && !is_reduced()) {
    text += columns_in_words(table.column_names);
  }
  if (is_graph) {
    text += holds == Holds::affinities ? ", taken as affinities" : ", taken as distances";
  }
  return text;
}

LoadedInput load_input(const std::string& path, bool is_precomputed, const InputOptions& options,
                       const Context& context) {
  if (!options.categorical.empty()) {
    LoadedInput encoded = load_categorical(path, options.categorical, options);
    require_usable(path, encoded);
    return encoded;
  }
  ReadOptions how = read_options_of(options);
  // Arrays beside the matrix of an .npz are read for themselves.
  std::string beside;
  if (split_key(path).first.ends_with(".npz")) std::swap(beside, how.label_column);
  Observations read = read_observations(path, how);
  LoadedInput loaded;
  loaded.n_rows_in_file = read.rows();
  loaded.file_columns = read.table.column_names;
  loaded.number_style.decimal = how.decimal;
  loaded.number_style.thousands = how.thousands;
  loaded.number_style.reads_missing = how.reads_missing;
  loaded.colors =
      read.labels.empty() ? colors_beside(path, read.rows(), beside) : colors_of(read.labels);
  try {
    if (is_precomputed) take_as_distances(path, read);
    take_values(read, options, context, loaded);
    if (is_precomputed && options.scale != "none") {
      throw InvalidArgument("--scale is for points: the table holds distances");
    }
    if (!is_precomputed) prepare_table(options, context, loaded);
  } catch (const InvalidData& e) {
    const std::string message = e.what();
    throw InvalidData(message.starts_with(path) ? message : path + ": " + message);
  }
  require_usable(path, loaded);
  if (is_precomputed && loaded.holds == Holds::points) {
    const Table& table = loaded.table;
    if (table.rows() != table.cols()) {
      throw InvalidData(fmt::format("{}: a distance matrix is square, this table is {} x {}", path,
                                    table.rows(), table.cols()));
    }
    if (auto* wide = std::get_if<Matrix<double>>(&loaded.table.values)) {
      loaded.distances = std::move(*wide);
    } else {
      loaded.distances = table.to_double();
    }
    loaded.table.values = Matrix<double>();
  }
  return loaded;
}

Colors colors_beside(const std::string& path, std::size_t n_rows, const std::string& wanted) {
  const auto [file, key] = split_key(path);
  if (!file.ends_with(".npz")) return {};
  const std::vector<ArrayInfo> arrays = list_npz(file);
  std::vector<std::string> names = {"label",   "labels",   "cell_type", "celltype", "leiden",
                                    "louvain", "clusters", "cluster",   "y",        "t"};
  if (!wanted.empty()) names = {wanted};
  for (const std::string& name : names) {
    for (const ArrayInfo& info : arrays) {
      if (info.name != name || info.shape.size() != 1 || info.shape[0] != n_rows) continue;
      const NamedArray array = read_npz_array(file, name);
      Colors colors{name, {}, {}};
      TextCollector categories;
      std::visit(
          [&](const auto& values) {
            for (const auto& value : values) {
              using T = std::decay_t<decltype(value)>;
              if constexpr (std::is_floating_point_v<T>) {
                colors.values.push_back(static_cast<double>(value));
              } else {
                categories.add(fmt::format("{}", value));
              }
            }
          },
          array.values);
      colors.categories = categories.take();
      return colors;
    }
  }
  if (wanted.empty()) return {};
  std::vector<std::string> fitting;
  std::string listed;
  for (const ArrayInfo& info : arrays) {
    if (info.shape.size() != 1 || info.shape[0] != n_rows) continue;
    fitting.push_back(info.name);
    listed += (listed.empty() ? "" : ", ") + info.name;
  }
  throw InvalidArgument(fmt::format(
      "--label-column is '{}': {} has no array of that name with {} values (it has {}){}", wanted,
      file, n_rows, listed.empty() ? "none" : listed, did_you_mean(wanted, fitting)));
}

}  // namespace geotherm::cli
