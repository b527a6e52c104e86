// The heat series on a GPU. A block of threads works on a compact group of points, whose neighbours are
// mostly in the group and so in the first-level cache (kernels: series_kernels.cuh).
#include <algorithm>
#include <limits>

#include "core/cuda.cuh"
#include "heat/device_series.hpp"
#include "heat/series_kernels.cuh"
#include "heat/window.hpp"

namespace geotherm::detail {
namespace {

/// Rows in compact groups: each grows from the first row that is left over its neighbours, nearest
/// first.
std::vector<int> in_groups(const SparseMatrix& a) {
  std::vector<int> order;
  order.reserve(a.rows);
  std::vector<char> is_taken(a.rows, 0);
  for (std::size_t seed = 0; seed < a.rows; ++seed) {
    if (is_taken[seed] != 0) continue;
    const std::size_t begin = order.size();
    order.push_back(static_cast<int>(seed));
    is_taken[seed] = 1;
    for (std::size_t head = begin; head < order.size() && order.size() - begin < group_size; ++head) {
      for (const Index next : a.row_indices(static_cast<std::size_t>(order[head]))) {
        if (is_taken[static_cast<std::size_t>(next)] != 0) continue;
        is_taken[static_cast<std::size_t>(next)] = 1;
        order.push_back(next);
        if (order.size() - begin == group_size) break;
      }
    }
  }
  return order;
}

/// The matrix on the device, and how far a step reaches.
class DeviceMatrix {
 public:
  DeviceMatrix(Device& device, const SparseMatrix& a) : device_(device), reach_(a), n_(a.rows) {
    std::vector<unsigned> offsets(a.offsets.begin(), a.offsets.end());
    std::vector<Entry> entries(a.n_entries());
    for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = {a.values[k], a.indices[k], 0};
    offsets_ = Buffer<unsigned>(device, offsets.data(), offsets.size());
    entries_ = Buffer<Entry>(device, entries.data(), entries.size());
    const std::vector<int> order = in_groups(a);
    order_ = Buffer<int>(device, order.data(), order.size());
    // All of the memory on a multiprocessor as cache: the kernel shares none.
    for (const auto kernel : {step_kernel<true>, step_kernel<false>}) {
      check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 0),
                 "cache");
    }
    device.wait();
  }

  Window widened(Window w) const { return reach_.widened(w); }

  void step(Window rows, std::size_t n_panels, const double* x, double* y, double* sum,
            double factor, double coefficient, bool recurs) const {
    // Whole groups find their neighbours in the cache; parts of them keep every multiprocessor busy
    // where there is little to do.
    const std::size_t enough = 4 * static_cast<std::size_t>(device_.info().n_multiprocessors);
    std::size_t rows_a_block = group_size;
    while (rows_a_block > rows_at_once && n_ * n_panels / rows_a_block < enough) rows_a_block /= 2;
    const Step s{offsets_.data(),
                 entries_.data(),
                 order_.data(),
                 x,
                 y,
                 sum,
                 n_ * panel,
                 static_cast<int>(n_),
                 static_cast<int>(rows.begin),
                 static_cast<int>(rows.end),
                 static_cast<int>(rows_a_block),
                 factor,
                 coefficient};
    const dim3 grid(blocks_for(n_, rows_a_block), static_cast<unsigned>(n_panels));
    if (recurs) {
      step_kernel<true><<<grid, step_threads, 0, device_.stream()>>>(s);
    } else {
      step_kernel<false><<<grid, step_threads, 0, device_.stream()>>>(s);
    }
    check_launch("sparse product");
  }

 private:
  Device& device_;
  RowReach reach_;
  std::size_t n_;
  Buffer<unsigned> offsets_;
  Buffer<Entry> entries_;
  Buffer<int> order_;
};

std::size_t panels_for(std::size_t columns) { return (columns + panel - 1) / panel; }

}  // namespace

struct DeviceSeries::State {
  Device& device;
  SeriesForm form;
  std::size_t n;
  std::size_t width;
  DeviceMatrix matrix;
  Buffer<double> x, y, z, sum;
  Buffer<int> positions;
  Buffer<unsigned long long> most;
  std::size_t n_columns = 0, n_terms = 0;
  double column_terms = 0;

  State(Device& d, const SeriesForm& f, std::size_t asked)
      : device(d),
        form(f),
        n(f.matrix->rows),
        width(asked > 0 ? panels_for(asked) * panel : usual_width(f.matrix->rows)),
        matrix(d, *f.matrix),
        x(d, n * width),
        y(d, n * width),
        z(d, f.weights != nullptr ? n * width : 0),
        sum(d, n * width),
        positions(d, width),
        most(d, 2) {}

  /// Wide enough to fill the device, and no more: half a gigabyte a block.
  static std::size_t usual_width(std::size_t n) {
    const std::size_t most = (std::size_t{1} << 29) / (8 * std::max<std::size_t>(n, 1));
    return std::clamp<std::size_t>(most / panel * panel, 2 * panel, 2048);
  }

  std::size_t n_panels() const { return panels_for(n_columns); }

  void step(Window rows, double factor, double coefficient, bool recurs) {
    matrix.step(rows, n_panels(), x.data(), y.data(), sum.data(), factor, coefficient, recurs);
  }

  void begin(std::size_t count) {
    n_columns = count;
    for (Buffer<double>* buffer : {&x, &y, &z, &sum}) {
      if (buffer->size() == 0) continue;
      check_cuda(cudaMemsetAsync(buffer->data(), 0, n * n_panels() * panel * sizeof(double),
                                 device.stream()),
                 "clear");
    }
  }

  bool has_settled(std::size_t k, double tolerance, Window rows) {
    most.clear();
    const dim3 grid(256, static_cast<unsigned>(n_panels()));
    growth_kernel<<<grid, threads, 0, device.stream()>>>(y.data(), x.data(), z.data(), sum.data(),
                                                         n * panel, static_cast<int>(rows.begin),
                                                         static_cast<int>(rows.end), most.data());
    check_launch("growth");
    double ratio[2];
    static_assert(sizeof ratio == 2 * sizeof(unsigned long long));
    most.get(reinterpret_cast<unsigned long long*>(ratio), 2);
    return series_has_settled(*form.weights, k, tolerance, ratio[0], ratio[1]);
  }

  /// As add_series on the CPU; the first term is in x and sum.
  void add_powers(Window rows, std::size_t last, double tolerance) {
    const PoissonWeights& weights = *form.weights;
    std::size_t next_look = tolerance > 0 ? weights.terms_for(tolerance) : last;
    std::size_t k = 1;
    for (; k <= last; ++k) {
      rows = matrix.widened(rows);
      step(rows, 1, weights[k], false);
      x.swap(y);  // x: term k, y: term k - 1
      if (k < next_look || k == last) continue;
      rows = matrix.widened(rows);
      ++k;
      matrix.step(rows, n_panels(), x.data(), z.data(), sum.data(), 1, weights[k], false);
      if (has_settled(k, tolerance, rows)) break;
      x.swap(z);
      next_look = k + std::max<std::size_t>(4, k / 16);
    }
    n_terms = std::min(k, last);
  }

  void add_chebyshev(Window rows) {
    const std::span<const double> c = form.chebyshev;
    for (std::size_t k = 1; k < c.size(); ++k) {
      rows = matrix.widened(rows);
      step(rows, k == 1 ? 0.5 : 1.0, c[k], k > 1);
      x.swap(y);
    }
    n_terms = c.size() - 1;
  }

  double first_weight() const { return form.weights != nullptr ? (*form.weights)[0] : form.chebyshev[0]; }
};

DeviceSeries::DeviceSeries(Device& device, const SeriesForm& form, std::size_t width)
    : state_(std::make_unique<State>(device, form, width)) {}

DeviceSeries::~DeviceSeries() = default;

std::size_t DeviceSeries::width() const { return state_->width; }

std::size_t DeviceSeries::size() const { return state_->n; }

std::size_t DeviceSeries::last_terms() const { return state_->n_terms; }

double DeviceSeries::column_terms() const { return state_->column_terms; }

void DeviceSeries::run_units(std::span<const Index> positions, double tolerance) {
  State& s = *state_;
  s.begin(positions.size());
  check_cuda(cudaMemcpyAsync(s.positions.data(), positions.data(), positions.size_bytes(),
                             cudaMemcpyHostToDevice, s.device.stream()),
             "copy to the device");
  put_units<<<blocks_for(positions.size(), threads), threads, 0, s.device.stream()>>>(
      s.positions.data(), static_cast<int>(positions.size()), s.n * panel, 1.0, s.x.data(),
      s.first_weight(), s.sum.data());
  check_launch("unit vectors");
  const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
  const Window rows{static_cast<std::size_t>(*low), static_cast<std::size_t>(*high) + 1};
  if (s.form.weights != nullptr) {
    s.add_powers(rows, s.form.weights->last(), tolerance);
  } else {
    s.add_chebyshev(rows);
  }
  s.column_terms += static_cast<double>(s.n_terms) * static_cast<double>(positions.size());
}

void DeviceSeries::run_block(const double* block, std::size_t count) {
  State& s = *state_;
  s.begin(count);
  Buffer<double> given(s.device, block, s.n * count);
  to_panels<<<blocks_for(s.n * count, threads), threads, 0, s.device.stream()>>>(
      given.data(), s.n, static_cast<int>(count), s.n * panel, s.x.data());
  const std::size_t total = s.n * panel * s.n_panels();
  axpy<<<blocks_for(total, threads), threads, 0, s.device.stream()>>>(total, s.first_weight(),
                                                                     s.x.data(), s.sum.data());
  check_launch("block");
  const Window rows{0, s.n};
  if (s.form.weights == nullptr) {
    s.add_chebyshev(rows);
    return;
  }
  const bool is_signed =
      std::any_of(block, block + s.n * count, [](double value) { return value < 0; });
  // Where signs differ entries may cancel, and only absolute accuracy has a meaning.
  if (is_signed) {
    s.add_powers(rows, s.form.weights->terms_for(1e-2 * series_tolerance), 0);
  } else {
    s.add_powers(rows, s.form.weights->last(), series_tolerance);
  }
}

void DeviceSeries::get(double* block, std::size_t count) {
  State& s = *state_;
  Buffer<double> out(s.device, s.n * count);
  from_panels<<<blocks_for(s.n * count, threads), threads, 0, s.device.stream()>>>(
      s.sum.data(), s.n, static_cast<int>(count), s.n * panel, out.data());
  check_launch("block");
  out.get(block, s.n * count);
}

void DeviceSeries::get_own(double* values, std::size_t count) {
  State& s = *state_;
  Buffer<double> own(s.device, count);
  own_kernel<<<blocks_for(count, threads), threads, 0, s.device.stream()>>>(
      s.sum.data(), s.positions.data(), static_cast<int>(count), s.n * panel, own.data());
  check_launch("diagonal");
  own.get(values, count);
}

void DeviceSeries::log_rows(std::size_t first, std::size_t count, const LogRule& rule, float* to,
                            std::size_t pitch, double* own) {
  State& s = *state_;
  own_kernel<<<blocks_for(count, threads), threads, 0, s.device.stream()>>>(
      s.sum.data(), s.positions.data(), static_cast<int>(count), s.n * panel, own + first);
  const dim3 grid(blocks_for(s.n, 64), static_cast<unsigned>(panels_for(count)));
  log_kernel<<<grid, threads, 0, s.device.stream()>>>(
      s.sum.data(), s.n * panel, static_cast<int>(s.n), static_cast<int>(first),
      static_cast<int>(count), rule, to, pitch, own);
  check_launch("logarithms");
}

void DeviceSeries::put_columns(std::size_t first, std::size_t count, double* to) {
  State& s = *state_;
  const dim3 grid(blocks_for(s.n, 64), static_cast<unsigned>(panels_for(count)));
  column_kernel<<<grid, threads, 0, s.device.stream()>>>(s.sum.data(), s.n * panel,
                                                         static_cast<int>(s.n),
                                                         static_cast<int>(first),
                                                         static_cast<int>(count), to);
  check_launch("columns");
}

namespace {

constexpr int most_times = 32;
struct ManySums {
  double* sum[most_times];
  double coefficient[most_times];
  int count;
};

__global__ void add_to_many(std::size_t n, const double* x, ManySums many) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (k >= n) return;
  const double value = x[k];
  for (int s = 0; s < many.count; ++s) {
    many.sum[s][k] = fma(many.coefficient[s], value, many.sum[s][k]);
  }
}

/// One block a group of rows: its share of -sum h log(h + floor).
__global__ void __launch_bounds__(threads)
    entropy_kernel(const double* sum, std::size_t n, std::size_t stride, int n_columns,
                   const double* scale, const double* own_scale, double floor, double* part) {
  double total = 0;
  for (std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; k < n * panel;
       k += static_cast<std::size_t>(gridDim.x) * threads) {
    const std::size_t i = k / panel;
    const int c = blockIdx.y * panel + static_cast<int>(k % panel);
    if (c >= n_columns) continue;
    double h = sum[blockIdx.y * stride + k];
    if (scale != nullptr) h *= scale[i] / own_scale[c];
    h = fmax(h, 0.0);
    total -= h * log(h + floor);
  }
  __shared__ double sums[threads];
  sums[threadIdx.x] = total;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) part[blockIdx.y * gridDim.x + blockIdx.x] = sums[0];
}

}  // namespace

std::vector<double> device_entropies(Device& device, const SparseMatrix& recurrence,
                                     const std::vector<std::span<const double>>& series,
                                     std::span<const std::size_t> columns,
                                     const std::vector<double>& scale, double floor) {
  const std::size_t n = recurrence.rows;
  const std::size_t n_panels = panels_for(columns.size());
  const std::size_t total = n * panel * n_panels;
  const DeviceMatrix matrix(device, recurrence);
  std::vector<int> positions(columns.begin(), columns.end());
  Buffer<int> at(device, positions.data(), positions.size());
  Buffer<double> x(device, total), y(device, total);
  std::vector<double> of_columns(columns.size(), 1.0);
  for (std::size_t c = 0; c < columns.size() && !scale.empty(); ++c) {
    of_columns[c] = scale[columns[c]];
  }
  Buffer<double> own_scale(device, of_columns.data(), of_columns.size());
  Buffer<double> scales;
  if (!scale.empty()) scales = Buffer<double>(device, scale.data(), scale.size());
  constexpr unsigned n_parts = 128;
  Buffer<double> part(device, n_parts * n_panels);
  std::vector<double> parts(n_parts * n_panels), entropies;
  // As many sums at once as fit into two thirds of the free memory.
  const std::size_t room = device.memory_free() / 3 * 2 / (total * sizeof(double));
  const std::size_t at_once = std::clamp<std::size_t>(room, 1, most_times);
  for (std::size_t from = 0; from < series.size(); from += at_once) {
    const std::size_t n_now = std::min(at_once, series.size() - from);
    x.clear();
    y.clear();
    std::vector<Buffer<double>> sums;
    std::size_t longest = 0;
    for (std::size_t s = 0; s < n_now; ++s) {
      sums.emplace_back(device, total);
      sums.back().clear();
      longest = std::max(longest, series[from + s].size());
    }
    put_units<<<blocks_for(columns.size(), threads), threads, 0, device.stream()>>>(
        at.data(), static_cast<int>(columns.size()), n * panel, 1.0, x.data(), 0.0, y.data());
    for (std::size_t k = 0; k < longest; ++k) {
      if (k > 0) {
        matrix.step({0, n}, n_panels, x.data(), y.data(), y.data(), k == 1 ? 0.5 : 1.0, 0, k > 1);
        x.swap(y);
      }
      ManySums many;
      many.count = 0;
      for (std::size_t s = 0; s < n_now; ++s) {
        if (k >= series[from + s].size()) continue;
        many.sum[many.count] = sums[s].data();
        many.coefficient[many.count++] = series[from + s][k];
      }
      add_to_many<<<blocks_for(total, threads), threads, 0, device.stream()>>>(total, x.data(),
                                                                              many);
      check_launch("sums");
    }
    for (std::size_t s = 0; s < n_now; ++s) {
      const dim3 grid(n_parts, static_cast<unsigned>(n_panels));
      entropy_kernel<<<grid, threads, 0, device.stream()>>>(
          sums[s].data(), n, n * panel, static_cast<int>(columns.size()),
          scale.empty() ? nullptr : scales.data(), own_scale.data(), floor, part.data());
      check_launch("entropy");
      part.get(parts.data(), parts.size());
      double entropy = 0;
      for (const double value : parts) entropy += value;
      entropies.push_back(entropy);
    }
  }
  return entropies;
}

}  // namespace geotherm::detail
