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

constexpr int horner_lanes = 16;  // threads of a row; `parts` double2 each, four columns in each

template <int parts>
__device__ inline void add_product(double value, const double2 (&row)[parts],
                                   double (&total)[parts][4]) {
#pragma unroll
  for (int p = 0; p < parts; ++p) {
    total[p][0] = fma(value, first_of(row[p].x), total[p][0]);
    total[p][1] = fma(value, row[p].x, total[p][1]);
    total[p][2] = fma(value, first_of(row[p].y), total[p][2]);
    total[p][3] = fma(value, row[p].y, total[p][3]);
  }
}

/// The product of entries [from, to) of a group that is in shared memory from `base` on: entries, then
/// rows of x. Plain indices into it, so that the compiler knows which memory it is.
template <int parts>
__device__ inline void add_staged(const double2* shared, unsigned base, unsigned n_entries,
                                  unsigned from, unsigned to, int lane, double (&total)[parts][4]) {
  const unsigned rows = base + n_entries + static_cast<unsigned>(lane);
#pragma unroll 4
  for (unsigned k = from; k < to; ++k) {
    const double2 entry = shared[base + k];  // value; place
    const unsigned place = rows + static_cast<unsigned>(__double2loint(entry.y));
    double2 row[parts];
#pragma unroll
    for (int p = 0; p < parts; ++p) row[p] = shared[place + p * horner_lanes];
    add_product<parts>(entry.x, row, total);
  }
}

/// The same of a group that reads x itself.
template <int parts>
__device__ inline void add_unstaged(const HornerStep& s, const double2* x, unsigned from, unsigned to,
                                    int lane, double (&total)[parts][4]) {
  for (unsigned k = from; k < to; ++k) {
    const HornerEntry entry = s.entries[k];
    double2 row[parts];
#pragma unroll
    for (int p = 0; p < parts; ++p) row[p] = x[entry.place + lane + p * horner_lanes];
    add_product<parts>(entry.value, row, total);
  }
}

/// Adds the weight where row i is a column's own, and writes the row of a panel.
template <int parts>
__device__ inline void put_row(const HornerStep& s, int panel, int i, int lane,
                               double (&total)[parts][4]) {
  constexpr int row_size = parts * horner_lanes;
  const int own = i - s.first - panel * 4 * row_size;
#pragma unroll
  for (int p = 0; p < parts; ++p) {
    const int column = 4 * (p * horner_lanes + lane);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      if (own == column + c) total[p][c] += s.weight;
    }
    const double2 out = {both_of(total[p][0], total[p][1]), both_of(total[p][2], total[p][3])};
    const std::size_t place = static_cast<std::size_t>(i) * row_size + p * horner_lanes + lane;
    __stcs(s.y + panel * s.stride + place, out);
  }
}

/// A block of threads for each group and panel, several at once on a multiprocessor.
template <int parts, int threads, int blocks>
__global__ void __launch_bounds__(threads, blocks) horner_kernel(HornerStep s) {
  constexpr int row_size = parts * horner_lanes;  // double2
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
  const int lane = threadIdx.x % horner_lanes;
  for (int r = static_cast<int>(threadIdx.x) / horner_lanes; r < g.n_rows;
       r += threads / horner_lanes) {
    const int i = s.rows[g.first_row + r];
    if (i < s.begin_row || i >= s.end_row) continue;
    double total[parts][4] = {};
    const unsigned from = s.begin[g.first_row + r], to = s.begin[g.first_row + r + 1];
    if (is_staged) {
      add_staged<parts>(shared, 0, static_cast<unsigned>(g.n_entries), from - g.first_entry,
                        to - g.first_entry, lane, total);
    } else {
      add_unstaged<parts>(s, x, from, to, lane, total);
    }
    put_row<parts>(s, static_cast<int>(blockIdx.y), i, lane, total);
  }
}

/// What a block of the kernel below keeps in shared memory: two groups with their rows of x, what says
/// where the rows of the groups after them are, and the descriptions of those.
struct HornerRing {
  static constexpr int n_lists = 4, n_groups = 8;
  int stage_size;    // double2 of one group
  int most_columns;  // that a group reads, a multiple of 4
  int most_rows;     // of a group, a multiple of 4

  __host__ __device__ int list_size() const { return most_columns + 2 * most_rows + 4; }
  __host__ __device__ std::size_t bytes() const {
    return 2 * sizeof(double2) * static_cast<std::size_t>(stage_size) +
           sizeof(int) * static_cast<std::size_t>(n_lists * list_size()) +
           sizeof(HornerGroup) * n_groups;
  }
};

/// For steps on many rows: one block of threads on each multiprocessor goes through groups and panels,
/// and brings in the next group's rows while it works on one. What says where they are has to be there
/// by then, so that it is brought in earlier: lists two steps before the rows, descriptions two before.
template <int parts, int threads>
__global__ void __launch_bounds__(threads, 1)
    horner_pipeline(HornerStep s, HornerRing ring, int n_groups, int n_items) {
  constexpr int row_size = parts * horner_lanes;
  extern __shared__ double2 shared[];
  int* const lists = reinterpret_cast<int*>(shared + 2 * ring.stage_size);
  const HornerGroup* const groups =
      reinterpret_cast<const HornerGroup*>(lists + HornerRing::n_lists * ring.list_size());
  const int list_size = ring.list_size();
  // Of the k-th item of this block.
  const auto item_of = [&](int k) { return static_cast<int>(blockIdx.x) + k * static_cast<int>(gridDim.x); };
  const auto group_of = [&](int k) -> const HornerGroup& { return groups[k % HornerRing::n_groups]; };
  const auto is_left_out = [&](int k) {
    if (item_of(k) >= n_items) return true;
    const HornerGroup& g = group_of(k);
    return g.high < s.begin_row || g.low >= s.end_row;
  };
  const auto columns_of = [&](int k) { return lists + k % HornerRing::n_lists * list_size; };
  const auto bring_group = [&](int k) {
    if (item_of(k) >= n_items || threadIdx.x >= 2) return;
    const auto* from = reinterpret_cast<const int4*>(s.groups + item_of(k) % n_groups);
    auto* to = reinterpret_cast<int4*>(const_cast<HornerGroup*>(&group_of(k)));
    __pipeline_memcpy_async(to + threadIdx.x, from + threadIdx.x, 16);
  };
  const auto bring_lists = [&](int k) {
    if (is_left_out(k)) return;
    const HornerGroup& g = group_of(k);
    int* const to = columns_of(k);
    for (int c = threadIdx.x; c < g.n_columns; c += threads) {
      __pipeline_memcpy_async(to + c, s.columns + g.first_column + c, 4);
    }
    for (int r = threadIdx.x; r < g.n_rows; r += threads) {
      __pipeline_memcpy_async(to + ring.most_columns + r, s.rows + g.first_row + r, 4);
    }
    for (int r = threadIdx.x; r <= g.n_rows; r += threads) {
      __pipeline_memcpy_async(to + ring.most_columns + ring.most_rows + r, s.begin + g.first_row + r, 4);
    }
  };
  const auto bring_rows = [&](int k) {
    if (is_left_out(k)) return;
    const HornerGroup& g = group_of(k);
    if (g.n_columns == 0) return;  // it reads x itself
    double2* const to = shared + k % 2 * ring.stage_size;
    for (int e = threadIdx.x; e < g.n_entries; e += threads) {
      __pipeline_memcpy_async(to + e, s.entries + g.first_entry + e, 16);
    }
    const double2* x = s.x + item_of(k) / n_groups * s.stride + threadIdx.x % row_size;
    const int* const columns = columns_of(k);
    double2* const rows = to + g.n_entries + threadIdx.x % row_size;
    for (int c = static_cast<int>(threadIdx.x) / row_size; c < g.n_columns; c += threads / row_size) {
      __pipeline_memcpy_async(rows + c * row_size, x + static_cast<std::size_t>(columns[c]) * row_size, 16);
    }
  };
  const auto wait_for_all = [] {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  };
  for (int k = 0; k < 5; ++k) bring_group(k);
  wait_for_all();
  for (int k = 0; k < 3; ++k) bring_lists(k);
  wait_for_all();
  bring_rows(0);
  __pipeline_commit();
  const int lane = threadIdx.x % horner_lanes;
  for (int k = 0; item_of(k) < n_items; ++k) {
    bring_rows(k + 1);
    bring_lists(k + 3);
    bring_group(k + 5);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const HornerGroup& g = group_of(k);
    const int panel = item_of(k) / n_groups;
    const int* const rows = columns_of(k) + ring.most_columns;
    const int* const begin = rows + ring.most_rows;
    const int n_rows = is_left_out(k) ? 0 : g.n_rows;
    for (int r = static_cast<int>(threadIdx.x) / horner_lanes; r < n_rows;
         r += threads / horner_lanes) {
      const int i = rows[r];
      if (i < s.begin_row || i >= s.end_row) continue;
      double total[parts][4] = {};
      const auto from = static_cast<unsigned>(begin[r]), to = static_cast<unsigned>(begin[r + 1]);
      if (g.n_columns > 0) {
        add_staged<parts>(shared, static_cast<unsigned>(k % 2 * ring.stage_size),
                          static_cast<unsigned>(g.n_entries), from - g.first_entry,
                          to - g.first_entry, lane, total);
      } else {
        add_unstaged<parts>(s, s.x + panel * s.stride, from, to, lane, total);
      }
      put_row<parts>(s, panel, i, lane, total);
    }
    __syncthreads();
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
    const auto whole = [](std::size_t size) { return static_cast<int>((size + 3) / 4 * 4); };
    ring_ = {.stage_size = static_cast<int>(most_shared_ / sizeof(double2)),
             .most_columns = whole(limits.columns),
             .most_rows = whole(limits.rows)};
    int most = 0;
    check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
               "device properties");
    has_pipeline_ = ring_.bytes() <= static_cast<std::size_t>(most);
    if (has_pipeline_) {
      check_cuda(cudaFuncSetAttribute(horner_pipeline<parts, threads_of_pipeline>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(ring_.bytes())),
                 "shared memory");
    }
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
    const std::size_t n_items = groups_.size() * n_panels;
    const auto n_blocks = static_cast<std::size_t>(device_.info().n_multiprocessors);
    const bool has_many_rows = 4 * static_cast<std::size_t>(end - begin) >= n_;
    if (has_pipeline_ && has_many_rows && n_items >= 8 * n_blocks) {
      horner_pipeline<parts, threads_of_pipeline>
          <<<static_cast<unsigned>(n_blocks), threads_of_pipeline, ring_.bytes(), device_.stream()>>>(
              s, ring_, static_cast<int>(groups_.size()), static_cast<int>(n_items));
      return;
    }
    const dim3 grid(static_cast<unsigned>(groups_.size()), static_cast<unsigned>(n_panels));
    horner_kernel<parts, threads, blocks><<<grid, threads, most_shared_, device_.stream()>>>(s);
  }

 private:
  static constexpr int threads_of_pipeline = 1024;

  Device& device_;
  std::size_t n_;
  std::size_t most_shared_ = 0;
  HornerRing ring_ = {};
  bool has_pipeline_ = false;
  Buffer<HornerGroup> groups_;
  Buffer<int> rows_;
  Buffer<unsigned> begin_;
  Buffer<HornerEntry> entries_;
  Buffer<int> columns_;
};

}  // namespace geotherm::detail
