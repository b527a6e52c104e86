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
/// Where what each point lost to the search for short circuits goes: "map_removed.csv" beside
/// map.csv, "map.npz:removed_fraction", "map.h5ad, obs['heatgeo_removed_fraction']".
std::string removed_place(const MapTarget& target);

/// Writes the coordinates; into .h5ad also the manifest, and the preprocessed matrices where the
/// input is no .h5ad itself. `removed`: one value a row, or empty; in a table of coordinates it
/// would pass for one more, so that it gets a file of its own. Gives what was written, in words.
std::string save_map(const MapTarget& target, const LoadedInput& loaded,
                     const Matrix<double>& coordinates, const std::vector<double>& removed,
                     const nlohmann::json& manifest);

/// The counts that preprocessing kept, as 10x has them: a file FILE.h5, else a new folder.
void save_counts(const std::string& path, const LoadedInput& loaded);

}  // namespace geotherm::cli
