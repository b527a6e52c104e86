// Columns of a table before any method sees them: their scales, and values that are missing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

enum class ColumnScaling { none, standardise, robust };
std::optional<ColumnScaling> column_scaling_named(std::string_view name);

/// x becomes (x - shift) * scale, column by column.
struct ColumnScales {
  std::vector<double> shift = {};
  std::vector<double> scale = {};
};
/// standardise: mean and 1 / standard deviation (population form). robust: median and 1 / (1.4826
/// times the median deviation from it), or, where more than half of a column is one value, as
/// standardise. Constant columns are shifted alone. Refuses values that are not finite. O(n d).
ColumnScales column_scales(MatrixView<const double> points, ColumnScaling, const Context& = {});
void apply_scales(const ColumnScales&, MatrixView<double> points, const Context& = {});

/// Standard deviation of each column, 0 for constant ones.
std::vector<double> column_deviations(MatrixView<const double> points);

enum class MissingValues { refuse, mean, knn };
std::optional<MissingValues> missing_values_named(std::string_view name);

/// Fills NaN in place and gives their number. mean: of the column's other values. knn: the mean
/// over the 5 nearest rows that have the value; distances go over the columns both rows have, each
/// divided by its deviation, and are scaled up to all columns. O(rows with gaps * n d). Refuses a
/// column without any value, and NaN at all with `refuse`.
std::size_t fill_missing(MatrixView<double> points, MissingValues, const Context& = {});

}  // namespace geotherm
