// One step of Horner's rule, y <- A x + weight e, on panels of columns whose entries are the upper
// halves of doubles, two in 64 bits. A block of threads brings the rows of x that its group of rows
// reads into shared memory, each once, with the group's part of A; the product is made from there.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/cuda.cuh"
#include "heat/row_groups.hpp"

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

struct alignas(16) HornerEntry {
  double value;
  unsigned place;  // of the row that it reads, in double2: among the group's, or of all
  unsigned unused;
};

/// One group of rows.
struct HornerGroup {
  int first_row, n_rows;  // of those group by group
  unsigned first_entry;
  int n_entries;
  int first_column, n_columns;  // none: the group reads x itself
  int low, high;                // positions of its rows
};

struct HornerStep {
  const HornerGroup* groups;
  const int* rows;        // positions, group by group
  const unsigned* begin;  // first entry of each of these
  const HornerEntry* entries;
  const int* columns;  // positions that a group reads
  const double2* x;
  double2* y;
  std::size_t stride;      // double2 between panels
  int begin_row, end_row;  // that may differ from 0
  int first;               // position of the first column
  double weight;
};

/// Sixteen threads a row; `parts` double2 each, four columns in each of them.
template <int parts, int threads, int blocks>
__global__ void __launch_bounds__(threads, blocks) horner_kernel(HornerStep s) {
  constexpr int lanes = 16;
  constexpr int row_size = parts * lanes;  // double2
  extern __shared__ double2 shared[];
  const HornerGroup g = s.groups[blockIdx.x];
  if (g.high < s.begin_row || g.low >= s.end_row) return;
  const double2* x = s.x + blockIdx.y * s.stride;
  const bool is_staged = g.n_columns > 0;
  if (is_staged) {
    for (int k = threadIdx.x; k < g.n_entries; k += threads) {
      __pipeline_memcpy_async(shared + k, s.entries + g.first_entry + k, 16);
    }
    for (int k = threadIdx.x; k < g.n_columns * row_size; k += threads) {
      const std::size_t from = static_cast<std::size_t>(s.columns[g.first_column + k / row_size]);
      __pipeline_memcpy_async(shared + g.n_entries + k, x + from * row_size + k % row_size, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  const int lane = threadIdx.x % lanes;
  for (int r = static_cast<int>(threadIdx.x) / lanes; r < g.n_rows; r += threads / lanes) {
    const int i = s.rows[g.first_row + r];
    if (i < s.begin_row || i >= s.end_row) continue;
    double total[parts][4] = {};
    const auto add = [&](double value, const double2 (&row)[parts]) {
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        total[p][0] = fma(value, first_of(row[p].x), total[p][0]);
        total[p][1] = fma(value, row[p].x, total[p][1]);
        total[p][2] = fma(value, first_of(row[p].y), total[p][2]);
        total[p][3] = fma(value, row[p].y, total[p][3]);
      }
    };
    double2 row[parts];
    const unsigned from = s.begin[g.first_row + r], to = s.begin[g.first_row + r + 1];
    if (is_staged) {
      // Plain indices into `shared`, so that the compiler knows which memory it is.
      const unsigned rows = static_cast<unsigned>(g.n_entries + lane);
      const unsigned last = to - g.first_entry;
#pragma unroll 4
      for (unsigned k = from - g.first_entry; k < last; ++k) {
        const double2 entry = shared[k];  // value; place
        const unsigned place = rows + static_cast<unsigned>(__double2loint(entry.y));
#pragma unroll
        for (int p = 0; p < parts; ++p) row[p] = shared[place + p * lanes];
        add(entry.x, row);
      }
    } else {
      for (unsigned k = from; k < to; ++k) {
        const HornerEntry entry = s.entries[k];
#pragma unroll
        for (int p = 0; p < parts; ++p) row[p] = x[entry.place + lane + p * lanes];
        add(entry.value, row);
      }
    }
    // The column of this panel whose own row this is, if any.
    const int own = i - s.first - static_cast<int>(blockIdx.y) * 4 * row_size;
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      const int column = 4 * (p * lanes + lane);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (own == column + c) total[p][c] += s.weight;
      }
      const double2 out = {both_of(total[p][0], total[p][1]), both_of(total[p][2], total[p][3])};
      const std::size_t place = static_cast<std::size_t>(i) * row_size + p * lanes + lane;
      __stcs(s.y + blockIdx.y * s.stride + place, out);
    }
  }
}

/// A symmetric matrix on the device, cut into groups for the kernel above.
template <int parts, int threads, int blocks>
class HornerMatrix {
 public:
  static constexpr int row_size = 16 * parts;  // double2
  static constexpr int panel = 4 * row_size;   // columns

  HornerMatrix(Device& device, const SparseMatrix& a, const GroupLimits& limits)
      : device_(device), n_(a.rows) {
    const RowGroups cut = rows_in_groups(a, limits);
    std::vector<HornerGroup> groups;
    std::vector<unsigned> begin;
    std::vector<HornerEntry> entries;
    std::vector<int> columns, place(a.rows, -1);
    begin.reserve(n_ + 1);
    entries.reserve(a.n_entries());
    for (std::size_t k = 0; k < cut.size(); ++k) {
      HornerGroup g{};
      g.first_row = static_cast<int>(cut.offsets[k]);
      g.n_rows = static_cast<int>(cut.offsets[k + 1] - cut.offsets[k]);
      g.first_entry = static_cast<unsigned>(entries.size());
      g.first_column = static_cast<int>(columns.size());
      g.low = static_cast<int>(n_);
      g.high = -1;
      const auto rows =
          std::span(cut.rows).subspan(cut.offsets[k], cut.offsets[k + 1] - cut.offsets[k]);
      for (const Index i : rows) {
        g.low = std::min(g.low, i);
        g.high = std::max(g.high, i);
        g.n_entries += static_cast<int>(a.row_indices(static_cast<std::size_t>(i)).size());
        for (const Index j : a.row_indices(static_cast<std::size_t>(i))) {
          if (place[static_cast<std::size_t>(j)] >= g.first_column) continue;
          place[static_cast<std::size_t>(j)] = static_cast<int>(columns.size());
          columns.push_back(j);
        }
      }
      g.n_columns = static_cast<int>(columns.size()) - g.first_column;
      const bool is_staged = static_cast<std::size_t>(g.n_columns) <= limits.columns &&
                             static_cast<std::size_t>(g.n_entries) <= limits.entries;
      for (const Index i : rows) {
        begin.push_back(static_cast<unsigned>(entries.size()));
        const auto indices = a.row_indices(static_cast<std::size_t>(i));
        const auto values = a.row_values(static_cast<std::size_t>(i));
        for (std::size_t e = 0; e < indices.size(); ++e) {
          const int where = is_staged
                                ? place[static_cast<std::size_t>(indices[e])] - g.first_column
                                : indices[e];
          entries.push_back({values[e], static_cast<unsigned>(where) * row_size, 0});
        }
      }
      if (!is_staged) g.n_columns = 0;
      if (is_staged) {
        const int n_needed = g.n_entries + g.n_columns * row_size;
        most_shared_ = std::max(most_shared_, sizeof(double2) * static_cast<std::size_t>(n_needed));
      }
      groups.push_back(g);
    }
    begin.push_back(static_cast<unsigned>(entries.size()));
    groups_ = Buffer<HornerGroup>(device, groups.data(), groups.size());
    rows_ = Buffer<int>(device, cut.rows.data(), cut.rows.size());
    begin_ = Buffer<unsigned>(device, begin.data(), begin.size());
    entries_ = Buffer<HornerEntry>(device, entries.data(), entries.size());
    columns_ = Buffer<int>(device, columns.data(), columns.size());
    check_cuda(cudaFuncSetAttribute(horner_kernel<parts, threads, blocks>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(most_shared_)),
               "shared memory");
    device.wait();
  }

  /// y <- A x + weight e for the columns from position `first` on, rows [begin, end).
  void step(const double* x, double* y, int begin, int end, std::size_t first,
            std::size_t n_panels, double weight) const {
    const HornerStep s{groups_.data(),
                       rows_.data(),
                       begin_.data(),
                       entries_.data(),
                       columns_.data(),
                       reinterpret_cast<const double2*>(x),
                       reinterpret_cast<double2*>(y),
                       n_ * row_size,
                       begin,
                       end,
                       static_cast<int>(first),
                       weight};
    const dim3 grid(static_cast<unsigned>(groups_.size()), static_cast<unsigned>(n_panels));
    horner_kernel<parts, threads, blocks><<<grid, threads, most_shared_, device_.stream()>>>(s);
  }

 private:
  Device& device_;
  std::size_t n_;
  std::size_t most_shared_ = 0;
  Buffer<HornerGroup> groups_;
  Buffer<int> rows_;
  Buffer<unsigned> begin_;
  Buffer<HornerEntry> entries_;
  Buffer<int> columns_;
};

}  // namespace geotherm::detail
