// UMAP on our neighbour lists: memberships, their curve and the number of epochs by umappp, the
// descent by our own, since umappp's gives the same bits on one thread alone.
#include <algorithm>
#include <cmath>
#include <umappp/umappp.hpp>

#include "core/state.hpp"
#include "embedding/neighbor_pairs.hpp"
#include "embedding/umap_descent.hpp"
#include "geotherm/embedding.hpp"
#include "geotherm/layouts.hpp"

namespace geotherm {
namespace {

/// To a largest entry of 10, the scale that the step size is made for, with a little noise.
void prepare_start(Matrix<double>& start, const Context& context) {
  double largest = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    largest = std::max(largest, std::abs(start.data()[i]));
  }
  Rng rng(context.seed, "umap start");
  for (std::size_t i = 0; i < start.size(); ++i) {
    double& e = start.data()[i];
    e = (largest > 0 ? 10 * (e / largest) : 0.0) + 1e-4 * rng.normal();
  }
}

}  // namespace

std::vector<std::string> issues_with(const UmapOptions& options) {
  std::vector<std::string> issues;
  if (!(options.spread > 0) || !std::isfinite(options.spread)) {
    issues.push_back("spread is " + std::to_string(options.spread) + ": give a number > 0");
  }
  if (!(options.min_dist >= 0 && options.min_dist <= options.spread)) {
    issues.push_back("min_dist is " + std::to_string(options.min_dist) +
                     ": give a number from 0 to the spread of " + std::to_string(options.spread));
  }
  if (options.n_epochs && (*options.n_epochs < 1 || *options.n_epochs > 10000000)) {
    issues.push_back("n_epochs is " + std::to_string(*options.n_epochs) +
                     ": give 1 to 10,000,000, or none to have it chosen");
  }
  if (!(options.negative_sample_rate > 0 && options.negative_sample_rate <= 100)) {
    issues.push_back("negative_sample_rate is " + std::to_string(options.negative_sample_rate) +
                     ": give a number in (0, 100] (5 is usual)");
  }
  return issues;
}

Layout umap_layout(const NeighborLists& lists, Matrix<double> start, const UmapOptions& options,
                   const Context& context) {
  refuse_if_any(issues_with(options));
  const std::size_t n = lists.n_points;
  if (start.rows() != n || start.cols() < 1) {
    throw InvalidArgument("start is " + std::to_string(start.rows()) + " x " +
                          std::to_string(start.cols()) + ": UMAP needs a row for each of the " +
                          std::to_string(n) + " points and at least one column");
  }
  Layout layout;
  layout.coordinates = std::move(start);
  if (n < 2) {
    layout.coordinates = Matrix<double>(n, layout.coordinates.cols());
    return layout;
  }
  prepare_start(layout.coordinates, context);

  detail::FuzzySets sets = detail::neighbor_pairs(lists, lists.knn);
  umappp::neighbor_similarities(sets, umappp::NeighborSimilaritiesOptions<double>{});
  umappp::combine_neighbor_sets(sets, 1.0);  // the union
  const auto [a, b] = umappp::find_ab(options.spread, options.min_dist);
  const std::size_t n_epochs = options.n_epochs.value_or(
      static_cast<std::size_t>(umappp::choose_num_epochs(std::nullopt, n)));

  detail::UmapDescent descent(
      sets, layout.coordinates,
      {.a = a, .b = b, .negative_sample_rate = options.negative_sample_rate}, n_epochs);
  constexpr const char* stage = "layout";
  const auto keep = [&](detail::When when) {
    auto state = descent.state();
    detail::keep(context, stage, state, when);
  };
  if (descent.take_up(stage, context)) layout.iterations = descent.epoch();
  while (layout.iterations < n_epochs) {
    constexpr std::size_t per_report = 10;
    if (layout.iterations % per_report == 0 &&
        context.report({.stage = "layout", .done = layout.iterations, .total = n_epochs}) ==
            Next::stop_here) {
      layout.outcome = Outcome::stopped;
      keep(detail::When::at_once);
      break;
    }
    descent.advance(context);
    ++layout.iterations;
    keep(detail::When::if_due);
  }
  layout.coordinates = descent.coordinates();
  layout.coordinates = oriented(std::move(layout.coordinates));
  return layout;
}

}  // namespace geotherm
