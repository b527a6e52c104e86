#include "geotherm/views.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/median.hpp"
#include "neighbors/lists.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm {
namespace {

using namespace detail;

using View = MatrixView<const double>;

void require_same_rows(std::span<const View> views) {
  if (views.size() < 2) {
    throw InvalidArgument("views: " + std::to_string(views.size()) + " given; give two or more");
  }
  for (std::size_t m = 1; m < views.size(); ++m) {
    if (views[m].rows == views[0].rows) continue;
    throw InvalidData("views: the first has " + std::to_string(views[0].rows) + " rows, view " +
                      std::to_string(m + 1) + " has " + std::to_string(views[m].rows) +
                      ": give views of the same rows");
  }
}

/// Distance of a row to the mean of others, in the view's own units.
double miss(const View& view, std::size_t i, std::span<const Index> others) {
  double squared = 0;
  for (std::size_t c = 0; c < view.cols; ++c) {
    double mean = 0;
    for (const Index j : others) mean += view(static_cast<std::size_t>(j), c);
    mean /= static_cast<double>(others.size());
    squared += (view(i, c) - mean) * (view(i, c) - mean);
  }
  return std::sqrt(squared);
}

/// The weights of row i: by how much better the mean of its own neighbours predicts it in a view
/// than that of the other views' neighbours, in units of the knn-th distance there.
void weigh(std::span<const View> views, const std::vector<NeighborLists>& lists, std::size_t i,
           std::size_t knn, std::span<double> out) {
  // Of gain / (1 + gain), so that no view is left out where both tell something.
  constexpr double least_share = 0.02;
  double total = 0;
  for (std::size_t m = 0; m < views.size(); ++m) {
    const double own = miss(views[m], i, lists[m].neighbors(i).first(knn));
    double others = 0;
    for (std::size_t l = 0; l < views.size(); ++l) {
      if (l == m) continue;
      others += miss(views[m], i, lists[l].neighbors(i).first(knn)) /
                static_cast<double>(views.size() - 1);
    }
    const double gain = std::max(0.0, others - own), scale = lists[m].lengths(i)[knn - 1];
    const double share = (gain > 0 ? gain / (scale + gain) : 0.0) + least_share;
    total += out[m] = share * share;
  }
  for (double& w : out) w /= total;
}

/// The median over the rows of the distance to the knn-th neighbour.
double typical_length(const NeighborLists& lists, std::size_t knn) {
  std::vector<double> lengths;
  for (std::size_t i = 0; i < lists.n_points; ++i) lengths.push_back(lists.lengths(i)[knn - 1]);
  return median(std::move(lengths));
}

double distance_in(const Space<double>& space, std::size_t i, Index j) {
  double measured = 0;
  measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), space.dims(), &j, 1,
               &measured);
  return space.distance(measured);
}

/// The columns of all views side by side, each view in units of its typical scale. Rows that are
/// near in all views together need not be among the nearest in any. Empty for metrics without
/// squares.
Matrix<float> side_by_side(const std::vector<Space<double>>& spaces,
                           const std::vector<NeighborLists>& lists, std::size_t knn) {
  constexpr double most = std::numeric_limits<float>::max();
  std::size_t dims = 0;
  for (const auto& space : spaces) {
    if (!is_squared(space.measure)) return {};
    dims += space.dims();
  }
  const std::size_t n = spaces.front().n_points();
  Matrix<float> all(n, dims);
  std::size_t column = 0;
  for (std::size_t m = 0; m < spaces.size(); ++m) {
    const Matrix<double>& rows = spaces[m].rows;
    std::vector<double> scales;
    for (std::size_t i = 0; i < n; ++i) {
      // Of arcs and angles the chord: the measure's own root.
      double measured = 0;
      const Index last = lists[m].neighbors(i)[knn - 1];
      measure_rows(Measure::squared, rows.row(i).data(), rows.data(), rows.cols(), &last, 1,
                   &measured);
      scales.push_back(std::sqrt(measured));
    }
    const double scale = median(scales);
    if (!(scale > 0)) return {};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < rows.cols(); ++c) {
        const double x = (rows(i, c) - rows(0, c)) / scale;
        all(i, column + c) = static_cast<float>(std::clamp(x, -most, most));
      }
    }
    column += rows.cols();
  }
  return all;
}

}  // namespace

JoinedViews join_views(std::span<const View> views, const NeighborOptions& options,
                       const Context& context) {
  require_same_rows(views);
  const std::size_t n = views[0].rows;
  refuse_if_any(issues_with(options, n));
  const std::size_t knn = resolve_knn(options.knn, n, context);
  const Cut cut{knn, options.reach};
  std::vector<NeighborLists> lists;
  std::vector<Space<double>> spaces;
  for (const View& view : views) {
    NeighborOptions wide = options;
    wide.knn = std::min(n - 1, 3 * knn);
    wide.reach = 1;
    lists.push_back(find_neighbors(view, wide, context));
    spaces.push_back(is_mapped(options.metric) ? mapped_space(view, options.metric)
                                               : plain_space(view, options.metric));
  }
  if (const Matrix<float> all = side_by_side(spaces, lists, knn); all.rows() > 0) {
    NeighborOptions wide = options;
    wide.metric = Metric::euclidean;
    wide.knn = std::min(n - 1, 3 * knn);
    wide.reach = 1;
    lists.push_back(find_neighbors(all.view(), wide, context));
  }
  JoinedViews joined;
  joined.weights = Matrix<double>::uninitialized(n, views.size());
  constexpr std::size_t block = 64;
  std::vector<double> typical;
  for (std::size_t m = 0; m < views.size(); ++m) typical.push_back(typical_length(lists[m], knn));
  std::vector<ListPart> parts((n + block - 1) / block);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    std::vector<Index> ids;
    std::vector<Candidate> candidates;
    for (std::size_t i = begin; i < end; ++i) {
      const auto weights = joined.weights.row(i);
      weigh(views, lists, i, knn, weights);
      ids.clear();
      for (const NeighborLists& of_view : lists) {
        ids.insert(ids.end(), of_view.neighbors(i).begin(), of_view.neighbors(i).end());
      }
      std::ranges::sort(ids);
      const auto last = std::ranges::unique(ids);
      ids.erase(last.begin(), last.end());
      candidates.clear();
      for (const Index j : ids) {
        double squared = 0;
        for (std::size_t m = 0; m < views.size(); ++m) {
          const double d = distance_in(spaces[m], i, j);
          // The row's own scale alone would even out the view that tells most about it.
          const double own = lists[m].lengths(i)[knn - 1];
          const double scale = std::sqrt(own) * std::sqrt(typical[m]);
          const double u = scale > 0 ? d / scale : (d > 0 ? 1e6 : 0.0);
          squared += weights[m] * u * u;
        }
        candidates.push_back({std::sqrt(squared), j});
      }
      parts[begin / block].add(static_cast<Index>(i), candidates, cut);
    }
  });
  joined.lists = assemble(n, cut, std::move(parts));
  joined.lists.search_used = lists.front().search_used;
  return joined;
}

}  // namespace geotherm
