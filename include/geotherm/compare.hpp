// Two maps of the same points -> where and how much they differ.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

struct CompareOptions {
  /// Neighbours that count; >= 1, cut to n - 1.
  std::size_t knn = 10;
  /// Distances are compared over the pairs among this many points, drawn from the seed; >= 3.
  std::size_t max_points = 2000;
};
std::vector<std::string> issues_with(const CompareOptions&);

struct GroupComparison {
  std::string name;
  std::size_t n_points = 0;
  double rms = 0;             ///< of the displacements of its points
  double kept_neighbors = 0;  ///< mean over its points
  /// Distance of its centre from those of the other groups, second map (aligned) over first, in the
  /// geometric mean: 1.1 is 10 % farther. NaN for a single group, or groups with equal centres.
  double relative_distance = 1;
};

struct MapComparison {
  /// The second map over the first, by rotation, reflection, scale and shift; a map of fewer
  /// dimensions is filled with zeros.
  Matrix<double> aligned;
  double disparity = 0;             ///< residual sum of squares over that of the centred first map
  double scale = 1;                 ///< factor on the second map
  double rms = 0;                   ///< root mean square displacement, in units of the first map
  double extent = 0;                ///< of the first map: root mean square distance from its centre
  double distance_correlation = 0;  ///< Pearson, over pairs
  double distance_rank_correlation = 0;  ///< Spearman, over the same pairs
  std::vector<double> displacement;      ///< for each point, after alignment
  /// For each point, share of its nearest in the first map that are nearest in the second.
  std::vector<double> kept_neighbors;
  std::vector<GroupComparison> groups;  ///< in order of their first points
};

/// `groups`: one name per point, or empty. Throws InvalidArgument where the numbers of rows differ
/// or a value is not finite.
MapComparison compare_maps(MatrixView<const double> first, MatrixView<const double> second,
                           const std::vector<std::string>& groups = {}, const CompareOptions& = {},
                           const Context& = {});

}  // namespace geotherm
