// Horner's rule: S <- A S + p_k e, from the last term to the first. Only the unit vector is added, so
// no sum travels beside the product: a step reads S and writes S, 8 bytes an entry (heat/horner.cuh).
//
// Horner's rule has to know the number of terms beforehand. It is read off columns spread over each
// stretch of positions, which are added up forwards until every entry has settled (DeviceSeries).
#include <algorithm>

#include "core/cuda.cuh"
#include "heat/device_columns.hpp"
#include "heat/horner.cuh"
#include "heat/window.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
/// Two blocks of threads share a multiprocessor of 228 KB; groups of 64 rows of a surface read 140.
using Panels = HornerMatrix<HornerShape<2, 8, 2, 2, 10>>;
constexpr int horner_panel = Panels::panel;
TileLimits limits() {
  int most = 0;
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
             "device properties");
  return Panels::limits(std::min<std::size_t>(static_cast<std::size_t>(most), 113 << 10));
}
/// Terms left out may change an entry by this share of it: below what 20 bits say.
constexpr double tolerance = 1e-8;
constexpr std::size_t points_a_stretch = 10000, most_stretches = 8;
constexpr std::size_t n_probed = 64;  // columns of a stretch

// Of a panel a row is horner_panel / 2 doubles; strides are in doubles.

__device__ inline std::size_t row_at(std::size_t stride, int panel, int row) {
  return panel * stride + static_cast<std::size_t>(row) * (horner_panel / 2);
}

__global__ void put_last(double* x, std::size_t stride, int first, int count, double weight) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= count) return;
  double* row = x + row_at(stride, c / horner_panel, first + c);
  row[c % horner_panel / 2] = c % 2 == 0 ? both_of(weight, 0) : both_of(0, weight);
}

/// A tile of 32 rows and a panel of columns, turned over on its way out: make(column, entry).
constexpr int tile = 32;
template <class T, class Make>
__device__ void turned(const double* x, std::size_t stride, int n, int count, T* to,
                       std::size_t pitch, const Make& make) {
  __shared__ T block[horner_panel][tile + 1];
  const int row = blockIdx.x * tile;
  const int column = blockIdx.y * horner_panel;
  for (int k = threadIdx.x; k < tile * horner_panel; k += threads) {
    const int i = k / horner_panel, c = k % horner_panel;
    if (row + i < n && column + c < count) {
      block[c][i] = make(column + c, entry_of(x + row_at(stride, blockIdx.y, row + i), c));
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < tile * horner_panel; k += threads) {
    const int c = k / tile, i = k % tile;
    if (row + i < n && column + c < count) {
      to[static_cast<std::size_t>(column + c) * pitch + row + i] = block[c][i];
    }
  }
}

__global__ void __launch_bounds__(threads)
    log_turned(const double* x, std::size_t stride, int n, int count, LogRule rule,
               float* to, std::size_t pitch, const double* own) {
  turned(x, stride, n, count, to, pitch, [&](int c, double heat) {
    bool is_resolved = heat > rule.least && heat >= 1e-290;
    if (rule.floor > 0) {
      heat = fmax(heat, rule.floor);
      is_resolved = true;
    }
    return is_resolved ? static_cast<float>(log(heat / own[c])) : -__int_as_float(0x7f800000);
  });
}

__global__ void __launch_bounds__(threads)
    plain_turned(const double* x, std::size_t stride, int n, int count, double* to) {
  turned(x, stride, n, count, to, static_cast<std::size_t>(n), [](int, double heat) { return heat; });
}

__global__ void own_values(const double* x, std::size_t stride, int first, int count,
                           double* own) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= count) return;
  own[c] = entry_of(x + row_at(stride, c / horner_panel, first + c), c % horner_panel);
}

std::size_t panels_for(std::size_t columns) { return (columns + horner_panel - 1) / horner_panel; }

/// Half a gigabyte a block: enough to fill the device.
std::size_t usual_width(std::size_t n) {
  const std::size_t most = (std::size_t{1} << 29) / (4 * std::max<std::size_t>(n, 1));
  return std::clamp<std::size_t>(most / horner_panel * horner_panel, 2 * horner_panel, 2048);
}

}  // namespace

struct DeviceColumns::State {
  Device& device;
  SeriesForm form;
  RowReach reach;
  std::size_t n, width;
  Panels matrix;
  Buffer<double> x, y;  // two columns each
  std::unique_ptr<DeviceSeries> probe;  // forwards
  std::vector<std::size_t> terms_of_stretch;
  std::size_t first = 0, count = 0, n_terms = 0;
  double column_terms = 0;

  State(Device& d, const SeriesForm& f, std::size_t asked)
      : device(d),
        form(f),
        reach(*f.matrix),
        n(f.matrix->rows),
        width(asked > 0 ? panels_for(asked) * horner_panel : usual_width(f.matrix->rows)),
        matrix(d, *f.matrix, limits()),
        x(d, n * width / 2),
        y(d, n * width / 2),
        terms_of_stretch(std::clamp<std::size_t>(n / points_a_stretch, 1, most_stretches), 0) {}

  /// Terms after which all entries of the columns at `position` and around have settled.
  std::size_t terms_at(std::size_t position) {
    const std::size_t n_stretches = terms_of_stretch.size();
    const std::size_t stretch = position * n_stretches / n;
    std::size_t& terms = terms_of_stretch[stretch];
    if (terms > 0) return terms;
    if (!probe) probe = std::make_unique<DeviceSeries>(device, form, n_probed);
    const std::size_t begin = (stretch * n + n_stretches - 1) / n_stretches;
    const std::size_t end = ((stretch + 1) * n + n_stretches - 1) / n_stretches;
    const std::size_t n_columns = std::min(n_probed, end - begin);
    std::vector<Index> positions;
    for (std::size_t c = 0; c < n_columns; ++c) {  // both ends are among them
      positions.push_back(static_cast<Index>(
          begin + c * (end - begin - 1) / std::max<std::size_t>(n_columns - 1, 1)));
    }
    probe->run_units(positions, tolerance);
    return terms = probe->last_terms();
  }

  std::size_t n_panels() const { return panels_for(count); }
  std::size_t stride() const { return n * horner_panel / 2; }

  void step(Window rows, double weight) {
    matrix.step(x.data(), y.data(), static_cast<int>(rows.begin), static_cast<int>(rows.end), first,
                n_panels(), weight);
    check_launch("sparse product");
    x.swap(y);
  }
};

DeviceColumns::DeviceColumns(Device& device, const SeriesForm& form, std::size_t width)
    : state_(std::make_unique<State>(device, form, width)) {}

DeviceColumns::~DeviceColumns() = default;

std::size_t DeviceColumns::width() const { return state_->width; }

std::size_t DeviceColumns::last_terms() const { return state_->n_terms; }

double DeviceColumns::column_terms() const { return state_->column_terms; }

void DeviceColumns::add_terms(std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) state_->step({0, state_->n}, 0);
}

double DeviceColumns::bytes_of_term() const {
  return state_->matrix.bytes_of_step(state_->n_panels());
}

std::size_t DeviceColumns::panel() const { return horner_panel; }

void DeviceColumns::run(std::size_t first, std::size_t count) {
  State& s = *state_;
  s.first = first;
  s.count = count;
  s.n_terms = std::max(s.terms_at(first), s.terms_at(first + count - 1));
  const std::size_t n_bytes = s.stride() * s.n_panels() * sizeof(double);
  for (Buffer<double>* buffer : {&s.x, &s.y}) {
    check_cuda(cudaMemsetAsync(buffer->data(), 0, n_bytes, s.device.stream()), "clear");
  }
  const PoissonWeights& weights = *s.form.weights;
  put_last<<<blocks_for(count, threads), threads, 0, s.device.stream()>>>(
      s.x.data(), s.stride(), static_cast<int>(first), static_cast<int>(count), weights[s.n_terms]);
  check_launch("unit vectors");
  Window rows{first, first + count};
  for (std::size_t k = s.n_terms; k-- > 0;) {
    rows = s.reach.widened(rows);
    s.step(rows, weights[k]);
  }
  s.column_terms += static_cast<double>(s.n_terms) * static_cast<double>(count);
}

void DeviceColumns::log_rows(const LogRule& rule, float* to, std::size_t pitch, double* own) {
  const State& s = *state_;
  own_values<<<blocks_for(s.count, threads), threads, 0, s.device.stream()>>>(
      s.x.data(), s.stride(), static_cast<int>(s.first), static_cast<int>(s.count), own + s.first);
  const dim3 grid(blocks_for(s.n, tile), static_cast<unsigned>(s.n_panels()));
  log_turned<<<grid, threads, 0, s.device.stream()>>>(
      s.x.data(), s.stride(), static_cast<int>(s.n), static_cast<int>(s.count), rule,
      to + s.first * pitch, pitch, own + s.first);
  check_launch("logarithms");
}

void DeviceColumns::put_columns(double* to) {
  const State& s = *state_;
  const dim3 grid(blocks_for(s.n, tile), static_cast<unsigned>(s.n_panels()));
  plain_turned<<<grid, threads, 0, s.device.stream()>>>(s.x.data(), s.stride(),
                                                        static_cast<int>(s.n),
                                                        static_cast<int>(s.count), to + s.first * s.n);
  check_launch("columns");
}

void DeviceColumns::get(double* block) {
  const State& s = *state_;
  Buffer<double> columns(s.device, s.n * s.count);
  const dim3 grid(blocks_for(s.n, tile), static_cast<unsigned>(s.n_panels()));
  plain_turned<<<grid, threads, 0, s.device.stream()>>>(s.x.data(), s.stride(),
                                                        static_cast<int>(s.n),
                                                        static_cast<int>(s.count), columns.data());
  check_launch("columns");
  std::vector<double> by_column(s.n * s.count);
  columns.get(by_column.data(), by_column.size());
  for (std::size_t c = 0; c < s.count; ++c) {
    for (std::size_t i = 0; i < s.n; ++i) block[i * s.count + c] = by_column[c * s.n + i];
  }
}

}  // namespace geotherm::detail
