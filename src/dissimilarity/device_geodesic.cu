// Columns of the kernel -> logarithms -> distances, each entry read and written once a stage.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/cuda.cuh"
#include "dissimilarity/device_geodesic.hpp"
#include "dissimilarity/flat_heat.hpp"
#include "heat/device_columns.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;

/// Square of the distance from log(K_pq / K_pp), K_pp and K_qq; -inf: unresolved.
__host__ __device__ inline double squared_distance(double log_ratio, double own, double other,
                                                   double time, double harnack) {
  const double volume = 0.5 * (own + other);
  double sum = log_ratio;
  if (harnack != 0) {
    sum += log(own / volume);
    if (harnack != 1) sum += (1 - harnack) * log(volume);
  } else {
    sum += log(own);
  }
  const double squared = -4 * time * sum;
  return squared > 0 ? squared : 0;
}

struct Share {
  const float* logs;
  const double* own;
  const double* unit;  // by component
  double time, harnack, weight;
};

__global__ void __launch_bounds__(threads)
    join_kernel(Share first, Share second, bool has_second, const int* component, int n,
                std::size_t pitch, float* result, unsigned long long* counts, unsigned char* is_lost,
                int first_row) {
  unsigned lost = 0, across = 0;
  const int p = first_row + static_cast<int>(blockIdx.y);
  const std::size_t row = static_cast<std::size_t>(p) * pitch;
  const int q = blockIdx.x * threads + threadIdx.x;
  if (q < n) {
    const int own = component == nullptr ? 0 : component[p];
    const int other = component == nullptr ? 0 : component[q];
    float value = 0;
    if (own != other) {
      value = __int_as_float(0x7f800000);
      across = p < q;
    } else if (p != q) {
      const float log_ratio = first.logs[row + q];
      if (isinf(log_ratio)) {
        value = __int_as_float(0x7f800000);
        lost = p < q;
        is_lost[min(p, q)] = 1;  // whichever half it is in: they differ by a rounding
      } else {
        double squared = squared_distance(log_ratio, first.own[p], first.own[q], first.time,
                                          first.harnack);
        squared *= first.weight * first.unit[own] * first.unit[own];
        if (has_second) {
          const float brief = second.logs[row + q];
          if (isinf(brief)) {
            squared /= 1 - second.weight;
          } else {
            squared += second.weight * second.unit[own] * second.unit[own] *
                       squared_distance(brief, second.own[p], second.own[q], second.time,
                                        second.harnack);
          }
        }
        value = static_cast<float>(sqrt(squared));
      }
    }
    result[row + q] = value;
  }
  // Whole numbers: the same in any order.
  lost = __syncthreads_count(lost);
  across = __syncthreads_count(across);
  if (threadIdx.x == 0 && lost > 0) atomicAdd(counts, static_cast<unsigned long long>(lost));
  if (threadIdx.x == 0 && across > 0) atomicAdd(counts + 1, static_cast<unsigned long long>(across));
}

__global__ void __launch_bounds__(threads)
    flat_kernel(const float* logs, const double* own, int n, std::size_t pitch, double least,
                double rounding, double resolution, unsigned* n_flat) {
  const int p = blockIdx.x;
  bool is_flat = own[p] > least;
  const double limit = fmax(rounding, resolution / own[p]);
  int n_reached = 0;
  for (int q = threadIdx.x; q < n; q += threads) {
    const float log_ratio = logs[static_cast<std::size_t>(p) * pitch + q];
    if (isinf(log_ratio) || !(own[q] > least)) continue;
    // (K_pq / K_pp)(K_pq / K_qq) - 1, as far as float32 tells it from 0.
    const double product = expm1(2.0 * log_ratio + log(own[p] / own[q]));
    if (fabs(product) > 2 * limit + 2.4e-7 * fabs(static_cast<double>(log_ratio))) is_flat = false;
    ++n_reached;
  }
  const bool all_flat = __syncthreads_and(is_flat);
  __shared__ int reached;
  if (threadIdx.x == 0) reached = 0;
  __syncthreads();
  atomicAdd(&reached, n_reached);
  __syncthreads();
  if (threadIdx.x == 0 && all_flat && reached > 3) atomicAdd(n_flat, 1U);
}

/// Columns [first, first + count) of the kernel, n doubles each -> rows of logarithms.
__global__ void __launch_bounds__(threads)
    log_columns_kernel(const double* columns, int n, int first, LogRule rule, float* to,
                       std::size_t pitch, double* own) {
  const int c = blockIdx.y;
  const double* column = columns + static_cast<std::size_t>(c) * n;
  const double self = column[first + c];
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i == first + c) own[i] = self;
  if (i >= n) return;
  double heat = column[i];
  bool is_resolved = heat > rule.least && heat >= 1e-290;
  if (rule.floor > 0) {
    heat = fmax(heat, rule.floor);
    is_resolved = true;
  }
  to[static_cast<std::size_t>(first + c) * pitch + i] =
      is_resolved ? static_cast<float>(log(heat / self)) : -__int_as_float(0x7f800000);
}

/// What is below the diagonal of a column-major matrix, above it too.
constexpr int mirror_tile = 32;
__global__ void mirror_kernel(double* a, int n) {
  __shared__ double tile[mirror_tile][mirror_tile + 1];
  if (blockIdx.x < blockIdx.y) return;  // rows are below columns
  const int row = blockIdx.x * mirror_tile, column = blockIdx.y * mirror_tile;
  for (int c = threadIdx.y; c < mirror_tile; c += blockDim.y) {
    if (row + threadIdx.x < n && column + c < n) {
      tile[c][threadIdx.x] = a[static_cast<std::size_t>(column + c) * n + row + threadIdx.x];
    }
  }
  __syncthreads();
  for (int r = threadIdx.y; r < mirror_tile; r += blockDim.y) {
    const int i = row + r, j = column + static_cast<int>(threadIdx.x);
    if (i < n && j < i) a[static_cast<std::size_t>(i) * n + j] = tile[threadIdx.x][r];
  }
}

// Unresolved pairs: shortest paths whose inner points are pivots, as dissimilarity/pivots.cpp.

constexpr std::size_t most_pivots = 512;

/// Row by row, the distances of the pivots.
__global__ void pivot_rows(const float* d, std::size_t pitch, int n, const int* pivots, float* to) {
  const int q = blockIdx.x * threads + threadIdx.x;
  if (q >= n) return;
  to[static_cast<std::size_t>(blockIdx.y) * n + q] =
      d[static_cast<std::size_t>(pivots[blockIdx.y]) * pitch + q];
}
__global__ void pivot_columns(const float* direct, int n, const int* pivots, int n_pivots,
                              float* to) {
  const int k = blockIdx.x * threads + threadIdx.x;
  if (k >= n_pivots) return;
  to[static_cast<std::size_t>(blockIdx.y) * n_pivots + k] =
      direct[static_cast<std::size_t>(blockIdx.y) * n + pivots[k]];
}
/// to(k, j) = min over l of a(k, l) + b(l, j); a is m x m, b m x n.
__global__ void least_sums(const float* a, int m, const float* b, int n, float* to) {
  const int j = blockIdx.x * threads + threadIdx.x;
  if (j >= n) return;
  float least = __int_as_float(0x7f800000);
  for (int l = 0; l < m; ++l) {
    least = fminf(least, a[static_cast<std::size_t>(blockIdx.y) * m + l] +
                             b[static_cast<std::size_t>(l) * n + j]);
  }
  to[static_cast<std::size_t>(blockIdx.y) * n + j] = least;
}

/// One block per row p: its pairs p < q of one component that are infinite in one half or both.
/// What it reads of other pairs is in the pivots' copies, so that the order of blocks does not
/// matter.
__global__ void __launch_bounds__(threads)
    fill_kernel(float* d, std::size_t pitch, int n, const int* rows, const int* component,
                const float* direct, const float* paths, int n_pivots, unsigned long long* n_left) {
  __shared__ float to_pivots[most_pivots];
  const int p = rows[blockIdx.x];
  for (int k = threadIdx.x; k < n_pivots; k += threads) {
    to_pivots[k] = paths[static_cast<std::size_t>(k) * n + p];
  }
  __syncthreads();
  unsigned left = 0;
  for (int q = p + 1 + static_cast<int>(threadIdx.x); q < n; q += threads) {
    if (component[p] != component[q]) continue;
    float& pair = d[static_cast<std::size_t>(p) * pitch + q];
    float& mirrored = d[static_cast<std::size_t>(q) * pitch + p];
    if (!isinf(pair) && !isinf(mirrored)) continue;
    float least = fminf(pair, mirrored);
    if (isinf(least)) {
      for (int k = 0; k < n_pivots; ++k) {
        least = fminf(least, to_pivots[k] + direct[static_cast<std::size_t>(k) * n + q]);
      }
    }
    pair = mirrored = least;
    left += isinf(least) ? 1 : 0;
  }
  if (left > 0) atomicAdd(n_left, static_cast<unsigned long long>(left));
}

__global__ void cut_kernel(float* d, std::size_t count, float most) {
  for (std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; k < count;
       k += static_cast<std::size_t>(gridDim.x) * threads) {
    d[k] = fminf(d[k], most);
  }
}

}  // namespace

namespace {

/// Logarithms go to float32: what a series leaves out need not be smaller.
constexpr double log_tolerance = 1e-11;

/// From so many points on, entries in 32 bits (DeviceColumns).
constexpr std::size_t fewest_in_halves = 8192;

bool goes_in_halves(const SeriesForm& form) {
  return form.weights != nullptr && form.matrix->rows >= fewest_in_halves;
}

/// How often the kernel is squared: a product of n x n doubles against about half of the terms that
/// are left, where the device is as good at the former as data centre GPUs are. In seconds on one of
/// them; elsewhere the choice only costs time.
std::size_t squarings_for(Device& device, const SeriesForm& form) {
  if (form.weights == nullptr) return 0;
  int ratio = 64;
  check_cuda(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0),
             "device properties");
  const auto n = static_cast<double>(form.matrix->rows);
  if (ratio > 2 || 2 * 8 * n * n > 0.5 * static_cast<double>(device.memory_free())) return 0;
  const auto seconds = [&](std::size_t s) {
    const double rate = form.weights->rate() / static_cast<double>(std::size_t{1} << s);
    // Where entries are small, most terms are those on the way to the farthest points.
    const double terms = goes_in_halves(form)
                             ? std::max(rate + 8 * std::sqrt(rate), 75 + 20 * std::sqrt(rate))
                             : rate + 14 * std::sqrt(rate) + 20;
    const double of_an_entry = goes_in_halves(form) ? 3.1e-12 : 1e-11;
    return terms * n * n * of_an_entry + static_cast<double>(s) * n * n * n / 5e13;
  };
  std::size_t best = 0;
  for (std::size_t s = 1; s <= 5; ++s) {
    if (seconds(s) < seconds(best)) best = s;
  }
  return best;
}

/// Calls run(first, count) for all columns in turn, at most `width` at once.
template <class Run>
void for_all_columns(std::size_t n, std::size_t width, const Context& context, const Run& run) {
  for (std::size_t first = 0; first < n; first += width) {
    context.report_or_throw({.stage = "heat kernel", .done = first, .total = n});
    run(first, std::min(width, n - first));
  }
}

/// All columns of the series, n doubles each (columns) or as rows of logarithms (heat); returns the
/// terms, column by column.
double all_columns(Device& device, const SeriesForm& form, double* columns, LogHeat* heat,
                   const Context& context) {
  const std::size_t n = form.matrix->rows;
  const LogRule rule = heat == nullptr ? LogRule{} : LogRule{heat->rule.least, heat->rule.floor};
  if (goes_in_halves(form)) {
    DeviceColumns series(device, form);
    for_all_columns(n, series.width(), context, [&](std::size_t first, std::size_t count) {
      series.run(first, count);
      if (heat == nullptr) {
        series.put_columns(columns);
      } else {
        series.log_rows(rule, heat->logs.values, heat->logs.pitch, heat->own);
      }
    });
    return series.column_terms();
  }
  DeviceSeries series(device, form);
  std::vector<Index> positions(n);
  std::iota(positions.begin(), positions.end(), Index{0});
  for_all_columns(n, series.width(), context, [&](std::size_t first, std::size_t count) {
    series.run_units(std::span(positions).subspan(first, count), log_tolerance);
    if (heat == nullptr) {
      series.put_columns(first, count, columns);
    } else {
      series.log_rows(first, count, rule, heat->logs.values, heat->logs.pitch, heat->own);
    }
  });
  return series.column_terms();
}

/// The kernel of a short time, squared until it is that of the whole. No entry is negative, so
/// every one keeps its relative accuracy.
double log_heat_by_squaring(Device& device, const SeriesForm& form, std::size_t n_squarings,
                            LogHeat& heat, const Context& context) {
  const std::size_t n = heat.logs.n;
  const PoissonWeights base(std::ldexp(form.weights->rate(), -static_cast<int>(n_squarings)));
  SeriesForm part = form;
  part.weights = &base;
  Buffer<double> power(device, n * n);
  const double terms = all_columns(device, part, power.data(), nullptr, context);
  const double one = 1, zero = 0;
  Buffer<double> square(device, n * n);
  const auto side = static_cast<int>(n);
  for (std::size_t s = 0; s < n_squarings; ++s) {
    // Half of the product, and its mirror image.
    check_cublas(cublasDsyrk(device.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, side, side, &one,
                             power.data(), side, &zero, square.data(), side),
                 "square");
    const dim3 tiles(blocks_for(n, mirror_tile), blocks_for(n, mirror_tile));
    mirror_kernel<<<tiles, dim3(mirror_tile, 8), 0, device.stream()>>>(square.data(), side);
    check_launch("mirror");
    power.swap(square);
  }
  const LogRule rule{heat.rule.least, heat.rule.floor};
  constexpr std::size_t most_columns = 65535;
  for (std::size_t first = 0; first < n; first += most_columns) {
    const std::size_t count = std::min(most_columns, n - first);
    const dim3 grid(blocks_for(n, threads), static_cast<unsigned>(count));
    log_columns_kernel<<<grid, threads, 0, device.stream()>>>(
        power.data() + first * n, side, static_cast<int>(first), rule, heat.logs.values,
        heat.logs.pitch, heat.own);
    check_launch("logarithms");
  }
  return terms;
}

}  // namespace

LogHeat log_heat(Device& device, const BlockwiseKernel& kernel, const HeatGeodesicOptions& options,
                 const Context& context) {
  const std::size_t n = kernel.size();
  LogHeat heat;
  heat.rule = rule_for(kernel.report(), options);
  heat.logs = make_resident(device, n, kernel.node());
  heat.memory = {device.allocate(n * sizeof(double)),
                 [&device](void* place) { device.free(place); }};
  heat.own = static_cast<double*>(heat.memory.get());
  const SeriesForm form = *kernel.series();
  heat.n_squarings = squarings_for(device, form);
  if (heat.n_squarings > 0) {
    heat.column_terms = log_heat_by_squaring(device, form, heat.n_squarings, heat, context);
  } else {
    heat.column_terms = all_columns(device, form, nullptr, &heat, context);
  }
  device.wait();
  context.report_or_throw({.stage = "heat kernel", .done = n, .total = n});
  return heat;
}

Matrix<double> distances_from(const LogHeat& heat, std::span<const Index> points) {
  const std::size_t n = heat.logs.n;
  Matrix<double> rows = download_rows(heat.logs, points);
  std::vector<double> by_position(n), own(n);
  heat.logs.device->copy_to_host(by_position.data(), heat.own, n * sizeof(double));
  heat.logs.device->wait();
  for (std::size_t p = 0; p < n; ++p) own[static_cast<std::size_t>(heat.logs.node[p])] = by_position[p];
  for (std::size_t r = 0; r < points.size(); ++r) {
    const auto i = static_cast<std::size_t>(points[r]);
    for (std::size_t j = 0; j < n; ++j) {
      double& value = rows(r, j);
      value = std::isinf(value) ? std::numeric_limits<double>::infinity()
                                : std::sqrt(squared_distance(value, own[i], own[j], heat.rule.time,
                                                             heat.rule.harnack));
    }
    rows(r, i) = 0;
  }
  return rows;
}

double flat_share(const LogHeat& heat, const KernelReport& report) {
  const std::size_t n = heat.logs.n;
  if (n == 0) return 0;
  Device& device = *heat.logs.device;
  Buffer<unsigned> n_flat(device, 1);
  n_flat.clear();
  constexpr double rounding = 1e-9;  // as FlatHeat
  flat_kernel<<<static_cast<unsigned>(n), threads, 0, device.stream()>>>(
      heat.logs.values, heat.own, static_cast<int>(n), heat.logs.pitch,
      std::max(report.resolution, smallest_heat), rounding, report.resolution, n_flat.data());
  check_launch("flat heat");
  unsigned count = 0;
  n_flat.get(&count, 1);
  return static_cast<double>(count) / static_cast<double>(n);
}

JoinedDistances join(std::span<const HeatShare> shares, std::span<const Index> component,
                     ResidentDistances& result) {
  const LogHeat& first = *shares[0].heat;
  Device& device = *first.logs.device;
  const std::size_t n = first.logs.n;
  std::vector<int> by_position(n);
  for (std::size_t p = 0; p < n; ++p) {
    by_position[p] = component[static_cast<std::size_t>(first.logs.node[p])];
  }
  Buffer<int> components(device, by_position.data(), n);
  Buffer<double> unit(device, shares[0].unit.data(), shares[0].unit.size());
  Buffer<double> brief_unit;
  const auto share_of = [](const HeatShare& s, const double* units) {
    return Share{s.heat->logs.values, s.heat->own,          units,
                 s.heat->rule.time,   s.heat->rule.harnack, s.weight};
  };
  const Share long_share = share_of(shares[0], unit.data());
  Share short_share = long_share;
  if (shares.size() > 1) {
    brief_unit = Buffer<double>(device, shares[1].unit.data(), shares[1].unit.size());
    short_share = share_of(shares[1], brief_unit.data());
  }
  Buffer<unsigned long long> counts(device, 2);
  counts.clear();
  Buffer<unsigned char> is_lost(device, n);
  is_lost.clear();
  result = first.logs;
  // At most 65,535 rows a launch.
  constexpr std::size_t most_rows = 65535;
  for (std::size_t row = 0; row < n; row += most_rows) {
    const std::size_t count = std::min(most_rows, n - row);
    const dim3 grid(blocks_for(n, threads), static_cast<unsigned>(count));
    join_kernel<<<grid, threads, 0, device.stream()>>>(
        long_share, short_share, shares.size() > 1, components.data(), static_cast<int>(n),
        first.logs.pitch, result.values, counts.data(), is_lost.data(), static_cast<int>(row));
    check_launch("distances");
  }
  unsigned long long found[2];
  counts.get(found, 2);
  JoinedDistances joined{static_cast<std::size_t>(found[0]), static_cast<std::size_t>(found[1]), {}};
  std::vector<unsigned char> lost(n);
  is_lost.get(lost.data(), n);
  for (std::size_t p = 0; p < n; ++p) {
    if (lost[p] != 0) joined.rows.push_back(static_cast<Index>(p));
  }
  return joined;
}

std::size_t fill_by_pivots(ResidentDistances& d, std::span<const Index> rows,
                           std::span<const Index> component) {
  Device& device = *d.device;
  const auto n = static_cast<int>(d.n);
  const std::size_t n_pivots = std::min<std::size_t>(d.n, most_pivots);
  std::vector<int> pivots, by_position(d.n);
  for (std::size_t k = 0; k < n_pivots; ++k) pivots.push_back(static_cast<int>(k * d.n / n_pivots));
  for (std::size_t p = 0; p < d.n; ++p) {
    by_position[p] = component[static_cast<std::size_t>(d.node[p])];
  }
  const Buffer<int> at(device, pivots.data(), pivots.size());
  const Buffer<int> components(device, by_position.data(), by_position.size());
  const Buffer<int> where(device, rows.data(), rows.size());
  Buffer<float> direct(device, n_pivots * d.n), among(device, n_pivots * n_pivots),
      next(device, n_pivots * n_pivots), paths(device, n_pivots * d.n);
  const auto m = static_cast<int>(n_pivots);
  const auto grid = [&](std::size_t columns) {
    return dim3(blocks_for(columns, threads), static_cast<unsigned>(n_pivots));
  };
  pivot_rows<<<grid(d.n), threads, 0, device.stream()>>>(d.values, d.pitch, n, at.data(),
                                                         direct.data());
  pivot_columns<<<grid(n_pivots), threads, 0, device.stream()>>>(direct.data(), n, at.data(), m,
                                                                 among.data());
  // Squared as often as it takes a path over all of them.
  for (std::size_t hops = 1; hops < n_pivots; hops *= 2) {
    least_sums<<<grid(n_pivots), threads, 0, device.stream()>>>(among.data(), m, among.data(), m,
                                                                next.data());
    among.swap(next);
  }
  least_sums<<<grid(d.n), threads, 0, device.stream()>>>(among.data(), m, direct.data(), n,
                                                         paths.data());
  Buffer<unsigned long long> n_left(device, 1);
  n_left.clear();
  constexpr std::size_t most_rows = 65535;
  for (std::size_t first = 0; first < rows.size(); first += most_rows) {
    const std::size_t count = std::min(most_rows, rows.size() - first);
    fill_kernel<<<static_cast<unsigned>(count), threads, 0, device.stream()>>>(
        d.values, d.pitch, n, where.data() + first, components.data(), direct.data(), paths.data(),
        m, n_left.data());
  }
  check_launch("unresolved pairs");
  unsigned long long left = 0;
  n_left.get(&left, 1);
  return static_cast<std::size_t>(left);
}

void cut_to(ResidentDistances& d, double most) {
  const std::size_t count = d.n * d.pitch;
  cut_kernel<<<4096, threads, 0, d.device->stream()>>>(
      d.values, count, static_cast<float>(most));
  check_launch("limit");
}

}  // namespace geotherm::detail
