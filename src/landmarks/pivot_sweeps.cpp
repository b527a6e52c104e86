// A sweep replaces every point by the minimum of a majoriser of the stress around the last
// coordinates (de Leeuw 1977). Pivots do not move, so their part is a sum over points; a pair of
// neighbours is split between its ends by (a - b)^2 <= 2 a^2 + 2 b^2. So points move independently
// of each other, and the stress never rises.
#include "landmarks/pivot_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/median.hpp"
#include "core/simd.hpp"
#include "core/state.hpp"
#include "embedding/leaf.hpp"
#include "landmarks/device_sweeps.hpp"
#include "landmarks/pull.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t block = 1024;
constexpr std::size_t default_sweeps = 60;
constexpr double default_tolerance = 1e-4;
constexpr std::size_t most_kept_bytes = std::size_t{1} << 25;

/// out[p] += share * row[p]
GEOTHERM_WIDE void add_row(const float* row, double share, std::size_t n, double* out) noexcept {
  for (std::size_t p = 0; p < n; ++p) out[p] += share * static_cast<double>(row[p]);
}

GEOTHERM_WIDE void take_roots(double* values, double less, std::size_t n) noexcept {
  for (std::size_t p = 0; p < n; ++p) {
    const double v = values[p] - less;
    values[p] = v > 1e-300 ? v * inverse_root(v > 1e-300 ? v : 1.0) : 0.0;
  }
}

class Sweeps {
 public:
  Sweeps(const Graph& graph, const LandmarkDistances& distances, Pivots pivots,
         const SweepOptions& options, Matrix<double> start, const Context& context)
      : graph_(graph),
        distances_(distances),
        pivots_(std::move(pivots)),
        scale_(options.scale),
        weights_(options.mds.weights),
        context_(context),
        x_(std::move(start)),
        next_(Matrix<double>::uninitialized(x_.rows(), x_.cols())) {
    const auto n_edges = static_cast<double>(graph.weights.n_entries());
    if (graph.has_lengths() && n_edges > 0) {
      near_weight_ = options.mean_degree > 0
                         ? options.local / options.mean_degree
                         : options.local * static_cast<double>(graph.n_points()) / n_edges;
    }
    if (weights_ != MdsWeights::none) near_weight_ *= mean_weight();
    if (weights_ == MdsWeights::none) {
      on_device_ = device_sweeps(context, {.graph = graph,
                                           .distances = distances,
                                           .pivots = pivots_,
                                           .scale = scale_,
                                           .near_weight = near_weight_,
                                           .n_components = x_.cols()});
    }
    if (!on_device_) keep_targets();
  }

  /// All points once; returns the stress before the sweep, pivots and neighbours together.
  double sweep() {
    if (on_device_) return sweep_on_device();
    const std::size_t n = x_.rows(), n_blocks = (n + block - 1) / block;
    std::vector<Pull> pulls(n_blocks);
    std::vector<double> near(n_blocks);
    parallel_for(context_, n, block, [&](std::size_t begin, std::size_t end) {
      move(begin, end, pulls[begin / block], near[begin / block]);
    });
    Pull all;
    double neighbors = 0;
    for (std::size_t b = 0; b < n_blocks; ++b) {
      all.stress += pulls[b].stress;
      all.squares += pulls[b].squares;
      neighbors += near[b];
    }
    std::swap(x_, next_);
    stress_ = all.squares > 0 ? all.stress / all.squares : 0;
    return all.squares > 0 ? (all.stress + neighbors) / all.squares : 0;
  }

  double& pivot_stress() { return stress_; }
  /// Those of the host: see finish.
  Matrix<double>& coordinates() { return x_; }
  /// Brings the coordinates back from where they are.
  void finish() {
    if (is_there_) on_device_->get(x_);
  }

 private:
  double sweep_on_device() {
    if (!is_there_) on_device_->put(x_);
    is_there_ = true;
    const SweepSums all = on_device_->sweep();
    if (context_.checkpoint != nullptr) finish();  // it keeps those of the host
    stress_ = all.squares > 0 ? all.stress / all.squares : 0;
    return all.squares > 0 ? (all.stress + all.near) / all.squares : 0;
  }

  void keep_targets() {
    const std::size_t n = x_.rows();
    if (n * pivots_.count * sizeof(float) > most_kept_bytes) return;
    auto kept = Matrix<float>::uninitialized(n, pivots_.count);
    parallel_for(context_, n, block, [&](std::size_t begin, std::size_t end) {
      std::vector<double> target(pivots_.count);
      for (std::size_t i = begin; i < end; ++i) {
        find_targets(i, target);
        for (std::size_t p = 0; p < target.size(); ++p) {
          kept(i, p) = static_cast<float>(target[p]);
        }
      }
    });
    kept_ = std::move(kept);
  }

  void weigh(const std::vector<double>& target, std::vector<double>& weight) const {
    const double median = pivots_.median > 0 ? pivots_.median : 1;
    for (std::size_t p = 0; p < pivots_.count; ++p) {
      double factor = 1;
      if (weights_ == MdsWeights::inverse) {
        factor = std::min(median / std::max(target[p], 1e-3 * median), 1e3);
      } else if (weights_ != MdsWeights::none) {
        factor = std::exp(-(target[p] / median) * (target[p] / median));
      }
      weight[p] = pivots_.weight[p] * factor;
    }
  }

  /// Of all pivots together for one point, on average over some points.
  double mean_weight() const {
    std::vector<double> target(pivots_.count), weight(pivots_.count);
    double sum = 0;
    const std::size_t n = distances_.n_points(), count = std::min<std::size_t>(n, 1000);
    for (std::size_t s = 0; s < count; ++s) {
      targets(s * n / count, target);
      weigh(target, weight);
      sum += std::accumulate(weight.begin(), weight.end(), 0.0);
    }
    return sum / static_cast<double>(count);
  }

  /// Distances from point i to the pivots. They are the same in every sweep: kept, in float32,
  /// while they take no more memory than they are worth; else found anew, to the same bits.
  void targets(std::size_t i, std::vector<double>& target) const {
    if (!kept_.empty()) {
      const auto row = kept_.row(i);
      std::copy(row.begin(), row.end(), target.begin());
      return;
    }
    find_targets(i, target);
    for (double& t : target) t = static_cast<double>(static_cast<float>(t));
  }

  void find_targets(std::size_t i, std::vector<double>& target) const {
    std::fill(target.begin(), target.end(), 0.0);
    const auto who = distances_.interpolation().row_indices(i);
    const auto share = distances_.interpolation().row_values(i);
    for (std::size_t k = 0; k < who.size(); ++k) {
      add_row(pivots_.squared.row(static_cast<std::size_t>(who[k])).data(), share[k], pivots_.count,
              target.data());
    }
    take_roots(target.data(), distances_.spread()[i], pivots_.count);
  }

  void move(std::size_t begin, std::size_t end, Pull& total, double& near) {
    const std::size_t r = x_.cols();
    std::vector<double> target(pivots_.count), ratio(pivots_.count), sum(r);
    std::vector<double> weight = pivots_.weight;
    const SparseMatrix& w = graph_.weights;
    for (std::size_t i = begin; i < end; ++i) {
      const double* x = x_.row(i).data();
      targets(i, target);
      if (weights_ != MdsWeights::none) weigh(target, weight);
      std::fill(sum.begin(), sum.end(), 0.0);
      const Pull pull = pull_of_pivots(target.data(), weight.data(), pivots_.coordinates.data(),
                                       pivots_.count, x, r, ratio.data(), sum.data());
      total.stress += pull.stress;
      total.squares += pull.squares;
      double of_all = pull.weight;
      if (near_weight_ > 0 && r == 2) {
        const std::size_t from = w.offsets[i], count = w.offsets[i + 1] - from;
        const NearPull of_near = pull_of_neighbors(
            w.indices.data() + from, graph_.lengths.data() + from, count, scale_, x_.data(), x);
        near += 0.5 * near_weight_ * of_near.stress;  // each pair is met from both ends
        for (std::size_t c = 0; c < 2; ++c) sum[c] += near_weight_ * of_near.sum[c];
        of_all += 2 * near_weight_ * static_cast<double>(count);
      } else if (near_weight_ > 0) {
        for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
          const double* y = x_.row(static_cast<std::size_t>(w.indices[e])).data();
          const double wanted = scale_ * graph_.lengths[e];
          double squared = 0;
          for (std::size_t c = 0; c < r; ++c) squared += (x[c] - y[c]) * (x[c] - y[c]);
          const double inverse = inverse_root(squared < 1e-300 ? 1e-300 : squared);
          const double misfit = wanted - squared * inverse;
          near += 0.5 * near_weight_ * misfit * misfit;
          for (std::size_t c = 0; c < r; ++c) {
            sum[c] += near_weight_ * ((x[c] + y[c]) + wanted * inverse * (x[c] - y[c]));
          }
          of_all += 2 * near_weight_;
        }
      }
      for (std::size_t c = 0; c < r; ++c) next_(i, c) = of_all > 0 ? sum[c] / of_all : x[c];
    }
  }

  const Graph& graph_;
  const LandmarkDistances& distances_;
  Pivots pivots_;
  double scale_;
  MdsWeights weights_;
  const Context& context_;
  Matrix<double> x_;
  Matrix<double> next_;
  Matrix<float> kept_;  ///< targets, where they are few enough
  double near_weight_ = 0;
  double stress_ = 0;
  std::unique_ptr<DeviceSweeps> on_device_;
  bool is_there_ = false;  ///< the coordinates are the device's
};

/// Puts the sweeps where an earlier run kept them, if it did.
void take_up_sweeps(const char* stage, Matrix<double>& coordinates, double& stress,
                    std::vector<double>& history, const Context& context) {
  Matrix<double> kept;
  double kept_stress = 0;
  std::vector<double> kept_history;
  auto state = std::tie(kept, kept_stress, kept_history);
  if (!take_up(context, stage, state)) return;
  if (kept.rows() != coordinates.rows() || kept.cols() != coordinates.cols()) {
    context.warn("checkpoint: the layout is done again: what was kept is of another size");
    return;
  }
  coordinates = std::move(kept);
  stress = kept_stress;
  history = std::move(kept_history);
}

}  // namespace

Pivots choose_pivots(std::span<const std::size_t> n_points, const Matrix<double>& squared,
                     MatrixView<const double> landmark_map, std::size_t n_pivots,
                     const Context& context) {
  const std::size_t m = squared.rows();
  const std::vector<Index> order = draw_pivots(m, n_pivots, context);
  Pivots pivots;
  pivots.count = (order.size() + n_lanes - 1) / n_lanes * n_lanes;
  pivots.squared = Matrix<float>(m, pivots.count);
  pivots.weight.assign(pivots.count, 0.0);
  pivots.coordinates = Matrix<double>(landmark_map.cols, pivots.count);
  for (std::size_t l = 0; l < m; ++l) {
    std::size_t nearest = 0;
    for (std::size_t p = 0; p < order.size(); ++p) {
      const auto at = static_cast<std::size_t>(order[p]);
      pivots.squared(l, p) = static_cast<float>(squared(l, at));
      if (squared(l, at) < squared(l, static_cast<std::size_t>(order[nearest]))) nearest = p;
    }
    pivots.weight[nearest] += static_cast<double>(n_points[l]);
  }
  const auto n = static_cast<double>(std::accumulate(n_points.begin(), n_points.end(), std::size_t{0}));
  for (double& w : pivots.weight) w /= n;
  for (std::size_t p = 0; p < order.size(); ++p) {
    for (std::size_t c = 0; c < landmark_map.cols; ++c) {
      pivots.coordinates(c, p) = landmark_map(static_cast<std::size_t>(order[p]), c);
    }
  }
  std::vector<float> some;
  for (std::size_t l = 0; l < m; ++l) {
    for (std::size_t p = 0; p < order.size(); ++p) {
      if (pivots.squared(l, p) > 0) some.push_back(pivots.squared(l, p));
    }
  }
  if (!some.empty()) {
    pivots.median = std::sqrt(static_cast<double>(median(std::move(some))));
  }
  return pivots;
}

Embedding run_sweeps(const Graph& graph, const LandmarkDistances& distances, Pivots pivots,
                     const SweepOptions& options, Matrix<double> start, const Context& context) {
  const MdsOptions& mds = options.mds;
  Sweeps sweeps(graph, distances, std::move(pivots), options, std::move(start), context);
  Embedding embedding;
  embedding.outcome = Outcome::iteration_limit;
  const std::size_t most =
      mds.method == MdsMethod::classical ? 0 : mds.max_iterations.value_or(default_sweeps);
  // The state of the sweeps: coordinates, and the stress before each.
  constexpr const char* stage = "layout-of-all";
  std::vector<double>& history = embedding.stress_history;
  take_up_sweeps(stage, sweeps.coordinates(), sweeps.pivot_stress(), history, context);
  auto state = std::tie(sweeps.coordinates(), sweeps.pivot_stress(), history);
  const double least = std::max(default_tolerance, mds.tolerance);
  const auto has_settled = [&] {
    const std::size_t s = history.size();
    return s > 1 && history[s - 2] - history[s - 1] <= least * history[s - 2];
  };
  while (history.size() < most && !has_settled()) {
    if (context.report({"layout", history.size(), most, sweeps.pivot_stress()}) ==
        Next::stop_here) {
      embedding.outcome = Outcome::stopped;
      keep(context, stage, state, When::at_once);
      break;
    }
    history.push_back(sweeps.sweep());
    keep(context, stage, state);
  }
  sweeps.finish();
  embedding.iterations = history.size();
  if (has_settled()) embedding.outcome = Outcome::converged;
  if (most == 0 || !mds.max_iterations) {
    if (embedding.outcome != Outcome::stopped) embedding.outcome = Outcome::converged;
  }
  if (most == 0) {
    embedding.coordinates = sweeps.coordinates();
    sweeps.sweep();  // for the stress alone
  } else {
    embedding.coordinates = std::move(sweeps.coordinates());
  }
  embedding.stress = sweeps.pivot_stress();
  return embedding;
}

}  // namespace geotherm::detail
