// Coordinates in, the same with mean 0 and standard deviation 1 per axis out, so that no axis
// weighs more than another in k-means and transport.
#pragma once

#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Population form; axes that are constant become 0. Refuses what is empty or not finite.
Matrix<double> z_score(MatrixView<const double> coordinates, std::string_view name, const Context&);

}  // namespace geotherm::detail
