// Cutting apply, rows, dense and diagonal into blocks of vectors that stay in cache.
#include "heat/blockwise_kernel.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "heat/device_kernel.hpp"
#include "heat/subnormals.hpp"
#include "heat/symmetric_tiles.hpp"

namespace geotherm::detail {

void run_blocks(const Context& context, std::string_view stage, std::size_t n_blocks,
                const std::function<void(std::size_t)>& work) {
  // Some twenty rounds, each with enough blocks to keep many threads busy.
  const std::size_t round = std::max<std::size_t>(32, n_blocks / 20);
  for (std::size_t first = 0; first < n_blocks; first += round) {
    context.report_or_throw({.stage = stage, .done = first, .total = n_blocks});
    const std::size_t n_now = std::min(round, n_blocks - first);
    parallel_for(context, n_now, 1, [&](std::size_t b, std::size_t) {
      const FlushSubnormals guard;
      work(first + b);
    });
  }
  context.report_or_throw({.stage = stage, .done = n_blocks, .total = n_blocks});
}

void check_points(std::span<const Index> points, std::size_t n) {
  for (const Index p : points) {
    if (p < 0 || static_cast<std::size_t>(p) >= n) {
      throw InvalidArgument("points has " + std::to_string(p) + ": give indices from 0 to " +
                            std::to_string(n - 1));
    }
  }
}

void check_block(MatrixView<const double> block, std::size_t n) {
  if (block.rows != n) {
    throw InvalidArgument("block has " + std::to_string(block.rows) +
                          " rows: give one for each of " + "the kernel's " + std::to_string(n) +
                          " points");
  }
}

void mirror_upper(const Context& context, Matrix<double>& square) {
  constexpr std::size_t tile = 64;
  const std::size_t n = square.rows();
  parallel_for(context, n, tile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = 0; first < end; first += tile) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t last = std::min(first + tile, i);
        for (std::size_t j = first; j < last; ++j) square(i, j) = square(j, i);
      }
    }
  });
}

BlockwiseKernel::BlockwiseKernel(std::vector<Index> node, std::vector<double> scale)
    : node_(std::move(node)), position_(node_.size()), scale_(std::move(scale)) {
  for (std::size_t p = 0; p < node_.size(); ++p) {
    position_[static_cast<std::size_t>(node_[p])] = static_cast<Index>(p);
  }
}

Matrix<double> BlockwiseKernel::apply(MatrixView<const double> in, const Context& context) const {
  check_block(in, size());
#ifdef GEOTHERM_WITH_CUDA
  if (Device* device = device_of(context); device != nullptr && series()) {
    return device_apply(*device, *this, in, context);
  }
#endif
  auto out = Matrix<double>::uninitialized(in.rows, in.cols);
  const std::size_t n_blocks = (in.cols + wide_block - 1) / wide_block;
  run_blocks(context, "heat kernel", n_blocks, [&](std::size_t b) {
    const std::size_t first = b * wide_block;
    const std::size_t n_columns = std::min(wide_block, in.cols - first);
    Block block(size(), n_columns > narrow_block ? wide_block : narrow_block);
    for (std::size_t p = 0; p < size(); ++p) {
      const double* from = &in(static_cast<std::size_t>(node_[p]), first);
      const double factor = scale_.empty() ? 1.0 : scale_[p];
      for (std::size_t c = 0; c < n_columns; ++c) block.row(p)[c] = from[c] * factor;
    }
    run(block);
    for (std::size_t p = 0; p < size(); ++p) {
      double* to = &out(static_cast<std::size_t>(node_[p]), first);
      const double divisor = scale_.empty() ? 1.0 : scale_[p];
      for (std::size_t c = 0; c < n_columns; ++c) to[c] = block.row(p)[c] / divisor;
    }
  });
  return out;
}

Matrix<double> BlockwiseKernel::rows(std::span<const Index> points, const Context& context) const {
  check_points(points, size());
#ifdef GEOTHERM_WITH_CUDA
  if (Device* device = device_of(context); device != nullptr && series()) {
    return device_rows(*device, *this, points, context);
  }
#endif
  auto out = Matrix<double>::uninitialized(points.size(), size());
  const std::size_t n_blocks = (points.size() + wide_block - 1) / wide_block;
  run_blocks(context, "heat kernel", n_blocks, [&](std::size_t b) {
    const std::size_t first = b * wide_block;
    const std::size_t n_columns = std::min(wide_block, points.size() - first);
    Block block(size(), n_columns > narrow_block ? wide_block : narrow_block);
    const auto place = [&](std::size_t c) {
      return static_cast<std::size_t>(position_[static_cast<std::size_t>(points[first + c])]);
    };
    for (std::size_t c = 0; c < n_columns; ++c) block.row(place(c))[c] = 1;
    run_transposed(block);
    for (std::size_t c = 0; c < n_columns; ++c) {
      const auto to = out.row(first + c);
      const double own = scale_.empty() ? 1.0 : scale_[place(c)];
      for (std::size_t p = 0; p < size(); ++p) {
        const double factor = scale_.empty() ? 1.0 : scale_[p] / own;
        to[static_cast<std::size_t>(node_[p])] = block.row(p)[c] * factor;
      }
    }
  });
  return out;
}

void BlockwiseKernel::for_unit_blocks(const Context& context,
                                      const std::function<void(Block&)>& run_block,
                                      const Taker& take) const {
  const std::size_t n_blocks = (size() + wide_block - 1) / wide_block;
  run_blocks(context, "heat kernel", n_blocks, [&](std::size_t b) {
    const std::size_t first = b * wide_block;
    const std::size_t n_columns = std::min(wide_block, size() - first);
    Block block(size(), n_columns > narrow_block ? wide_block : narrow_block);
    for (std::size_t c = 0; c < n_columns; ++c) block.row(first + c)[c] = 1;
    run_block(block);
    take(first, n_columns, block);
  });
}

Matrix<double> BlockwiseKernel::dense(const Context& context) const {
#ifdef GEOTHERM_WITH_CUDA
  if (Device* device = device_of(context); device != nullptr && series()) {
    return device_dense(*device, *this, context);
  }
#endif
  auto out = Matrix<double>::uninitialized(size(), size());
  for_unit_blocks(
      context, [&](Block& block) { run_transposed(block); },
      [&](std::size_t first, std::size_t n_columns, const Block& block) {
        for (std::size_t c = 0; c < n_columns; ++c) {
          const auto to = out.row(static_cast<std::size_t>(node_[first + c]));
          for (std::size_t p = 0; p < size(); ++p) {
            to[static_cast<std::size_t>(node_[p])] = block.row(p)[c];
          }
        }
      });
  if (core_is_symmetric()) mirror_upper(context, out);
  rescale(context, out);
  return out;
}

std::size_t BlockwiseKernel::n_products(std::size_t exponent) {
  return static_cast<std::size_t>(std::bit_width(exponent) + std::popcount(exponent)) - 2;
}

Matrix<double> BlockwiseKernel::dense_power(const Context& context, std::size_t exponent,
                                            const std::function<void(Block&)>& run_root) const {
  SymmetricTiles power(size());
  for_unit_blocks(context, run_root,
                  [&](std::size_t first, std::size_t n_columns, const Block& block) {
                    power.put_columns(first, n_columns, block);
                  });
  std::optional<SymmetricTiles> root;
  const auto multiply_by = [&](const SymmetricTiles& other) {
    SymmetricTiles result(size());
    run_blocks(context, "heat kernel: products", power.n_tiles(),
               [&](std::size_t t) { power.multiply_tile(t, other, result); });
    power = std::move(result);
    power.note_zeros(context);
  };
  power.note_zeros(context);
  if (!std::has_single_bit(exponent)) root = power;
  // The binary digits of the exponent, from the second on: each squares, a 1 takes the root once
  // more.
  for (std::size_t digit = std::bit_floor(exponent) / 2; digit > 0; digit /= 2) {
    multiply_by(power);
    if ((exponent & digit) != 0) multiply_by(*root);
  }
  auto out = Matrix<double>::uninitialized(size(), size());
  parallel_for(context, power.n_tiles(), 1, [&](std::size_t t, std::size_t) {
    power.copy_tile(t, node_, smallest_resolved, out);
  });
  rescale(context, out);
  return out;
}

void BlockwiseKernel::rescale(const Context& context, Matrix<double>& out) const {
  if (scale_.empty()) return;
  std::vector<double> by_point(size());
  for (std::size_t p = 0; p < size(); ++p) by_point[static_cast<std::size_t>(node_[p])] = scale_[p];
  parallel_for(context, size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < size(); ++j) out(i, j) *= by_point[j] / by_point[i];
    }
  });
}

std::vector<double> BlockwiseKernel::diagonal(const Context& context) const {
  const std::scoped_lock only_one(diagonal_lock_);
#ifdef GEOTHERM_WITH_CUDA
  if (Device* device = device_of(context); device != nullptr && series()) {
    if (diagonal_.size() != size()) diagonal_ = device_diagonal(*device, *this, context);
    return diagonal_;
  }
#endif
  if (diagonal_.size() != size()) diagonal_ = compute_diagonal(context);
  return diagonal_;
}

std::vector<double> BlockwiseKernel::compute_diagonal(const Context& context) const {
  std::vector<double> values(size());
  for_unit_blocks(
      context, [&](Block& block) { run(block); },
      [&](std::size_t first, std::size_t n_columns, const Block& block) {
        for (std::size_t c = 0; c < n_columns; ++c) {
          values[static_cast<std::size_t>(node_[first + c])] = block.row(first + c)[c];
        }
      });
  return values;
}

}  // namespace geotherm::detail
