// Leading eigenvectors of S = Q^-1/2 W Q^-1/2, which is similar to the random walk. Those of
// eigenvalue 1 are known (sqrt(q) on each component) and removed; Lanczos finds the others.
#include "geotherm/spectral.hpp"

#ifdef GEOTHERM_WITH_SPECTRA
#include <Spectra/SymEigsSolver.h>
#else
#include <Eigen/Core>

#include "embedding/top_eigen.hpp"
#endif

#include <algorithm>
#include <cmath>
#include <optional>

#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace {

constexpr std::size_t dense_up_to = 64;
constexpr std::size_t filtered_from = 20000;
constexpr double least_edge = 0.5;
constexpr double highest_guess = 0.87;

using Vector = Eigen::VectorXd;

/// S with the degrees that made it. A point without edges keeps to itself: its q is 1, and so is
/// S_ii.
struct NormalizedWeights {
  SparseMatrix s;
  std::vector<double> degree;
};

NormalizedWeights normalized(const SparseMatrix& weights, double self_weight) {
  const std::size_t n = weights.rows;
  NormalizedWeights result;
  result.degree.resize(n);
  std::vector<double> self(n, self_weight);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = self_weight;
    for (const double w : weights.row_values(i)) sum += w;
    if (sum == 0) sum = self[i] = 1;
    result.degree[i] = sum;
  }
  SparseMatrix& s = result.s;
  s.rows = s.cols = n;
  s.indices.reserve(weights.n_entries() + n);
  s.values.reserve(weights.n_entries() + n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto columns = weights.row_indices(i);
    const auto values = weights.row_values(i);
    std::size_t k = 0;
    const auto copy_below = [&](std::size_t end) {
      for (; k < columns.size() && static_cast<std::size_t>(columns[k]) < end; ++k) {
        s.indices.push_back(columns[k]);
        s.values.push_back(values[k] / std::sqrt(result.degree[i]) /
                           std::sqrt(result.degree[static_cast<std::size_t>(columns[k])]));
      }
    };
    copy_below(i);
    if (self[i] > 0) {
      s.indices.push_back(static_cast<Index>(i));
      s.values.push_back(self[i] / result.degree[i]);
    }
    copy_below(n);
    s.offsets.push_back(s.indices.size());
  }
  return result;
}

/// 2 I + S, between 1 and 3, with the vectors in `removed` (orthonormal) sent to 0: so no
/// eigenvalue of S is taken for one of those, nor the other way round.
class DeflatedOperator {
 public:
  using Scalar = double;

  DeflatedOperator(const SparseMatrix& s, const std::vector<Vector>& removed,
                   const Context& context)
      : s_(s), removed_(removed), context_(context) {}

  Eigen::Index rows() const { return static_cast<Eigen::Index>(s_.rows); }
  Eigen::Index cols() const { return rows(); }
  std::size_t n_products() const { return n_products_; }

  void perform_op(const double* x_in, double* y_out) const {
    Vector x = Eigen::Map<const Vector>(x_in, rows()), y(rows());
    remove(x);
    multiply(x, y);
    y += 2 * x;
    remove(y);
    Eigen::Map<Vector>(y_out, rows()) = y;
  }

  /// y = S x, nothing removed.
  void multiply(const Vector& x, Vector& y) const {
    if (n_products_++ % 64 == 0) {
      context_.report_or_throw({.stage = "eigenvectors", .done = n_products_});
    }
    parallel_for(context_, s_.rows, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double sum = 0;
        for (std::size_t k = s_.offsets[i]; k < s_.offsets[i + 1]; ++k) {
          sum += s_.values[k] * x[s_.indices[k]];
        }
        y[static_cast<Eigen::Index>(i)] = sum;
      }
    });
  }

  template <class V>
  void remove(V& x) const {
    for (const Vector& v : removed_) x -= v.dot(x) * v;
  }

  double eigenvalue_of_s(double value) const { return value - 2; }
  /// The solver measures residuals as a share of the eigenvalue, here between 1 and 3.
  double tolerance(double of_s) const { return of_s / 3; }

 private:
  const SparseMatrix& s_;
  const std::vector<Vector>& removed_;
  const Context& context_;
  mutable std::size_t n_products_ = 0;
};

/// T_d(m(S)), the Chebyshev polynomial of degree d with [-1, edge] mapped onto [-1, 1]: eigenvalues
/// above `edge` are spread, the others stay between -1 and 1. So Lanczos takes fewer steps, and of
/// many points it is the steps that cost: each makes a vector orthogonal to all before it.
class FilteredOperator {
 public:
  using Scalar = double;

  FilteredOperator(const DeflatedOperator& op, double edge) : op_(op), edge_(edge) {
    const double widest = std::acosh(mapped(1));
    degree_ = static_cast<int>(std::clamp(std::round(std::acosh(height) / widest), 4.0, 32.0));
    // T' / T is least at the end of the spectrum.
    slope_ = degree_ * std::tanh(degree_ * widest) / std::sinh(widest) * 2 / (1 + edge_);
  }

  Eigen::Index rows() const { return op_.rows(); }
  Eigen::Index cols() const { return rows(); }

  void perform_op(const double* x_in, double* y_out) const {
    Vector before = Eigen::Map<const Vector>(x_in, rows()), now(rows()), next(rows());
    op_.remove(before);
    op_.multiply(before, now);
    now = (2 * now + (1 - edge_) * before) / (1 + edge_);
    for (int k = 2; k <= degree_; ++k) {
      op_.multiply(now, next);
      next = (4 * next + 2 * (1 - edge_) * now) / (1 + edge_) - before;
      before.swap(now);
      now.swap(next);
    }
    op_.remove(now);
    Eigen::Map<Vector>(y_out, rows()) = now;
  }

  void remove(Vector& x) const { op_.remove(x); }
  /// Of values up to 1 no more is known than that they lie below the edge.
  double eigenvalue_of_s(double value) const {
    if (!(value > 1)) return edge_;
    return (std::cosh(std::acosh(value) / degree_) * (1 + edge_) - (1 - edge_)) / 2;
  }
  double tolerance(double of_s) const { return of_s * slope_; }

 private:
  static constexpr double height = 16;  ///< of the polynomial at 1, where degrees allow it

  double mapped(double x) const { return (2 * x + 1 - edge_) / (1 + edge_); }

  const DeflatedOperator& op_;
  double edge_;
  int degree_ = 1;
  double slope_ = 1;
};

struct EigenPairs {
  std::vector<double> values;  ///< of S, falling
  std::vector<Vector> vectors;
  Outcome outcome = Outcome::converged;
  std::size_t n_products = 0;

  void insert(double value, Vector vector) {
    const auto place = std::upper_bound(values.begin(), values.end(), value, std::greater<>());
    const auto offset = place - values.begin();
    values.insert(place, value);
    vectors.insert(vectors.begin() + offset, std::move(vector));
  }
};

EigenPairs dense_pairs(DeflatedOperator& op, std::size_t n_wanted) {
  const auto n = static_cast<std::size_t>(op.rows());
  Matrix<double> dense(n, n);
  Vector unit(op.rows());
  for (std::size_t i = 0; i < n; ++i) {
    unit.setZero();
    unit[static_cast<Eigen::Index>(i)] = 1;
    op.perform_op(unit.data(), dense.row(i).data());
  }
  for (std::size_t i = 0; i < n; ++i) {  // symmetric but for rounding in the removal
    for (std::size_t j = 0; j < i; ++j) {
      dense(i, j) = dense(j, i) = 0.5 * (dense(i, j) + dense(j, i));
    }
  }
  const detail::SymmetricEigen all = detail::symmetric_eigen(dense);
  EigenPairs pairs;
  for (std::size_t k = 0; k < n_wanted; ++k) {
    Vector v(op.rows());
    for (std::size_t i = 0; i < n; ++i) {
      v[static_cast<Eigen::Index>(i)] = all.vectors(i, n - 1 - k);
    }
    pairs.insert(op.eigenvalue_of_s(all.values[n - 1 - k]), std::move(v));
  }
  return pairs;
}

/// Vectors that the solver may keep, and the residual to reach as a share of the eigenvalue.
struct Attempt {
  Eigen::Index n_vectors;
  double tolerance;
};

#ifdef GEOTHERM_WITH_SPECTRA

/// Empty where fewer pairs settled than are wanted.
template <class Operator>
std::optional<EigenPairs> settled_pairs(Operator& op, std::size_t n_wanted, Rng& rng,
                                        const Attempt& attempt, const SpectralOptions& options) {
  const auto wanted = static_cast<Eigen::Index>(n_wanted);
  Vector start(op.rows());
  for (double& e : start) e = rng.normal();
  op.remove(start);
  Spectra::SymEigsSolver<Operator> solver(op, wanted, std::min(op.rows(), attempt.n_vectors));
  solver.init(start.data());
  const Eigen::Index n_found = solver.compute(Spectra::SortRule::LargestAlge,
                                              static_cast<Eigen::Index>(options.max_restarts),
                                              attempt.tolerance, Spectra::SortRule::LargestAlge);
  if (n_found < wanted) return std::nullopt;
  EigenPairs pairs;
  const Vector values = solver.eigenvalues();
  const Eigen::MatrixXd vectors = solver.eigenvectors();
  for (Eigen::Index k = 0; k < wanted; ++k) {
    pairs.insert(op.eigenvalue_of_s(values[k]), vectors.col(k));
  }
  return pairs;
}

#else

/// The same by block Krylov steps, for builds without Spectra: more products, but no dependency.
template <class Operator>
std::optional<EigenPairs> settled_pairs(Operator& op, std::size_t n_wanted, Rng& rng,
                                        const Attempt& attempt, const SpectralOptions& options) {
  const auto n = static_cast<std::size_t>(op.rows());
  const std::size_t width =
      std::min(n / 4, std::max(n_wanted + 2, static_cast<std::size_t>(attempt.n_vectors) / 10));
  Matrix<double> start(std::max(width, n_wanted), n);
  for (std::size_t b = 0; b < start.rows(); ++b) {
    for (double& e : start.row(b)) e = rng.normal();
    Vector row = Eigen::Map<const Vector>(start.row(b).data(), op.rows());
    op.remove(row);
    Eigen::Map<Vector>(start.row(b).data(), op.rows()) = row;
  }
  const auto apply = [&](MatrixView<const double> block, MatrixView<double> out) {
    for (std::size_t b = 0; b < block.rows; ++b) {
      op.perform_op(block.row(b).data(), out.row(b).data());
    }
  };
  // As many products between restarts as the basis has space for.
  const detail::TopEigen found = detail::top_eigen(apply, std::move(start),
                                                   {.n_wanted = n_wanted,
                                                    .tolerance = attempt.tolerance,
                                                    .max_products = 7 * options.max_restarts},
                                                   [](std::size_t) { return Next::go_on; });
  if (found.outcome != Outcome::converged) return std::nullopt;
  EigenPairs pairs;
  for (std::size_t k = 0; k < n_wanted; ++k) {
    pairs.insert(op.eigenvalue_of_s(found.values[k]),
                 Eigen::Map<const Vector>(found.vectors.row(k).data(), op.rows()));
  }
  return pairs;
}

#endif

/// Vectors of the basis. Whether pairs have settled is looked at when it is full: of many points a
/// short one does for a single pair.
template <class Operator>
Eigen::Index few_vectors(const Operator& op, std::size_t n_wanted) {
  const bool is_single = n_wanted == 1 && op.rows() >= static_cast<Eigen::Index>(filtered_from);
  return is_single ? 16 : std::max<Eigen::Index>(4 * static_cast<Eigen::Index>(n_wanted), 40);
}

/// With few restarts: empty where they do not do.
std::optional<EigenPairs> guessed_pairs(FilteredOperator& op, std::size_t n_wanted,
                                        SpectralOptions options, std::uint64_t stream,
                                        const Context& context) {
  options.max_restarts = std::min<std::size_t>(options.max_restarts, 4);
  Rng rng(context.seed, "spectral start", stream);
  return settled_pairs(op, n_wanted, rng,
                       {few_vectors(op, n_wanted), op.tolerance(options.tolerance)}, options);
}

/// The leading pairs by Lanczos with restarts. Where they do not settle it is given more vectors,
/// and in the end less to reach.
template <class Operator>
EigenPairs lanczos_pairs(Operator& op, std::size_t n_wanted, const SpectralOptions& options,
                         std::uint64_t stream, const Context& context) {
  const Eigen::Index few = few_vectors(op, n_wanted);
  const double tolerance = op.tolerance(options.tolerance);
  const double coarse = std::max(tolerance, op.tolerance(3e-5));
  for (const Attempt& attempt :
       {Attempt{few, tolerance}, Attempt{2 * few, tolerance}, Attempt{4 * few, tolerance},
        Attempt{4 * few, coarse}, Attempt{8 * few, 100 * coarse}}) {
    Rng rng(context.seed, "spectral start", stream);
    std::optional<EigenPairs> settled = settled_pairs(op, n_wanted, rng, attempt, options);
    if (!settled) continue;
    EigenPairs& pairs = *settled;
    if (attempt.tolerance > tolerance) {
      pairs.outcome = Outcome::iteration_limit;
      context.warn(
          "the eigenvectors of the graph have converged to about 1e-4 only: more restarts "
          "(max_restarts) make them more accurate");
    }
    return std::move(pairs);
  }
  throw InvalidData(
      "the eigenvectors of the graph do not converge: it may consist of parts that are hardly "
      "connected; more neighbours may connect them");
}

/// Ritz values of S in a Krylov space of this many steps, falling: no eigenvalue is below the one
/// of its rank.
std::vector<double> ritz_values(const DeflatedOperator& op, std::size_t n_steps, Rng rng) {
  std::vector<Vector> basis(1, Vector(op.rows()));
  for (double& e : basis[0]) e = rng.normal();
  op.remove(basis[0]);
  basis[0].normalize();
  Matrix<double> tridiagonal(n_steps, n_steps);
  Vector next(op.rows());
  for (std::size_t k = 0; k < n_steps; ++k) {
    op.multiply(basis[k], next);
    op.remove(next);
    tridiagonal(k, k) = basis[k].dot(next);
    if (k + 1 == n_steps) break;
    for (const Vector& earlier : basis) next -= earlier.dot(next) * earlier;
    const double length = next.norm();
    tridiagonal(k, k + 1) = tridiagonal(k + 1, k) = length;
    if (!(length > 1e-8)) return {-1};  // a small invariant space: it has settled already
    basis.push_back(next / length);
  }
  std::vector<double> values = detail::symmetric_eigen(tridiagonal).values;
  std::reverse(values.begin(), values.end());
  return values;
}

/// By Lanczos: of many points with slow modes on a filtered operator.
EigenPairs slow_pairs(DeflatedOperator& op, std::size_t n_wanted, const SpectralOptions& options,
                      std::uint64_t stream, const Context& context) {
  if (static_cast<std::size_t>(op.rows()) >= filtered_from) {
    const std::vector<double> ritz = ritz_values(op, std::max<std::size_t>(2 * n_wanted, 40),
                                                 Rng(context.seed, "spectral probe", stream));
    // Twice as far from 1 as what is wanted at most. Eigenvalues apart settle soon by themselves.
    const auto edge_below = [&](std::size_t rank) { return 1 - 2 * (1 - ritz[rank - 1]); };
    const std::size_t n_probed = std::min(n_wanted, ritz.size());
    const double safe = edge_below(n_probed);
    // So few steps put the last of many far too low. A guess goes before: it was right where all
    // that is found lies above it.
    const double guess = std::min(highest_guess, edge_below((n_probed + 2) / 3));
    if (guess > std::max(safe, least_edge)) {
      FilteredOperator filtered(op, guess);
      std::optional<EigenPairs> pairs = guessed_pairs(filtered, n_wanted, options, stream, context);
      if (pairs && pairs->values.back() > guess) return std::move(*pairs);
    }
    if (safe > least_edge) {
      FilteredOperator filtered(op, safe);
      return lanczos_pairs(filtered, n_wanted, options, stream, context);
    }
  }
  return lanczos_pairs(op, n_wanted, options, stream, context);
}

/// sqrt(q) on each component, made orthonormal so that the first is sqrt(q) on all points.
std::vector<Vector> trivial_vectors(const SparseMatrix& weights, const std::vector<double>& degree,
                                    std::size_t at_most) {
  const std::vector<Index> component = connected_components(weights);
  const std::size_t n_components =
      static_cast<std::size_t>(*std::max_element(component.begin(), component.end())) + 1;
  std::vector<Vector> trivial;
  for (std::size_t c = 0; c < std::min(n_components, at_most); ++c) {
    Vector v(static_cast<Eigen::Index>(degree.size()));
    for (std::size_t i = 0; i < degree.size(); ++i) {
      // All points first, then every component but the last, which the others leave.
      const bool is_in = c == 0 || static_cast<std::size_t>(component[i]) == c - 1;
      v[static_cast<Eigen::Index>(i)] = is_in ? std::sqrt(degree[i]) : 0.0;
    }
    for (int round = 0; round < 2; ++round) {
      for (const Vector& earlier : trivial) v -= earlier.dot(v) * earlier;
    }
    trivial.push_back(v / v.norm());
  }
  return trivial;
}

EigenPairs leading_pairs(const SparseMatrix& s, std::vector<Vector> removed, std::size_t n_wanted,
                         const SpectralOptions& options, const Context& context) {
  DeflatedOperator op(s, removed, context);
  if (n_wanted == 0) return {};
  if (s.rows <= dense_up_to || n_wanted + removed.size() + 2 >= s.rows) {
    return dense_pairs(op, n_wanted);
  }
  EigenPairs pairs = slow_pairs(op, n_wanted, options, 0, context);
  // One start vector sees one vector of each eigenspace. So what was found is removed as well,
  // and as long as something above the last is left, it belongs to the leading ones.
  const std::size_t n_trivial = removed.size();
  // Of many points a coarse look goes before: far fewer products, and mostly nothing is left.
  SpectralOptions coarse = options;
  coarse.tolerance = std::max(options.tolerance, std::min(std::sqrt(options.tolerance), 1e-3));
  bool is_coarse = s.rows >= filtered_from;
  for (std::uint64_t stream = 1;; ++stream) {
    removed.resize(n_trivial);
    removed.insert(removed.end(), pairs.vectors.begin(), pairs.vectors.end());
    EigenPairs next = slow_pairs(op, 1, is_coarse ? coarse : options, stream, context);
    if (next.outcome != Outcome::converged) pairs.outcome = next.outcome;
    const double slack = pairs.outcome == Outcome::converged ? 10 * options.tolerance : 1e-3;
    if (!(next.values[0] > pairs.values[n_wanted - 1] + slack)) break;
    if (is_coarse) {  // something is left: from here on as precise as the others
      is_coarse = false;
      continue;
    }
    pairs.insert(next.values[0], std::move(next.vectors[0]));
    pairs.values.resize(n_wanted);
    pairs.vectors.resize(n_wanted);
  }
  pairs.n_products = op.n_products();
  return pairs;
}

}  // namespace

std::vector<std::string> issues_with(const SpectralOptions& options) {
  std::vector<std::string> issues;
  if (options.n_components < 1) {
    issues.push_back("n_components is 0: give 1 or more (2 for a map on a page)");
  }
  if (options.steps < 0) {
    issues.push_back("steps is " + std::to_string(options.steps) + ": give 0 or more");
  }
  if (!(options.tolerance > 0 && options.tolerance < 1)) {
    issues.push_back("tolerance is " + std::to_string(options.tolerance) +
                     ": give a number in (0, 1) (1e-10 is usual)");
  }
  if (options.max_restarts < 1) issues.push_back("max_restarts is 0: give 1 or more");
  return issues;
}

SpectralEmbedding spectral_embedding(const Graph& graph, const SpectralOptions& options,
                                     const Context& context) {
  refuse_if_any(issues_with(options));
  const std::size_t n = graph.n_points();
  SpectralEmbedding result;
  result.coordinates = Matrix<double>(n, options.n_components);
  if (n < 2) return result;

  const bool is_walk = options.form == SpectralForm::diffusion_map;
  const NormalizedWeights matrix = normalized(graph.weights, is_walk ? 1.0 : 0.0);
  const std::size_t n_columns = std::min(options.n_components, n - 1);
  const std::vector<Vector> trivial = trivial_vectors(graph.weights, matrix.degree, n_columns + 1);
  const std::size_t n_known = std::min(n_columns, trivial.size() - 1);
  EigenPairs pairs = leading_pairs(matrix.s, trivial, n_columns - n_known, options, context);
  for (std::size_t c = n_known; c > 0; --c) {
    pairs.values.insert(pairs.values.begin(), 1.0);
    pairs.vectors.insert(pairs.vectors.begin(), trivial[c]);
  }
  result.outcome = pairs.outcome;
  result.n_products = pairs.n_products;

  double volume = 0;
  for (const double q : matrix.degree) volume += q;
  for (std::size_t k = 0; k < n_columns; ++k) {
    const double value = pairs.values[k];
    const double scale = is_walk ? std::pow(value, options.steps) * std::sqrt(volume) : 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      result.coordinates(i, k) =
          scale * pairs.vectors[k][static_cast<Eigen::Index>(i)] / std::sqrt(matrix.degree[i]);
    }
    result.eigenvalues.push_back(is_walk ? value : std::max(0.0, 1 - value));
  }
  detail::fix_column_signs(result.coordinates);
  return result;
}

std::vector<double> stationary_distribution(const Graph& graph) {
  std::vector<double> share = normalized(graph.weights, 1.0).degree;
  double volume = 0;
  for (const double q : share) volume += q;
  for (double& q : share) q /= volume;
  return share;
}

}  // namespace geotherm
