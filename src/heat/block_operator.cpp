// Products of a sparse matrix with blocks of 8 or 32 columns. Vector types are spelled out: left to
// itself the compiler turns these loops into gathers at a third of the speed.
#include "heat/block_operator.hpp"

#include <limits>
#include <utility>

#include "core/simd.hpp"

namespace geotherm::detail {
namespace block_kernels {

// What one call works on; offsets, columns and values are those of compressed rows.
struct Operands {
  const std::size_t* offsets;
  const Index* columns;
  const double* values;
  std::size_t begin;
  std::size_t end;
  const double* x;
  double* y;
  double* sum;
  double coefficient;
};

}  // namespace block_kernels

namespace {

using block_kernels::Operands;

#ifdef __GNUC__
using Lanes = double __attribute__((vector_size(64), aligned(64), may_alias));
#define GEOTHERM_INLINE inline __attribute__((always_inline))
#else
struct Lanes {
  double lane[8] = {};
  friend Lanes operator*(double a, Lanes x) {
    for (double& value : x.lane) value *= a;
    return x;
  }
  Lanes& operator+=(const Lanes& other) {
    for (int l = 0; l < 8; ++l) lane[l] += other.lane[l];
    return *this;
  }
  Lanes& operator-=(const Lanes& other) {
    for (int l = 0; l < 8; ++l) lane[l] -= other.lane[l];
    return *this;
  }
};
#define GEOTHERM_INLINE inline
#endif

// The bodies are inlined into the clones below, so they are compiled for each instruction set.
template <std::size_t n_lanes, bool minus_y>
GEOTHERM_INLINE void product(const Operands& o) {
  const Lanes* x = reinterpret_cast<const Lanes*>(o.x);
  Lanes* y = reinterpret_cast<Lanes*>(o.y);
  Lanes* sum = reinterpret_cast<Lanes*>(o.sum);
  for (std::size_t i = o.begin; i < o.end; ++i) {
    Lanes row[n_lanes] = {};
    for (std::size_t k = o.offsets[i]; k < o.offsets[i + 1]; ++k) {
      const double a = o.values[k];
      const Lanes* xk = x + static_cast<std::size_t>(o.columns[k]) * n_lanes;
      for (std::size_t l = 0; l < n_lanes; ++l) row[l] += a * xk[l];
    }
    Lanes* yi = y + i * n_lanes;
    Lanes* si = sum + i * n_lanes;
    for (std::size_t l = 0; l < n_lanes; ++l) {
      if constexpr (minus_y) row[l] -= yi[l];
      yi[l] = row[l];
      si[l] += o.coefficient * row[l];
    }
  }
}

template <std::size_t n_lanes>
GEOTHERM_INLINE void substitute_row(const SparseMatrix& a, const double* factor, std::size_t i,
                                    Lanes* x) {
  Lanes row[n_lanes];
  for (std::size_t l = 0; l < n_lanes; ++l) row[l] = factor[i] * x[i * n_lanes + l];
  for (std::size_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
    const double value = a.values[k];
    const Lanes* xk = x + static_cast<std::size_t>(a.indices[k]) * n_lanes;
    for (std::size_t l = 0; l < n_lanes; ++l) row[l] -= value * xk[l];
  }
  for (std::size_t l = 0; l < n_lanes; ++l) x[i * n_lanes + l] = row[l];
}

template <std::size_t n_lanes>
GEOTHERM_INLINE void substitute_all(const SparseMatrix& a, const double* factor, bool falling,
                                    double* data) {
  Lanes* x = reinterpret_cast<Lanes*>(data);
  if (falling) {
    for (std::size_t i = a.rows; i-- > 0;) substitute_row<n_lanes>(a, factor, i, x);
  } else {
    for (std::size_t i = 0; i < a.rows; ++i) substitute_row<n_lanes>(a, factor, i, x);
  }
}

}  // namespace

namespace block_kernels {

GEOTHERM_WIDE void multiply_wide(const Operands& o) { product<4, false>(o); }
GEOTHERM_WIDE void multiply_narrow(const Operands& o) { product<1, false>(o); }
GEOTHERM_WIDE void recur_wide(const Operands& o) { product<4, true>(o); }
GEOTHERM_WIDE void recur_narrow(const Operands& o) { product<1, true>(o); }
GEOTHERM_WIDE void substitute_wide(const SparseMatrix& a, const double* factor, bool falling,
                                   double* x) {
  substitute_all<4>(a, factor, falling, x);
}
GEOTHERM_WIDE void substitute_narrow(const SparseMatrix& a, const double* factor, bool falling,
                                     double* x) {
  substitute_all<1>(a, factor, falling, x);
}
GEOTHERM_WIDE void axpy(std::size_t n, double a, const double* x, double* y) {
  for (std::size_t k = 0; k < n; ++k) y[k] += a * x[k];
}

// Eight running maxima: a single one would keep the loop from being vectorised. 0 / 0 becomes
// 0 / tiny = 0, v / 0 becomes v / tiny, which is infinite or close to it.
GEOTHERM_WIDE void ratios(std::size_t n, const double* x, const double* y, const double* z,
                          const double* sum, double* step, double* against_sum) {
  constexpr double tiny = std::numeric_limits<double>::min();
  for (std::size_t k = 0; k < n; k += 8) {
    for (std::size_t l = 0; l < 8; ++l) {
      const double next = y[k + l] + z[k + l];
      const double now = x[k + l] + y[k + l];
      const double s = sum[k + l];
      const double r = next / (now > tiny ? now : tiny);
      const double t = next / (s > tiny ? s : tiny);
      step[l] = r > step[l] ? r : step[l];
      against_sum[l] = t > against_sum[l] ? t : against_sum[l];
    }
  }
}

}  // namespace block_kernels

Window nonzero_rows(const Block& x) {
  const auto is_zero = [&](std::size_t i) {
    return std::all_of(x.row(i), x.row(i) + x.width(), [](double v) { return v == 0; });
  };
  Window w{0, x.n_rows()};
  while (w.begin < w.end && is_zero(w.begin)) ++w.begin;
  while (w.end > w.begin && is_zero(w.end - 1)) --w.end;
  return w;
}

RowReach::RowReach(const SparseMatrix& matrix) {
  const std::size_t n = matrix.rows;
  lowest_.resize(n);
  highest_.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    lowest_[j] = j;
    highest_[j] = j + 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (const Index column : matrix.row_indices(i)) {
      const auto j = static_cast<std::size_t>(column);
      lowest_[j] = std::min(lowest_[j], i);
      highest_[j] = std::max(highest_[j], i + 1);
    }
  }
  for (std::size_t j = n; j-- > 1;) lowest_[j - 1] = std::min(lowest_[j - 1], lowest_[j]);
  for (std::size_t j = 1; j < n; ++j) highest_[j] = std::max(highest_[j], highest_[j - 1]);
}

BlockOperator::BlockOperator(SparseMatrix matrix) : matrix_(std::move(matrix)), reach_(matrix_) {}

namespace {

Operands operands(const SparseMatrix& matrix, Window rows, const Block& x, Block& y,
                  double coefficient, Block& sum) {
  return {matrix.offsets.data(),
          matrix.indices.data(),
          matrix.values.data(),
          rows.begin,
          rows.end,
          x.data(),
          y.data(),
          sum.data(),
          coefficient};
}

}  // namespace

void BlockOperator::multiply(Window rows, const Block& x, Block& y, double coefficient,
                             Block& sum) const {
  const Operands o = operands(matrix_, rows, x, y, coefficient, sum);
  x.width() == wide_block ? block_kernels::multiply_wide(o) : block_kernels::multiply_narrow(o);
}

void BlockOperator::recur(Window rows, const Block& x, Block& y, double coefficient,
                          Block& sum) const {
  const Operands o = operands(matrix_, rows, x, y, coefficient, sum);
  x.width() == wide_block ? block_kernels::recur_wide(o) : block_kernels::recur_narrow(o);
}

void add_scaled(Window rows, double coefficient, const Block& x, Block& sum) {
  block_kernels::axpy((rows.end - rows.begin) * x.width(), coefficient, x.row(rows.begin),
                      sum.row(rows.begin));
}

void scale_rows(Window rows, double factor, Block& x) {
  double* end = x.row(rows.begin) + (rows.end - rows.begin) * x.width();
  for (double* value = x.row(rows.begin); value != end; ++value) *value *= factor;
}

GrowthRatios growth_ratios(Window rows, const Block& x, const Block& y, const Block& z,
                           const Block& sum) {
  double step[8] = {};
  double against_sum[8] = {};
  block_kernels::ratios((rows.end - rows.begin) * x.width(), x.row(rows.begin), y.row(rows.begin),
                        z.row(rows.begin), sum.row(rows.begin), step, against_sum);
  return {*std::max_element(step, step + 8), *std::max_element(against_sum, against_sum + 8)};
}

void substitute(const SparseMatrix& a, const double* factor, bool falling, Block& x) {
  if (x.width() == wide_block) {
    block_kernels::substitute_wide(a, factor, falling, x.data());
  } else {
    block_kernels::substitute_narrow(a, factor, falling, x.data());
  }
}

}  // namespace geotherm::detail
