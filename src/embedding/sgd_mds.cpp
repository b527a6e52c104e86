// Metric MDS by stochastic gradient (Zheng, Pawar, Goodman 2018): one pair at a time is moved
// towards its dissimilarity, by a share that falls from sweep to sweep. Pairs run in rounds of
// tiles: the points are shuffled into blocks, and in a round every block meets one other, so tiles
// of a round touch different points and may run on any thread, to the same bits. Within a tile,
// matchings of disjoint pairs run side by side, again without changing what one after the other
// would give.
#include "embedding/sgd_mds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/simd.hpp"
#include "embedding/inverse_root.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr std::size_t edge = 64;  // points a block

/// Moves m disjoint pairs (a_i, b_i), each by the share mu_i of its misfit.
GEOTHERM_WIDE void move_pairs(const double* __restrict d, const double* __restrict mu,
                              std::size_t m, double* a, double* b, std::size_t stride,
                              std::size_t n_components) noexcept {
  double c[edge];
  for (std::size_t i = 0; i < m; ++i) c[i] = 0;
  for (std::size_t k = 0; k < n_components; ++k) {
    const double* __restrict p = a + k * stride;
    const double* __restrict q = b + k * stride;
    for (std::size_t i = 0; i < m; ++i) c[i] += (p[i] - q[i]) * (p[i] - q[i]);
  }
  for (std::size_t i = 0; i < m; ++i) {
    c[i] = 0.5 * mu[i] * (1.0 - d[i] * inverse_root(c[i] < 1e-300 ? 1e-300 : c[i]));
  }
  for (std::size_t k = 0; k < n_components; ++k) {
    double* __restrict p = a + k * stride;
    double* __restrict q = b + k * stride;
    for (std::size_t i = 0; i < m; ++i) {
      const double move = c[i] * (p[i] - q[i]);
      p[i] -= move;
      q[i] += move;
    }
  }
}

/// Points in a random order, a few neighbours in memory staying together: a row of a tile then
/// costs a few lines of the cache instead of one an entry.
std::vector<Index> shuffled_points(std::size_t n, Rng rng) {
  const std::size_t together = n < 1024 ? 1 : 8;
  std::vector<Index> groups((n + together - 1) / together);
  std::iota(groups.begin(), groups.end(), Index{0});
  rng.shuffle(std::span(groups));
  std::vector<Index> order;
  order.reserve(n);
  for (const Index g : groups) {
    const std::size_t begin = static_cast<std::size_t>(g) * together;
    for (std::size_t i = begin; i < std::min(n, begin + together); ++i) {
      order.push_back(static_cast<Index>(i));
    }
  }
  return order;
}

/// Everyone meets everyone in n - 1 rounds (n even): who stands at `place` meets whom in `round`.
/// The circle method: n - 1 stays, the others turn.
std::pair<std::size_t, std::size_t> meeting(std::size_t n, std::size_t round, std::size_t place) {
  if (place == 0) return {round, n - 1};
  return {(round + place) % (n - 1), (round + n - 1 - place) % (n - 1)};
}

/// One sweep's points in their order of that sweep.
struct Arena {
  const Problem& problem;
  const std::vector<Index>& order;
  Layout& y;  ///< layout in that order
  double eta;
  std::uint64_t seed;
  std::uint64_t sweep;

  std::size_t begin(std::size_t block) const { return block * edge; }
  std::size_t size(std::size_t block) const {
    return std::min(order.size(), (block + 1) * edge) - begin(block);
  }

  /// Dissimilarities and shares of one point and the points of a block.
  void look_up(std::size_t point, std::size_t block, double* d, double* mu) const {
    const auto i = static_cast<std::size_t>(order[point]);
    const std::size_t m = size(block);
    const bool is_given = problem.weighting.kind == Weighting::Kind::given;
    double given[edge];
    for (std::size_t l = 0; l < m; ++l) {
      const auto j = static_cast<std::size_t>(order[begin(block) + l]);
      d[l] = problem.distances(i, j) * problem.unit;
      if (is_given) given[l] = problem.weighting.values(i, j);
    }
    problem.weighting.fill(is_given ? given : nullptr, d, 1.0, m, mu);
    for (std::size_t l = 0; l < m; ++l) mu[l] = std::min(mu[l] * eta, 1.0);
  }

  void run_within(std::size_t block) const;
  void run_between(std::size_t one, std::size_t other) const;
};

void Arena::run_within(std::size_t block) const {
  const std::size_t m = size(block);
  if (m < 2) return;
  std::vector<double> d(edge * edge), mu(edge * edge);
  for (std::size_t s = 0; s < m; ++s) {
    look_up(begin(block) + s, block, &d[s * edge], &mu[s * edge]);
  }
  const std::size_t even = m + m % 2;
  std::vector<std::size_t> rounds(even - 1);
  std::iota(rounds.begin(), rounds.end(), std::size_t{0});
  Rng(seed, "sgd_mds.within", sweep * order.size() + block).shuffle(std::span(rounds));
  for (const std::size_t round : rounds) {
    for (std::size_t place = 0; place < even / 2; ++place) {
      const auto [s, t] = meeting(even, round, place);
      if (s >= m || t >= m) continue;
      move_pairs(&d[s * edge + t], &mu[s * edge + t], 1, &y(0, begin(block) + s),
                 &y(0, begin(block) + t), y.cols(), y.rows());
    }
  }
}

void Arena::run_between(std::size_t one, std::size_t other) const {
  // Matching r pairs point s of the shorter block with point s + r, cyclically, of the longer.
  const bool swapped = size(one) > size(other);
  const std::size_t lower = swapped ? other : one;
  const std::size_t upper = swapped ? one : other;
  const std::size_t n_lower = size(lower), n_upper = size(upper);
  std::vector<double> d(edge * edge), mu(edge * edge);
  double d_row[edge], mu_row[edge];
  for (std::size_t s = 0; s < n_lower; ++s) {
    look_up(begin(lower) + s, upper, d_row, mu_row);
    for (std::size_t l = 0; l < n_upper; ++l) {
      const std::size_t r = l >= s ? l - s : l + n_upper - s;
      d[r * edge + s] = d_row[l];
      mu[r * edge + s] = mu_row[l];
    }
  }
  std::vector<std::size_t> matchings(n_upper);
  std::iota(matchings.begin(), matchings.end(), std::size_t{0});
  Rng rng(seed, "sgd_mds.between", (sweep * order.size() + one) * order.size() + other);
  rng.shuffle(std::span(matchings));
  double* a = &y(0, begin(lower));
  double* b = &y(0, begin(upper));
  for (const std::size_t r : matchings) {
    const std::size_t n_straight = std::min(n_lower, n_upper - r);
    move_pairs(&d[r * edge], &mu[r * edge], n_straight, a, b + r, y.cols(), y.rows());
    if (n_straight < n_lower) {
      move_pairs(&d[r * edge + n_straight], &mu[r * edge + n_straight], n_lower - n_straight,
                 a + n_straight, b, y.cols(), y.rows());
    }
  }
}

/// Shares fall exponentially from "fit the lightest pair at once" to where a point's moves, over
/// all its pairs, average out. Weights below a thousandth of the largest do not stretch the range.
std::vector<double> falling_steps(std::size_t n_sweeps, const WeightTotals& totals) {
  double sum = 0;
  for (const double w : totals.per_point) sum += w;
  const double n_effective = sum / static_cast<double>(totals.per_point.size()) / totals.largest;
  const double first = 1.0 / std::max(totals.smallest, 1e-3 * totals.largest);
  const double last = std::min(0.1, 4.0 / n_effective) / totals.largest;
  std::vector<double> steps(n_sweeps, first);
  for (std::size_t s = 1; s < n_sweeps; ++s) {
    const double share = static_cast<double>(s) / static_cast<double>(n_sweeps - 1);
    steps[s] = first * std::pow(last / first, share);
  }
  return steps;
}

}  // namespace

SgdRun::SgdRun(Problem problem, const Matrix<double>& start, const MdsOptions& options,
               const Context& context)
    : problem_(std::move(problem)),
      context_(context),
      totals_(weight_totals(problem_, context_)),
      steps_(falling_steps(options.max_iterations.value_or(default_sgd_sweeps), totals_)),
      x_(layout_of(start, problem_.unit)) {
  if (problem_.is_point) {
    x_ = Layout(x_.rows(), x_.cols());
    outcome_ = Outcome::converged;
  }
}

void SgdRun::sweep() {
  const std::size_t n = problem_.n();
  const std::vector<Index> order =
      shuffled_points(n, Rng(context_.seed, "sgd_mds.shuffle", n_done_));
  Layout y(x_.rows(), n);
  for (std::size_t k = 0; k < x_.rows(); ++k) {
    for (std::size_t i = 0; i < n; ++i) y(k, i) = x_(k, static_cast<std::size_t>(order[i]));
  }
  const Arena arena{problem_, order, y, steps_[n_done_], context_.seed, n_done_};
  const std::size_t n_blocks = (n + edge - 1) / edge;
  parallel_for(context_, n_blocks, 1,
               [&](std::size_t block, std::size_t) { arena.run_within(block); });
  const std::size_t even = n_blocks + n_blocks % 2;
  for (std::size_t round = 0; round + 1 < even; ++round) {
    parallel_for(context_, even / 2, 1, [&](std::size_t place, std::size_t) {
      const auto [one, other] = meeting(even, round, place);
      if (one < n_blocks && other < n_blocks) arena.run_between(one, other);
    });
  }
  for (std::size_t k = 0; k < x_.rows(); ++k) {
    for (std::size_t i = 0; i < n; ++i) x_(k, static_cast<std::size_t>(order[i])) = y(k, i);
  }
  ++n_done_;
}

double SgdRun::raw_stress() const {
  Layout pull(x_.rows(), x_.cols());
  return PairPass(problem_, x_.rows(), context_)(x_, pull);
}

void SgdRun::run_to(std::size_t sweep_number) {
  if (problem_.is_point) return;
  outcome_ = Outcome::iteration_limit;
  const std::size_t last = std::min(sweep_number, steps_.size());
  while (n_done_ < last) {
    // The stress costs a pass of its own: only where somebody looks.
    const double stress =
        context_.on_progress ? normalised_stress(raw_stress(), totals_.squares) : 0.0;
    if (context_.report({"layout", n_done_, steps_.size(), stress}) == Next::stop_here) {
      outcome_ = Outcome::stopped;
      return;
    }
    sweep();
  }
  if (n_done_ == steps_.size() && n_done_ > 0) outcome_ = Outcome::converged;
}

Embedding SgdRun::embedding() const {
  return {.coordinates = coordinates_of(x_, problem_.unit),
          .outcome = outcome_,
          .iterations = n_done_,
          .stress = normalised_stress(raw_stress(), totals_.squares),
          .stress_history = {}};
}

}  // namespace detail

struct SgdMds::State {
  State(detail::Problem problem, const Matrix<double>& start, const MdsOptions& options,
        const Context& context)
      : run(std::move(problem), start, options, context) {}
  detail::SgdRun run;
};

SgdMds::SgdMds(MatrixView<const double> distances, MatrixView<const double> weights,
               Matrix<double> start, const MdsOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  detail::Problem problem = detail::checked_problem(distances, weights, options.weights, context);
  detail::check_start(start, problem.n(), options.n_components);
  state_ = std::make_unique<State>(std::move(problem), start, options, context);
}

SgdMds::~SgdMds() = default;

void SgdMds::run_to(std::size_t sweep) { state_->run.run_to(sweep); }

Embedding SgdMds::embedding() const { return state_->run.embedding(); }

}  // namespace geotherm
