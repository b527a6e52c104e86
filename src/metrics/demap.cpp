// Two spaces over the same points in; one number over all their pairs out: DEMaP, and stress.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geotherm/metrics.hpp"
#include "metrics/distance_rows.hpp"
#include "metrics/order.hpp"

namespace geotherm {
namespace {

/// Distances of the pairs i < j among `chosen`, row after row.
std::vector<double> distances_of_pairs(const detail::DistanceRows& space,
                                       const std::vector<std::size_t>& chosen,
                                       const Context& context) {
  const std::size_t m = chosen.size();
  std::vector<double> pairs(m * (m - 1) / 2);
  detail::for_rows(context, "DEMaP", m, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(space.n());
    for (std::size_t i = begin; i < end; ++i) {
      space.row(chosen[i], row);
      double* out = pairs.data() + i * (2 * m - i - 1) / 2;
      for (std::size_t j = i + 1; j < m; ++j) *out++ = row[chosen[j]];
    }
  });
  return pairs;
}

}  // namespace

std::vector<std::string> issues_with(const DemapOptions& options) {
  if (!options.max_points || *options.max_points >= 2) return {};
  return {"max_points is " + std::to_string(*options.max_points) +
          ": give 2 or more, or leave it empty for all points"};
}

double demap(const Space& truth, const Space& estimate, const DemapOptions& options,
             const Context& context) {
  refuse_if_any(issues_with(options));
  const detail::DistanceRows a(truth, "truth", context);
  const detail::DistanceRows b(estimate, "estimate", context);
  detail::require_same_size(a, "truth", b, "estimate");
  const auto chosen = detail::sample_rows(a.n(), options.max_points, context);
  const std::size_t n_pairs = chosen.size() * (chosen.size() - 1) / 2;
  if (n_pairs > std::numeric_limits<std::uint32_t>::max()) {
    throw InvalidArgument("max_points leaves " + std::to_string(chosen.size()) +
                          " points: give 92,000 or less");
  }
  if (n_pairs < 2) return 0;

  std::vector<double> ranks_a = distances_of_pairs(a, chosen, context);
  std::vector<double> ranks_b = distances_of_pairs(b, chosen, context);
  {
    detail::Sorter sorter;
    detail::average_ranks(ranks_a, sorter, ranks_a);
    context.report_or_throw({.stage = "DEMaP"});
    detail::average_ranks(ranks_b, sorter, ranks_b);
  }
  const double mean = 0.5 * static_cast<double>(n_pairs + 1);
  const auto products = [&](const std::vector<double>& x, const std::vector<double>& y) {
    return parallel_sum(context, n_pairs, 1 << 16, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t p = begin; p < end; ++p) sum += (x[p] - mean) * (y[p] - mean);
      return sum;
    });
  };
  const double aa = products(ranks_a, ranks_a), bb = products(ranks_b, ranks_b);
  if (aa == 0 || bb == 0) return 0;  // all pairs tied; exact, as all deviations are 0
  return std::clamp(products(ranks_a, ranks_b) / (std::sqrt(aa) * std::sqrt(bb)), -1.0, 1.0);
}

StressScores score_stress(const Space& truth, const Space& estimate, const Context& context) {
  const detail::DistanceRows a(truth, "truth", context);
  const detail::DistanceRows b(estimate, "estimate", context);
  detail::require_same_size(a, "truth", b, "estimate");
  const std::size_t n = a.n();

  // The largest distance of each side first, so that the sums neither overflow nor vanish.
  std::vector<double> largest_a(n), largest_b(n);
  const auto over_pairs = [&](const auto& take) {
    detail::for_rows(context, "stress", n, [&](std::size_t begin, std::size_t end) {
      std::vector<double> row_a(n), row_b(n);
      for (std::size_t i = begin; i < end; ++i) {
        a.row(i, row_a);
        b.row(i, row_b);
        for (std::size_t j = i + 1; j < n; ++j) take(i, row_a[j], row_b[j]);
      }
    });
  };
  over_pairs([&](std::size_t i, double d, double e) {
    largest_a[i] = std::max(largest_a[i], std::abs(d));
    largest_b[i] = std::max(largest_b[i], std::abs(e));
  });
  const double scale_a = detail::safe_scale(*std::max_element(largest_a.begin(), largest_a.end()));
  const double scale_b = detail::safe_scale(*std::max_element(largest_b.begin(), largest_b.end()));

  std::vector<double> dd(n), ee(n), de(n);
  over_pairs([&](std::size_t i, double d, double e) {
    d *= scale_a;
    e *= scale_b;
    dd[i] += d * d;
    ee[i] += e * e;
    de[i] += d * e;
  });
  double sum_dd = 0, sum_ee = 0, sum_de = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum_dd += dd[i];
    sum_ee += ee[i];
    sum_de += de[i];
  }
  StressScores scores;
  if (sum_dd == 0) {
    scores.normalized = sum_ee == 0 ? 0 : std::numeric_limits<double>::infinity();
    scores.scale = sum_ee == 0 ? 1 : 0;
    return scores;
  }
  // The residuals are summed themselves: differences of the sums above would lose a small stress.
  const double factor = sum_ee == 0 ? 0 : std::max(sum_de / sum_ee, 0.0);  // in scaled units
  const double ratio = scale_a / scale_b;
  std::vector<double> plain(n), best(n);
  over_pairs([&](std::size_t i, double d, double e) {
    const double as_given = d * scale_a - e * scale_b * ratio;
    const double as_best = d * scale_a - e * scale_b * factor;
    plain[i] += as_given * as_given;
    best[i] += as_best * as_best;
  });
  double sum_plain = 0, sum_best = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum_plain += plain[i];
    sum_best += best[i];
  }
  scores.normalized = sum_plain / sum_dd;
  scores.scaled = sum_best / sum_dd;
  scores.scale = sum_ee == 0 ? 1 : factor / ratio;
  return scores;
}

}  // namespace geotherm
