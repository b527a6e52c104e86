// Cutting apply, rows, dense and diagonal into blocks of columns for a GPU.
#include "heat/device_kernel.hpp"

#ifdef GEOTHERM_WITH_CUDA
#include <algorithm>
#include <numeric>

#include "heat/subnormals.hpp"

namespace geotherm::detail {
namespace {

constexpr const char* stage = "heat kernel";

/// Calls take(first, count) after the columns at positions[first ...] were computed.
template <class Take>
void for_columns(DeviceSeries& series, std::span<const Index> positions, const Context& context,
                 const Take& take) {
  for (std::size_t first = 0; first < positions.size(); first += series.width()) {
    context.report_or_throw({.stage = stage, .done = first, .total = positions.size()});
    const std::size_t count = std::min(series.width(), positions.size() - first);
    series.run_units(positions.subspan(first, count));
    take(first, count);
  }
  context.report_or_throw({.stage = stage, .done = positions.size(), .total = positions.size()});
}

std::size_t width_for(std::size_t n_columns) {
  return n_columns >= 256 ? 0 : (n_columns + 15) / 16 * 16;
}

}  // namespace

Matrix<double> device_apply(Device& device, const BlockwiseKernel& kernel,
                            MatrixView<const double> in, const Context& context) {
  const std::size_t n = kernel.size();
  DeviceSeries series(device, *kernel.series(), width_for(in.cols));
  auto out = Matrix<double>::uninitialized(n, in.cols);
  const auto scale = [&](std::size_t p) { return kernel.scale().empty() ? 1.0 : kernel.scale()[p]; };
  std::vector<double> block;
  for (std::size_t first = 0; first < in.cols; first += series.width()) {
    context.report_or_throw({.stage = stage, .done = first, .total = in.cols});
    const std::size_t count = std::min(series.width(), in.cols - first);
    block.resize(n * count);
    parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        const double* from = &in(static_cast<std::size_t>(kernel.node()[p]), first);
        for (std::size_t c = 0; c < count; ++c) block[p * count + c] = from[c] * scale(p);
      }
    });
    series.run_block(block.data(), count);
    series.get(block.data(), count);
    parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        double* to = &out(static_cast<std::size_t>(kernel.node()[p]), first);
        for (std::size_t c = 0; c < count; ++c) to[c] = block[p * count + c] / scale(p);
      }
    });
  }
  return out;
}

Matrix<double> device_rows(Device& device, const BlockwiseKernel& kernel,
                           std::span<const Index> points, const Context& context) {
  const std::size_t n = kernel.size();
  std::vector<Index> position(n), wanted;
  for (std::size_t p = 0; p < n; ++p) {
    position[static_cast<std::size_t>(kernel.node()[p])] = static_cast<Index>(p);
  }
  for (const Index point : points) wanted.push_back(position[static_cast<std::size_t>(point)]);
  DeviceSeries series(device, *kernel.series(), width_for(points.size()));
  auto out = Matrix<double>::uninitialized(points.size(), n);
  std::vector<double> block;
  const std::vector<double>& scale = kernel.scale();
  // As on the CPU: what is below is not resolved. Chebyshev's report says what it resolves.
  const double least = kernel.series()->weights != nullptr ? smallest_resolved : 0.0;
  for_columns(series, wanted, context, [&](std::size_t first, std::size_t count) {
    block.resize(n * count);
    series.get(block.data(), count);
    parallel_for(context, n, 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = 0; c < count; ++c) {
        const double own =
            scale.empty() ? 1.0 : scale[static_cast<std::size_t>(wanted[first + c])];
        const auto to = out.row(first + c);
        for (std::size_t p = begin; p < end; ++p) {
          double value = block[p * count + c];
          if (least > 0 && value < least) value = 0;
          to[static_cast<std::size_t>(kernel.node()[p])] =
              scale.empty() ? value : value * (scale[p] / own);
        }
      }
    });
  });
  return out;
}

Matrix<double> device_dense(Device& device, const BlockwiseKernel& kernel, const Context& context) {
  std::vector<Index> everyone(kernel.size());
  std::iota(everyone.begin(), everyone.end(), Index{0});
  Matrix<double> out = device_rows(device, kernel, everyone, context);
  if (kernel.is_symmetric()) mirror_upper(context, out);
  return out;
}

std::vector<double> device_diagonal(Device& device, const BlockwiseKernel& kernel,
                                    const Context& context) {
  std::vector<Index> everyone(kernel.size());
  std::iota(everyone.begin(), everyone.end(), Index{0});
  DeviceSeries series(device, *kernel.series());
  std::vector<double> own(kernel.size()), values(kernel.size());
  for_columns(series, everyone, context, [&](std::size_t first, std::size_t count) {
    series.get_own(own.data() + first, count);
  });
  for (std::size_t p = 0; p < own.size(); ++p) {
    values[static_cast<std::size_t>(kernel.node()[p])] = own[p];
  }
  return values;
}

}  // namespace geotherm::detail
#endif
