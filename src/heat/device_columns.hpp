// All columns of a uniformization kernel on a GPU, at a quarter of the memory traffic of
// DeviceSeries: what all pairs of many points need. No CUDA header is needed to read this.
#pragma once

#include <memory>

#include "heat/device_series.hpp"

namespace geotherm::detail {

/// Entries are kept in 32 bits, the upper half of a double: its whole range of exponents and 20 bits
/// after the point. No term is negative, so what a step rounds off, at most 5e-7 of an entry, is
/// never magnified; entries come out right to 1e-5 (tests/gpu/heat_test.cpp), and nothing underflows
/// before 1e-300. Same bits from run to run.
class DeviceColumns {
 public:
  /// form.weights are given. `width`: columns at once; 0: as many as suit the device.
  DeviceColumns(Device&, const SeriesForm&, std::size_t width = 0);
  ~DeviceColumns();
  DeviceColumns(const DeviceColumns&) = delete;
  DeviceColumns& operator=(const DeviceColumns&) = delete;

  std::size_t width() const;
  /// Columns at positions first, first + 1, ..., at most width() of them; they stay on the device
  /// until the next call.
  void run(std::size_t first, std::size_t count);
  /// As DeviceSeries has them, of the last run.
  void log_rows(const LogRule&, float* to, std::size_t pitch, double* own);
  void put_columns(double* to);
  /// n x count row-major, on the host.
  void get(double* block);
  std::size_t last_terms() const;
  double column_terms() const;
  /// For measurements: so many more terms of the last run, all rows of them; what one brings to the
  /// multiprocessors and writes, in bytes; columns in a panel.
  void add_terms(std::size_t count);
  double bytes_of_term() const;
  std::size_t panel() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm::detail
