// One step from point i leads to cell c with probability q_ic / q_i, q_ic the weights of its edges
// into c and its own loop of 1, q_i their sum. There and back, cells a and b are joined by
// sum_i q_ia q_ib / q_i: symmetric, and every edge of every point counts
// (docs/methods/landmarks.md).
#include "landmarks/walk_graph.hpp"

#include <algorithm>

#include "core/median.hpp"

namespace geotherm::detail {
namespace {

struct Step {
  Index cell = 0;
  double weight = 0;
};

/// Cells that one step from point i leads to, rising; the sum of their weights.
double steps_from(const Graph& graph, const Cells& cells, std::size_t i, std::vector<Step>& steps) {
  steps.clear();
  steps.push_back({cells.cell_of[i], 1.0});
  double sum = 1;
  for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
    const auto j = static_cast<std::size_t>(graph.weights.indices[e]);
    steps.push_back({cells.cell_of[j], graph.weights.values[e]});
    sum += graph.weights.values[e];
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.cell < b.cell; });
  std::size_t n = 0;
  for (const Step& step : steps) {
    if (n > 0 && steps[n - 1].cell == step.cell) {
      steps[n - 1].weight += step.weight;
    } else {
      steps[n++] = step;
    }
  }
  steps.resize(n);
  return sum;
}

}  // namespace

Graph walk_graph(const Graph& graph, const Cells& cells) {
  const std::size_t m = cells.landmarks.size();
  Matrix<double> joined(m, m);  // the upper half
  std::vector<Step> steps;
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    const double sum = steps_from(graph, cells, i, steps);
    for (std::size_t a = 0; a < steps.size(); ++a) {
      double* const row = joined.row(static_cast<std::size_t>(steps[a].cell)).data();
      for (std::size_t b = a; b < steps.size(); ++b) {
        row[steps[b].cell] += steps[a].weight * steps[b].weight / sum;
      }
    }
  }
  std::vector<double> own(m);
  for (std::size_t a = 0; a < m; ++a) own[a] = joined(a, a);
  const double unit = median(std::move(own));
  Graph walk;
  walk.weights.rows = walk.weights.cols = m;
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      const double weight = b == a ? 0 : joined(std::min(a, b), std::max(a, b)) / unit;
      if (weight <= 0) continue;
      walk.weights.indices.push_back(static_cast<Index>(b));
      walk.weights.values.push_back(weight);
    }
    walk.weights.offsets.push_back(walk.weights.indices.size());
  }
  walk.component = connected_components(walk.weights);
  for (const Index c : walk.component) {
    walk.n_components = std::max(walk.n_components, static_cast<std::size_t>(c) + 1);
  }
  return walk;
}

Matrix<double> step_means(const Graph& graph, const Cells& cells,
                          MatrixView<const double> of_landmarks, const Context& context) {
  Matrix<double> means(graph.n_points(), of_landmarks.cols);
  parallel_for(context, graph.n_points(), 2048, [&](std::size_t begin, std::size_t end) {
    std::vector<Step> steps;
    for (std::size_t i = begin; i < end; ++i) {
      const double sum = steps_from(graph, cells, i, steps);
      for (const Step& step : steps) {
        const auto row = of_landmarks.row(static_cast<std::size_t>(step.cell));
        for (std::size_t c = 0; c < row.size(); ++c) means(i, c) += step.weight / sum * row[c];
      }
    }
  });
  return means;
}

}  // namespace geotherm::detail
