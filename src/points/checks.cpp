// Refuses tables that no later module can use: empty ones, and ones holding NaN or infinity.
#include "points/checks.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "geotherm/points.hpp"

namespace geotherm {
namespace {

std::string name_of(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "infinite" : "minus infinity";
}

/// NaN and infinity have all bits of the exponent set; a test on integers runs on vectors.
template <class T>
bool all_finite(std::span<const T> row) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits n_found = 0;
  for (const T x : row) n_found += (std::bit_cast<Bits>(x) & exponent) == exponent;
  return n_found == 0;
}

template <class T>
void require_finite_table(MatrixView<const T> points, std::size_t first, const Context& context) {
  if (points.empty()) {
    throw InvalidData("the table has " + std::to_string(points.rows) + " rows and " +
                      std::to_string(points.cols) +
                      " columns: give at least one row and one column");
  }
  // Of several rows the first is named: its block's exception is the one that is thrown on.
  parallel_for(context, points.rows, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const T> row = points.row(i);
      if (all_finite(row)) continue;
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (std::isfinite(row[j])) continue;
        detail::refuse_entry(first + i, j, static_cast<double>(row[j]));
      }
    }
  });
}

}  // namespace

void require_finite(MatrixView<const double> points, const Context& context) {
  require_finite_table(points, 0, context);
}
void require_finite(MatrixView<const float> points, const Context& context) {
  require_finite_table(points, 0, context);
}

void detail::refuse_entry(std::size_t row, std::size_t col, double value) {
  throw InvalidData("row " + std::to_string(row) + ", column " + std::to_string(col) + " is " +
                    name_of(value) +
                    ": remove the row or fill the value in (rows and columns are counted from 0)");
}

void detail::require_finite(MatrixView<const double> block, std::size_t first,
                            const Context& context) {
  require_finite_table(block, first, context);
}

}  // namespace geotherm
