// Reads a table and hands it to a recipe as the options say.
#pragma once

#include <string>
#include <vector>

#include "geotherm/io.hpp"
#include "geotherm/recipes.hpp"

namespace geotherm::cli {

/// The table and the view of it that recipes take. Keep it alive while the input is used.
struct LoadedInput {
  Table table;
  Matrix<double> distances;  ///< where the table is a distance matrix

  Input input() const;
  /// What was read and assumed: "cells.csv: 2638 x 50, comma-separated, with a header".
  std::string in_words() const;
};

/// Reads, and refuses what no method can use: NaN, infinities, a single row, a distance matrix
/// that is not square.
LoadedInput load_input(const std::string& path, bool is_precomputed);

/// A column to colour by that lies beside the array in an .npz (label, else t); empty elsewhere.
struct Colors {
  std::string name;
  std::vector<std::string> categories;
  std::vector<double> values;
};
Colors colors_beside(const std::string& path, std::size_t n_rows);

}  // namespace geotherm::cli
