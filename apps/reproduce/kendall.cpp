// Two lists of numbers in; Kendall's rank correlation, and intervals of any correlation over
// resampled pairs, out.
#include "kendall.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace geotherm {
namespace {

double pairs_among(std::size_t count) {
  const auto n = static_cast<double>(count);
  return n * (n - 1) / 2;
}

/// Pairs of equal entries of a sorted list, by an equality of its neighbours.
template <class Equal>
double tied_pairs(std::size_t n, const Equal& equal) {
  double tied = 0;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && equal(end - 1, end)) ++end;
    tied += pairs_among(end - begin);
    begin = end;
  }
  return tied;
}

/// Sorts values[begin, end) and counts the pairs that stood the wrong way round.
double sort_counting(std::vector<double>& values, std::vector<double>& buffer, std::size_t begin,
                     std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  double swaps =
      sort_counting(values, buffer, begin, middle) + sort_counting(values, buffer, middle, end);
  std::size_t left = begin, right = middle;
  for (std::size_t out = begin; out < end; ++out) {
    if (right == end || (left < middle && values[left] <= values[right])) {
      buffer[out] = values[left++];
    } else {
      swaps += static_cast<double>(middle - left);
      buffer[out] = values[right++];
    }
  }
  std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin),
            buffer.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(begin));
  return swaps;
}

void require_pairs(std::span<const double> a, std::span<const double> b) {
  if (a.size() == b.size()) return;
  throw InvalidArgument("the two lists have " + std::to_string(a.size()) + " and " +
                        std::to_string(b.size()) + " entries: give as many of each");
}

}  // namespace

double kendall(std::span<const double> a, std::span<const double> b) {
  require_pairs(a, b);
  const std::size_t n = a.size();
  // Knight's algorithm: sorted by a (ties by b), discordant pairs are the inversions of b.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j]; });
  const auto equal_a = [&](std::size_t i, std::size_t j) { return a[order[i]] == a[order[j]]; };
  const auto equal_both = [&](std::size_t i, std::size_t j) {
    return equal_a(i, j) && b[order[i]] == b[order[j]];
  };
  const double tied_a = tied_pairs(n, equal_a), tied_both = tied_pairs(n, equal_both);
  std::vector<double> values(n), buffer(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = b[order[i]];
  const double discordant = sort_counting(values, buffer, 0, n);
  const double tied_b =
      tied_pairs(n, [&](std::size_t i, std::size_t j) { return values[i] == values[j]; });
  const double all = pairs_among(n);
  if (!(all > tied_a && all > tied_b)) return 0;
  const double surplus = all - tied_a - tied_b + tied_both - 2 * discordant;
  return std::clamp(surplus / std::sqrt(all - tied_a) / std::sqrt(all - tied_b), -1.0, 1.0);
}

Interval bootstrap_interval(std::span<const double> a, std::span<const double> b,
                            const PairMeasure& measure, const IntervalOptions& options,
                            const Context& context) {
  refuse_if_any(issues_with(options));
  require_pairs(a, b);
  std::vector<double> values(options.n_resamples);
  parallel_for(context, values.size(), 8, [&](std::size_t begin, std::size_t end) {
    std::vector<double> x(a.size()), y(a.size());
    for (std::size_t r = begin; r < end; ++r) {
      Rng rng(context.seed, "metrics.bootstrap_interval", r);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t drawn = rng.below(a.size());
        x[i] = a[drawn];
        y[i] = b[drawn];
      }
      values[r] = measure(x, y);
    }
  });
  std::sort(values.begin(), values.end());
  // Between the two nearest of the sorted values, as numpy's percentiles are.
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
  };
  const double tail = (1 - options.level) / 2;
  return {quantile(tail), quantile(1 - tail)};
}

std::vector<std::string> issues_with(const IntervalOptions& options) {
  std::vector<std::string> issues;
  if (options.n_resamples < 2) {
    issues.push_back("n_resamples is " + std::to_string(options.n_resamples) +
                     ": an interval needs 2 or more, 1000 give it in two digits");
  }
  if (!(options.level > 0 && options.level < 1)) {
    issues.push_back("level is " + std::to_string(options.level) +
                     ": give the share inside the interval, such as 0.95");
  }
  return issues;
}

}  // namespace geotherm
