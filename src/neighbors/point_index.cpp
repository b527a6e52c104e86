#include "neighbors/point_index.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "neighbors/brute_force.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t query_block = 128;
constexpr std::size_t report_every = 32 * query_block;
// Queries this far outside the points' own box (of about 1) are measured directly: their squares
// might leave the range of the products' float32.
constexpr float far_outside = 1e12F;

}  // namespace

template <class T>
PointIndex<T>::PointIndex(MatrixView<const T> points, Metric metric) : metric_(metric) {
  if (is_mapped(metric)) {
    unit_.space = mapped_space(points, metric, true);
    unit_.prepare();
  } else {
    plain_.space = plain_space(points, metric);
    plain_.prepare();
  }
}

template <class T>
NeighborLists PointIndex<T>::nearest(MatrixView<const T> queries, std::size_t knn,
                                     const Context& context) const {
  if (queries.rows == 0) return {};
  refuse_unfit(queries, metric_);
  if (is_mapped(metric_)) {
    return unit_.nearest(mapped_space(queries, metric_, true).rows, knn, context);
  }
  auto rows = Matrix<T>::uninitialized(queries.rows, queries.cols);
  const int exponent = std::ilogb(plain_.space.unit);
  for (std::size_t i = 0; i < queries.rows; ++i) {
    const auto from = queries.row(i);
    const auto to = rows.row(i);
    for (std::size_t c = 0; c < from.size(); ++c) {
      to[c] = exponent == 0 ? from[c] : std::ldexp(from[c], -exponent);
    }
  }
  return plain_.nearest(rows, knn, context);
}

template <class T>
template <class U>
void PointIndex<T>::Search<U>::prepare() {
  if (space.dims() <= most_tree_dims && has_boxes(space.measure)) {
    tree = std::make_unique<KdTree<U>>(space);
  } else if (is_squared(space.measure)) {
    frame = frame_of(space.rows);
    filter = filter_points<float>(std::as_const(space.rows).view(), frame);
  }
}

template <class T>
template <class U>
void PointIndex<T>::Search<U>::one_by_one(const U* query, Index name, const Cut& cut,
                                          ListPart& part) const {
  constexpr std::size_t tile = 256;
  double measured[tile];
  Index picked[tile];
  Sieve sieve;
  sieve.reset(cut.knn, 1);
  for (std::size_t first = 0; first < space.n_points(); first += tile) {
    const std::size_t count = std::min(tile, space.n_points() - first);
    measure_rows(space.measure, query, space.rows.row(first).data(), space.dims(), nullptr, count,
                 measured);
    const std::size_t n_picked = pick_at_most(measured, count, sieve.limit(), picked);
    for (std::size_t k = 0; k < n_picked; ++k) {
      const auto place = static_cast<std::size_t>(picked[k]);
      sieve.offer(measured[place], measured[place], static_cast<Index>(first + place));
    }
    sieve.settle();
  }
  std::vector<Candidate> candidates = sieve.kept();
  for (Candidate& c : candidates) c.first = space.distance(c.first);
  part.add(name, candidates, cut);
}

template <class T>
template <class U>
void PointIndex<T>::Search<U>::by_products(const Matrix<U>& queries, std::size_t begin,
                                           std::size_t end, const Cut& cut, ListPart& part) const {
  const std::size_t m = end - begin;
  const MatrixView<const U> block{queries.row(begin).data(), m, queries.cols(), queries.cols()};
  FilterPoints<float> filtered = filter_points<float>(block, frame);
  std::vector<char> is_far(m, 0);
  for (std::size_t q = 0; q < m; ++q) {
    const auto row = filtered.rows.row(q);
    is_far[q] = std::any_of(row.begin(), row.end() - 1,
                            [](float x) { return !(std::abs(x) < far_outside); })
                    ? 1
                    : 0;
    if (is_far[q] == 0) continue;
    std::fill(row.begin(), row.end(), 0.0F);
    filtered.norms[q] = 0;
  }
  std::vector<Sieve> sieves(m);
  for (Sieve& sieve : sieves) sieve.reset(cut.knn, 1);
  filter_block(filter, filtered, 0, m, sieves);
  std::vector<Index> ids;
  std::vector<double> measured;
  std::vector<Candidate> candidates;
  for (std::size_t q = 0; q < m; ++q) {
    const auto name = static_cast<Index>(begin + q);
    const U* query = queries.row(begin + q).data();
    if (is_far[q] != 0) {
      one_by_one(query, name, cut, part);
      continue;
    }
    ids.clear();
    for (const auto& [bound, j] : sieves[q].kept()) ids.push_back(j);
    measured.resize(ids.size());
    measure_rows(space.measure, query, space.rows.data(), space.dims(), ids.data(), ids.size(),
                 measured.data());
    candidates.clear();
    for (std::size_t k = 0; k < ids.size(); ++k) {
      candidates.push_back({space.distance(measured[k]), ids[k]});
    }
    part.add(name, candidates, cut);
  }
}

template <class T>
template <class U>
NeighborLists PointIndex<T>::Search<U>::nearest(const Matrix<U>& queries, std::size_t knn,
                                                const Context& context) const {
  const std::size_t n = queries.rows();
  const Cut cut{knn, 1};
  std::vector<ListPart> parts((n + query_block - 1) / query_block);
  for (std::size_t from = 0; from < n; from += report_every) {
    context.report_or_throw({.stage = "neighbours", .done = from, .total = n});
    const std::size_t count = std::min(report_every, n - from);
    parallel_for(context, count, query_block, [&](std::size_t b, std::size_t e) {
      const std::size_t begin = from + b, end = from + e;
      ListPart& part = parts[begin / query_block];
      if (!tree && is_squared(space.measure)) {
        by_products(queries, begin, end, cut, part);
        return;
      }
      typename KdTree<U>::Walk walk;
      for (std::size_t i = begin; i < end; ++i) {
        const U* query = queries.row(i).data();
        if (!tree) {
          one_by_one(query, static_cast<Index>(i), cut, part);
          continue;
        }
        tree->neighbors(query, -1, cut, walk);
        for (Candidate& c : walk.kept) c.first = space.distance(c.first);
        part.add(static_cast<Index>(i), walk.kept, cut);
      }
    });
  }
  NeighborLists lists = assemble(n, cut, std::move(parts));
  lists.search_used = tree ? NeighborSearch::tree : NeighborSearch::brute_force;
  return lists;
}

template class PointIndex<float>;
template class PointIndex<double>;

}  // namespace geotherm::detail
