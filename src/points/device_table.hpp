// Points that lie in a GPU's memory: checks, keys of rows, moments and scores are computed there.
// No CUDA header is needed to read this.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "geotherm/moments.hpp"

namespace geotherm::detail {

class DeviceTable {
 public:
  /// A view of `points`, which have to outlive it. Waits for all that others asked of the device.
  DeviceTable(Device&, const DevicePoints& points);
  ~DeviceTable();
  DeviceTable(const DeviceTable&) = delete;
  DeviceTable& operator=(const DeviceTable&) = delete;

  std::size_t rows() const;
  std::size_t cols() const;
  struct Entries {
    double largest = 0;  ///< magnitude
    /// The first that is NaN or infinite.
    std::optional<std::size_t> bad_row = std::nullopt;
    std::size_t bad_col = 0;
    double bad_value = 0;
  };
  Entries look() const;
  /// As row_keys (geotherm/model.hpp), to the bit; of all rows, also after keep().
  std::vector<std::array<std::uint64_t, 2>> keys() const;
  /// Whether two of the keys begin alike: without that all rows are distinct.
  bool may_have_equal_rows() const;
  /// From here on the table consists of these rows: a copy within the device.
  void keep(std::span<const Index> rows);
  /// Mean and scatter of scale * table, by cuBLAS.
  Moments moments(double scale, const Context&);
  /// (table - mean) * components^T, on the host.
  Matrix<double> scores(std::span<const double> mean, const Matrix<double>& components,
                        const Context&);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The table on the host.
void copy_to_host(Device&, const DevicePoints&, MatrixView<double>);
void copy_to_host(Device&, const DevicePoints&, MatrixView<float>);
/// The reverse, for tests and benchmarks: memory, and the view of it.
struct OwnedDevicePoints {
  std::shared_ptr<void> memory = {};
  DevicePoints points = {};
};
OwnedDevicePoints copy_to_device(Device&, MatrixView<const double>);
OwnedDevicePoints copy_to_device(Device&, MatrixView<const float>);

}  // namespace geotherm::detail
