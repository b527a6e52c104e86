#include "geotherm/views.hpp"

#include <algorithm>
#include <cmath>
#include <string>

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

/// How well the mean of `others` predicts row i, in (0, 1]: 1 within its nearest neighbour.
double fit_of(const View& view, std::size_t i, std::span<const Index> others, double nearest,
              double scale) {
  const double past = std::max(0.0, miss(view, i, others) - nearest);
  return scale > 0 ? std::exp(-past / scale) : (past > 0 ? 0.0 : 1.0);
}

/// The weights of row i: softmax of own fit over that of the other views' neighbours.
void weigh(std::span<const View> views, const std::vector<NeighborLists>& lists, std::size_t i,
           std::size_t knn, std::span<double> out) {
  constexpr double least_fit = 1e-4, most_ratio = 200;
  double largest = 0;
  for (std::size_t m = 0; m < views.size(); ++m) {
    const auto lengths = lists[m].lengths(i).first(knn);
    const double nearest = lengths.front();
    const double scale = std::max(lengths.back() - nearest, 1e-3 * lengths.back());
    const double own = fit_of(views[m], i, lists[m].neighbors(i).first(knn), nearest, scale);
    double others = 0;
    for (std::size_t l = 0; l < views.size(); ++l) {
      if (l == m) continue;
      others += fit_of(views[m], i, lists[l].neighbors(i).first(knn), nearest, scale) /
                static_cast<double>(views.size() - 1);
    }
    out[m] = std::min(most_ratio, own / (others + least_fit));
    largest = std::max(largest, out[m]);
  }
  double total = 0;
  for (double& w : out) total += w = std::exp(w - largest);
  for (double& w : out) w /= total;
}

double distance_in(const Space<double>& space, std::size_t i, Index j) {
  double measured = 0;
  measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), space.dims(), &j, 1,
               &measured);
  return space.distance(measured);
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
  JoinedViews joined;
  joined.weights = Matrix<double>::uninitialized(n, views.size());
  constexpr std::size_t block = 64;
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
          const double scale = lists[m].lengths(i)[knn - 1];
          const double d = distance_in(spaces[m], i, j);
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
