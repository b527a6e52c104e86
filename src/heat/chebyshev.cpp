// Chebyshev series of exp(-tL) on [0, bound]: with a = t bound / 2,
//   exp(-t x) = e^-a (I_0(a) + 2 sum_k (-1)^k I_k(a) T_k(2x / bound - 1)).
// The recurrence keeps two blocks besides the sum; e^-a I_k(a) is computed as one number, so a
// large time cannot overflow. Entries are right to about 1e-15 of the largest, not each to its own
// size.
#include "heat/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "heat/blockwise_kernel.hpp"
#include "heat/methods.hpp"

namespace geotherm::detail {

std::vector<double> scaled_bessel(double a) {
  if (a == 0) return {1.0};
  // Backward recurrence of the ratios r_k = I_k / I_k-1 = 1 / (2k/a + r_k+1), which forgets its
  // start; from far enough out that I_k is 1e-40 of I_0. Then 1 = e^-a (I_0 + 2 sum I_k) sets the
  // scale. Every number involved is positive.
  constexpr double negligible = 1e-40;
  auto n = static_cast<std::size_t>(32 + 14 * std::sqrt(a));
  for (;;) {
    std::vector<double> ratio(n + 1, 0.0);
    double next = 0;
    for (std::size_t k = n; k > 0; --k) {
      next = 1 / (2 * static_cast<double>(k) / a + next);
      ratio[k] = next;
    }
    std::vector<double> value = {1.0};
    for (std::size_t k = 1; k <= n && value.back() > negligible; ++k) {
      value.push_back(value.back() * ratio[k]);
    }
    // The start is forgotten where the values have fallen well before the end.
    if (value.back() > negligible || value.size() + 8 > n) {
      n *= 2;
      continue;
    }
    double sum = 0;
    for (std::size_t k = value.size() - 1; k > 0; --k) sum += 2 * value[k];
    sum += 1;
    for (double& v : value) v /= sum;
    return value;
  }
}

namespace {

/// All coefficients, with their signs.
std::vector<double> all_coefficients(double time, double spectral_bound) {
  // The degree grows like the root of this; past it a million products would not do.
  constexpr double most = 1e9;
  const double a = time * spectral_bound / 2;
  if (!(a <= most)) {
    throw InvalidArgument("time x the spectral bound of the Laplacian is " + in_words(2 * a) +
                          ": a Chebyshev series would need a degree beyond any use; give a smaller "
                          "time, or the method uniformization or exact");
  }
  std::vector<double> c = scaled_bessel(a);
  for (std::size_t k = 1; k < c.size(); ++k) c[k] *= k % 2 == 0 ? 2.0 : -2.0;
  return c;
}

}  // namespace

ChebyshevSeries chebyshev_series(double time, double spectral_bound, double tolerance) {
  ChebyshevSeries series{all_coefficients(time, spectral_bound), 0};
  std::vector<double>& c = series.coefficients;
  while (c.size() > 1 && series.tail + std::abs(c.back()) <= tolerance) {
    series.tail += std::abs(c.back());
    c.pop_back();
  }
  return series;
}

ChebyshevSeries chebyshev_series_of_degree(double time, double spectral_bound, std::size_t degree) {
  ChebyshevSeries series{all_coefficients(time, spectral_bound), 0};
  std::vector<double>& c = series.coefficients;
  while (c.size() > degree + 1) {
    series.tail += std::abs(c.back());
    c.pop_back();
  }
  return series;
}

namespace {

SparseMatrix recurrence_matrix(SparseMatrix l, double bound) {
  // Without edges L is 0, and so is the interval: any length serves.
  const double factor = bound > 0 ? 4 / bound : 4.0;
  for (std::size_t i = 0; i < l.rows; ++i) {
    const auto columns = l.row_indices(i);
    const auto values = l.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      values[k] *= factor;
      if (static_cast<std::size_t>(columns[k]) == i) values[k] -= 2;
    }
  }
  return l;
}

}  // namespace

ChebyshevRecurrence::ChebyshevRecurrence(const SymmetricForm& form)
    : m_(recurrence_matrix(form.matrix, form.spectral_bound)) {}

void ChebyshevRecurrence::run(std::span<const double> c, Block& block) const {
  Block x = std::move(block);
  Block y(x.n_rows(), x.width()), sum(x.n_rows(), x.width());
  Window rows = nonzero_rows(x);
  add_scaled(rows, c[0], x, sum);
  if (c.size() > 1) {
    // T_1 = M T_0 / 2.
    rows = m_.widened(rows);
    m_.multiply(rows, x, y, c[1] / 2, sum);
    scale_rows(rows, 0.5, y);
    std::swap(x, y);
  }
  for (std::size_t k = 2; k < c.size(); ++k) {
    rows = m_.widened(rows);
    m_.recur(rows, x, y, c[k], sum);
    std::swap(x, y);
  }
  block = std::move(sum);
}

void ChebyshevRecurrence::run_many(std::span<const ChebyshevSeries> series, Block x,
                                   std::span<Block> sums) const {
  Block y(x.n_rows(), x.width());
  Window rows = nonzero_rows(x);
  std::size_t longest = 0;
  for (std::size_t s = 0; s < series.size(); ++s) {
    sums[s].clear();
    longest = std::max(longest, series[s].coefficients.size());
  }
  const auto add = [&](std::size_t k) {
    for (std::size_t s = 0; s < series.size(); ++s) {
      const auto& c = series[s].coefficients;
      if (k < c.size()) add_scaled(rows, c[k], x, sums[s]);
    }
  };
  add(0);
  Block unused(x.n_rows(), x.width());
  for (std::size_t k = 1; k < longest; ++k) {
    rows = m_.widened(rows);
    if (k == 1) {
      m_.multiply(rows, x, y, 0.0, unused);
      scale_rows(rows, 0.5, y);
    } else {
      m_.recur(rows, x, y, 0.0, unused);
    }
    std::swap(x, y);
    add(k);
  }
}

namespace {

class ChebyshevKernel final : public BlockwiseKernel {
 public:
  ChebyshevKernel(const SymmetricForm& form, const HeatKernelOptions& options)
      : BlockwiseKernel(form.order.node, form.scale),
        recurrence_(form),
        series_(options.order
                    ? chebyshev_series_of_degree(options.time, form.spectral_bound,
                                                 static_cast<std::size_t>(*options.order))
                    : chebyshev_series(options.time, form.spectral_bound, options.tolerance)) {
    const std::size_t degree =
        options.order ? static_cast<std::size_t>(*options.order) : series_.coefficients.size() - 1;
    report_.method = KernelMethod::chebyshev;
    report_.time = options.time;
    report_.order = static_cast<int>(degree);
    // Rounding, measured against uniformization over many graphs and times: up to 1e-15 for
    // each step of the recurrence, most often a hundredth of that.
    const double rounding = 1e-15 * static_cast<double>(series_.coefficients.size());
    report_.resolution = (series_.tail + rounding) * scale_ratio(form);
  }

  std::optional<SeriesForm> series() const override {
    return SeriesForm{.matrix = &recurrence_.matrix(), .chebyshev = series_.coefficients};
  }

 protected:
  void run(Block& block) const override { recurrence_.run(series_.coefficients, block); }

 private:
  ChebyshevRecurrence recurrence_;
  ChebyshevSeries series_;
};

}  // namespace

std::unique_ptr<DiffusionKernel> chebyshev_kernel(const Laplacian& laplacian,
                                                  const HeatKernelOptions& options) {
  return std::make_unique<ChebyshevKernel>(symmetric_form(laplacian), options);
}

}  // namespace geotherm::detail
