// Reads the stage-by-stage reference values and says how far two arrays are apart. In: the name of
// a set ("swiss100", "tree100") and a key. Out: arrays, or public functions' results made from
// them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "geotherm/graph.hpp"
#include "geotherm/io.hpp"
#include "geotherm/laplacian.hpp"
#include "test_data.hpp"

namespace geotherm::testing {

/// One array as doubles, whatever kind of number the file holds.
inline std::vector<double> golden_values(const std::string& set, const std::string& key) {
  const NamedArray array = read_npz_array(golden_dir() + "/" + set + ".npz", key);
  return std::visit(
      [](const auto& values) -> std::vector<double> {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_arithmetic_v<Value>) {
          std::vector<double> out(values.size());
          std::transform(values.begin(), values.end(), out.begin(),
                         [](Value v) { return static_cast<double>(v); });
          return out;
        } else {
          throw IoError("reference values are numbers, not text");
        }
      },
      array.values);
}

inline double golden_scalar(const std::string& set, const std::string& key) {
  return golden_values(set, key).at(0);
}

inline Matrix<double> golden_matrix(const std::string& set, const std::string& key) {
  const NamedArray array = read_npz_array(golden_dir() + "/" + set + ".npz", key);
  if (array.shape.size() != 2) throw IoError(set + ":" + key + " is not a matrix");
  const auto& values = std::get<std::vector<double>>(array.values);
  auto matrix = Matrix<double>::uninitialized(array.shape[0], array.shape[1]);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

/// Of kernels and distances the files keep every fifth row, all columns of it: these rows of ours
/// are compared with them.
inline constexpr std::size_t golden_row_step = 5;
inline Matrix<double> golden_rows_of(const Matrix<double>& ours) {
  auto rows = Matrix<double>::uninitialized((ours.rows() + golden_row_step - 1) / golden_row_step,
                                            ours.cols());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    std::ranges::copy(ours.row(r * golden_row_step), rows.row(r).begin());
  }
  return rows;
}

/// Neighbours and alpha-decay graph of the set's points, made by the library.
inline Graph alpha_graph(const std::string& set) {
  const Matrix<double> points = golden_matrix(set, "X");
  const AffinityOptions affinity = {};
  const auto knn = static_cast<std::size_t>(golden_scalar(set, "knn"));
  return build_graph(find_neighbors(points.view(), {.knn = knn, .reach = reach_of(affinity)}),
                     affinity);
}

/// The stored affinities as a graph; entries below `drop_below` are left out. Later stages start
/// here, so that a fault in an earlier one is not seen twice.
inline Graph stored_graph(const std::string& set, double drop_below = 0) {
  const Matrix<double> w = golden_matrix(set, "W_alpha");
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < w.rows(); ++i) {
    for (std::size_t j = 0; j < w.cols(); ++j) {
      if (w(i, j) > 0 && w(i, j) >= drop_below) {
        entries.push_back({static_cast<Index>(i), static_cast<Index>(j), w(i, j)});
      }
    }
  }
  return graph_from_affinities(sparse_from_triplets(w.rows(), w.cols(), std::move(entries)));
}

/// The published program drops affinities below this once more after symmetrising.
inline constexpr double published_drop = 1e-4;

/// Largest absolute difference; a NaN on either side, or another shape, counts as infinite.
inline double largest_difference(MatrixView<const double> a, MatrixView<const double> b) {
  if (a.rows != b.rows || a.cols != b.cols) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.cols; ++j) {
      const double gap = std::abs(a(i, j) - b(i, j));
      largest = std::isnan(gap) ? INFINITY : std::max(largest, gap);
    }
  }
  return largest;
}

/// "comb" and "norm" of the keys.
inline LaplacianKind kind_of(const std::string& word) {
  return word == "comb" ? LaplacianKind::combinatorial : LaplacianKind::normalized;
}

/// Suites that run once on each set.
class GoldenSet : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string& set() const { return GetParam(); }
};

}  // namespace geotherm::testing
