// A Space as rows of distances, whatever it was given as: checked once, then row by row with a
// zero diagonal. Also the loop over rows that all measures share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/metrics.hpp"

namespace geotherm::detail {

class DistanceRows {
 public:
  /// Throws InvalidArgument with `name` in the message: not exactly one part given, not square,
  /// not finite.
  DistanceRows(const Space&, std::string_view name, const Context&);
  std::size_t n() const { return n_; }
  /// Distances from point i to all; out[i] = 0.
  void row(std::size_t i, std::span<double> out) const { rows(i, i + 1, {out.data(), 1, n_, n_}); }
  /// The same for points begin ... end - 1; the same bits, and faster in many dimensions.
  void rows(std::size_t begin, std::size_t end, MatrixView<double> out) const;

 private:
  std::size_t n_ = 0;
  MatrixView<const double> distances_ = {};
  // Coordinates by column, times a power of two that keeps their squares in range.
  Matrix<double> columns_;
  double unscale_ = 1;
};

/// Throws unless both have the same number of points.
void require_same_size(const DistanceRows&, std::string_view, const DistanceRows&,
                       std::string_view);

/// Complaint about the first entry that is NaN or infinite, or nothing. Names row and column.
std::optional<std::string> complaint_unless_finite(MatrixView<const double>, std::string_view name,
                                                   bool but_diagonal, const Context&);

/// Power of two near 1 / largest magnitude (1 where all are 0): an exact factor after which squares
/// and sums neither overflow nor vanish.
double safe_scale(double largest_magnitude);
double largest_magnitude(MatrixView<const double>);

/// work(begin, end) over blocks of rows, with progress between rounds of them; throws Stopped.
void for_rows(const Context&, std::string_view stage, std::size_t n_rows,
              const std::function<void(std::size_t begin, std::size_t end)>& work);

/// max_points of n indices, ascending, the same for every measure of one seed; all where it is
/// empty.
std::vector<std::size_t> sample_rows(std::size_t n, std::optional<std::size_t> max_points,
                                     const Context&);

}  // namespace geotherm::detail
