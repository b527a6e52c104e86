// Values along a pseudotime -> smooth trends with bands: cubic B-splines with a penalty on second
// differences of their coefficients (P-splines, Eilers and Marx 1996), the penalty's weight by
// generalised cross-validation, bands from the posterior of the coefficients (Wahba 1983).
#include <algorithm>
#include <cmath>
#include <limits>

#include "geotherm/trajectory.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace {

constexpr std::size_t n_active = 4;  // cubic splines that are not 0 at a place

struct Active {
  std::size_t first = 0;
  double values[n_active] = {};
};

/// Uniform cubic B-splines at x in [0, 1]: n_basis of them on n_basis - 3 intervals.
Active splines_at(double x, std::size_t n_basis) {
  const auto n_intervals = static_cast<double>(n_basis - 3);
  const double at = std::clamp(x, 0.0, 1.0) * n_intervals;
  Active active;
  active.first = std::min(static_cast<std::size_t>(at), n_basis - 4);
  const double u = at - static_cast<double>(active.first), v = 1 - u;
  active.values[0] = v * v * v / 6;
  active.values[1] = (3 * u * u * u - 6 * u * u + 4) / 6;
  active.values[2] = (3 * v * v * v - 6 * v * v + 4) / 6;
  active.values[3] = u * u * u / 6;
  return active;
}

Matrix<double> second_difference_penalty(std::size_t n) {
  Matrix<double> penalty(n, n);
  const double d[3] = {1, -2, 1};
  for (std::size_t r = 0; r + 2 < n; ++r) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) penalty(r + i, r + j) += d[i] * d[j];
    }
  }
  return penalty;
}

/// U with U^T A U = 1 and U^T P U diagonal (`roughness`), for A = B^T W B and the penalty P: in
/// these coordinates every weight of the penalty is a shrinkage of each coordinate by itself.
struct Basis {
  Matrix<double> u;
  std::vector<double> roughness;
};

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) {
      for (std::size_t j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Basis joint_basis(Matrix<double> a, std::size_t n) {
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += a(i, i);
  // Stretches without cells: the penalty alone decides there.
  for (std::size_t i = 0; i < n; ++i) a(i, i) += 1e-9 * trace / static_cast<double>(n);
  const detail::SymmetricEigen of_a = detail::symmetric_eigen(a);
  Matrix<double> root(n, n);  // A^-1/2
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) {
        root(i, j) +=
            of_a.vectors(i, k) * of_a.vectors(j, k) / std::sqrt(std::max(of_a.values[k], 1e-300));
      }
    }
  }
  const Matrix<double> middle = product(product(root, second_difference_penalty(n)), root);
  detail::SymmetricEigen of_penalty = detail::symmetric_eigen(middle);
  Basis basis{product(root, of_penalty.vectors), std::move(of_penalty.values)};
  for (double& s : basis.roughness) s = std::max(s, 0.0);
  return basis;
}

struct Fit {
  double lambda = 0;
  double freedom = 0;  ///< effective degrees of freedom
  double residual = 0;
};

Fit fit_at(double lambda, const Basis& basis, const std::vector<double>& c, double square) {
  Fit fit{lambda, 0, square};
  for (std::size_t k = 0; k < c.size(); ++k) {
    const double s = 1 / (1 + lambda * basis.roughness[k]);
    fit.freedom += s;
    fit.residual -= c[k] * c[k] * (2 * s - s * s);
  }
  fit.residual = std::max(fit.residual, 0.0);
  return fit;
}

/// The least generalised cross-validation over a grid of weights of the penalty.
Fit best_fit(const Basis& basis, const std::vector<double>& c, double square, double n_cells) {
  Fit best;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step <= 40; ++step) {
    const Fit fit = fit_at(std::pow(10.0, -4 + 0.25 * step) * n_cells, basis, c, square);
    const double left = n_cells - fit.freedom;
    if (left <= 0) continue;
    const double score = fit.residual / (left * left);
    if (score < least) {
      least = score;
      best = fit;
    }
  }
  return best;
}

}  // namespace

std::vector<std::string> issues_with(const TrendOptions& options) {
  std::vector<std::string> issues;
  if (options.n_splines < 4 || options.n_splines > 200) {
    issues.push_back("n_splines is " + std::to_string(options.n_splines) + ": give 4 to 200");
  }
  if (options.n_points < 2) {
    issues.push_back("n_points is " + std::to_string(options.n_points) + ": give 2 or more");
  }
  if (!(options.width > 0)) {
    issues.push_back("width is " + std::to_string(options.width) +
                     ": give standard errors on either side, above 0 (1.96 for 95 %)");
  }
  return issues;
}

Trends fit_trends(std::span<const double> pseudotime, std::span<const double> weights,
                  MatrixView<const double> values, const TrendOptions& options,
                  const Context& context) {
  auto issues = issues_with(options);
  const std::size_t n = values.rows, g = values.cols, k = options.n_splines;
  if (pseudotime.size() != n || (!weights.empty() && weights.size() != n)) {
    issues.push_back("pseudotime, weights and values have " + std::to_string(pseudotime.size()) +
                     ", " + std::to_string(weights.size()) + " and " + std::to_string(n) +
                     " cells: give one of each a cell");
  }
  refuse_if_any(issues);
  // Cells without pseudotime or weight take no part.
  std::vector<double> w(n);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest, n_cells = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    w[i] = std::isfinite(pseudotime[i]) && weight > 0 ? weight : 0;
    if (w[i] == 0) continue;
    n_cells += w[i];
    // The tails of a branch that hardly any cell belongs to would stretch its axis.
    if (w[i] < 0.05) continue;
    lowest = std::min(lowest, pseudotime[i]);
    highest = std::max(highest, pseudotime[i]);
  }
  if (!(highest > lowest) || n_cells < 8) {
    throw InvalidData("a trend needs at least 8 cells at different pseudotimes; there are " +
                      std::to_string(static_cast<std::size_t>(n_cells)));
  }
  const double span = highest - lowest;
  Matrix<double> a(k, k);
  std::vector<Active> active(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (w[i] == 0) continue;
    active[i] = splines_at((pseudotime[i] - lowest) / span, k);
    for (std::size_t p = 0; p < n_active; ++p) {
      for (std::size_t q = 0; q < n_active; ++q) {
        a(active[i].first + p, active[i].first + q) +=
            w[i] * active[i].values[p] * active[i].values[q];
      }
    }
  }
  const Basis basis = joint_basis(std::move(a), k);

  Trends trends;
  trends.pseudotime.resize(options.n_points);
  // Row of a place in the joint coordinates.
  Matrix<double> rows(options.n_points, k);
  for (std::size_t x = 0; x < options.n_points; ++x) {
    const double at = static_cast<double>(x) / static_cast<double>(options.n_points - 1);
    trends.pseudotime[x] = lowest + at * span;
    const Active here = splines_at(at, k);
    for (std::size_t p = 0; p < n_active; ++p) {
      for (std::size_t j = 0; j < k; ++j) {
        rows(x, j) += here.values[p] * basis.u(here.first + p, j);
      }
    }
  }
  trends.mean = Matrix<double>(g, options.n_points);
  trends.low = Matrix<double>(g, options.n_points);
  trends.high = Matrix<double>(g, options.n_points);
  trends.explained.assign(g, 0);
  trends.freedom.assign(g, 0);
  context.report_or_throw({"trends", 0, g});
  parallel_for(context, g, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t gene = begin; gene < end; ++gene) {
      double mean = 0, square = 0;
      for (std::size_t i = 0; i < n; ++i) mean += w[i] * (w[i] > 0 ? values(i, gene) : 0);
      mean /= n_cells;
      std::vector<double> b(k, 0), c(k, 0);
      for (std::size_t i = 0; i < n; ++i) {
        if (w[i] == 0) continue;
        const double y = values(i, gene) - mean;
        square += w[i] * y * y;
        for (std::size_t p = 0; p < n_active; ++p) {
          b[active[i].first + p] += w[i] * active[i].values[p] * y;
        }
      }
      for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t p = 0; p < k; ++p) c[j] += basis.u(p, j) * b[p];
      }
      const Fit fit = best_fit(basis, c, square, n_cells);
      const double variance = fit.residual / std::max(n_cells - fit.freedom, 1.0);
      trends.freedom[gene] = fit.freedom;
      trends.explained[gene] = square > 0 ? 1 - fit.residual / square : 0;
      for (std::size_t x = 0; x < options.n_points; ++x) {
        double value = mean, spread = 0;
        for (std::size_t j = 0; j < k; ++j) {
          const double s = 1 / (1 + fit.lambda * basis.roughness[j]);
          value += rows(x, j) * s * c[j];
          spread += rows(x, j) * rows(x, j) * s;
        }
        const double half = options.width * std::sqrt(variance * spread);
        trends.mean(gene, x) = value;
        trends.low(gene, x) = value - half;
        trends.high(gene, x) = value + half;
      }
    }
  });
  return trends;
}

}  // namespace geotherm
