// t-SNE through qdtsne, on our neighbour lists and our threads. Its gradient is a sum for each
// point and one over points that it adds up in order, so the bits do not depend on the threads.
#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

#include "core/state.hpp"
#include "embedding/device_tsne.hpp"
#include "embedding/neighbor_pairs.hpp"
#include "geotherm/embedding.hpp"
#include "geotherm/layouts.hpp"

namespace {

/// 30 rather than 30.000000.
std::string short_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// qdtsne takes its loops as a macro without a place for state; each layout runs on one thread.
thread_local const geotherm::Context* context_of_layout = nullptr;

template <class Task, class Run>
void run_blocks(Task n_tasks, const Run& run) {
  geotherm::parallel_for(*context_of_layout, static_cast<std::size_t>(n_tasks), 128,
                         [&](std::size_t begin, std::size_t end) {
                           run(0, static_cast<Task>(begin), static_cast<Task>(end - begin));
                         });
}

}  // namespace

#define QDTSNE_CUSTOM_PARALLEL(n_workers, n_tasks, run) \
  static_cast<void>(n_workers);                         \
  run_blocks(n_tasks, run)
#include <qdtsne/qdtsne.hpp>

namespace geotherm {
namespace {

constexpr std::size_t most_dimensions = 3;
#ifdef GEOTHERM_WITH_CUDA
constexpr std::size_t fewest_on_device = 1000;  // fewer are sooner done than sent
#endif

double clamped_perplexity(double perplexity, std::size_t n) {
  return std::min(perplexity, std::max(1.0, static_cast<double>(n - 1) / 3));
}

/// Sets the context for the loops above, for as long as it lives.
class ContextForLoops {
 public:
  explicit ContextForLoops(const Context& context) : before_(context_of_layout) {
    context_of_layout = &context;
  }
  ~ContextForLoops() { context_of_layout = before_; }
  ContextForLoops(const ContextForLoops&) = delete;
  ContextForLoops& operator=(const ContextForLoops&) = delete;

 private:
  const Context* before_;
};

/// Centred, at a standard deviation of 1e-4 along the widest axis: small, so that the first steps
/// are ruled by attraction. A column without spread would stay so for ever and gets noise instead.
void shrink_start(Matrix<double>& start, const Context& context) {
  const double n = static_cast<double>(start.rows());
  std::vector<double> deviation(start.cols(), 0.0);
  for (std::size_t k = 0; k < start.cols(); ++k) {
    double largest = 0, mean = 0, square = 0;
    for (std::size_t i = 0; i < start.rows(); ++i) {
      largest = std::max(largest, std::abs(start(i, k)));
    }
    if (largest == 0) continue;
    for (std::size_t i = 0; i < start.rows(); ++i) mean += start(i, k) / n;
    for (std::size_t i = 0; i < start.rows(); ++i) {
      start(i, k) -= mean;
      square += (start(i, k) / largest) * (start(i, k) / largest) / n;
    }
    // What is left of a constant after taking its mean away is rounding.
    if (square > 1e-28) deviation[k] = largest * std::sqrt(square);
  }
  const double widest = *std::max_element(deviation.begin(), deviation.end());
  for (std::size_t k = 0; k < start.cols(); ++k) {
    Rng rng(context.seed, "tsne start", k);
    for (std::size_t i = 0; i < start.rows(); ++i) {
      start(i, k) = 1e-4 * (deviation[k] > 0 ? start(i, k) / widest : rng.normal());
    }
  }
}

// What qdtsne keeps from one iteration to the next beside the map: the last step and the gain of
// every coordinate, and the number of the iteration; and its p_ij, for a device. It has no public
// function to them, and a run that goes on needs them to the bit; an explicit instantiation may
// name private members, which is the one legal way in. A qdtsne with other names is refused by the
// compiler.
struct Inside {
  std::vector<double>& steps;
  std::vector<double>& gains;
  int& iteration;
  const qdtsne::NeighborList<Index, double>& similarities;
};
template <std::size_t n_dimensions>
using Status = qdtsne::Status<n_dimensions, Index, double>;
Inside inside(Status<1>&);
Inside inside(Status<2>&);
Inside inside(Status<3>&);
template <class Status, auto steps, auto gains, auto iteration, auto similarities>
struct WayInside {
  friend Inside inside(Status& status) {
    return {status.*steps, status.*gains, status.*iteration, status.*similarities};
  }
};
template struct WayInside<Status<1>, &Status<1>::my_uY, &Status<1>::my_gains, &Status<1>::my_iter,
                          &Status<1>::my_neighbors>;
template struct WayInside<Status<2>, &Status<2>::my_uY, &Status<2>::my_gains, &Status<2>::my_iter,
                          &Status<2>::my_neighbors>;
template struct WayInside<Status<3>, &Status<3>::my_uY, &Status<3>::my_gains, &Status<3>::my_iter,
                          &Status<3>::my_neighbors>;

constexpr const char* stage = "layout";

template <std::size_t n_dimensions>
void keep(Status<n_dimensions>& status, Matrix<double>& coordinates, detail::When when,
          const Context& context) {
  const Inside of = inside(status);
  auto state = std::tie(of.iteration, of.steps, of.gains, coordinates);
  detail::keep(context, stage, state, when);
}

/// Puts the descent where an earlier run kept it; gives the number of iterations done.
template <std::size_t n_dimensions>
std::size_t take_up(Status<n_dimensions>& status, Matrix<double>& coordinates,
                    const Context& context) {
  int iteration = 0;
  std::vector<double> steps, gains;
  Matrix<double> kept;
  auto state = std::tie(iteration, steps, gains, kept);
  if (!detail::take_up(context, stage, state)) return 0;
  if (kept.rows() != coordinates.rows() || kept.cols() != coordinates.cols() ||
      steps.size() != coordinates.size() || gains.size() != coordinates.size() || iteration < 0) {
    context.warn("checkpoint: the layout is done again: what was kept is of another size");
    return 0;
  }
  const Inside of = inside(status);
  of.iteration = iteration;
  of.steps = std::move(steps);
  of.gains = std::move(gains);
  coordinates = std::move(kept);
  return static_cast<std::size_t>(iteration);
}

#ifdef GEOTHERM_WITH_CUDA
/// Null where the run has no device, or too few points for it.
std::unique_ptr<detail::DeviceTsne> tsne_on_device(const Inside& of, const Matrix<double>& places,
                                                   const qdtsne::Options& settings,
                                                   const Context& context) {
  detail::Device* const device = detail::device_of(context);
  if (device == nullptr || places.rows() < fewest_on_device) return nullptr;
  std::vector<std::size_t> offsets(1, 0);
  std::vector<Index> to;
  std::vector<float> weights;
  for (const auto& row : of.similarities) {
    for (const auto& [other, value] : row) {
      to.push_back(other);
      weights.push_back(static_cast<float>(value));
    }
    offsets.push_back(to.size());
  }
  return std::make_unique<detail::DeviceTsne>(
      *device, detail::DeviceTsne::Arrays{.n = places.rows(),
                                          .dimensions = places.cols(),
                                          .offsets = offsets,
                                          .to = to,
                                          .weights = weights,
                                          .places = {places.data(), places.size()},
                                          .steps = of.steps,
                                          .gains = of.gains,
                                          .theta = settings.theta,
                                          .learning_rate = settings.eta});
}
#endif

template <std::size_t n_dimensions>
void descend(const NeighborLists& lists, const TsneOptions& options, double perplexity,
             const Context& context, Layout& layout) {
  const std::size_t n = lists.n_points;
  auto neighbors = detail::neighbor_pairs(lists, neighbors_for(options, n));
  qdtsne::Options settings;
  settings.perplexity = perplexity;
  settings.infer_perplexity = false;
  settings.theta = options.theta;
  settings.max_iterations = static_cast<int>(options.iterations);
  settings.early_exaggeration_iterations = static_cast<int>(options.exaggeration_iterations);
  settings.momentum_switch_iterations = settings.early_exaggeration_iterations;
  settings.exaggeration_factor = options.early_exaggeration;
  settings.eta = options.learning_rate.value_or(
      std::max(200.0, static_cast<double>(n) / options.early_exaggeration));
  settings.num_threads = 2;  // more than one: its own sums over points in order; loops are ours

  const ContextForLoops loops(context);
  auto status = qdtsne::initialize<n_dimensions, Index, double>(std::move(neighbors), settings);
  layout.iterations = take_up<n_dimensions>(status, layout.coordinates, context);
  double* y = layout.coordinates.data();
#ifdef GEOTHERM_WITH_CUDA
  const Inside of = inside(status);
  const auto there = tsne_on_device(of, layout.coordinates, settings, context);
#endif
  const auto run_to = [&](std::size_t iterations) {
#ifdef GEOTHERM_WITH_CUDA
    if (there) {
      for (; of.iteration < static_cast<int>(iterations); ++of.iteration) {
        const bool is_early = of.iteration < settings.early_exaggeration_iterations;
        const bool is_slow = of.iteration < settings.momentum_switch_iterations;
        there->iterate(is_early ? settings.exaggeration_factor : 1,
                       is_slow ? settings.start_momentum : settings.final_momentum);
      }
      return;
    }
#endif
    status.run(y, static_cast<int>(iterations));
  };
  const auto bring_back = [&] {
#ifdef GEOTHERM_WITH_CUDA
    if (there) there->get({y, layout.coordinates.size()}, of.steps, of.gains);
#endif
  };
  while (layout.iterations < options.iterations) {
    if (context.report(
            {.stage = "layout", .done = layout.iterations, .total = options.iterations}) ==
        Next::stop_here) {
      layout.outcome = Outcome::stopped;
      bring_back();
      keep<n_dimensions>(status, layout.coordinates, detail::When::at_once, context);
      break;
    }
    layout.iterations = std::min(layout.iterations + 10, options.iterations);
    run_to(layout.iterations);
    if (context.checkpoint != nullptr) bring_back();
    keep<n_dimensions>(status, layout.coordinates, detail::When::if_due, context);
  }
  bring_back();
  layout.objective = status.cost(y);
}

}  // namespace

std::vector<std::string> issues_with(const TsneOptions& options) {
  std::vector<std::string> issues;
  const auto complain = [&](const char* field, double value, const char* remedy) {
    issues.push_back(std::string(field) + " is " + std::to_string(value) + ": " + remedy);
  };
  constexpr std::size_t most_iterations = 1000000000;
  if (!(options.perplexity >= 1) || !std::isfinite(options.perplexity)) {
    complain("perplexity", options.perplexity, "give a number >= 1 (5 to 50 is usual)");
  }
  if (!(options.early_exaggeration >= 1) || !std::isfinite(options.early_exaggeration)) {
    complain("early_exaggeration", options.early_exaggeration, "give a number >= 1 (12 is usual)");
  }
  if (!(options.theta >= 0 && options.theta <= 1)) {
    complain("theta", options.theta, "give a number in [0, 1] (0.5 is usual)");
  }
  if (options.learning_rate &&
      !(*options.learning_rate > 0 && std::isfinite(*options.learning_rate))) {
    complain("learning_rate", *options.learning_rate,
             "give a number > 0, or none to have it chosen");
  }
  if (options.iterations > most_iterations || options.exaggeration_iterations > most_iterations) {
    complain("iterations", static_cast<double>(options.iterations), "give at most 1e9");
  }
  return issues;
}

std::size_t neighbors_for(const TsneOptions& options, std::size_t n_points) {
  if (n_points < 2) return 0;
  const double wanted = std::ceil(3 * clamped_perplexity(options.perplexity, n_points));
  return std::min(n_points - 1, static_cast<std::size_t>(wanted));
}

Layout tsne_layout(const NeighborLists& lists, Matrix<double> start, const TsneOptions& options,
                   const Context& context) {
  refuse_if_any(issues_with(options));
  const std::size_t n = lists.n_points;
  if (start.rows() != n || start.cols() < 1 || start.cols() > most_dimensions) {
    throw InvalidArgument("start is " + std::to_string(start.rows()) + " x " +
                          std::to_string(start.cols()) + ": t-SNE needs a row for each of the " +
                          std::to_string(n) + " points and 1, 2 or 3 columns");
  }
  Layout layout;
  layout.coordinates = std::move(start);
  if (n < 2) {
    layout.coordinates = Matrix<double>(n, layout.coordinates.cols());
    return layout;
  }
  const double perplexity = clamped_perplexity(options.perplexity, n);
  if (perplexity < options.perplexity) {
    context.warn("perplexity " + short_text(options.perplexity) + " is too much for " +
                 std::to_string(n) + " points: " + short_text(perplexity) + " is used");
  }
  shrink_start(layout.coordinates, context);
  switch (layout.coordinates.cols()) {
    case 1:
      descend<1>(lists, options, perplexity, context, layout);
      break;
    case 2:
      descend<2>(lists, options, perplexity, context, layout);
      break;
    default:
      descend<3>(lists, options, perplexity, context, layout);
  }
  layout.coordinates = oriented(std::move(layout.coordinates));
  return layout;
}

}  // namespace geotherm
