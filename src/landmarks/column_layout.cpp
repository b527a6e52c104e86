// Distances from pivots to all points -> the map of all points, pivots among them.
//
// The pivots are scaled among themselves first, from several starts, and the arrangement that suits
// a sample of the points best is taken. Points then move to where they fit the pivots, and after a
// few sweeps the pivots to where they fit the points. Either step is a majorisation with the other
// side held still. A pivot is a point as well, and goes most of the way to where it would lie as
// one: by distances across alone the two sides drift apart, as in unfolding (5,000 digits: stress
// 1.03 times that of all pairs after 20 sweeps and 2.4 times after 40; with it 1.001 after either).
#include <algorithm>
#include <cmath>
#include <string>

#include "core/take_rows.hpp"
#include "geotherm/landmarks.hpp"
#include "embedding/problem.hpp"
#include "landmarks/pull.hpp"

namespace geotherm {
namespace {

constexpr std::size_t block = 1024;
constexpr std::size_t default_sweeps = 30;
constexpr std::size_t sweeps_around_still_pivots = 10;
constexpr double share_as_point = 0.95;
constexpr std::size_t n_start = 3;  // pivots that a point starts between

// Of further starts: how many for each shake of the options, how they are made (as in mds()), and
// on how much of the problem they are compared.
constexpr std::size_t starts_of_shake = 24;
constexpr std::size_t n_shaking = 5;
constexpr double perfect = 1e-12;  // stress: nothing to gain
constexpr std::size_t points_of_trial = 1000;
constexpr std::size_t sweeps_of_trial = 20;
constexpr std::size_t trial_sweeps_around_still_pivots = 5;

Matrix<double> among_pivots(std::span<const Index> pivots, MatrixView<const float> to_pivots) {
  Matrix<double> among(pivots.size(), pivots.size());
  for (std::size_t p = 0; p < pivots.size(); ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      const double there = to_pivots(static_cast<std::size_t>(pivots[p]), q);
      const double back = to_pivots(static_cast<std::size_t>(pivots[q]), p);
      among(p, q) = among(q, p) = 0.5 * (there + back);
    }
  }
  return among;
}

class PivotsAndPoints {
 public:
  PivotsAndPoints(std::span<const Index> pivots, MatrixView<const float> to_pivots,
                  const Matrix<double>& pivot_map, const Context& context)
      : pivots_(pivots),
        to_pivots_(to_pivots),
        n_wide_((pivots.size() + detail::n_lanes - 1) / detail::n_lanes * detail::n_lanes),
        context_(context),
        weight_(n_wide_),
        places_(pivot_map.cols(), n_wide_),
        as_points_(pivot_map.cols(), pivots.size()),
        x_(to_pivots.rows, pivot_map.cols()) {
    for (std::size_t p = 0; p < pivots.size(); ++p) {
      for (std::size_t c = 0; c < pivot_map.cols(); ++c) places_(c, p) = pivot_map(p, c);
    }
    const std::size_t n_near = std::min(n_start, pivots.size());
    std::vector<std::size_t> order(pivots.size());
    for (std::size_t i = 0; i < x_.rows(); ++i) {
      const auto row = to_pivots.row(i);
      for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
      std::partial_sort(
          order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n_near), order.end(),
          [&](std::size_t a, std::size_t b) { return row[a] != row[b] ? row[a] < row[b] : a < b; });
      weight_[order[0]] += 1.0 / static_cast<double>(x_.rows());
      for (std::size_t k = 0; k < n_near; ++k) {
        for (std::size_t c = 0; c < x_.cols(); ++c) {
          x_(i, c) += places_(c, order[k]) / static_cast<double>(n_near);
        }
      }
    }
    put_pivots_among_points();
  }

  /// All points once; returns the stress before the sweep.
  double move_points() {
    const std::size_t n = x_.rows(), r = x_.cols();
    std::vector<detail::Pull> pulls((n + block - 1) / block);
    parallel_for(context_, n, block, [&](std::size_t begin, std::size_t end) {
      std::vector<double> target(n_wide_), ratio(n_wide_), sum(r);
      detail::Pull& total = pulls[begin / block];
      for (std::size_t i = begin; i < end; ++i) {
        std::copy(to_pivots_.row(i).begin(), to_pivots_.row(i).end(), target.begin());
        std::fill(sum.begin(), sum.end(), 0.0);
        const detail::Pull pull =
            detail::pull_of_pivots(target.data(), weight_.data(), places_.data(), n_wide_,
                                   x_.row(i).data(), r, ratio.data(), sum.data());
        total.stress += pull.stress;
        total.squares += pull.squares;
        for (std::size_t c = 0; c < r; ++c) x_(i, c) = sum[c] / pull.weight;
      }
    });
    for (std::size_t p = 0; p < pivots_.size(); ++p) {
      for (std::size_t c = 0; c < r; ++c) as_points_(c, p) = x_(static_cast<std::size_t>(pivots_[p]), c);
    }
    detail::Pull all;
    for (const detail::Pull& pull : pulls) {
      all.stress += pull.stress;
      all.squares += pull.squares;
    }
    put_pivots_among_points();
    return all.squares > 0 ? all.stress / all.squares : 0;
  }

  /// All pivots once: between the mean of where each point would like to have them and where they
  /// would lie as points.
  void move_pivots() {
    const std::size_t n = x_.rows(), r = x_.cols(), count = pivots_.size();
    std::vector<Matrix<double>> sums((n + block - 1) / block);
    parallel_for(context_, n, block, [&](std::size_t begin, std::size_t end) {
      Matrix<double>& sum = sums[begin / block];
      sum = Matrix<double>(r, n_wide_);
      std::vector<float> target(n_wide_);
      std::vector<double> ratio(n_wide_);
      for (std::size_t i = begin; i < end; ++i) {
        std::copy(to_pivots_.row(i).begin(), to_pivots_.row(i).end(), target.begin());
        detail::add_wishes_of_point(target.data(), places_.data(), n_wide_, x_.row(i).data(), r,
                                    ratio.data(), sum.data());
      }
    });
    for (std::size_t c = 0; c < r; ++c) {
      for (std::size_t p = 0; p < count; ++p) {
        double all = 0;
        for (const Matrix<double>& sum : sums) all += sum(c, p);
        places_(c, p) = share_as_point * as_points_(c, p) +
                        (1 - share_as_point) * all / static_cast<double>(n);
      }
    }
    put_pivots_among_points();
  }

  Matrix<double>& coordinates() { return x_; }

 private:
  void put_pivots_among_points() {
    for (std::size_t p = 0; p < pivots_.size(); ++p) {
      for (std::size_t c = 0; c < x_.cols(); ++c) {
        x_(static_cast<std::size_t>(pivots_[p]), c) = places_(c, p);
      }
    }
  }

  std::span<const Index> pivots_;
  MatrixView<const float> to_pivots_;
  std::size_t n_wide_;
  const Context& context_;
  std::vector<double> weight_;  // of each pivot: the share of points nearest to it
  Matrix<double> places_;       // components x n_wide
  Matrix<double> as_points_;    // of the pivots: where the last sweep put them as points
  Matrix<double> x_;
};

/// The pivots and some more points, evenly among all others.
struct Sample {
  std::vector<Index> pivots;  ///< rows of the matrix
  Matrix<float> to_pivots;
};

Sample sample_of(std::span<const Index> pivots, MatrixView<const float> to_pivots) {
  const std::size_t n_others = to_pivots.rows - pivots.size();
  const std::size_t wanted = std::max(points_of_trial, 2 * pivots.size()) - pivots.size();
  const std::size_t step = std::max<std::size_t>(1, n_others / std::max<std::size_t>(1, wanted));
  std::vector<char> is_pivot(to_pivots.rows);
  for (const Index p : pivots) is_pivot[static_cast<std::size_t>(p)] = 1;
  std::vector<Index> rows, row_of(to_pivots.rows);
  std::size_t n_seen = 0;
  for (std::size_t i = 0; i < to_pivots.rows; ++i) {
    if (is_pivot[i] == 0 && n_seen++ % step != 0) continue;
    row_of[i] = static_cast<Index>(rows.size());
    rows.push_back(static_cast<Index>(i));
  }
  Sample sample;
  for (const Index p : pivots) sample.pivots.push_back(row_of[static_cast<std::size_t>(p)]);
  sample.to_pivots = detail::take_rows<float>(to_pivots, rows);
  return sample;
}

/// Stress of the sample once it has settled around this map of the pivots.
double stress_around(const Matrix<double>& pivot_map, const Sample& sample,
                     const Context& context) {
  PivotsAndPoints some(sample.pivots, sample.to_pivots, pivot_map, context);
  for (std::size_t sweep = 0; sweep + 1 < sweeps_of_trial; ++sweep) {
    if (sweep >= trial_sweeps_around_still_pivots) some.move_pivots();
    some.move_points();
  }
  return some.move_points();
}

/// The map of the pivots around which the points fit best. Scaling has many local minima, and a few
/// hundred pivots cannot tell by themselves which is the lowest of all points: what they lose by
/// one is less than what two draws of them differ by. With the points they can, and since both are
/// few a start costs little (bench/scale/starts.md).
Embedding map_of_pivots(const Matrix<double>& among, const Sample& sample,
                        const MdsOptions& options, const Context& context) {
  Embedding best = mds(among, options, {}, context);
  const bool is_done = best.outcome == Outcome::stopped || best.stress <= perfect;
  if (options.method != MdsMethod::smacof || !options.start.empty() || is_done) {
    return best;
  }
  std::vector<Matrix<double>> maps(1 + starts_of_shake * options.n_shakes);
  std::vector<double> stress(maps.size());
  maps.front() = std::move(best.coordinates);
  parallel_for(context, maps.size(), 1, [&](std::size_t k, std::size_t) {
    Context alone{.seed = Rng(context.seed, "landmarks.start", k).next(), .stop = context.stop};
    if (k > 0) {
      MdsOptions shaken = options;
      shaken.start = maps.front();
      shaken.method = MdsMethod::sgd;
      shaken.max_iterations = n_shaking;
      MdsOptions settled = options;
      settled.start = mds(among, shaken, {}, alone).coordinates;
      maps[k] = mds(among, settled, {}, alone).coordinates;
    }
    stress[k] = stress_around(maps[k], sample, alone);
  });
  const auto least = std::min_element(stress.begin(), stress.end());
  best.coordinates = std::move(maps[static_cast<std::size_t>(least - stress.begin())]);
  return best;
}

}  // namespace

Embedding column_layout(std::span<const Index> pivots, MatrixView<const float> to_pivots,
                        const MdsOptions& options, const Context& context, double unit) {
  refuse_if_any(issues_with(options));
  if (pivots.size() < 3 || to_pivots.cols != pivots.size()) {
    throw InvalidArgument("pivots: " + std::to_string(pivots.size()) + " for " +
                          std::to_string(to_pivots.cols) +
                          " columns of distances; give 3 or more, one per column");
  }
  MdsOptions of_pivots = options;
  of_pivots.max_iterations.reset();
  if (!options.start.empty()) of_pivots.start = detail::take_rows<double>(options.start.view(), pivots);
  Context still = context;  // seconds of work: nothing that a checkpoint would be worth
  still.checkpoint = nullptr;
  const Embedding pivot_map = map_of_pivots(among_pivots(pivots, to_pivots),
                                            sample_of(pivots, to_pivots), of_pivots, still);
  PivotsAndPoints all(pivots, to_pivots, pivot_map.coordinates, context);
  Embedding embedding;
  embedding.outcome = pivot_map.outcome == Outcome::stopped ? Outcome::stopped : Outcome::converged;
  const std::size_t most = options.max_iterations.value_or(default_sweeps);
  for (std::size_t sweep = 0; sweep < most && embedding.outcome != Outcome::stopped; ++sweep) {
    if (context.report({"layout", sweep, most, embedding.stress}) == Next::stop_here) {
      embedding.outcome = Outcome::stopped;
      break;
    }
    if (sweep >= sweeps_around_still_pivots) all.move_pivots();
    embedding.stress = all.move_points();
    embedding.stress_history.push_back(embedding.stress);
  }
  embedding.iterations = embedding.stress_history.size();
  embedding.coordinates = std::move(all.coordinates());
  embedding.coordinates = oriented(std::move(embedding.coordinates));
  detail::multiply(embedding.coordinates, unit);
  return embedding;
}

Embedding row_layout(std::span<const Index> pivots, MatrixView<const double> from_pivots,
                     std::optional<double> limit, const MdsOptions& options,
                     const Context& context) {
  const std::size_t n = from_pivots.cols;
  double largest = 0;
  for (std::size_t p = 0; p < from_pivots.rows; ++p) {
    for (const double d : from_pivots.row(p)) largest = std::max(largest, d);
  }
  const double unit = 1 / detail::unit_for(largest);  // a power of two near the largest
  Matrix<float> to_pivots = Matrix<float>::uninitialized(n, from_pivots.rows);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < from_pivots.rows; ++p) {
      const double distance = from_pivots(p, i);
      to_pivots(i, p) = static_cast<float>(std::min(limit.value_or(distance), distance) / unit);
    }
  }
  return column_layout(pivots, to_pivots, options, context, unit);
}

}  // namespace geotherm
