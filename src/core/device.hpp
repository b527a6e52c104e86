// The GPU of a context, and what modules hand each other in its memory. Functions that take a
// Device are defined where the library is built with CUDA. No CUDA header is needed
// to read this.
#pragma once

#include <memory>
#include <vector>

#include "geotherm/device.hpp"

namespace geotherm::detail {

/// Null where the context runs on the CPU alone.
Device* device_of(const Context&);

std::unique_ptr<Device> make_device();

/// n x n dissimilarities as float32 in a GPU's memory. Rows and columns are in an order of their
/// own. Both halves are stored.
struct ResidentDistances {
  Device* device = nullptr;
  std::shared_ptr<void> memory = {};
  float* values = nullptr;  ///< not readable from the host
  std::size_t n = 0;
  std::size_t pitch = 0;         ///< floats between the starts of two rows
  std::vector<Index> node = {};  ///< position -> point

  bool empty() const { return n == 0; }
};

/// Bytes that can still be had.
std::size_t free_memory(const Device&);
/// Bytes that were copied from the device to the host since it was made.
std::size_t bytes_to_host(const Device&);
/// Until all that was asked of it is done.
void device_wait(const Device&);
/// Bytes a second, read and written, of a copy of four gigabytes within the device.
double copy_bandwidth(Device&);
/// Bytes a second of rows of 256 bytes that are read from anywhere in a panel of n_rows, 2.2 for each
/// that is written: the traffic of a step of DeviceColumns, and nothing else. The best of some grids.
double gather_bandwidth(Device&, std::size_t n_rows, std::size_t n_panels);
/// By points, in double: n x n on the host.
Matrix<double> download(const ResidentDistances&, const Context& = {});
/// Some rows, by points: sources are points.
Matrix<double> download_rows(const ResidentDistances&, std::span<const Index> points);
ResidentDistances make_resident(Device&, std::size_t n, std::vector<Index> node);
ResidentDistances upload(Device&, MatrixView<const double> distances);
/// The same place in memory, other values.
void replace(ResidentDistances&, MatrixView<const double> distances);

}  // namespace geotherm::detail
