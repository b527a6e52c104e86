// How well distances are kept.
#pragma once

#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

/// The paper's measures between two distance matrices (diagonals count as 0).
struct DistanceScores {
  double pearson = 0;    ///< mean over rows
  double spearman = 0;   ///< mean over rows, ties by average rank
  double frobenius = 0;  ///< |D - E|_F / n^2
  double max = 0;        ///< max |D - E| / n^2
};
DistanceScores score_distances(MatrixView<const double> truth, MatrixView<const double> estimate,
                               const Context& = {});
/// The same for an embedding: its Euclidean distances, formed row by row.
DistanceScores score_embedding(MatrixView<const double> truth,
                               MatrixView<const double> coordinates, const Context& = {});

/// Pearson correlation of two vectors; 0 where one is constant.
double pearson(std::span<const double> a, std::span<const double> b);
/// Ranks from 1, ties by average.
std::vector<double> ranks(std::span<const double> values);

/// Euclidean distances between all rows: n x n.
Matrix<double> pairwise_distances(MatrixView<const double> points, const Context& = {});

}  // namespace geotherm
