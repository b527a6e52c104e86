// Which points are joined by finite distances, which of them serve as pivots, and the shortest
// paths through those: small min-plus products in place of one Dijkstra per point.
#include "dissimilarity/pivots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd.hpp"
#include "dissimilarity/all_paths.hpp"

namespace geotherm::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = 16;
constexpr std::size_t row_block = 16;

std::size_t padded(std::size_t n) { return (n + lanes - 1) / lanes * lanes; }

// min over k of a[k] + b[k]; n is a multiple of `lanes`.
GEOTHERM_WIDE double least_sum(const double* a, const double* b, std::size_t n) {
  double least[lanes];
  for (std::size_t l = 0; l < lanes; ++l) least[l] = infinite;
  for (std::size_t k = 0; k < n; k += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const double sum = a[k + l] + b[k + l];
      least[l] = sum < least[l] ? sum : least[l];
    }
  }
  return *std::min_element(least, least + lanes);
}

}  // namespace

ResolvedParts::ResolvedParts(MatrixView<const double> d, const Context& context)
    : part(d.rows, Index{-1}), n_partners(d.rows) {
  const std::size_t n = d.rows;
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t count = 0;
      for (std::size_t j = 0; j < n; ++j) count += d(i, j) < infinite ? 1u : 0u;
      n_partners[i] = count - 1;  // the diagonal is finite
    }
  });
  std::vector<std::size_t> to_visit;
  for (std::size_t first = 0; first < n; ++first) {
    if (part[first] >= 0) continue;
    const Index number = static_cast<Index>(n_parts++);
    part[first] = number;
    to_visit.assign(1, first);
    for (std::size_t v = 0; v < to_visit.size(); ++v) {
      const auto row = d.row(to_visit[v]);
      for (std::size_t j = 0; j < n; ++j) {
        if (part[j] >= 0 || !(row[j] < infinite)) continue;
        part[j] = number;
        to_visit.push_back(j);
      }
    }
    std::size_t n_inside = 0;
    for (const std::size_t i : to_visit) n_inside += n_partners[i];
    part_has_gaps.push_back(n_inside < to_visit.size() * (to_visit.size() - 1));
    has_gaps_inside = has_gaps_inside || part_has_gaps.back();
    n_pairs += n_inside;
  }
}

std::vector<std::size_t> choose_pivots(MatrixView<const double> d, const ResolvedParts& parts,
                                       std::size_t n_wanted) {
  const std::size_t n = d.rows;
  std::vector<std::size_t> pivots;
  std::vector<double> to_nearest(n, infinite);
  std::vector<bool> is_pivot(n, false);
  std::vector<std::size_t> n_unreached(parts.n_parts, 0);
  for (std::size_t i = 0; i < n; ++i) ++n_unreached[static_cast<std::size_t>(parts.part[i])];

  const auto part_of = [&](std::size_t i) { return static_cast<std::size_t>(parts.part[i]); };
  const auto add = [&](std::size_t pivot) {
    pivots.push_back(pivot);
    is_pivot[pivot] = true;
    for (std::size_t j = 0; j < n; ++j) {
      const double distance = j == pivot ? 0.0 : d(pivot, j);
      if (!(distance < to_nearest[j])) continue;
      if (to_nearest[j] == infinite) --n_unreached[part_of(j)];
      to_nearest[j] = distance;
    }
  };
  // The farthest of the points that a pivot reaches: it lies where the resolved distances end, so
  // that the next pivot sees the most that is new, and it is joined to the earlier ones.
  const auto farthest = [&](auto is_eligible) {
    std::size_t best = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (is_pivot[j] || to_nearest[j] == infinite || !is_eligible(j)) continue;
      if (best == n || to_nearest[j] > to_nearest[best]) best = j;
    }
    return best;
  };

  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t part = part_of(i);
    if (!parts.part_has_gaps[part] || to_nearest[i] != infinite) continue;
    add(i);
    // While a point of the part is unreached, some reached one is no pivot: the part hangs
    // together.
    while (n_unreached[part] > 0) add(farthest([&](std::size_t j) { return part_of(j) == part; }));
  }
  while (pivots.size() < n_wanted) {
    const std::size_t next = farthest([](std::size_t) { return true; });
    if (next == n) break;
    add(next);
  }
  std::sort(pivots.begin(), pivots.end());
  return pivots;
}

PivotPaths::PivotPaths(MatrixView<const double> d, const ResolvedParts& parts, std::size_t n_wanted,
                       const Context& context) {
  const std::vector<std::size_t> pivots = choose_pivots(d, parts, n_wanted);
  n_pivots_ = pivots.size();
  direct_ = Matrix<double>(d.rows, padded(n_pivots_), infinite);
  parallel_for(context, d.rows, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t p = 0; p < n_pivots_; ++p) {
        direct_(i, p) = i == pivots[p] ? 0.0 : d(i, pivots[p]);
      }
    }
  });
  find_paths_among(pivots, context);
}

PivotPaths::PivotPaths(MatrixView<const double> from_pivots, std::span<const Index> pivots,
                       const Context& context)
    : n_pivots_(pivots.size()) {
  direct_ = Matrix<double>(from_pivots.cols, padded(n_pivots_), infinite);
  for (std::size_t p = 0; p < n_pivots_; ++p) {
    for (std::size_t i = 0; i < from_pivots.cols; ++i) direct_(i, p) = from_pivots(p, i);
  }
  find_paths_among(std::vector<std::size_t>(pivots.begin(), pivots.end()), context);
}

void PivotPaths::find_paths_among(std::span<const std::size_t> pivots, const Context& context) {
  const std::size_t width = direct_.cols();
  among_ = Matrix<double>(n_pivots_, width, infinite);
  for (std::size_t p = 0; p < n_pivots_; ++p) {
    std::copy_n(direct_.row(pivots[p]).begin(), width, among_.row(p).begin());
  }
  lower_to_paths({among_.row(0).data(), n_pivots_, n_pivots_, width}, context);
}

std::vector<double> PivotPaths::to_pivots(std::size_t i) const {
  std::vector<double> result(among_.cols(), infinite);
  const double* direct = direct_.row(i).data();
  for (std::size_t p = 0; p < n_pivots_; ++p) {
    result[p] = least_sum(direct, among_.row(p).data(), among_.cols());
  }
  return result;
}

double PivotPaths::distance(std::span<const double> to_pivots, std::size_t j) const {
  return least_sum(to_pivots.data(), direct_.row(j).data(), direct_.cols());
}

}  // namespace geotherm::detail
