// DiffusionKernel and chosen points -> their distances to all points, from rows of the kernel only.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/percent.hpp"
#include "core/transposed.hpp"
#include "dissimilarity/flat_heat.hpp"
#include "dissimilarity/heat_rows.hpp"
#include "dissimilarity/kernel_distance.hpp"
#include "dissimilarity/pivots.hpp"
#include "geotherm/dissimilarity.hpp"

namespace geotherm {
namespace {

// Columns of K for the given points, one per row: K times unit vectors.
Matrix<double> kernel_columns(const DiffusionKernel& kernel, std::span<const Index> points,
                              const Context& context) {
  Matrix<double> units(kernel.size(), points.size());
  for (std::size_t r = 0; r < points.size(); ++r) units(static_cast<std::size_t>(points[r]), r) = 1;
  return detail::transposed(kernel.apply(units, context), context);
}

void check(const DiffusionKernel& kernel, std::span<const Index> points,
           const HeatGeodesicOptions& options) {
  auto issues = issues_with(options);
  if (options.denoise > 0) {
    issues.push_back("denoise = " + detail::text(options.denoise) +
                     " needs the distances between all pairs: set it to 0 here, or use "
                     "heat_geodesic");
  }
  for (const Index point : points) {
    if (point < 0 || static_cast<std::size_t>(point) >= kernel.size()) {
      issues.push_back("points: " + std::to_string(point) + " is not among the " +
                       std::to_string(kernel.size()) + " points of the kernel");
    }
  }
  refuse_if_any(issues);
}

void warn_of(const detail::UnresolvedRows& unresolved, const Context& context) {
  if (unresolved.share == 0) return;
  context.warn(detail::in_percent(unresolved.share) +
               " of the distances from the chosen points are unresolved: they are those of heat " +
               detail::text(unresolved.heat) + ", a lower bound (use a longer `time`)");
}

/// Share of the rows whose heat is flat: among the chosen points, whose diagonal is in their rows,
/// where they are many enough to tell; else by the diagonal given.
double flat_share_of(const Matrix<double>& rows, const Matrix<double>& back,
                     std::span<const Index> points, const std::vector<double>& diagonal,
                     const detail::FlatHeat& flat) {
  constexpr std::size_t many = 16;
  const std::size_t r = points.size();
  if (r == 0) return 0;
  std::vector<double> forth_of(r), back_of(r), own(r);
  for (std::size_t k = 0; k < r; ++k) own[k] = rows(k, static_cast<std::size_t>(points[k]));
  std::size_t n_flat = 0;
  for (std::size_t i = 0; i < r; ++i) {
    const bool has_back = back.rows() > 0;
    if (r < many) {
      if (flat.is_flat(rows.row(i).data(), has_back ? back.row(i).data() : nullptr, own[i],
                       diagonal.data(), rows.cols())) {
        ++n_flat;
      }
      continue;
    }
    for (std::size_t k = 0; k < r; ++k) {
      const auto at = static_cast<std::size_t>(points[k]);
      forth_of[k] = rows(i, at);
      back_of[k] = has_back ? back(i, at) : forth_of[k];
    }
    if (flat.is_flat(forth_of.data(), back_of.data(), own[i], own.data(), r)) ++n_flat;
  }
  return static_cast<double>(n_flat) / static_cast<double>(r);
}

/// Heat of rows (and of columns, where the kernel is not symmetric) -> distances, in place. Row r
/// is that of the point at columns[r], whose own entry is in it; `diagonal` has the others, and
/// comes back with all.
detail::UnresolvedRows to_distances(Matrix<double>& values, const Matrix<double>& back,
                                    std::span<const Index> columns, std::vector<double> diagonal,
                                    const KernelReport& report, const HeatGeodesicOptions& options,
                                    detail::WithoutHeat without_heat, const Context& context) {
  detail::HeatDistanceRule rule = detail::rule_for(report, options);
  if (rule.marks_unresolved() && without_heat == detail::WithoutHeat::is_bound) {
    rule.floor = rule.least;
  }
  for (std::size_t r = 0; r < columns.size(); ++r) {
    const auto i = static_cast<std::size_t>(columns[r]);
    diagonal[i] = values(r, i);
  }
  std::vector<double> as_used = diagonal;
  detail::prepare_diagonal(rule, diagonal);

  const std::size_t n = values.cols();
  std::vector<std::size_t> n_lost(columns.size());
  parallel_for(context, columns.size(), 4, [&](std::size_t begin, std::size_t end) {
    detail::HeatDistanceScratch scratch(n);
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t i = static_cast<std::size_t>(columns[r]);
      double* row = values.row(r).data();
      n_lost[r] = detail::heat_distances(rule, row, back.rows() == 0 ? nullptr : back.row(r).data(),
                                         diagonal[i], diagonal.data(), n, scratch, row);
      if (scratch.lost[i] != 0) --n_lost[r];
      row[i] = 0;
    }
  });
  if (options.max_distance) detail::cut_to(values, *options.max_distance, context);
  std::size_t total_lost = 0;
  for (const std::size_t count : n_lost) total_lost += count;
  const double n_pairs = static_cast<double>(columns.size()) * static_cast<double>(n - 1);
  return {.share = total_lost > 0 ? static_cast<double>(total_lost) / n_pairs : 0,
          .heat = rule.floor,
          .diagonal = std::move(as_used)};
}

}  // namespace

namespace detail {
namespace {

std::vector<double> interpolated_diagonal(const Matrix<double>& rows, std::span<const Index> points,
                                          const Context& context) {
  std::vector<double> known(points.size());
  double mean = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    known[p] = std::log(rows(p, static_cast<std::size_t>(points[p])));
    mean += known[p] / static_cast<double>(points.size());
  }
  std::vector<double> diagonal(rows.cols());
  parallel_for(context, rows.cols(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0, total = 0;
      for (std::size_t p = 0; p < points.size(); ++p) {
        const double heat = std::max(0.0, rows(p, i));
        sum += heat * known[p];
        total += heat;
      }
      diagonal[i] = std::exp(total > 0 ? sum / total : mean);
    }
  });
  return diagonal;
}

/// `back`: columns of a kernel that is not symmetric, one per row.
Matrix<double> distances_of(Matrix<double> values, const Matrix<double>& back,
                            const KernelReport& report, std::span<const Index> points,
                            std::vector<double> diagonal, const HeatGeodesicOptions& options,
                            WithoutHeat without_heat, UnresolvedRows& unresolved,
                            const Context& context) {
  if (diagonal.empty()) diagonal = interpolated_diagonal(values, points, context);
  const FlatHeat flat(report);
  const double flat_share = flat_share_of(values, back, points, diagonal, flat);
  flat.warn_of(flat_share, context);
  unresolved = to_distances(values, back, points, std::move(diagonal), report, options,
                            without_heat, context);
  unresolved.flat_share = flat_share;
  return values;
}

}  // namespace

Matrix<double> heat_rows(const DiffusionKernel& kernel, std::span<const Index> points,
                         std::vector<double> diagonal, const HeatGeodesicOptions& options,
                         WithoutHeat without_heat, UnresolvedRows& unresolved,
                         const Context& context) {
  Matrix<double> back;
  if (!kernel.is_symmetric()) back = kernel_columns(kernel, points, context);
  return distances_of(kernel.rows(points, context), back, kernel.report(), points,
                      std::move(diagonal), options, without_heat, unresolved, context);
}

Matrix<double> heat_rows(Matrix<double> heat, const KernelReport& report,
                         std::span<const Index> points, std::vector<double> diagonal,
                         const HeatGeodesicOptions& options, WithoutHeat without_heat,
                         UnresolvedRows& unresolved, const Context& context) {
  return distances_of(std::move(heat), {}, report, points, std::move(diagonal), options,
                      without_heat, unresolved, context);
}

double fill_by_paths_over(std::span<const Index> points, Matrix<double>& rows,
                          const Context& context) {
  const std::size_t n = rows.cols();
  const PivotPaths paths(rows, points, context);
  std::vector<std::size_t> n_left(n, 0);
  parallel_for(context, n, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<double> ways;
      for (std::size_t p = 0; p < points.size(); ++p) {
        if (!std::isinf(rows(p, i))) continue;
        if (ways.empty()) ways = paths.to_pivots(i);
        rows(p, i) = ways[p];
        if (std::isinf(ways[p])) ++n_left[i];
      }
    }
  });
  const double total = static_cast<double>(std::accumulate(n_left.begin(), n_left.end(), 0UL));
  return total / static_cast<double>(rows.size());
}

}  // namespace detail

Matrix<double> heat_geodesic_from(const DiffusionKernel& kernel, std::span<const Index> points,
                                  const HeatGeodesicOptions& options, const Context& context) {
  check(kernel, points, options);
  detail::UnresolvedRows unresolved;
  Matrix<double> values = detail::heat_rows(kernel, points, kernel.diagonal(context), options,
                                            detail::WithoutHeat::is_bound, unresolved, context);
  warn_of(unresolved, context);
  return values;
}

Matrix<double> heat_geodesic_between(const DiffusionKernel& kernel, std::span<const Index> points,
                                     const HeatGeodesicOptions& options, const Context& context) {
  check(kernel, points, options);
  const Matrix<double> rows = kernel.rows(points, context);
  const std::size_t n = points.size();
  auto values = Matrix<double>::uninitialized(n, n);
  auto back = Matrix<double>::uninitialized(kernel.is_symmetric() ? 0 : n, n);
  std::vector<Index> places(n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      values(r, c) = rows(r, static_cast<std::size_t>(points[c]));
      if (back.rows() > 0) back(r, c) = rows(c, static_cast<std::size_t>(points[r]));
    }
    places[r] = static_cast<Index>(r);
  }
  warn_of(to_distances(values, back, places, std::vector<double>(n), kernel.report(), options,
                       detail::WithoutHeat::is_bound, context),
          context);
  return values;
}

}  // namespace geotherm
