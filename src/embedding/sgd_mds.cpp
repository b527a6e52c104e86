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
#include "embedding/leaf.hpp"
#include "embedding/resume.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr std::size_t edge = 64;  // points per block
/// Rows of a tile's buffer: writes down a column then spread over all sets of the cache.
constexpr std::size_t pitch = edge + 8;

/// Moves m disjoint pairs (a_i, b_i), each by the share mu_i of its misfit. Components of a and b
/// lie a block and two blocks apart.
[[gnu::always_inline]] inline void move_pairs(const double* __restrict d,
                                              const double* __restrict mu, std::size_t m,
                                              double* __restrict a, double* __restrict b,
                                              std::size_t n_components) noexcept {
  double c[edge];
  for (std::size_t i = 0; i < m; ++i) c[i] = 0;
  for (std::size_t k = 0; k < n_components; ++k) {
    const double* p = a + k * edge;
    const double* q = b + k * 2 * edge;
    for (std::size_t i = 0; i < m; ++i) c[i] += (p[i] - q[i]) * (p[i] - q[i]);
  }
  for (std::size_t i = 0; i < m; ++i) {
    c[i] = 0.5 * mu[i] * (1.0 - d[i] * inverse_root(c[i] < 1e-300 ? 1e-300 : c[i]));
  }
  for (std::size_t k = 0; k < n_components; ++k) {
    double* p = a + k * edge;
    double* q = b + k * 2 * edge;
    for (std::size_t i = 0; i < m; ++i) {
      const double move = c[i] * (p[i] - q[i]);
      p[i] -= move;
      q[i] += move;
    }
  }
}

/// All pairs of a block of m points and one of n >= m, in n matchings: the first point meets each
/// of the others in turn, the second is one place ahead, and so on. The longer block slides along:
/// who has met the first point goes to the end of the row, so that partners are always contiguous.
/// Row r of d holds the dissimilarities of matching r; mu_pitch is 0 where all have one share.
GEOTHERM_WIDE void move_tile(const double* d, const double* mu, std::size_t mu_pitch, std::size_t m,
                             std::size_t n, double* a, double* b,
                             std::size_t n_components) noexcept {
  for (std::size_t r = 0; r < n; ++r) {
    if (m == edge) {
      move_pairs(d + r * pitch, mu + r * mu_pitch, edge, a, b + r, n_components);
    } else {
      move_pairs(d + r * pitch, mu + r * mu_pitch, m, a, b + r, n_components);
    }
    for (std::size_t k = 0; k < n_components; ++k) b[k * 2 * edge + r + n] = b[k * 2 * edge + r];
  }
}

/// How many neighbours in memory stay neighbours when the points are shuffled. Where the
/// dissimilarities outgrow the caches, a row of a tile costs a line of them a group; eight fill a
/// line, and are too few to matter where the points come sorted.
std::size_t together(std::size_t n) { return n < 1024 ? 1 : 8; }

std::vector<Index> shuffled_points(std::size_t n, Rng rng) {
  const std::size_t step = together(n);
  std::vector<Index> groups((n + step - 1) / step);
  std::iota(groups.begin(), groups.end(), Index{0});
  rng.shuffle(std::span(groups));
  std::vector<Index> order;
  order.reserve(n);
  for (const Index g : groups) {
    const std::size_t begin = static_cast<std::size_t>(g) * step;
    for (std::size_t i = begin; i < std::min(n, begin + step); ++i) {
      order.push_back(static_cast<Index>(i));
    }
  }
  return order;
}

/// One sweep's points in their order of that sweep.
struct Arena {
  const Problem& problem;
  const std::vector<Index>& order;
  Layout& y;  ///< layout in that order
  double eta;

  std::size_t begin(std::size_t block) const { return block * edge; }
  std::size_t size(std::size_t block) const {
    return std::min(order.size(), (block + 1) * edge) - begin(block);
  }

  /// Starts to bring the dissimilarities of one point and the points of a block into the cache:
  /// they lie apart, and waiting for them one after the other took most of a sweep.
  void expect(std::size_t point, std::size_t block) const {
    const auto i = static_cast<std::size_t>(order[point]);
    const std::size_t step = together(order.size());
    for (std::size_t l = 0; l < size(block); l += step) {
      prefetch(&problem.distances(i, static_cast<std::size_t>(order[begin(block) + l])));
    }
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
  std::vector<double> a(y.rows() * edge), b(y.rows() * 2 * edge);
  double d[edge], mu[edge];
  for (std::size_t s = 0; s + 1 < m; ++s) {
    look_up(begin(block) + s, block, d, mu);
    for (std::size_t t = s + 1; t < m; ++t) {
      for (std::size_t k = 0; k < y.rows(); ++k) {
        a[k * edge] = y(k, begin(block) + s);
        b[k * 2 * edge] = y(k, begin(block) + t);
      }
      move_pairs(d + t, mu + t, 1, a.data(), b.data(), y.rows());
      for (std::size_t k = 0; k < y.rows(); ++k) {
        y(k, begin(block) + s) = a[k * edge];
        y(k, begin(block) + t) = b[k * 2 * edge];
      }
    }
  }
}

void Arena::run_between(std::size_t one, std::size_t other) const {
  // Only the last block may be short.
  const std::size_t lower = std::max(one, other), upper = std::min(one, other);
  const std::size_t m = size(lower), n = size(upper);
  const bool is_uniform = problem.weighting.is_uniform();
  std::vector<double> d(edge * pitch), mu(is_uniform ? 0 : edge * pitch);
  double d_row[edge], mu_row[edge];
  constexpr std::size_t ahead = 8;  // rows under way at once
  for (std::size_t s = 0; s < std::min(ahead, m); ++s) expect(begin(lower) + s, upper);
  for (std::size_t s = 0; s < m; ++s) {
    if (s + ahead < m) expect(begin(lower) + s + ahead, upper);
    look_up(begin(lower) + s, upper, d_row, mu_row);
    const auto deal = [&](const double* row, double* to) {
      for (std::size_t l = 0; l < s; ++l) to[(l + n - s) * pitch + s] = row[l];
      for (std::size_t l = s; l < n; ++l) to[(l - s) * pitch + s] = row[l];
    };
    deal(d_row, d.data());
    if (!is_uniform) deal(mu_row, mu.data());
  }
  std::vector<double> a(y.rows() * edge), b(y.rows() * 2 * edge);
  for (std::size_t k = 0; k < y.rows(); ++k) {
    std::copy_n(&y(k, begin(lower)), m, &a[k * edge]);
    std::copy_n(&y(k, begin(upper)), n, &b[k * 2 * edge]);
  }
  move_tile(d.data(), is_uniform ? mu_row : mu.data(), is_uniform ? 0 : pitch, m, n, a.data(),
            b.data(), y.rows());
  for (std::size_t k = 0; k < y.rows(); ++k) {
    std::copy_n(&a[k * edge], m, &y(k, begin(lower)));
    std::copy_n(&b[k * 2 * edge + n], n, &y(k, begin(upper)));
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

// The circle method: n - 1 stays, the others turn.
std::pair<std::size_t, std::size_t> meeting(std::size_t n, std::size_t round, std::size_t place) {
  if (place == 0) return {round, n - 1};
  return {(round + place) % (n - 1), (round + n - 1 - place) % (n - 1)};
}

SgdRun::SgdRun(const Problem& problem, const Matrix<double>& start, const MdsOptions& options,
               const Context& context)
    : problem_(problem),
      context_(context),
      totals_(weight_totals(problem_, context_)),
      steps_(falling_steps(options.max_iterations.value_or(default_sgd_sweeps), totals_)),
      s_{.x = layout_of(start, problem_.unit)} {
  if (problem_.is_point) {
    s_.x = Layout(s_.x.rows(), s_.x.cols());
    s_.outcome = Outcome::converged;
  }
}

void SgdRun::sweep() {
  const std::size_t n = problem_.n();
  const std::vector<Index> order =
      shuffled_points(n, Rng(context_.seed, "sgd_mds.shuffle", s_.n_done));
  Layout y(s_.x.rows(), n);
  for (std::size_t k = 0; k < s_.x.rows(); ++k) {
    for (std::size_t i = 0; i < n; ++i) y(k, i) = s_.x(k, static_cast<std::size_t>(order[i]));
  }
  const double eta = steps_[s_.n_done];
  const Arena arena{problem_, order, y, eta};
  const bool is_elsewhere = problem_.elsewhere != nullptr;
  const std::size_t n_blocks = is_elsewhere ? 0 : (n + edge - 1) / edge;
  if (is_elsewhere) {
    problem_.elsewhere->stochastic_sweep(order, y, std::min(eta, 1.0), problem_.unit);
  }
  parallel_for(context_, n_blocks, 1,
               [&](std::size_t block, std::size_t) { arena.run_within(block); });
  const std::size_t even = n_blocks + n_blocks % 2;
  for (std::size_t round = 0; round + 1 < even; ++round) {
    parallel_for(context_, even / 2, 1, [&](std::size_t place, std::size_t) {
      const auto [one, other] = meeting(even, round, place);
      if (one < n_blocks && other < n_blocks) arena.run_between(one, other);
    });
  }
  for (std::size_t k = 0; k < s_.x.rows(); ++k) {
    for (std::size_t i = 0; i < n; ++i) s_.x(k, static_cast<std::size_t>(order[i])) = y(k, i);
  }
  ++s_.n_done;
}

double SgdRun::raw_stress() const {
  Layout pull(s_.x.rows(), s_.x.cols());
  return PairPass(problem_, s_.x.rows(), context_)(s_.x, pull);
}

void SgdRun::run_to(std::size_t sweep_number, const std::function<void()>& after_sweep) {
  if (problem_.is_point) return;
  s_.outcome = Outcome::iteration_limit;
  const std::size_t last = std::min(sweep_number, steps_.size());
  while (s_.n_done < last) {
    // The stress costs a pass of its own: only where somebody looks.
    const double stress =
        context_.on_progress ? normalised_stress(raw_stress(), totals_.squares) : 0.0;
    if (context_.report({"layout", s_.n_done, steps_.size(), stress}) == Next::stop_here) {
      s_.outcome = Outcome::stopped;
      return;
    }
    sweep();
    if (after_sweep) after_sweep();
  }
  if (s_.n_done == steps_.size() && s_.n_done > 0) s_.outcome = Outcome::converged;
}

bool SgdRun::restore(SgdState state) {
  if (state.x.rows() != s_.x.rows() || state.x.cols() != s_.x.cols() ||
      state.n_done > steps_.size()) {
    return false;
  }
  s_ = std::move(state);
  return true;
}

Embedding SgdRun::embedding() const {
  return {.coordinates = coordinates_of(s_.x, problem_.unit),
          .outcome = s_.outcome,
          .iterations = s_.n_done,
          .stress = normalised_stress(raw_stress(), totals_.squares),
          .stress_history = {}};
}

}  // namespace detail

struct SgdMds::State {
  State(const detail::Problem& problem, const Matrix<double>& start, const MdsOptions& options,
        const Context& context)
      : run(problem, start, options, context) {}
  detail::SgdRun run;
};

SgdMds::SgdMds(MatrixView<const double> distances, MatrixView<const double> weights,
               const Matrix<double>& start, const MdsOptions& options, const Context& context)
    : state_(std::make_unique<State>(
          detail::checked_problem(distances, weights, start, options, context), start, options,
          context)) {}

SgdMds::SgdMds(SgdMds&&) noexcept = default;
SgdMds& SgdMds::operator=(SgdMds&&) noexcept = default;
SgdMds::~SgdMds() = default;

void SgdMds::run_to(std::size_t sweep) { state_->run.run_to(sweep); }

Embedding SgdMds::embedding() const { return state_->run.embedding(); }

std::string SgdMds::state() const { return detail::state_as_bytes(state_->run.state()); }

void SgdMds::restore(std::string_view bytes) { detail::restore_run(state_->run, bytes); }

}  // namespace geotherm
