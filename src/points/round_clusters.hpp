// Whether the directions that a cut would keep hold nothing but clusters that are as thin as noise.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Whether rows are (columns + 1) clusters, four standard deviations of the noise apart or more,
/// within which columns vary no more than noise does. So many clusters span the columns; where they
/// explain them, what was taken for noise in the other directions is as much of a cluster as what
/// is left of it in these. `noise_variance`: per column, of scores that are multiplied by `scale`.
/// Looks at 2,000 rows at most, evenly.
bool are_round_clusters(MatrixView<const double> scores, double scale, double noise_variance);

}  // namespace geotherm::detail
