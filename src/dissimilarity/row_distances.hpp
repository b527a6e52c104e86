// Euclidean distances between all rows of a table, by matrix products.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Calls use(i, first, d) with d[k] the distance between rows i and first + k, so that each pair
/// i <= j comes once; pairs of different calls are worked on by several threads. `table` is copied
/// before the first call, so `use` may write to it. Right to about 1e-9 however close two rows are.
/// `what` names the table in complaints, `stage` the work in reports of progress. O(n^2 columns).
void for_row_distances(
    const Matrix<double>& table, std::string_view what, std::string_view stage,
    const Context& context,
    const std::function<void(std::size_t i, std::size_t first, std::span<const double> d)>& use);

}  // namespace geotherm::detail
