// Graph -> steps of its random walk, from the knee of von Neumann's entropy. With S_t = sum
// |lambda|^t the entropy is log S_t - (t / S_t) sum |lambda|^t log |lambda|: two sums over the
// spectrum, which need no single eigenvalue.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "geotherm/heat.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace {

/// D^-1/2 (W + I) D^-1/2: symmetric, with the eigenvalues of the walk D^-1 (W + I).
struct SymmetricWalk {
  SparseMatrix matrix;
  std::vector<double> stationary;  ///< its eigenvector of eigenvalue 1, D^1/2 of length 1
};

SymmetricWalk symmetric_walk(const Graph& graph) {
  SymmetricWalk walk{.matrix = random_walk(graph), .stationary = {}};
  SparseMatrix& m = walk.matrix;
  const std::size_t n = m.rows;
  std::vector<double> root(n);  // the diagonal of the walk is 1 / D
  for (std::size_t i = 0; i < n; ++i) {
    root[i] = std::sqrt(1 / m.values[m.find(i, static_cast<Index>(i))]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto columns = m.row_indices(i);
    const auto values = m.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      values[k] *= root[i] / root[static_cast<std::size_t>(columns[k])];
    }
  }
  double square = 0;
  for (const double r : root) square += r * r;
  for (double& r : root) r /= std::sqrt(square);
  walk.stationary = std::move(root);
  return walk;
}

/// Numbers with weights that stand for the spectrum: sum_i f(lambda_i) = sum_k weight_k f(value_k).
struct Spectrum {
  std::vector<double> values;  ///< magnitudes
  std::vector<double> weights;
};

Spectrum whole_spectrum(const SparseMatrix& matrix) {
  Spectrum spectrum;
  for (const double value : detail::symmetric_eigen(to_dense(matrix)).values) {
    spectrum.values.push_back(std::abs(value));
    spectrum.weights.push_back(1);
  }
  return spectrum;
}

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void leave(Vector& x, const Vector& unit) {
  const double along = dot(x, unit);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= along * unit[i];
}

void multiply(const SparseMatrix& m, const Vector& x, Vector& y) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    const auto columns = m.row_indices(i);
    const auto values = m.row_values(i);
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      sum += values[k] * x[static_cast<std::size_t>(columns[k])];
    }
    y[i] = sum;
  }
}

Vector random_signs(std::size_t n, const Context& context, std::string_view purpose,
                    std::size_t index) {
  Rng rng(context.seed, purpose, index);
  Vector signs(n);
  for (double& s : signs) s = rng.below(2) == 0 ? -1.0 : 1.0;
  return signs;
}

/// A quadrature of n_nodes points for f -> v^T f(M) v, v without its part along the stationary
/// vector, from Lanczos without reorthogonalisation: what that costs is repeated nodes that share
/// one weight, which sums do not see.
Spectrum lanczos_quadrature(const SymmetricWalk& walk, Vector v, std::size_t n_nodes) {
  const std::size_t n = walk.matrix.rows;
  leave(v, walk.stationary);
  const double length = std::sqrt(dot(v, v));
  if (length < 1e-10) return {};  // nothing left to look at
  for (double& e : v) e /= length;
  Vector alpha, beta, before(n, 0.0), next(n);
  while (alpha.size() < n_nodes) {
    multiply(walk.matrix, v, next);
    alpha.push_back(dot(next, v));
    const double back = beta.empty() ? 0.0 : beta.back();
    for (std::size_t i = 0; i < n; ++i) next[i] -= alpha.back() * v[i] + back * before[i];
    leave(next, walk.stationary);
    beta.push_back(std::sqrt(dot(next, next)));
    if (beta.back() < 1e-14) break;  // the space that v reaches is spanned
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = v[i];
      v[i] = next[i] / beta.back();
    }
  }
  const std::size_t n_steps = alpha.size();
  Matrix<double> tridiagonal(n_steps, n_steps);
  for (std::size_t k = 0; k < n_steps; ++k) {
    tridiagonal(k, k) = alpha[k];
    if (k > 0) tridiagonal(k, k - 1) = tridiagonal(k - 1, k) = beta[k - 1];
  }
  const auto eigen = detail::symmetric_eigen(tridiagonal);
  Spectrum nodes;
  for (std::size_t k = 0; k < n_steps; ++k) {
    nodes.values.push_back(std::abs(eigen.values[k]));
    nodes.weights.push_back(length * length * eigen.vectors(0, k) * eigen.vectors(0, k));
  }
  return nodes;
}

/// Orthonormal vectors near the leading eigenvectors, without the stationary one, by subspace
/// iteration. They need not be eigenvectors: what they miss is left to the random vectors.
std::vector<Vector> leading_space(const SymmetricWalk& walk, std::size_t n_wanted,
                                  const Context& context) {
  constexpr int n_rounds = 6;
  constexpr int products_a_round = 8;
  const std::size_t n = walk.matrix.rows;
  std::vector<Vector> space;
  for (std::size_t c = 0; c < std::min(n_wanted, n); ++c) {
    space.push_back(random_signs(n, context, "heat.walk_steps.space", c));
  }
  for (int round = 0; round < n_rounds; ++round) {
    parallel_for(context, space.size(), 1, [&](std::size_t c, std::size_t) {
      Vector image(n);
      for (int product = 0; product < products_a_round; ++product) {
        multiply(walk.matrix, space[c], image);
        std::swap(space[c], image);
      }
    });
    std::vector<Vector> orthonormal;
    for (Vector& x : space) {
      const double before = std::sqrt(dot(x, x));
      for (int pass = 0; pass < 2; ++pass) {  // once leaves rounding, twice is enough
        leave(x, walk.stationary);
        for (const Vector& unit : orthonormal) leave(x, unit);
      }
      const double length = std::sqrt(dot(x, x));
      if (!(length > 1e-10 * before)) continue;
      for (double& e : x) e /= length;
      orthonormal.push_back(std::move(x));
    }
    space = std::move(orthonormal);
  }
  return space;
}

/// sum f(lambda) = tr f(M), in three parts: the eigenvalue 1, which is known; the trace over a
/// leading space, one quadrature a vector, which rules large t; and the rest, as the mean over
/// Rademacher probes without their part in that space.
Spectrum estimated_spectrum(const SymmetricWalk& walk, int max_steps, const Context& context) {
  constexpr std::size_t n_leading = 24;
  constexpr std::size_t n_probes = 40;
  // Gauss quadrature of k nodes is exact to degree 2k - 1: past every power looked at.
  const std::size_t n_nodes = static_cast<std::size_t>(max_steps) / 2 + 10;
  const std::vector<Vector> leading = leading_space(walk, n_leading, context);
  const std::size_t n_runs = leading.size() + n_probes;
  std::vector<Spectrum> of_run(n_runs);
  constexpr std::size_t per_report = 16;
  for (std::size_t first = 0; first < n_runs; first += per_report) {
    context.report_or_throw({.stage = "walk steps", .done = first, .total = n_runs});
    const std::size_t count = std::min(per_report, n_runs - first);
    parallel_for(context, count, 1, [&](std::size_t begin, std::size_t) {
      const std::size_t r = first + begin;
      Vector v;
      if (r < leading.size()) {
        v = leading[r];
      } else {
        v = random_signs(walk.matrix.rows, context, "heat.walk_steps", r - leading.size());
        for (const Vector& unit : leading) leave(v, unit);
      }
      of_run[r] = lanczos_quadrature(walk, std::move(v), n_nodes);
    });
  }
  context.report_or_throw({.stage = "walk steps", .done = n_runs, .total = n_runs});
  Spectrum spectrum{.values = {1.0}, .weights = {1.0}};
  for (std::size_t r = 0; r < n_runs; ++r) {
    const double share = r < leading.size() ? 1.0 : 1.0 / static_cast<double>(n_probes);
    const Spectrum& nodes = of_run[r];
    spectrum.values.insert(spectrum.values.end(), nodes.values.begin(), nodes.values.end());
    for (const double w : nodes.weights) spectrum.weights.push_back(w * share);
  }
  return spectrum;
}

double entropy_at(const Spectrum& spectrum, double steps) {
  double sum = 0, sum_log = 0;
  for (std::size_t k = 0; k < spectrum.values.size(); ++k) {
    if (spectrum.values[k] <= 0) continue;
    const double log = std::log(spectrum.values[k]);
    const double share = spectrum.weights[k] * std::exp(steps * log);
    sum += share;
    sum_log += share * log;
  }
  if (sum <= 0) return 0;
  return std::max(0.0, std::log(sum) - steps * sum_log / sum);
}

/// Sum of distances in y from the least-squares line through y over 0, 1, 2, ... Not of their
/// squares: those are ruled by the steep beginning, and the knee comes out far to the left of the
/// one that PHATE's published program finds.
double line_error(std::span<const double> y) {
  const double n = static_cast<double>(y.size());
  const double middle = (n - 1) / 2;
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    xx += x * x;
    xy += x * (y[i] - mean);
  }
  double error = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error += std::abs(y[i] - mean - xy / xx * (static_cast<double>(i) - middle));
  }
  return error;
}

/// Where one line to the left and one to the right, both through this point's part, fit best.
std::size_t two_line_knee(std::span<const double> y) {
  std::size_t best = 1;
  double least = INFINITY;
  for (std::size_t k = 1; k + 1 < y.size(); ++k) {
    const double error = line_error(y.first(k + 1)) + line_error(y.subspan(k));
    if (error >= least) continue;
    least = error;
    best = k;
  }
  return best;
}

}  // namespace

std::vector<std::string> issues_with(const StepOptions& options) {
  if (options.max_steps >= 3 && options.max_steps <= 1000) return {};
  return {"max_steps is " + std::to_string(options.max_steps) +
          ": give 3 to 1000, since a knee needs three points"};
}

TimeChoice choose_walk_steps(const Graph& graph, const StepOptions& options,
                             const Context& context) {
  refuse_if_any(issues_with(options));
  if (graph.n_points() == 0) throw InvalidArgument("graph has 0 points: give at least 1");
  const SymmetricWalk walk = symmetric_walk(graph);
  const Spectrum spectrum = graph.n_points() <= options.max_dense
                                ? whole_spectrum(walk.matrix)
                                : estimated_spectrum(walk, options.max_steps, context);
  TimeChoice choice;
  for (int t = 1; t <= options.max_steps; ++t) {
    choice.times.push_back(t);
    choice.entropies.push_back(entropy_at(spectrum, t));
  }
  const auto [low, high] = std::ranges::minmax(choice.entropies);
  if (high - low < 1e-6) {
    choice.time = 1;
    choice.how = "the spectrum's entropy is flat: one step";
    return choice;
  }
  choice.time = choice.times[two_line_knee(choice.entropies)];
  choice.how = "knee of the spectrum's entropy";
  return choice;
}

}  // namespace geotherm
