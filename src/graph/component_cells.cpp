#include "graph/component_cells.hpp"

#include <algorithm>
#include <limits>

#include "core/at.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t most_in_cell = 64;
constexpr std::size_t most_looked_at = 2048;

}  // namespace

ComponentCells::ComponentCells(const Space<double>& space, const std::vector<Index>& component,
                               std::size_t n_components, const Context& context)
    : space_(space), offsets_{0} {
  const std::size_t n = space.n_points(), d = space.dims();
  std::vector<std::size_t> begin(n_components + 1, 0);
  for (const Index c : component) ++begin[at(c) + 1];
  for (std::size_t c = 0; c < n_components; ++c) begin[c + 1] += begin[c];
  order_.resize(n);
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < n; ++i) order_[next[at(component[i])]++] = static_cast<Index>(i);

  first_cell_.push_back(0);
  for (std::size_t c = 0; c < n_components; ++c) {
    context.report_or_throw({.stage = "components", .done = begin[c], .total = n});
    cut(begin[c], begin[c + 1]);
    component_of_cell_.resize(n_cells(), c);
    first_cell_.push_back(n_cells());
  }

  cell_centers_ = Matrix<double>(n_cells(), d);
  component_centers_ = Matrix<double>(n_components, d);
  for (std::size_t cell = 0; cell < n_cells(); ++cell) {
    const std::size_t c = component_of_cell_[cell];
    const auto size = static_cast<double>(offsets_[cell + 1] - offsets_[cell]);
    const auto of_component = static_cast<double>(begin[c + 1] - begin[c]);
    for (std::size_t k = offsets_[cell]; k < offsets_[cell + 1]; ++k) {
      const auto row = space.rows.row(at(order_[k]));
      for (std::size_t x = 0; x < d; ++x) cell_centers_(cell, x) += row[x] / size;
    }
    for (std::size_t x = 0; x < d; ++x) {
      component_centers_(c, x) += cell_centers_(cell, x) * (size / of_component);
    }
  }
}

/// Appends the cells of order_[begin, end).
void ComponentCells::cut(std::size_t begin, std::size_t end) {
  if (end - begin <= most_in_cell) {
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
              order_.begin() + static_cast<std::ptrdiff_t>(end));
    offsets_.push_back(end);
    return;
  }
  const std::size_t d = space_.dims();
  std::vector<double> least(d, std::numeric_limits<double>::infinity());
  std::vector<double> most(d, -std::numeric_limits<double>::infinity());
  for (std::size_t k = begin; k < end; ++k) {
    const auto row = space_.rows.row(at(order_[k]));
    for (std::size_t x = 0; x < d; ++x) {
      least[x] = std::min(least[x], row[x]);
      most[x] = std::max(most[x], row[x]);
    }
  }
  std::size_t widest = 0;
  for (std::size_t x = 1; x < d; ++x) {
    if (most[x] - least[x] > most[widest] - least[widest]) widest = x;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                   order_.begin() + static_cast<std::ptrdiff_t>(middle),
                   order_.begin() + static_cast<std::ptrdiff_t>(end), [&](Index a, Index b) {
                     const double xa = space_.rows(at(a), widest), xb = space_.rows(at(b), widest);
                     return xa != xb ? xa < xb : a < b;
                   });
  cut(begin, middle);
  cut(middle, end);
}

Candidate ComponentCells::nearest_in(std::size_t component, const double* query) const {
  const std::size_t first = first_cell_[component];
  const std::size_t count = first_cell_[component + 1] - first;
  const std::size_t d = space_.dims();
  std::vector<double> measured(std::max(count, most_in_cell));
  measure_rows(space_.measure, query, cell_centers_.row(first).data(), d, nullptr, count,
               measured.data());
  std::vector<Candidate> cells(count);
  for (std::size_t c = 0; c < count; ++c) cells[c] = {measured[c], static_cast<Index>(first + c)};
  const std::size_t n_looked_at = std::min(count, 2 * most_looked_at / most_in_cell);
  std::partial_sort(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(n_looked_at),
                    cells.end());
  Candidate best{std::numeric_limits<double>::infinity(), -1};
  std::size_t n_seen = 0;
  for (std::size_t c = 0; c < n_looked_at && n_seen < most_looked_at; ++c) {
    const std::size_t cell = at(cells[c].second);
    const std::size_t size = offsets_[cell + 1] - offsets_[cell];
    const Index* members = order_.data() + offsets_[cell];
    measure_rows(space_.measure, query, space_.rows.data(), d, members, size, measured.data());
    for (std::size_t k = 0; k < size; ++k) best = std::min(best, {measured[k], members[k]});
    n_seen += size;
  }
  return best;
}

}  // namespace geotherm::detail
