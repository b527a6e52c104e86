// Where a map goes: a table by its ending, or into an AnnData file beside what is there already.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "geotherm/methods.hpp"
#include "input.hpp"

namespace geotherm::cli {

/// "cells_heatgeo.csv" for "data/cells.h5ad": in the current folder, named after input and method.
std::string default_output(const std::string& input, const std::string& method);

/// Throws InvalidArgument where the output would replace the input without --inplace.
void require_other_file(const std::string& input, const std::string& output);

/// "heatgeo", "heat_phate"; names under which scanpy keeps its own results are left to it.
std::string name_in_h5ad(std::string method);

/// x1, x2, ...
std::vector<std::string> axis_names(std::size_t n);

struct MapTarget {
  std::string input;
  std::string output;
  std::string method;  ///< for obsm["X_<method>"] and uns["<method>"]
};
/// Where what each point lost to the search for shortcut edges goes: "map_removed.csv" beside
/// map.csv, "map.npz:removed_fraction", "map.h5ad, obs['heatgeo_removed_fraction']".
std::string removed_place(const MapTarget& target);

/// Maps of other methods that go into the same file, where it has room for them (.h5ad, .npz).
using OtherMaps = std::vector<std::pair<std::string, const Matrix<double>*>>;

/// What goes with a map into files that have room for it.
struct MapExtras {
  OtherMaps maps = {};
  /// One value per row, or empty; in a table of coordinates it would pass for one more, so that it
  /// gets a file of its own.
  std::vector<double> removed = {};
  /// Numbers of clusters, one per row, or empty: as `removed`.
  std::vector<std::string> clusters = {};
};
/// "map_clusters.csv" beside map.csv, "map.npz:cluster", "map.h5ad, obs['cluster']".
std::string clusters_place(const std::string& output);

/// Writes the coordinates; into .h5ad also the manifest, and the preprocessed matrices where the
/// input is no .h5ad itself. Gives what was written, in words.
std::string save_map(const MapTarget& target, const LoadedInput& loaded,
                     const Matrix<double>& coordinates, const MapExtras& extras,
                     const nlohmann::json& manifest);

/// Names of the columns and rows, by which tables and labels that come later are matched.
void add_names(Model& model, const LoadedInput& loaded);

/// Results of the rows of an .h5ad -> a copy of it with them: columns of obs where `columns` has
/// names, else obsm[key]. `rows`: those of the file that the results are about; empty: all.
void save_into_copy(const std::string& input, const std::string& output,
                    const Matrix<double>& results, const std::vector<std::string>& columns,
                    const std::string& key, const std::vector<Index>& rows,
                    std::size_t n_rows_in_file);
bool is_h5ad(const std::string& path);

/// The counts that preprocessing kept, as 10x has them: a file FILE.h5, else a new folder.
void save_counts(const std::string& path, const LoadedInput& loaded);

}  // namespace geotherm::cli
