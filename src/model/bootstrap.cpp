// Subsamples of the rows, each embedded and aligned: spread of each place, intervals between
// groups.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "geotherm/stability.hpp"

namespace geotherm {
namespace {

template <class T>
Matrix<T> rows_of(MatrixView<const T> from, const std::vector<Index>& rows) {
  auto taken = Matrix<T>::uninitialized(rows.size(), from.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = from.row(static_cast<std::size_t>(rows[i]));
    std::copy(row.begin(), row.end(), taken.row(i).begin());
  }
  return taken;
}

Matrix<double> block_of(MatrixView<const double> from, const std::vector<Index>& rows) {
  auto taken = Matrix<double>::uninitialized(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      taken(i, j) = from(static_cast<std::size_t>(rows[i]), static_cast<std::size_t>(rows[j]));
    }
  }
  return taken;
}

std::vector<Index> drawn(std::size_t n, double share, Rng rng) {
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  rng.shuffle(std::span<Index>(all));
  const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(n)));
  all.resize(std::clamp<std::size_t>(wanted, 2, n));
  std::sort(all.begin(), all.end());
  return all;
}

Matrix<double> embedded(const Method& method, const Input& input, const std::vector<Index>& rows,
                        const MethodOptions& options, const Context& context) {
  if (!input.points().empty()) {
    const Matrix<double> some = rows_of(input.points(), rows);
    return method.embed(some.view(), options, context).embedding.coordinates;
  }
  if (!input.points32().empty()) {
    const Matrix<float> some = rows_of(input.points32(), rows);
    return method.embed(some.view(), options, context).embedding.coordinates;
  }
  const Matrix<double> some = block_of(input.distances(), rows);
  return method.embed(DistanceMatrix{some.view()}, options, context).embedding.coordinates;
}

/// Value below which a share of the (sorted) values lies, between two by their weight.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 == sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

/// Sums of what one row's aligned places were.
struct Sums {
  std::vector<double> mean;
  double squares = 0;  // about the running mean (Welford)
  double count = 0;

  void add(std::span<const double> place) {
    ++count;
    mean.resize(place.size(), 0.0);
    for (std::size_t c = 0; c < place.size(); ++c) {
      const double before = place[c] - mean[c];
      mean[c] += before / count;
      squares += before * (place[c] - mean[c]);
    }
  }
};

/// Groups by the order of their first rows.
struct Groups {
  std::vector<std::string> names;
  std::vector<std::size_t> of_row;

  explicit Groups(const Texts& labels) {
    std::map<std::string, std::size_t> known;
    for (const std::string& label : labels) {
      const auto [found, is_new] = known.emplace(label, names.size());
      if (is_new) names.push_back(label);
      of_row.push_back(found->second);
    }
  }

  Matrix<double> centres(const Matrix<double>& places, const std::vector<Index>& rows) const {
    Matrix<double> centre(names.size(), places.cols(), 0.0);
    if (names.empty()) return centre;
    std::vector<double> count(names.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t g = of_row[static_cast<std::size_t>(rows[i])];
      ++count[g];
      for (std::size_t c = 0; c < places.cols(); ++c) centre(g, c) += places(i, c);
    }
    // A group that no row was drawn from has no centre: 0 / 0.
    for (std::size_t g = 0; g < names.size(); ++g) {
      for (double& x : centre.row(g)) x /= count[g];
    }
    return centre;
  }
};

double extent_of(MatrixView<const double> map) {
  Sums all;
  for (std::size_t i = 0; i < map.rows; ++i) all.add(map.row(i));
  return map.rows == 0 ? 0.0 : std::sqrt(all.squares / static_cast<double>(map.rows));
}

/// Least squares shrinks what does not fit well, and with it every distance between groups: the
/// aligned places get the size of those they are compared with.
void restore_extent(Matrix<double>& aligned, MatrixView<const double> reference) {
  const double now = extent_of(aligned), wanted = extent_of(reference);
  if (!(now > 0)) return;
  Sums all;
  for (std::size_t i = 0; i < aligned.rows(); ++i) all.add(aligned.row(i));
  for (std::size_t i = 0; i < aligned.rows(); ++i) {
    for (std::size_t c = 0; c < aligned.cols(); ++c) {
      aligned(i, c) = all.mean[c] + (aligned(i, c) - all.mean[c]) * (wanted / now);
    }
  }
}

}  // namespace

std::vector<std::string> issues_with(const BootstrapOptions& options) {
  std::vector<std::string> issues;
  if (options.n_samples < 2) {
    issues.push_back("n_samples is " + std::to_string(options.n_samples) +
                     ": a spread needs 2 subsamples at least");
  }
  if (!(options.share > 0 && options.share < 1)) {
    issues.push_back("share is " + std::to_string(options.share) +
                     ": give a share of the rows between 0 and 1");
  }
  return issues;
}

Stability bootstrap(const Method& method, const Input& input, const MethodOptions& options,
                    MatrixView<const double> map, const Texts& groups,
                    const BootstrapOptions& how, const Context& context) {
  std::vector<std::string> issues = issues_with(how);
  if (!input.has_points() && input.distances().empty()) {
    issues.emplace_back("a graph cannot be subsampled: give points or distances");
  }
  if (!groups.empty() && groups.size() != map.rows) {
    issues.push_back("groups has " + std::to_string(groups.size()) + " names for " +
                     std::to_string(map.rows) + " rows");
  }
  refuse_if_any(issues);
  const std::size_t n = input.n_points();
  const Groups grouped(groups);
  const std::size_t n_groups = grouped.names.size();
  Stability result;
  result.extent = extent_of(map);
  std::vector<Sums> sums(n);
  std::vector<std::vector<double>> gaps(n_groups * n_groups);
  for (std::size_t b = 0; b < how.n_samples; ++b) {
    context.report_or_throw({.stage = "bootstrap", .done = b, .total = how.n_samples});
    const std::vector<Index> rows = drawn(n, how.share, Rng(context.seed, "bootstrap", b));
    const Matrix<double> reference = rows_of(map, rows);
    Procrustes fit = procrustes(reference, embedded(method, input, rows, options, context).view());
    restore_extent(fit.aligned, reference);
    result.disparity.push_back(fit.disparity);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sums[static_cast<std::size_t>(rows[i])].add(fit.aligned.row(i));
    }
    const Matrix<double> centres = grouped.centres(fit.aligned, rows);
    for (std::size_t g = 0; g < n_groups; ++g) {
      for (std::size_t h = g + 1; h < n_groups; ++h) {
        double square = 0;
        for (std::size_t c = 0; c < centres.cols(); ++c) {
          square += (centres(g, c) - centres(h, c)) * (centres(g, c) - centres(h, c));
        }
        if (std::isfinite(square)) gaps[g * n_groups + h].push_back(std::sqrt(square));
      }
    }
  }
  for (const Sums& sum : sums) {
    result.spread.push_back(sum.count < 2 ? std::numeric_limits<double>::quiet_NaN()
                                          : std::sqrt(sum.squares / sum.count));
  }
  for (std::size_t g = 0; g < n_groups; ++g) {
    for (std::size_t h = g + 1; h < n_groups; ++h) {
      std::vector<double>& seen = gaps[g * n_groups + h];
      if (seen.empty()) continue;
      std::sort(seen.begin(), seen.end());
      result.intervals.push_back({grouped.names[g], grouped.names[h], quantile(seen, 0.025),
                                  quantile(seen, 0.5), quantile(seen, 0.975)});
    }
  }
  return result;
}

}  // namespace geotherm
