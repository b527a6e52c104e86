// Memberships from the lengths of a graph's edges, without lists: whether an edge is among the
// nearest of a point is seen from the last of these.
#include "refine/attraction.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/large_pages.hpp"
#include "graph/kernels.hpp"

namespace geotherm::detail {
namespace {

using Edge = std::pair<double, Index>;

/// The shortest `most` edges of a point, ascending, ties by index; a point may have fewer.
void find_shortest(const Graph& graph, std::size_t i, std::size_t most, std::vector<Edge>& edges,
                   std::vector<double>& lengths) {
  const SparseMatrix& w = graph.weights;
  edges.clear();
  for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
    edges.emplace_back(graph.lengths[e], w.indices[e]);
  }
  const std::size_t kept = std::min(most, edges.size());
  std::partial_sort(edges.begin(), std::next(edges.begin(), static_cast<std::ptrdiff_t>(kept)),
                    edges.end());
  edges.resize(kept);
  lengths.clear();
  for (const Edge& edge : edges) lengths.push_back(edge.first);
}

/// Of the edges that are among the shortest of a point, 0 for a point itself included.
double mean_length(const Graph& graph, std::size_t most, const Context& context) {
  const std::size_t n = graph.n_points();
  const double sum = parallel_sum(context, n, 65536, [&](std::size_t begin, std::size_t end) {
    std::vector<Edge> edges;
    std::vector<double> lengths;
    double part = 0;
    for (std::size_t i = begin; i < end; ++i) {
      find_shortest(graph, i, most, edges, lengths);
      for (const double d : lengths) part += d;
    }
    return part;
  });
  return sum / (static_cast<double>(n) * static_cast<double>(most + 1));
}

}  // namespace

double Attraction::View::membership(double length) const {
  const double past = length - rho;
  return past <= 0 || sigma == 0 ? 1.0 : std::exp(-past / sigma);
}

Attraction::Attraction(const Graph& graph, std::size_t most, const Context& context)
    : graph_(&graph), views_(graph.n_points()) {
  std::atomic<bool> is_mean_needed = false;
  const auto look = [&](std::size_t begin, std::size_t end, double mean_of_all, bool is_again) {
    std::vector<Edge> edges;
    std::vector<double> lengths;
    for (std::size_t i = begin; i < end; ++i) {
      View& view = views_[i];
      if (is_again && view.rho > 0) continue;
      find_shortest(graph, i, most, edges, lengths);
      const SmoothDistance smooth = smooth_distance(lengths, mean_of_all);
      view = {.rho = smooth.rho, .sigma = smooth.sigma};
      if (edges.empty()) continue;
      view.last_length = edges.back().first;
      view.last = edges.back().second;
      // All its edges have length 0: it is the others that tell what is near.
      if (!(smooth.rho > 0)) is_mean_needed = true;
    }
  };
  parallel_for(context, views_.size(), 256,
               [&](std::size_t begin, std::size_t end) { look(begin, end, 0, false); });
  if (!is_mean_needed) return;
  const double mean = mean_length(graph, most, context);
  parallel_for(context, views_.size(), 256,
               [&](std::size_t begin, std::size_t end) { look(begin, end, mean, true); });
}

std::size_t Attraction::n_points() const {
  return graph_ != nullptr ? graph_->n_points() : rows().rows;
}

std::size_t Attraction::count(std::size_t i) const {
  if (graph_ == nullptr) return rows().row_indices(i).size();
  const SparseMatrix& w = graph_->weights;
  std::size_t count = 0;
  for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
    const Index j = w.indices[e];
    const double length = graph_->lengths[e];
    const View& other = views_[static_cast<std::size_t>(j)];
    if (views_[i].lists(j, length) || other.lists(static_cast<Index>(i), length)) ++count;
  }
  return count;
}

void Attraction::read(std::size_t i, Row& row) const {
  if (graph_ == nullptr) {
    row.others = rows().row_indices(i);
    row.weights = rows().row_values(i);
    return;
  }
  const SparseMatrix& w = graph_->weights;
  const View& own = views_[i];
  row.own_others_.clear();
  row.own_weights_.clear();
  for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
    const Index j = w.indices[e];
    const double length = graph_->lengths[e];
    const View& other = views_[static_cast<std::size_t>(j)];
    const double here = own.lists(j, length) ? own.membership(length) : 0;
    const double there =
        other.lists(static_cast<Index>(i), length) ? other.membership(length) : 0;
    const double weight = here + there - here * there;
    if (!(weight > 0)) continue;
    row.own_others_.push_back(j);
    row.own_weights_.push_back(weight);
  }
  row.others = row.own_others_;
  row.weights = row.own_weights_;
}

SparseMatrix Attraction::stored(const Context& context) const {
  if (graph_ == nullptr) return rows();
  const std::size_t n = n_points();
  SparseMatrix all;
  all.rows = all.cols = n;
  all.offsets.assign(n + 1, 0);
  const auto for_each_row = [&](const auto& take) {
    parallel_for(context, n, 512, [&](std::size_t begin, std::size_t end) {
      Row row;
      for (std::size_t i = begin; i < end; ++i) {
        read(i, row);
        take(i, row);
      }
    });
  };
  for_each_row([&](std::size_t i, const Row& row) { all.offsets[i + 1] = row.others.size(); });
  for (std::size_t i = 0; i < n; ++i) all.offsets[i + 1] += all.offsets[i];
  resize_in_large_pages(all.indices, all.offsets[n]);
  resize_in_large_pages(all.values, all.offsets[n]);
  for_each_row([&](std::size_t i, const Row& row) {
    const auto at = static_cast<std::ptrdiff_t>(all.offsets[i]);
    std::ranges::copy(row.others, all.indices.begin() + at);
    std::ranges::copy(row.weights, all.values.begin() + at);
  });
  return all;
}

}  // namespace geotherm::detail
