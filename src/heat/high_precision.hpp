// Dense reference kernels in 100-digit arithmetic, for the tests of this room: built from the
// weights alone, by other formulas than the library's.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <vector>

#include "geotherm/heat.hpp"

namespace geotherm::testing {

using Real = boost::multiprecision::cpp_bin_float_100;

struct Square {
  std::size_t n = 0;
  std::vector<Real> values;
  explicit Square(std::size_t size) : n(size), values(size * size, Real(0)) {}
  Real& operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
  const Real& operator()(std::size_t i, std::size_t j) const { return values[i * n + j]; }
  static Square identity(std::size_t n) {
    Square one(n);
    for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
    return one;
  }
};

inline Square operator*(const Square& a, const Square& b) {
  Square c(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t k = 0; k < a.n; ++k) {
      if (a(i, k) == 0) continue;
      for (std::size_t j = 0; j < a.n; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

inline Square reference_laplacian(const Graph& graph, LaplacianKind kind) {
  const std::size_t n = graph.n_points();
  Square w(n);
  std::vector<Real> degree(n, Real(0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto columns = graph.weights.row_indices(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      w(i, static_cast<std::size_t>(columns[k])) = graph.weights.row_values(i)[k];
      degree[i] += graph.weights.row_values(i)[k];
    }
  }
  Square l(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) {
        l(i, i) = kind == LaplacianKind::combinatorial ? degree[i] : Real(degree[i] > 0 ? 1 : 0);
      } else if (w(i, j) > 0) {
        const Real scale = kind == LaplacianKind::combinatorial ? Real(1)
                           : kind == LaplacianKind::random_walk ? degree[i]
                                                                : sqrt(degree[i] * degree[j]);
        l(i, j) = -w(i, j) / scale;
      }
    }
  }
  return l;
}

/// exp(-tL) by Taylor's series of a small step and squaring: alternating signs, which 100 digits
/// can afford.
inline Square reference_heat(const Graph& graph, LaplacianKind kind, double time) {
  const Square l = reference_laplacian(graph, kind);
  Real norm = 0;
  for (std::size_t i = 0; i < l.n; ++i) norm = std::max(norm, Real(2 * l(i, i)));
  int n_squarings = 0;
  for (Real scaled = norm * time; scaled > 1; scaled /= 2) ++n_squarings;
  const Real step = ldexp(Real(-time), -n_squarings);
  Square heat = Square::identity(l.n), term = heat;
  for (int k = 1; k < 75; ++k) {
    term = term * l;
    for (std::size_t v = 0; v < term.values.size(); ++v) {
      term.values[v] *= step / k;
      heat.values[v] += term.values[v];
    }
  }
  for (int s = 0; s < n_squarings; ++s) heat = heat * heat;
  return heat;
}

/// (I + (t/K) L)^-K by Gaussian elimination.
inline Square reference_euler(const Graph& graph, LaplacianKind kind, double time, int n_steps) {
  Square m = reference_laplacian(graph, kind);
  const std::size_t n = m.n;
  for (Real& value : m.values) value *= Real(time) / n_steps;
  for (std::size_t i = 0; i < n; ++i) m(i, i) += 1;
  Square inverse = Square::identity(n);
  for (std::size_t p = 0; p < n; ++p) {
    const Real pivot = m(p, p);
    for (std::size_t j = 0; j < n; ++j) {
      m(p, j) /= pivot;
      inverse(p, j) /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Real factor = m(i, p);
      if (i == p || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        m(i, j) -= factor * m(p, j);
        inverse(i, j) -= factor * inverse(p, j);
      }
    }
  }
  Square result = Square::identity(n);
  for (int s = 0; s < n_steps; ++s) result = result * inverse;
  return result;
}

/// Largest |a - b| / b over the entries where b is at least `floor`; entries below it must be
/// below it in `a` too.
inline double worst_relative_error(const Matrix<double>& a, const Square& b,
                                   double floor = 1e-290) {
  double worst = 0;
  for (std::size_t i = 0; i < b.n; ++i) {
    for (std::size_t j = 0; j < b.n; ++j) {
      if (b(i, j) < floor) {
        if (a(i, j) > 2 * floor) return 1e300;
        continue;
      }
      const Real error = abs(Real(a(i, j)) - b(i, j)) / b(i, j);
      worst = std::max(worst, static_cast<double>(error));
    }
  }
  return worst;
}

}  // namespace geotherm::testing
