#include "output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "geotherm/formats.hpp"
#include "manifest.hpp"

namespace geotherm::cli {

bool is_h5ad(const std::string& path) { return file_name(path).ending == ".h5ad"; }

namespace {

// One row per cell of the file: those that were left out get NaN, which scanpy's plots leave out
// too.
Matrix<double> spread(MatrixView<const double> values, const std::vector<Index>& rows,
                      std::size_t n) {
  Matrix<double> result(n, values.cols, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(values.row(i).begin(), values.row(i).end(),
              result.row(static_cast<std::size_t>(rows[i])).begin());
  }
  return result;
}

H5adResults results_for(const MapTarget& target, const nlohmann::json& manifest) {
  H5adResults results;
  results.uns_key = name_in_h5ad(target.method);
  results.uns = {
      {"version", version()},
      {"manifest", manifest.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)}};
  return results;
}

constexpr const char* removed_key = "removed_fraction";
std::string removed_column(const std::string& method) {
  return name_in_h5ad(method) + "_" + removed_key;
}

std::vector<std::string> picked(const std::vector<std::string>& from,
                                const std::vector<Index>& places) {
  std::vector<std::string> result;
  if (from.empty()) return result;
  for (const Index place : places) result.push_back(from[static_cast<std::size_t>(place)]);
  return result;
}

Column numbers_of(const char* name, const std::vector<double>& values) { return {name, values}; }

NamedArray array_of(std::string name, const Matrix<double>& values) {
  return {std::move(name),
          {values.rows(), values.cols()},
          std::vector<double>(values.data(), values.data() + values.size())};
}

std::vector<Column> label_columns(const Colors& colors) {
  if (!colors.categories.empty()) return {{colors.name, colors.categories}};
  if (!colors.values.empty()) return {{colors.name, colors.values}};
  return {};
}

/// One value per row of the file: cells that were left out get none.
Column of_all_cells(Column column, const LoadedInput& loaded) {
  const std::vector<Index>& cells = loaded.cells->cells;
  if (auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
    std::vector<double> all(loaded.n_rows_in_file, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      all[static_cast<std::size_t>(cells[i])] = (*numbers)[i];
    }
    *numbers = std::move(all);
  } else {
    auto& texts = std::get<Texts>(column.values);
    std::vector<std::string> all(loaded.n_rows_in_file, "left out");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      all[static_cast<std::size_t>(cells[i])] = texts[i];
    }
    texts = all;
  }
  return column;
}

/// Quality of cells and clusters, as columns of obs.
void add_columns(const MapTarget& target, const LoadedInput& loaded,
                 const std::vector<std::string>& clusters, H5adResults& results) {
  std::vector<Column> columns = loaded.quality;
  if (!clusters.empty()) columns.push_back({"cluster", clusters});
  const bool is_spread = is_h5ad(target.input) && loaded.cells;
  for (Column& column : columns) {
    if (is_spread) column = of_all_cells(column, loaded);
    results.obs.push_back(std::move(column));
  }
}

void save_new(const MapTarget& target, const LoadedInput& loaded, H5adResults results) {
  NewH5ad content;
  content.obs_names = loaded.table.row_names;
  content.obs = label_columns(loaded.colors);
  Matrix<double> dense;
  if (loaded.cells) {
    const SingleCellRun& run = *loaded.cells;
    content.X = &run.normalized;
    content.counts = &run.counts;
    content.var_names = made_unique(picked(loaded.gene_names, run.genes));
    std::vector<std::string> is_variable(run.genes.size(), "False");
    for (const Index g : run.variable) is_variable[static_cast<std::size_t>(g)] = "True";
    if (!loaded.gene_ids.empty()) {
      content.var.push_back({"gene_ids", picked(loaded.gene_ids, run.genes)});
    }
    content.var.push_back({"highly_variable", std::move(is_variable)});
    content.var.push_back(numbers_of("means", run.means));
    content.var.push_back(numbers_of("dispersions", run.dispersions));
    content.var.push_back(numbers_of("dispersions_norm", run.normalized_dispersions));
    results.obsm.emplace_back("X_pca", run.scores.view());
  } else if (loaded.holds == Holds::points && loaded.distances.empty()) {
    dense = loaded.table.to_double();
    content.dense = dense.view();
    content.var_names = loaded.table.column_names;
  } else {
    content.dense = {nullptr, results.obsm.front().second.rows, 0, 0};
  }
  content.results = std::move(results);
  write_new_h5ad(target.output, content);
}

}  // namespace

std::string name_in_h5ad(std::string method) {
  const Method* known = method_named(method);
  std::replace(method.begin(), method.end(), '-', '_');
  return known != nullptr && known->is_scanpy_name ? "geotherm_" + method : method;
}

std::string default_output(const std::string& input, const std::string& method) {
  std::filesystem::path name = std::filesystem::path(split_key(input).first).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();  // a folder with a slash at its end
  std::string stem = name.filename().string();
  std::vector<std::string> endings = readable_endings();
  endings.insert(endings.begin(), ".gz");
  for (const std::string& ending : endings) {
    if (stem.size() > ending.size() && stem.ends_with(ending)) {
      stem.resize(stem.size() - ending.size());
    }
  }
  if (stem.empty() || stem == "." || stem == "..") stem = "map";
  return stem + "_" + method + ".csv";
}

void require_other_file(const std::string& input, const std::string& output) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(split_key(input).first, output, ignored)) return;
  throw InvalidArgument(
      fmt::format("-o is '{}', the input itself: give another name{}", output,
                  is_h5ad(output) ? ", or --inplace to add the map to the file" : ""));
}

std::vector<std::string> axis_names(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back(fmt::format("x{}", i));
  return names;
}

std::string removed_place(const MapTarget& target) {
  if (is_h5ad(target.output)) {
    return fmt::format("{}, obs['{}']", target.output, removed_column(target.method));
  }
  const std::string file = split_key(target.output).first;
  if (file.ends_with(".npz")) return file + ":" + removed_key;
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + "_removed.csv")).string();
}

std::string clusters_place(const std::string& output) {
  if (is_h5ad(output)) return output + ", obs['cluster']";
  const std::string file = split_key(output).first;
  if (file.ends_with(".npz")) return file + ":cluster";
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + "_clusters.csv")).string();
}

std::string save_map(const MapTarget& target, const LoadedInput& loaded,
                     const Matrix<double>& coordinates, const MapExtras& extras,
                     const nlohmann::json& manifest) {
  const auto& [others, removed, clusters] = extras;
  if (!is_h5ad(target.output)) {
    const auto [file, key] = split_key(target.output);
    if (file.ends_with(".npz") && !(removed.empty() && others.empty() && clusters.empty())) {
      std::vector<NamedArray> arrays = {array_of(key.empty() ? "embedding" : key, coordinates)};
      for (const auto& [name, map] : others) {
        arrays.push_back(array_of("embedding_" + name_in_h5ad(name), *map));
      }
      if (!removed.empty()) arrays.push_back({removed_key, {removed.size()}, removed});
      if (!clusters.empty()) arrays.push_back({"cluster", {clusters.size()}, clusters});
      write_npz(file, arrays);
      return target.output;
    }
    if (!removed.empty()) {
      write_table(removed_place(target), {removed.data(), removed.size(), 1, 1},
                  loaded.table.row_names, {removed_key}, removed_key);
    }
    if (!clusters.empty()) {
      std::vector<double> numbers;
      for (const std::string& label : clusters) numbers.push_back(std::stod(label));
      write_table(clusters_place(target.output), {numbers.data(), numbers.size(), 1, 1},
                  loaded.table.row_names, {"cluster"}, "cluster");
    }
    write_table(target.output, coordinates, loaded.table.row_names, axis_names(coordinates.cols()),
                "embedding");
    return target.output;
  }
  const std::string key = "X_" + name_in_h5ad(target.method);
  H5adResults results = results_for(target, manifest);
  if (!removed.empty()) {
    std::vector<double> of_cells = removed;
    if (is_h5ad(target.input) && loaded.cells) {
      const MatrixView<const double> column{removed.data(), removed.size(), 1, 1};
      const Matrix<double> all = spread(column, loaded.cells->cells, loaded.n_rows_in_file);
      of_cells.assign(all.data(), all.data() + all.size());
    }
    results.obs.push_back({removed_column(target.method), std::move(of_cells)});
  }
  add_columns(target, loaded, clusters, results);
  std::string words = fmt::format("{}, obsm['{}']", target.output, key);
  for (const auto& [name, map] : others) {
    words += fmt::format(", obsm['X_{}']", name_in_h5ad(name));
  }
  if (!is_h5ad(target.input)) {
    results.obsm.emplace_back(key, coordinates.view());
    for (const auto& [name, map] : others) {
      results.obsm.emplace_back("X_" + name_in_h5ad(name), map->view());
    }
    save_new(target, loaded, std::move(results));
    return words;
  }
  Matrix<double> all, pcs;
  std::vector<Matrix<double>> spread_others;
  for (const auto& [name, map] : others) {
    spread_others.push_back(loaded.cells ? spread(*map, loaded.cells->cells, loaded.n_rows_in_file)
                                         : *map);
  }
  for (std::size_t k = 0; k < others.size(); ++k) {
    results.obsm.emplace_back("X_" + name_in_h5ad(others[k].first), spread_others[k].view());
  }
  if (loaded.cells) {
    const std::vector<Index>& cells = loaded.cells->cells;
    all = spread(coordinates, cells, loaded.n_rows_in_file);
    pcs = spread(loaded.cells->scores, cells, loaded.n_rows_in_file);
    results.obsm.emplace_back(key, all.view());
    results.obsm.emplace_back(key + "_pca", pcs.view());
  } else {
    results.obsm.emplace_back(key, coordinates.view());
  }
  write_into_h5ad(target.input, target.output, results);
  return words;
}

void add_names(Model& model, const LoadedInput& loaded) {
  if (model.input == ModelInput::points) model.column_names = loaded.file_columns;
  if (loaded.table.row_names.size() == model.n_rows()) model.row_names = loaded.table.row_names;
}

void save_into_copy(const std::string& input, const std::string& output,
                    const Matrix<double>& results, const std::vector<std::string>& columns,
                    const std::string& key, const std::vector<Index>& rows,
                    std::size_t n_rows_in_file) {
  const Matrix<double> all = rows.empty() ? results : spread(results, rows, n_rows_in_file);
  H5adResults added;
  added.uns_key = "geotherm";
  added.uns = {{"version", version()}};
  if (columns.empty()) added.obsm.emplace_back(key, all.view());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::vector<double> values(all.rows());
    for (std::size_t i = 0; i < all.rows(); ++i) values[i] = all(i, j);
    added.obs.push_back({columns[j], std::move(values)});
  }
  write_into_h5ad(input, output, added);
}

void save_counts(const std::string& path, const LoadedInput& loaded) {
  const SingleCellRun& run = loaded.cells.value();
  write_tenx(path, {run.counts, loaded.table.row_names, picked(loaded.gene_names, run.genes),
                    picked(loaded.gene_ids, run.genes)});
}

}  // namespace geotherm::cli
