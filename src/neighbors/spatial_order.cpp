// A k-d tree's leaves, level by level; the nodes of a level are independent of each other.
#include "neighbors/spatial_order.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace geotherm::detail {
namespace {

// Rows of a node that say which column varies most.
constexpr std::size_t n_sampled = 128;

template <class T>
std::size_t widest_column(const Matrix<T>& rows, std::span<const Index> ids) {
  const std::size_t d = rows.cols(), step = std::max<std::size_t>(1, ids.size() / n_sampled);
  std::vector<double> sum(d, 0), squares(d, 0);
  std::size_t count = 0;
  const auto first = rows.row(static_cast<std::size_t>(ids.front()));
  for (std::size_t k = 0; k < ids.size(); k += step, ++count) {
    const auto row = rows.row(static_cast<std::size_t>(ids[k]));
    for (std::size_t c = 0; c < d; ++c) {
      const double x = static_cast<double>(row[c]) - static_cast<double>(first[c]);
      sum[c] += x;
      squares[c] += x * x;
    }
  }
  std::size_t widest = 0;
  double most = -1;
  for (std::size_t c = 0; c < d; ++c) {
    const double variance = squares[c] - sum[c] * sum[c] / static_cast<double>(count);
    if (variance > most) {
      most = variance;
      widest = c;
    }
  }
  return widest;
}

/// The lower half of a node's points first, both halves ascending.
template <class T>
void halve(const Matrix<T>& rows, std::span<Index> ids) {
  const std::size_t column = widest_column(rows, std::span<const Index>(ids));
  std::vector<std::pair<T, Index>> values;
  values.reserve(ids.size());
  for (const Index i : ids) values.emplace_back(rows(static_cast<std::size_t>(i), column), i);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
  std::vector<std::pair<T, Index>> ranked = values;
  const auto place = ranked.begin() + (middle - values.begin());
  std::nth_element(ranked.begin(), place, ranked.end());
  auto low = ids.begin(), high = ids.begin() + (middle - values.begin());
  for (const auto& value : values) *(value < *place ? low : high)++ = value.second;
}

}  // namespace

template <class T>
std::vector<Index> spatial_order(const Matrix<T>& rows, std::size_t most, const Context& context) {
  std::vector<Index> order(rows.rows());
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<std::pair<std::size_t, std::size_t>> nodes{{0, order.size()}};
  while (!nodes.empty()) {
    std::erase_if(nodes, [most](const auto& n) { return n.second - n.first <= most; });
    parallel_for(context, nodes.size(), 1, [&](std::size_t k, std::size_t) {
      halve(rows, std::span(order).subspan(nodes[k].first, nodes[k].second - nodes[k].first));
    });
    std::vector<std::pair<std::size_t, std::size_t>> halves;
    for (const auto& [begin, end] : nodes) {
      const std::size_t middle = begin + (end - begin) / 2;
      halves.push_back({begin, middle});
      halves.push_back({middle, end});
    }
    nodes = std::move(halves);
  }
  return order;
}
template std::vector<Index> spatial_order(const Matrix<float>&, std::size_t, const Context&);
template std::vector<Index> spatial_order(const Matrix<double>&, std::size_t, const Context&);

}  // namespace geotherm::detail
