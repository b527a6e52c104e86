// Columns of a heat kernel on a GPU: the series of heat/uniformization.cpp and heat/chebyshev.cpp,
// many columns at once. No CUDA header is needed to read this.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "heat/poisson_weights.hpp"

namespace geotherm::detail {

/// What a kernel that is a series in a sparse matrix consists of; all of it is the kernel's.
struct SeriesForm {
  const SparseMatrix* matrix = nullptr;     ///< symmetric, by position
  const PoissonWeights* weights = nullptr;  ///< uniformization: of the powers of the matrix
  std::span<const double> chebyshev = {};   ///< else: coefficients of T_k, T_k+1 = M T_k - T_k-1
};

/// How an entry of a column becomes a number from which distances can be read.
struct LogRule {
  double least = 0;  ///< entries at or below are unresolved: -inf
  double floor = 0;  ///< > 0: entries below are raised to it, and none is unresolved
};

/// Runs a series on blocks of columns. Same bits from run to run: every sum has its order.
class DeviceSeries {
 public:
  /// `width`: columns at once, rounded up to whole panels; 0: as many as suit the device.
  DeviceSeries(Device&, const SeriesForm&, std::size_t width = 0);
  ~DeviceSeries();
  DeviceSeries(const DeviceSeries&) = delete;
  DeviceSeries& operator=(const DeviceSeries&) = delete;

  std::size_t width() const;
  std::size_t size() const;
  /// Columns of the kernel's core at these positions, at most width() of them. They stay on the
  /// device until the next call. Uniformization stops where every entry is right to `tolerance`.
  void run_units(std::span<const Index> positions, double tolerance = series_tolerance);
  /// The same for given vectors, n x count row-major in the order of positions.
  void run_block(const double* block, std::size_t count);
  /// What the last call left, n x count row-major.
  void get(double* block, std::size_t count);
  /// H_pp of the last run_units.
  void get_own(double* values, std::size_t count);
  /// Rows [first, first + count) of `to` become log(H_pq / H_pp), p the row's own position, and
  /// own[p] = H_pp (on the device). run_units was called with positions first, first + 1, ...
  void log_rows(std::size_t first, std::size_t count, const LogRule&, float* to, std::size_t pitch,
                double* own);
  /// The columns themselves, n doubles each, to columns first, first + 1, ... of `to` on the device.
  void put_columns(std::size_t first, std::size_t count, double* to);
  /// Terms that the last call added, and all of this object (column by column).
  std::size_t last_terms() const;
  double column_terms() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// -sum h log(h + floor) over chosen columns, one value for each series of coefficients; h is
/// H_pc S_p / S_c. `scale` may be empty. The recurrence is shared.
std::vector<double> device_entropies(Device&, const SparseMatrix& recurrence,
                                     const std::vector<std::span<const double>>& series,
                                     std::span<const std::size_t> columns,
                                     const std::vector<double>& scale, double floor);

}  // namespace geotherm::detail
