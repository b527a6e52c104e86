// A map and memberships -> how many neighbours it keeps, and how densely its points lie; a graph ->
// how well maps keep its paths: what says whether, and from what size on, a map is refined.
#include "refine/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/median.hpp"
#include "core/squared_distance.hpp"
#include "core/take_rows.hpp"
#include "dissimilarity/dijkstra.hpp"
#include "geotherm/metrics.hpp"
#include "graph/device_paths.hpp"
#include "neighbors/lists.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t most_sampled = 1000, judged = 10, spaced = 15;
// Of paths: starts, ends of each, and the fewest ends that say something of the shape.
constexpr std::size_t many_points = 20000, starts_of_few = 32, starts_of_many = 16;
constexpr std::size_t most_ends = 2000, fewest_ends = 10;

/// The `count` others with the largest memberships, ties by index.
std::vector<Index> strongest(const Attraction& attraction, std::size_t i, std::size_t count) {
  Attraction::Row all;
  attraction.read(i, all);
  std::vector<std::pair<double, Index>> row;
  for (std::size_t e = 0; e < all.others.size(); ++e) {
    row.emplace_back(-all.weights[e], all.others[e]);
  }
  const std::size_t kept = std::min(count, row.size());
  std::partial_sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(kept), row.end());
  std::vector<Index> result;
  for (std::size_t k = 0; k < kept; ++k) result.push_back(row[k].second);
  return result;
}

/// The nearest of few points of a map. Some of the map's points bound how far they are; one pass
/// over all points then compares each with those that it may be near along the first axis.
class NearestOfSome {
 public:
  NearestOfSome(MatrixView<const double> map, std::span<const Index> points, std::size_t knn,
                const Context& context)
      : map_(map), points_(points), knn_(knn), bins_(n_bins), within_(points.size()) {
    find_bounds(context);
    sort_into_bins(context);
    compare(context);
  }
  /// In the order of the points, ties by index.
  ListPart lists() {
    ListPart part;
    for (std::size_t q = 0; q < points_.size(); ++q) {
      part.add(points_[q], found_[q], {.knn = knn_, .reach = 1});
    }
    return part;
  }

 private:
  static constexpr std::size_t n_bins = 1024, block = 16384, least_some = 8192;

  std::size_t bin_of(double x) const {
    const double share = width_ > 0 ? (x - least_) / width_ : 0;
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(n_bins - 1));
  }
  /// Squared distances within which there are enough others.
  void find_bounds(const Context& context) {
    const std::size_t n = map_.rows;
    const std::size_t step = std::max<std::size_t>(1, n / std::max(least_some, n / 64));
    std::vector<Index> some;
    for (std::size_t j = 0; j < n; j += step) some.push_back(static_cast<Index>(j));
    const Matrix<double> near = take_rows<double>(map_, some);  // side by side in memory
    parallel_for(context, points_.size(), 8, [&](std::size_t begin, std::size_t end) {
      std::vector<double> nearest;  // a heap, the farthest first
      for (std::size_t q = begin; q < end; ++q) {
        const auto own = static_cast<std::size_t>(points_[q]);
        nearest.clear();
        double& within = within_[q];
        within = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < some.size(); ++k) {
          const double apart = squared_distance(map_.row(own), near.row(k));
          if (!(apart < within) || k * step == own) continue;
          if (nearest.size() == knn_) {
            std::pop_heap(nearest.begin(), nearest.end());
            nearest.pop_back();
          }
          nearest.push_back(apart);
          std::push_heap(nearest.begin(), nearest.end());
          if (nearest.size() == knn_) within = nearest.front();
        }
      }
    });
  }
  void sort_into_bins(const Context& context) {
    const std::size_t n_blocks = (map_.rows + block - 1) / block;
    std::vector<double> lows(n_blocks), highs(n_blocks);
    parallel_for(context, map_.rows, block, [&](std::size_t begin, std::size_t end) {
      double low = map_(begin, 0), high = low;
      for (std::size_t i = begin; i < end; ++i) {
        low = std::min(low, map_(i, 0));
        high = std::max(high, map_(i, 0));
      }
      lows[begin / block] = low;
      highs[begin / block] = high;
    });
    least_ = *std::min_element(lows.begin(), lows.end());
    width_ = *std::max_element(highs.begin(), highs.end()) - least_;
    for (std::size_t q = 0; q < points_.size(); ++q) {
      const double x = map_(static_cast<std::size_t>(points_[q]), 0);
      const double reach = std::sqrt(within_[q]) * (1 + 1e-10);
      const std::size_t last = bin_of(x + reach);
      for (std::size_t bin = bin_of(x - reach); bin <= last; ++bin) bins_[bin].push_back(q);
    }
  }
  void compare(const Context& context) {
    using Found = std::pair<std::size_t, Candidate>;
    std::vector<std::vector<Found>> parts((map_.rows + block - 1) / block);
    parallel_for(context, map_.rows, block, [&](std::size_t begin, std::size_t end) {
      std::vector<Found>& part = parts[begin / block];
      for (std::size_t j = begin; j < end; ++j) {
        for (const std::size_t q : bins_[bin_of(map_(j, 0))]) {
          const auto own = static_cast<std::size_t>(points_[q]);
          const double apart = squared_distance(map_.row(own), map_.row(j));
          if (apart > within_[q] || j == own) continue;
          part.push_back({q, {std::sqrt(apart), static_cast<Index>(j)}});
        }
      }
    });
    found_.resize(points_.size());
    for (const auto& part : parts) {
      for (const auto& [q, candidate] : part) found_[q].push_back(candidate);
    }
  }

  MatrixView<const double> map_;
  std::span<const Index> points_;
  std::size_t knn_;
  double least_ = 0, width_ = 0;
  std::vector<std::vector<std::size_t>> bins_;  ///< of the first axis: who may reach into it
  std::vector<double> within_;
  std::vector<std::vector<Candidate>> found_;
};

/// In units of the largest entry: squares stay in the range of numbers.
Matrix<double> of_size_one(MatrixView<const double> map, const Context& context) {
  constexpr std::size_t many = 65536;
  std::vector<double> parts((map.rows + many - 1) / many, 0.0);
  parallel_for(context, map.rows, many, [&](std::size_t begin, std::size_t end) {
    double& most = parts[begin / many];
    for (std::size_t i = begin; i < end; ++i) {
      for (const double x : map.row(i)) most = std::max(most, std::abs(x));
    }
  });
  const double largest = parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end());
  auto result = Matrix<double>::uninitialized(map.rows, map.cols);
  parallel_for(context, map.rows, many, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::transform(map.row(i).begin(), map.row(i).end(), result.row(i).begin(),
                     [largest](double x) { return largest > 0 ? x / largest : 0; });
    }
  });
  return result;
}

/// Squared distances in a map from one point to others.
std::vector<double> squares_from(const Matrix<double>& map, Index point,
                                 std::span<const Index> others) {
  const auto here = map.row(static_cast<std::size_t>(point));
  std::vector<double> squares;
  squares.reserve(others.size());
  for (const Index j : others) {
    const auto there = map.row(static_cast<std::size_t>(j));
    double square = 0;
    for (std::size_t k = 0; k < here.size(); ++k)
      square += (here[k] - there[k]) * (here[k] - there[k]);
    squares.push_back(square);
  }
  return squares;
}

double deviation_of(MatrixView<const double> map) {
  double squares = 0;
  const double n = static_cast<double>(map.rows);
  for (std::size_t k = 0; k < map.cols; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < map.rows; ++i) mean += map(i, k) / n;
    for (std::size_t i = 0; i < map.rows; ++i) squares += (map(i, k) - mean) * (map(i, k) - mean);
  }
  return std::sqrt(squares / (n * static_cast<double>(map.cols)));
}

}  // namespace

NeighborFit neighbor_fit(MatrixView<const double> given, const Attraction& attraction,
                         const Context& context) {
  NeighborFit fit;
  const std::size_t n = given.rows;
  if (n < 3) return fit;
  const std::size_t step = (n + most_sampled - 1) / most_sampled;
  std::vector<Index> sample;
  for (std::size_t i = 0; i < n; i += step) sample.push_back(static_cast<Index>(i));
  const Matrix<double> scaled = of_size_one(given, context);
  const MatrixView<const double> map = scaled.view();
  const ListPart lists = NearestOfSome(map, sample, std::min(spaced, n - 1), context).lists();
  std::vector<double> spacings;
  std::size_t n_kept = 0, n_wanted = 0;
  std::size_t at = 0;
  for (std::size_t q = 0; q < sample.size(); ++q) {
    const auto all = std::span(lists.indices).subspan(at, lists.counts[q]);
    const auto near = all.first(std::min(judged, all.size()));
    const auto wanted = strongest(attraction, static_cast<std::size_t>(sample[q]), judged);
    n_wanted += wanted.size();
    for (const Index j : wanted) {
      n_kept += static_cast<std::size_t>(std::count(near.begin(), near.end(), j));
    }
    at += lists.counts[q];
    spacings.push_back(lists.distances[at - 1]);
  }
  if (n_wanted > 0) fit.kept = static_cast<double>(n_kept) / static_cast<double>(n_wanted);
  const double deviation = deviation_of(map);
  if (deviation > 0) fit.spacing = median(std::move(spacings)) / deviation;
  return fit;
}

PathSample::PathSample(const Graph& graph, const Context& context) {
  const std::size_t n = graph.n_points();
  if (n < 3 || !graph.has_lengths()) return;
  std::vector<double> without_bridges;
  if (!graph.bridges.empty()) {
    without_bridges = graph.lengths;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
        if (graph.is_bridge(i, graph.weights.indices[e])) {
          without_bridges[e] = std::numeric_limits<double>::infinity();
        }
      }
    }
  }
  const std::span<const double> lengths =
      graph.bridges.empty() ? std::span<const double>(graph.lengths) : without_bridges;
  from_.resize(std::min(n, n > many_points ? starts_of_many : starts_of_few));
  std::vector<Index> starts;
  for (std::size_t s = 0; s < from_.size(); ++s) {
    starts.push_back(static_cast<Index>(s * n / from_.size()));
  }
  Matrix<double> rows;  // where a device finds them
  if (const auto on_device = device_paths(context, graph.weights, lengths)) {
    rows = on_device->from(starts);
  }
  parallel_for(context, from_.size(), 1, [&](std::size_t begin, std::size_t end) {
    Dijkstra paths(graph.weights, lengths);
    std::vector<double> own(rows.empty() ? n : 0);
    for (std::size_t s = begin; s < end; ++s) {
      From& from = from_[s];
      from.point = starts[s];
      if (rows.empty()) paths.run(from.point, own);
      const std::span<const double> found =
          rows.empty() ? std::span<const double>(own) : rows.row(s);
      std::vector<Index> reached;
      for (std::size_t j = 0; j < n; ++j) {
        if (std::isfinite(found[j])) reached.push_back(static_cast<Index>(j));
      }
      const std::size_t step = (reached.size() + most_ends - 1) / most_ends;
      for (std::size_t r = 0; r < reached.size(); r += step) {
        from.to.push_back(reached[r]);
        from.lengths.push_back(found[static_cast<std::size_t>(reached[r])]);
      }
    }
  });
  std::erase_if(from_, [](const From& from) { return from.to.size() < fewest_ends; });
}

double PathSample::correlation(MatrixView<const double> given, const Context& context) const {
  const Matrix<double> scaled = of_size_one(given, context);
  // One sum, in the order of the starts.
  const double sum = parallel_sum(context, from_.size(), 1, [&](std::size_t s, std::size_t) {
    const From& from = from_[s];
    return spearman(from.lengths, squares_from(scaled, from.point, from.to));
  });
  return from_.empty() ? 0 : sum / static_cast<double>(from_.size());
}

double PathSample::agreement(MatrixView<const double> one, MatrixView<const double> other,
                             const Context& context) const {
  const Matrix<double> here = of_size_one(one, context), there = of_size_one(other, context);
  const double sum = parallel_sum(context, from_.size(), 1, [&](std::size_t s, std::size_t) {
    const From& from = from_[s];
    return spearman(squares_from(here, from.point, from.to),
                    squares_from(there, from.point, from.to));
  });
  return from_.empty() ? 0 : sum / static_cast<double>(from_.size());
}

}  // namespace geotherm::detail
