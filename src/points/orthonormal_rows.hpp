// Orthonormal rows from rows that are nearly so, or that have run out.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Makes rows first ... last orthonormal to each other and to all rows before them, which have to
/// be so already. A row that lies in the span of those before it (a direction without variance) is
/// replaced by a coordinate axis, made orthogonal. Needs rows <= cols. O(rows^2 x cols).
void orthonormalize_rows(Matrix<double>& rows, std::size_t first, const Context& context);

/// Makes the entry of largest magnitude (ties: the first) of each row positive.
void fix_row_signs(Matrix<double>& rows);

}  // namespace geotherm::detail
