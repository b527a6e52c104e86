// Metric MDS by majorisation (de Leeuw 1977), accelerated: dissimilarities, weights and a start in,
// a layout of lower stress out. A sweep tries a quasi-Newton step whose metric is the majoriser's,
// at the cost of one pass over the pairs; where that does not lower the stress it takes the
// majorised step, which always does. So the stress falls as surely as in the plain method, in a
// fifth of its sweeps.
#include "embedding/smacof.hpp"

#include <algorithm>
#include <cmath>

#include "embedding/resume.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr std::size_t n_bends = 8;
/// Relative stress at which only rounding is left.
constexpr double rounding_floor = 1e-28;

/// Sums of long vectors are made in parts, which are added in their order.
constexpr std::size_t part_size = 8192;

double dot_of_part(const double* p, const double* q, std::size_t n) noexcept {
  double sums[8] = {};
  const std::size_t whole = n / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    for (std::size_t l = 0; l < 8; ++l) sums[l] += p[i + l] * q[i + l];
  }
  for (std::size_t i = whole; i < n; ++i) sums[0] += p[i] * q[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// a += factor * b, where there is one; <a, c>
double add_and_dot(Layout& a, double factor, const Layout* b, const Layout& c,
                   const Context& context) {
  return parallel_sum(context, a.size(), part_size, [&](std::size_t begin, std::size_t end) {
    double* values = a.data();
    if (b != nullptr) {
      const double* step = b->data();
      for (std::size_t i = begin; i < end; ++i) values[i] += factor * step[i];
    }
    return dot_of_part(values + begin, c.data() + begin, end - begin);
  });
}

double dot(const Layout& a, const Layout& b, const Context& context) {
  return parallel_sum(context, a.size(), part_size, [&](std::size_t begin, std::size_t end) {
    return dot_of_part(a.data() + begin, b.data() + begin, end - begin);
  });
}

/// a += factor * b
void add(Layout& a, double factor, const Layout& b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] += factor * b.data()[i];
}

Layout difference(const Layout& a, const Layout& b) {
  Layout result = a;
  add(result, -1, b);
  return result;
}

/// Divides by each point's weight: the diagonal of the majoriser. Points without weight stay.
void divide_by_weights(Layout& layout, const std::vector<double>& weights) noexcept {
  for (std::size_t k = 0; k < layout.rows(); ++k) {
    for (std::size_t i = 0; i < layout.cols(); ++i) {
      layout(k, i) = weights[i] > 0 ? layout(k, i) / weights[i] : 0.0;
    }
  }
}

}  // namespace

SmacofRun::SmacofRun(const Problem& problem, const Matrix<double>& start, const MdsOptions& options,
                     const Context& context)
    : problem_(problem),
      context_(context),
      tolerance_(options.tolerance),
      totals_(weight_totals(problem_, context_)),
      pass_(problem_, start.cols(), context_),
      next_x_(start.cols(), start.rows()),
      next_pull_(start.cols(), start.rows()) {
  s_.x = layout_of(start, problem_.unit);
  s_.pull = Layout(s_.x.rows(), s_.x.cols());
  if (problem_.is_point) s_.x = Layout(s_.x.rows(), s_.x.cols());
  s_.raw = pass_(s_.x, s_.pull);
  if (s_.raw <= rounding_floor * totals_.squares) s_.outcome = Outcome::converged;
}

Layout SmacofRun::majorised_step() const {
  // Uniform weights: Guttman's transform. Else V <= 2 diag(V) majorises the quadratic part, since
  // (a - b)^2 <= 2 a^2 + 2 b^2: half as long a step, and no system to solve.
  Layout step = s_.pull;
  divide_by_weights(step, totals_.per_point);
  const double factor = problem_.weighting.is_uniform() ? -1.0 : -0.5;
  for (std::size_t i = 0; i < step.size(); ++i) step.data()[i] *= factor;
  return step;
}

Layout SmacofRun::quasi_newton_step() const {
  // L-BFGS in two loops (Nocedal 1980), started from the majoriser's diagonal. What is added to the
  // step and the product that comes next are one pass over it.
  Layout step = s_.pull;
  std::vector<double> along(s_.bends.size());
  for (std::size_t b = s_.bends.size(); b-- > 0;) {
    const Layout* last = b + 1 < s_.bends.size() ? &s_.bends[b + 1].change : nullptr;
    const double factor = last == nullptr ? 0 : -along[b + 1];
    along[b] = add_and_dot(step, factor, last, s_.bends[b].step, context_) / s_.bends[b].curvature;
  }
  add(step, -along[0], s_.bends[0].change);
  Layout scaled = s_.bends.back().change;
  divide_by_weights(scaled, totals_.per_point);
  const double scale =
      s_.bends.back().curvature / dot(s_.bends.back().change, scaled, context_);
  divide_by_weights(step, totals_.per_point);
  for (std::size_t i = 0; i < step.size(); ++i) step.data()[i] *= -scale;
  double factor = 0;
  const Layout* last = nullptr;
  for (std::size_t b = 0; b < s_.bends.size(); ++b) {
    const double back =
        add_and_dot(step, factor, last, s_.bends[b].change, context_) / s_.bends[b].curvature;
    factor = -along[b] - back;
    last = &s_.bends[b].step;
  }
  add(step, factor, s_.bends.back().step);
  return step;
}

bool SmacofRun::try_step(const Layout& step, bool or_equal) {
  next_x_ = s_.x;
  add(next_x_, 1, step);
  const double raw = pass_(next_x_, next_pull_);
  if (!(raw < s_.raw || (or_equal && raw == s_.raw))) return false;
  Bend bend{step, difference(next_pull_, s_.pull)};
  bend.curvature = dot(bend.step, bend.change, context_);
  // The stress is not convex: only steps along which it bends upwards shape the metric.
  const double size = std::sqrt(dot(bend.step, bend.step, context_) *
                                dot(bend.change, bend.change, context_));
  if (bend.curvature > 1e-10 * size) {
    s_.bends.push_back(std::move(bend));
    if (s_.bends.size() > n_bends) s_.bends.erase(s_.bends.begin());
  }
  std::swap(s_.x, next_x_);
  std::swap(s_.pull, next_pull_);
  s_.raw = raw;
  return true;
}

void SmacofRun::sweep() {
  const double before = s_.raw;
  bool moved = !s_.bends.empty() && try_step(quasi_newton_step(), false);
  if (!moved) {
    s_.bends.clear();
    moved = try_step(majorised_step(), true);
  }
  s_.history.push_back(normalised_stress(s_.raw, totals_.squares));
  // Accelerated sweeps are uneven: one short step may stand between two long ones.
  s_.n_slow = before - s_.raw <= tolerance_ * before ? s_.n_slow + 1 : 0;
  if (!moved || s_.n_slow >= 2 || s_.raw <= rounding_floor * totals_.squares) {
    s_.outcome = Outcome::converged;
  }
}

void SmacofRun::run_to(std::size_t sweep_number, const std::function<void()>& after_sweep) {
  if (s_.outcome == Outcome::stopped) s_.outcome = Outcome::iteration_limit;
  while (s_.history.size() < sweep_number && s_.outcome == Outcome::iteration_limit) {
    const double stress = normalised_stress(s_.raw, totals_.squares);
    if (context_.report({"layout", s_.history.size(), sweep_number, stress}) == Next::stop_here) {
      s_.outcome = Outcome::stopped;
      return;
    }
    sweep();
    if (after_sweep) after_sweep();
  }
}

bool SmacofRun::restore(SmacofState state) {
  const auto fits = [&](const Layout& l) {
    return l.rows() == s_.x.rows() && l.cols() == s_.x.cols();
  };
  if (!fits(state.x) || !fits(state.pull)) return false;
  for (const Bend& bend : state.bends) {
    if (!fits(bend.step) || !fits(bend.change)) return false;
  }
  s_ = std::move(state);
  return true;
}

Embedding SmacofRun::embedding() const {
  return {.coordinates = coordinates_of(s_.x, problem_.unit),
          .outcome = s_.outcome,
          .iterations = s_.history.size(),
          .stress = normalised_stress(s_.raw, totals_.squares),
          .stress_history = s_.history};
}

}  // namespace detail

struct Smacof::State {
  State(const detail::Problem& problem, const Matrix<double>& start, const MdsOptions& options,
        const Context& context)
      : run(problem, start, options, context) {}
  detail::SmacofRun run;
};

Smacof::Smacof(MatrixView<const double> distances, MatrixView<const double> weights,
               const Matrix<double>& start, const MdsOptions& options, const Context& context)
    : state_(std::make_unique<State>(
          detail::checked_problem(distances, weights, start, options, context), start, options,
          context)) {}

Smacof::Smacof(Smacof&&) noexcept = default;
Smacof& Smacof::operator=(Smacof&&) noexcept = default;
Smacof::~Smacof() = default;

void Smacof::run_to(std::size_t sweep) { state_->run.run_to(sweep); }

Embedding Smacof::embedding() const { return state_->run.embedding(); }

std::string Smacof::state() const { return detail::state_as_bytes(state_->run.state()); }

void Smacof::restore(std::string_view bytes) { detail::restore_run(state_->run, bytes); }

}  // namespace geotherm
