// Whether a map says nothing of most of its points.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::cli {

/// True where the middle four fifths of the points, along some axis, lie within a thousandth of the
/// map's extent on it: z-scored, such a map is one place and a few outliers, and whatever is
/// measured on it is near 0.
bool is_collapsed(const Matrix<double>& map);

}  // namespace geotherm::cli
