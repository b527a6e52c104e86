// One step of Horner's rule, y <- A x + weight e, on panels of columns whose entries are the upper
// halves of doubles, two in 64 bits. A is cut into strips of 16 rows, each dense over the few dozen
// columns that it reads (heat/row_tiles.hpp), so that the units for products of matrices in double
// multiply them. A block of threads holds the tiles of a group of strips and takes the panels in
// turn: while one is multiplied, the rows of x that the group reads of the next come in.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/cuda.cuh"
#include "core/matrix_units.cuh"
#include "heat/row_tiles.hpp"

namespace geotherm::detail {

// Two columns share 64 bits: the second is these 64 bits as a double, whose lower half is the first;
// the first is the double with that upper half and nothing below. What the lower half adds to the
// second is taken off before rounding, so both are right to 2^-21, and reading them costs nothing.
__device__ inline double first_of(double both) { return __hiloint2double(__double2loint(both), 0); }
__device__ inline double both_of(double first, double second) {
  const auto one = static_cast<unsigned long long>(__double_as_longlong(first));
  const unsigned long long low = (one + 0x80000000ULL) >> 32;
  const auto two = static_cast<unsigned long long>(__double_as_longlong(second));
  const unsigned long long high = (two + 0x80000000ULL - low) & 0xffffffff00000000ULL;
  return __longlong_as_double(static_cast<long long>(high | low));
}
/// One column of a row of panels.
__device__ inline double entry_of(const double* row, int column) {
  const double both = row[column / 2];
  return column % 2 == 0 ? first_of(both) : both;
}

/// One group of strips on the device.
struct HornerGroup {
  RowTiles::Group tiles;
  int low, high;  // positions of its rows
};

struct HornerStep {
  const HornerGroup* groups;
  const RowTiles::Strip* strips;
  const int* rows;        // positions, strip by strip; -1: none
  const double2* tiles;   // of a step one a lane: two weights, the place below those of the first
  const int* columns;     // positions that a group reads
  const std::size_t* offsets;  // of A, for rows by themselves
  const int* indices;
  const double* values;
  const double2* x;
  double2* y;
  std::size_t stride;      // double2 between panels
  int n_panels, panels_a_block;
  int begin_row, end_row;  // that may differ from 0
  int first;               // position of the first column
  double weight;
};

/// 32 columns, of which each lane has four for each of two rows: those of 8 units of 16 bytes.
constexpr int quad_columns = 32, quad_size = 8;

/// Panels are so many quads wide. `blocks` of `warps` share a multiprocessor; `stages` panels' rows
/// are on the chip at once, and `held` steps of a warp's strip in its registers.
template <int quads_, int warps_, int blocks_, int stages_, int held_>
struct HornerShape {
  static constexpr int quads = quads_, warps = warps_, blocks = blocks_, stages = stages_,
                       held = held_;
  static constexpr int threads = 32 * warps;
  static constexpr std::size_t rows = 16 * warps / quads;  // of a group: a warp a strip and quad
  static constexpr int row_size = quads * quad_size;      // double2
  static constexpr int panel = quads * quad_columns;      // columns
  static constexpr int rows_at_once = threads / row_size;  // a multiple of 4
};

/// Rows of a group without columns: the product as it is.
template <class Shape>
__device__ void rows_by_themselves(const HornerStep& s, const HornerGroup& g, int panel) {
  const double* x = reinterpret_cast<const double*>(s.x + panel * s.stride);
  double* y = reinterpret_cast<double*>(s.y + panel * s.stride);
  constexpr int row_size = 2 * Shape::row_size;
  for (unsigned r = 0; r < 16 * g.tiles.n_strips; ++r) {
    const int i = s.rows[16 * g.tiles.first_strip + r];
    if (i < 0) continue;
    for (int k = threadIdx.x; k < row_size; k += Shape::threads) {
      double total[2] = {};
      for (std::size_t e = s.offsets[i]; e < s.offsets[i + 1]; ++e) {
        const double both = x[static_cast<std::size_t>(s.indices[e]) * row_size + k];
        total[0] = fma(s.values[e], first_of(both), total[0]);
        total[1] = fma(s.values[e], both, total[1]);
      }
      const int own = i - s.first - panel * Shape::panel - 2 * k;
      if (own == 0) total[0] += s.weight;
      if (own == 1) total[1] += s.weight;
      y[static_cast<std::size_t>(i) * row_size + k] = both_of(total[0], total[1]);
    }
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks) horner_kernel(HornerStep s) {
  constexpr int row_size = Shape::row_size, stages = Shape::stages, held = Shape::held;
  static_assert(Shape::threads % row_size == 0 && Shape::rows_at_once % 4 == 0);
  static_assert(stages == 2 || stages == 3);
  extern __shared__ double2 shared[];
  const HornerGroup g = s.groups[blockIdx.x];
  if (g.high < s.begin_row || g.low >= s.end_row) return;
  const int first_panel = blockIdx.y * s.panels_a_block;
  const int last_panel = min(first_panel + s.panels_a_block, s.n_panels);
  const int n_columns = static_cast<int>(g.tiles.n_columns);
  if (n_columns == 0) {
    for (int p = first_panel; p < last_panel; ++p) rows_by_themselves<Shape>(s, g, p);
    return;
  }
  // Some panels' rows, tiles that are not held, which rows those are.
  const int n_staged = n_columns * row_size;
  double2* rest = shared + stages * n_staged;
  int* columns = reinterpret_cast<int*>(rest + 32 * g.tiles.n_paid);
  for (int k = threadIdx.x; k < n_columns; k += Shape::threads) {
    columns[k] = s.columns[g.tiles.first_column + k] * row_size;
  }
  __syncthreads();
  // Rows of the four classes begin in different banks.
  const int unit = threadIdx.x % row_size, from_row = threadIdx.x / row_size;
  const int to_unit = unit ^ (from_row % 4);
  const auto bring = [&](int panel) {
    if (panel < last_panel) {
      double2* to = shared + (panel - first_panel) % stages * n_staged + to_unit;
      const double2* x = s.x + panel * s.stride + unit;
      for (int k = from_row; k < n_columns; k += Shape::rows_at_once) {
        __pipeline_memcpy_async(to + k * row_size, x + columns[k], 16);
      }
    }
    __pipeline_commit();
  };
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_class = lane % 4, lane_row = lane / 4;
  const int quad = warp % Shape::quads;
  const bool has_strip = warp / Shape::quads < static_cast<int>(g.tiles.n_strips);
  const unsigned strip =
      g.tiles.first_strip + (has_strip ? static_cast<unsigned>(warp / Shape::quads) : 0);
  const RowTiles::Strip steps = s.strips[strip];
  // Steps are held by a warp or, beyond those, staged by the first warp of the strip.
  const double2* tile = s.tiles + 32 * steps.first_step + lane;
  double2* own_rest = rest + 32 * steps.first_paid + lane;
  if (has_strip && quad == 0) {
    for (unsigned k = held; k < steps.n_steps; ++k) {
      __pipeline_memcpy_async(own_rest + 32 * (k - held), tile + 32 * k, 16);
    }
  }
  bring(first_panel);
  if (stages == 3) bring(first_panel + 1);
  double2 weights[held > 0 ? held : 1];
#pragma unroll
  for (int k = 0; k < held; ++k) {
    // None: a weight of 0 for the first row of the class.
    weights[k] = k < static_cast<int>(steps.n_steps)
                     ? tile[32 * k]
                     : make_double2(__hiloint2double(0, lane_class), 0.0);
  }
  const int rows[2] = {s.rows[16 * strip + lane_row], s.rows[16 * strip + 8 + lane_row]};
  // Column n of a product is unit n / 2 or, where n is odd, n / 2 + 4: what four lanes write at
  // once lies together.
  const int lane_unit =
      quad * quad_size + ((lane_row / 2 + 4 * (lane_row % 2)) ^ lane_class);
  for (int panel = first_panel; panel < last_panel; ++panel) {
    if (stages == 2) bring(panel + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    // All are done with the panel before this one, whose place this takes.
    if (stages == 3) bring(panel + 2);
    if (has_strip) {
      const double2* from = shared + (panel - first_panel) % stages * n_staged + lane_unit;
      double total[4][4] = {};
      const auto step = [&](const double2& w) {
        const double2 x = from[(__double2loint(w.x) & 0xffff) * row_size];
        multiply_add(total[0], w.x, w.y, first_of(x.x));
        multiply_add(total[1], w.x, w.y, x.x);
        multiply_add(total[2], w.x, w.y, first_of(x.y));
        multiply_add(total[3], w.x, w.y, x.y);
      };
#pragma unroll
      for (int k = 0; k < held; ++k) step(weights[k]);
#pragma unroll 2
      for (unsigned k = held; k < steps.n_steps; ++k) step(own_rest[32 * (k - held)]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (rows[half] < 0) continue;
        // The column of this lane whose own row this is, if any.
        const int own = rows[half] - s.first - panel * Shape::panel - quad * quad_columns -
                        4 * lane_class;
        if (own >= 0 && own < 20 && own % 16 < 4) {
#pragma unroll
          for (int c = 0; c < 8; ++c) {
            if (own == c % 4 + c / 4 * 16) total[c % 4][2 * half + c / 4] += s.weight;
          }
        }
        double2* y = s.y + panel * s.stride + static_cast<std::size_t>(rows[half]) * row_size +
                     quad * quad_size + lane_class;
#pragma unroll
        for (int u = 0; u < 2; ++u) {
          const int at = 2 * half + u;
          __stcs(y + 4 * u, make_double2(both_of(total[0][at], total[1][at]),
                                         both_of(total[2][at], total[3][at])));
        }
      }
    }
    if (stages == 2) __syncthreads();
  }
}

/// A symmetric matrix on the device, cut into tiles for the kernel above. Strips of 16 rows.
template <class Shape_>
class HornerMatrix {
 public:
  using Shape = Shape_;
  static constexpr int row_size = Shape::row_size;  // double2
  static constexpr int panel = Shape::panel;        // columns
  std::size_t most_blocks = 8, most_panels = 16;

  HornerMatrix(Device& device, const SparseMatrix& a, const TileLimits& limits)
      : device_(device), n_(a.rows) {
    const RowTiles tiles = tiles_of(a, limits);
    std::vector<HornerGroup> groups;
    bool has_rows_by_themselves = false;
    for (const RowTiles::Group& t : tiles.groups) {
      HornerGroup g{t, static_cast<int>(n_), -1};
      for (std::size_t k = 16 * t.first_strip; k < 16 * (t.first_strip + t.n_strips); ++k) {
        if (tiles.rows[k] == RowTiles::none) continue;
        g.low = std::min(g.low, tiles.rows[k]);
        g.high = std::max(g.high, tiles.rows[k]);
      }
      groups.push_back(g);
      has_rows_by_themselves = has_rows_by_themselves || t.n_columns == 0;
      most_shared_ = std::max(most_shared_, shared_for(t.n_columns, t.n_paid));
    }
    std::vector<double2> by_lane(tiles.places.size() * 8);
    for (std::size_t k = 0; k < by_lane.size(); ++k) {
      const std::size_t step = k / 32, row = k % 32 / 4, c = k % 4;
      const double* weights = tiles.weights.data() + 64 * step;
      by_lane[k] = {with_place(weights[4 * row + c], tiles.places[4 * step + c]),
                    weights[4 * (row + 8) + c]};
    }
    groups_ = Buffer<HornerGroup>(device, groups.data(), groups.size());
    strips_ = Buffer<RowTiles::Strip>(device, tiles.strips.data(), tiles.strips.size());
    rows_ = Buffer<int>(device, tiles.rows.data(), tiles.rows.size());
    columns_ = Buffer<int>(device, tiles.columns.data(), tiles.columns.size());
    tiles_ = Buffer<double2>(device, by_lane.data(), by_lane.size());
    if (has_rows_by_themselves) {
      offsets_ = Buffer<std::size_t>(device, a.offsets.data(), a.offsets.size());
      indices_ = Buffer<int>(device, a.indices.data(), a.indices.size());
      values_ = Buffer<double>(device, a.values.data(), a.values.size());
    }
    n_tiles_ = by_lane.size();
    n_columns_ = tiles.columns.size();
    check_cuda(cudaFuncSetAttribute(horner_kernel<Shape>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(most_shared_)),
               "shared memory");
    device.wait();
  }

  /// y <- A x + weight e for the columns from position `first` on, rows [begin, end).
  void step(const double* x, double* y, int begin, int end, std::size_t first,
            std::size_t n_panels, double weight) const {
    const std::size_t a_block = panels_a_block(n_panels);
    const HornerStep s{groups_.data(),
                       strips_.data(),
                       rows_.data(),
                       tiles_.data(),
                       columns_.data(),
                       offsets_.data(),
                       indices_.data(),
                       values_.data(),
                       reinterpret_cast<const double2*>(x),
                       reinterpret_cast<double2*>(y),
                       n_ * row_size,
                       static_cast<int>(n_panels),
                       static_cast<int>(a_block),
                       begin,
                       end,
                       static_cast<int>(first),
                       weight};
    const dim3 grid(static_cast<unsigned>(groups_.size()), blocks_for(n_panels, a_block));
    horner_kernel<Shape><<<grid, Shape::threads, most_shared_, device_.stream()>>>(s);
  }

  /// Bytes that a step of so many panels has to bring to the multiprocessors and to write.
  double bytes_of_step(std::size_t n_panels) const {
    const double row = sizeof(double2) * row_size, panels = static_cast<double>(n_panels);
    return panels * row * static_cast<double>(n_columns_ + n_) +
           sizeof(double2) * static_cast<double>(n_tiles_) *
               static_cast<double>(blocks_for(n_panels, panels_a_block(n_panels)));
  }
  std::size_t shared_bytes() const { return most_shared_; }
  std::size_t n_groups() const { return groups_.size(); }

  /// Groups that `shared` bytes suffice for.
  static constexpr TileLimits limits(std::size_t shared) {
    return {.rows = Shape::rows,
            .room = shared,
            .column_room = shared_for(1, 0),
            .step_room = shared_for(0, 1),
            .free_steps = Shape::held};
  }
  /// `n_steps`: of all strips, but for those that are held.
  static constexpr std::size_t shared_for(std::size_t n_columns, std::size_t n_steps) {
    return sizeof(double2) * (32 * n_steps + Shape::stages * n_columns * row_size) +
           sizeof(int) * n_columns;
  }

 private:
  /// So many that all multiprocessors have several blocks.
  std::size_t panels_a_block(std::size_t n_panels) const {
    const std::size_t wanted =
        most_blocks * static_cast<std::size_t>(device_.info().n_multiprocessors);
    return std::clamp<std::size_t>(groups_.size() * n_panels / wanted, 1, most_panels);
  }

  /// What reads a weight finds the place in its last 16 bits: 2^-36 of it at most.
  static double with_place(double weight, std::uint16_t place) {
    const auto bits = std::bit_cast<std::uint64_t>(weight) & ~std::uint64_t{0xffff};
    return std::bit_cast<double>(bits | place);
  }

  Device& device_;
  std::size_t n_;
  std::size_t most_shared_ = 0, n_tiles_ = 0, n_columns_ = 0;
  Buffer<HornerGroup> groups_;
  Buffer<RowTiles::Strip> strips_;
  Buffer<int> rows_, columns_;
  Buffer<double2> tiles_;
  Buffer<std::size_t> offsets_;
  Buffer<int> indices_;
  Buffer<double> values_;
};

}  // namespace geotherm::detail
