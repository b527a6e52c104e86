// The checks of points.hpp for a block of a table.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// As geotherm::require_finite, for rows `first`, `first` + 1, ... of a table.
void require_finite(MatrixView<const double> block, std::size_t first, const Context& = {});

/// What is said of an entry that is NaN or infinite (InvalidData).
[[noreturn]] void refuse_entry(std::size_t row, std::size_t col, double value);

}  // namespace geotherm::detail
