// Whether a table has been through PCA already. Time and memory of a few passes: no columns^2.
//
// Principal components of the rows at hand are centred, uncorrelated to the last digits of their
// numbers, and fall in variance; columns that are merely independent are uncorrelated up to chance,
// 1 / sqrt(rows), and fall in variance once in columns! times. Of a part of the rows the exactness
// is lost; there many columns have to fall in variance with few exceptions. Tables of fewer columns
// than `fewest_columns` are never cut (choose_rank), so nothing hangs on them: raw coordinates of
// rings, spheres and rolls are no principal components, however even they lie.
//
// Wrong answers cost little: components that are taken for a raw table are only turned, or lose
// directions that look like white noise; a raw table that passes has columns that are its
// directions of falling variance, as far as the rows can tell.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "geotherm/moments.hpp"
#include "geotherm/points.hpp"
#include "points/columns.hpp"

namespace geotherm {
namespace {

constexpr std::size_t fewest_columns = 6;
/// Correlations and means as shares of those that chance leaves: root mean square.
constexpr double exact_share = 0.1;
/// The same for a part of the rows: no single one is larger than so many times chance.
constexpr double most_of_chance = 5;
constexpr std::size_t fewest_columns_of_a_part = 16;
constexpr std::size_t fewest_rows_of_a_part = 100;
/// Pairs of columns in the wrong order, as a share of all; half of them where there is no order.
constexpr double most_inversions = 0.1;
/// Neighbouring variances within rounding (of float16 numbers, too) are in order either way.
constexpr double rounding = 1e-3;

struct Columns {
  std::vector<double> scale;      ///< power of two by which entries are multiplied
  std::vector<double> mean;       ///< of scaled entries
  std::vector<double> deviation;  ///< root mean square of scaled entries from it
};

/// Sums over rows of add_row(row, sums, scratch), in block order. `width` sums.
template <class AddRow>
std::vector<double> sum_over(const detail::TableSource& points, std::size_t width,
                             const Context& context, const AddRow& add_row) {
  std::vector<double> sums(width, 0.0);
  const std::size_t block = detail::rows_per_block(points.cols());
  detail::for_each_slab(points, block, context, [&](MatrixView<const double> slab, std::size_t) {
    Matrix<double> partial((slab.rows + block - 1) / block, width);
    parallel_for(context, slab.rows, block, [&](std::size_t begin, std::size_t end) {
      double* const out = partial.row(begin / block).data();
      std::vector<double> scratch(slab.cols);
      for (std::size_t i = begin; i < end; ++i) add_row(slab.row(i).data(), out, scratch);
    });
    for (std::size_t b = 0; b < partial.rows(); ++b) {
      for (std::size_t k = 0; k < width; ++k) sums[k] += partial(b, k);
    }
  });
  return sums;
}

Columns measure(const detail::TableSource& points, const Context& context) {
  const std::size_t d = points.cols();
  Columns columns;
  for (const double peak : detail::column_peaks(points, context)) {
    columns.scale.push_back(detail::exact_scale(peak));
  }
  columns.mean = detail::column_means(points, columns.scale, context);
  columns.deviation = sum_over(points, d, context, [&](const double* row, double* sums, auto&) {
    for (std::size_t c = 0; c < d; ++c) {
      const double offset = row[c] * columns.scale[c] - columns.mean[c];
      sums[c] += offset * offset;
    }
  });
  for (double& s : columns.deviation) s = std::sqrt(s / static_cast<double>(points.rows()));
  return columns;
}

/// Share of the pairs of columns of which the later one varies more.
double share_of_inversions(std::span<const double> deviation) {
  std::size_t n_wrong = 0;
  const std::size_t d = deviation.size();
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = a + 1; b < d; ++b) n_wrong += deviation[b] > deviation[a] ? 1 : 0;
  }
  return static_cast<double>(n_wrong) / (0.5 * static_cast<double>(d) * static_cast<double>(d - 1));
}

/// How far apart columns are whose correlations are looked at: all of them in tables of few
/// columns. Columns of a raw table are related to their neighbours first.
std::vector<std::size_t> lags_of(std::size_t d) {
  std::vector<std::size_t> lags;
  for (std::size_t lag = 1; lag <= std::min<std::size_t>(d - 1, 8); ++lag) lags.push_back(lag);
  if (d / 2 > lags.back()) lags.push_back(d / 2);
  return lags;
}

std::vector<double> correlations(const detail::TableSource& points, const Columns& columns,
                                 const Context& context) {
  const std::size_t d = points.cols();
  const std::vector<std::size_t> lags = lags_of(d);
  std::vector<double> sums =
      sum_over(points, d * lags.size(), context, [&](const double* row, double* out, auto& z) {
        for (std::size_t c = 0; c < d; ++c) {
          z[c] = (row[c] * columns.scale[c] - columns.mean[c]) / columns.deviation[c];
        }
        for (std::size_t l = 0; l < lags.size(); ++l) {
          for (std::size_t c = 0; c + lags[l] < d; ++c) out[l * d + c] += z[c] * z[c + lags[l]];
        }
      });
  std::vector<double> found;
  for (std::size_t l = 0; l < lags.size(); ++l) {
    for (std::size_t c = 0; c + lags[l] < d; ++c) {
      found.push_back(sums[l * d + c] / static_cast<double>(points.rows()));
    }
  }
  return found;
}

/// From the deviations of n rows in the units of the table, their means over those, and
/// correlations(), which is asked only where the deviations do not say no.
template <class Correlations>
bool look_principal(std::size_t n, std::span<const double> deviation,
                    std::span<const double> relative_mean, const Correlations& correlations_of) {
  const std::size_t d = deviation.size();
  bool falls = true;
  for (std::size_t c = 1; c < d; ++c) falls &= deviation[c] <= deviation[c - 1] * (1 + rounding);
  // Equal variances everywhere are no order.
  falls &= deviation[d - 1] < deviation[0] * (1 - 1 / std::sqrt(static_cast<double>(n)));
  const bool may_be_part = d >= fewest_columns_of_a_part && n >= fewest_rows_of_a_part &&
                           share_of_inversions(deviation) <= most_inversions;
  if (!falls && !may_be_part) return false;

  double largest = 0, squares = 0;
  const auto count = [&](double value) {
    largest = std::max(largest, std::abs(value));
    squares += value * value;
  };
  const std::vector<double> related = correlations_of();
  for (const double r : related) count(r);
  for (const double mean : relative_mean) count(mean);
  const double chance = 1 / std::sqrt(static_cast<double>(n));
  const double typical = std::sqrt(squares / static_cast<double>(related.size() + d));
  if (falls && typical <= exact_share * chance) return true;
  return may_be_part && largest <= most_of_chance * chance;
}

bool are_principal(const detail::TableSource& points, const Context& context) {
  const std::size_t d = points.cols(), n = points.rows();
  // n rows have at most n - 1 components.
  if (d < fewest_columns || n <= d) return false;
  const Columns columns = measure(points, context);
  std::vector<double> deviation(d), relative_mean(d);
  for (std::size_t c = 0; c < d; ++c) {
    if (!(columns.deviation[c] > 0)) return false;
    deviation[c] = columns.deviation[c] / columns.scale[c];
    relative_mean[c] = columns.mean[c] / columns.deviation[c];
  }
  return look_principal(n, deviation, relative_mean,
                        [&] { return correlations(points, columns, context); });
}

}  // namespace

bool is_principal_components(MatrixView<const double> points, const Context& context) {
  return are_principal(points, context);
}
bool is_principal_components(MatrixView<const float> points, const Context& context) {
  return are_principal(points, context);
}

bool is_principal_components(const MomentsView& moments) {
  const std::size_t d = moments.mean.size();
  const auto n = static_cast<std::size_t>(moments.n_rows);
  if (d < fewest_columns || n <= d) return false;
  std::vector<double> deviation(d), relative_mean(d);
  for (std::size_t c = 0; c < d; ++c) {
    deviation[c] = std::sqrt(moments.scatter(c, c) / moments.n_rows);
    if (!(deviation[c] > 0)) return false;
    relative_mean[c] = moments.mean[c] / deviation[c];
  }
  return look_principal(n, deviation, relative_mean, [&] {
    std::vector<double> found;
    for (const std::size_t lag : lags_of(d)) {
      for (std::size_t c = 0; c + lag < d; ++c) {
        found.push_back(moments.scatter(c, c + lag) /
                        (moments.n_rows * deviation[c] * deviation[c + lag]));
      }
    }
    return found;
  });
}

}  // namespace geotherm
