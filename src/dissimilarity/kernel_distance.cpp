// d^2 = -4t log K_ij - sigma 4t log V_ij with 1 / V_ij = v = (K_ii + K_jj) / 2, computed as
// -4t (log(K_ij / v) + (1 - sigma) log v): one logarithm per pair at sigma = 1, and there exactly 0
// on the diagonal, since K_ii / v is then exactly 1.
#include "dissimilarity/kernel_distance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

#include "core/simd.hpp"
#include "core/vector_log.hpp"

namespace geotherm::detail {
namespace {

// Copies kernel entries into x; those at or below `cut` and those not finite become `substitute`,
// so that the logarithm is taken of normal numbers only.
GEOTHERM_WIDE void read_entries(const double* k, std::size_t n, double least, double cut,
                                double substitute, double* x, double* lost) {
  constexpr double largest = std::numeric_limits<double>::max();
  for (std::size_t j = 0; j < n; ++j) {
    const double entry = k[j] <= largest ? k[j] : 0.0;
    x[j] = entry > cut ? entry : substitute;
    lost[j] = entry > least ? lost[j] : 1.0;
  }
}

GEOTHERM_WIDE void mean_volumes(double k_ii, const double* k_jj, std::size_t n, double* volume,
                                double* lost) {
  for (std::size_t j = 0; j < n; ++j) {
    const double mean = 0.5 * (k_ii + k_jj[j]);
    lost[j] = mean > 0 ? lost[j] : 1.0;
    volume[j] = mean > 0 ? mean : 1.0;
  }
}

GEOTHERM_WIDE void divide_in_place(double* x, const double* by, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) x[j] /= by[j];
}

// x <- x + factor y
GEOTHERM_WIDE void add_scaled(double* x, double factor, const double* y, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) x[j] += factor * y[j];
}

GEOTHERM_WIDE std::size_t count_lost(const double* lost, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < n; ++j) count += lost[j] != 0.0 ? 1u : 0u;
  return count;
}

}  // namespace

HeatDistanceRule rule_for(const KernelReport& report, const HeatGeodesicOptions& options) {
  constexpr double published_floor = 1e-16;
  if (!(report.time > 0) || !std::isfinite(report.time)) {
    throw InvalidArgument("kernel: its report says time = " + text(report.time) +
                          "; the distance needs a finite time > 0");
  }
  HeatDistanceRule rule;
  rule.time = report.time;
  rule.harnack = options.harnack;
  rule.floor = options.kernel_floor.value_or(report.resolution > 0 ? published_floor : 0.0);
  rule.least = std::max({report.resolution, rule.floor, smallest_heat});
  return rule;
}

void cut_to(Matrix<double>& values, double most, const Context& context) {
  parallel_for(context, values.rows(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (double& value : values.row(i)) value = std::min(value, most);
    }
  });
}

void prepare_diagonal(const HeatDistanceRule& rule, std::vector<double>& diagonal) {
  std::vector<double> lost(diagonal.size());
  read_entries(diagonal.data(), diagonal.size(), rule.least,
               rule.marks_unresolved() ? rule.least : rule.floor, rule.floor, diagonal.data(),
               lost.data());
}

std::size_t heat_distances(const HeatDistanceRule& rule, const double* k_ij, const double* k_ji,
                           double k_ii, const double* k_jj, std::size_t n,
                           HeatDistanceScratch& scratch, double* out) {
  double* forth = scratch.forth.data();
  double* back = scratch.back.data();
  double* volume = scratch.volume.data();
  double* lost = scratch.lost.data();
  const bool marks = rule.marks_unresolved();
  const double cut = marks ? rule.least : rule.floor;
  const double substitute = marks ? 1.0 : rule.floor;
  const bool is_symmetric = k_ji == nullptr;

  std::fill_n(lost, n, 0.0);
  read_entries(k_ij, n, rule.least, cut, substitute, forth, lost);
  if (!is_symmetric) read_entries(k_ji, n, rule.least, cut, substitute, back, lost);
  if (rule.harnack != 0) {
    mean_volumes(k_ii, k_jj, n, volume, lost);
    divide_in_place(forth, volume, n);
    if (!is_symmetric) divide_in_place(back, volume, n);
  }
  log_in_place(forth, n);
  if (!is_symmetric) {
    log_in_place(back, n);
    add_scaled(forth, 1.0, back, n);
  }
  // Two directions: the mean of both, hence half the factor and twice the volume term.
  const double directions = is_symmetric ? 1 : 2;
  if (rule.harnack != 0 && rule.harnack != 1) {
    log_in_place(volume, n);
    add_scaled(forth, directions * (1 - rule.harnack), volume, n);
  }
  const double factor = -4 * rule.time / directions;
  // + 0.0: a factor below 0 makes -0 of log 1, and tables would show it.
  for (std::size_t j = 0; j < n; ++j) out[j] = std::sqrt(std::max(factor * forth[j], 0.0) + 0.0);
  const std::size_t n_lost = count_lost(lost, n);
  if (marks && n_lost > 0) {
    for (std::size_t j = 0; j < n; ++j) {
      if (lost[j] != 0) out[j] = std::numeric_limits<double>::infinity();
    }
  }
  return n_lost;
}

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace geotherm::detail
