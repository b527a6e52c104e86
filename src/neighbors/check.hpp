// Checks of tables that come from outside.
#pragma once

#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Throws InvalidArgument unless the matrix is square, well formed (offsets and columns in order
/// and in range) and every value finite and not negative; `name` is what the caller calls it.
void refuse_unless_square_and_non_negative(const SparseMatrix&, std::string_view name);

}  // namespace geotherm::detail
