// Dense reference kernels in 100-digit arithmetic for the tests of this module, in 250 digits for
// bench/heat/kernel_errors.cpp: built from the weights alone, by other formulas than the library's.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <limits>
#include <type_traits>
#include <vector>

#include "geotherm/heat.hpp"

namespace geotherm::testing {

using Real = boost::multiprecision::cpp_bin_float_100;

template <class R>
struct SquareOf {
  std::size_t n = 0;
  std::vector<R> values;
  explicit SquareOf(std::size_t size) : n(size), values(size * size, R(0)) {}
  R& operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
  const R& operator()(std::size_t i, std::size_t j) const { return values[i * n + j]; }
  static SquareOf identity(std::size_t n) {
    SquareOf one(n);
    for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
    return one;
  }
};
using Square = SquareOf<Real>;

/// Cheap where `a` is sparse.
template <class R>
SquareOf<R> operator*(const SquareOf<R>& a, const SquareOf<R>& b) {
  SquareOf<R> c(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t k = 0; k < a.n; ++k) {
      if (a(i, k) == 0) continue;
      for (std::size_t j = 0; j < a.n; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

template <class R>
SquareOf<R> power(const SquareOf<R>& a, int n) {
  if (n == 0) return SquareOf<R>::identity(a.n);
  const SquareOf<R> half = power(a, n / 2);
  return n % 2 == 0 ? half * half : half * half * a;
}

template <class R = Real>
SquareOf<R> reference_laplacian(const Graph& graph, LaplacianKind kind) {
  const std::size_t n = graph.n_points();
  SquareOf<R> w(n);
  std::vector<R> degree(n, R(0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto columns = graph.weights.row_indices(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      w(i, static_cast<std::size_t>(columns[k])) = graph.weights.row_values(i)[k];
      degree[i] += graph.weights.row_values(i)[k];
    }
  }
  SquareOf<R> l(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) {
        l(i, i) = kind == LaplacianKind::combinatorial ? degree[i] : R(degree[i] > 0 ? 1 : 0);
      } else if (w(i, j) > 0) {
        const R scale = kind == LaplacianKind::combinatorial ? R(1)
                        : kind == LaplacianKind::random_walk ? degree[i]
                                                             : R(sqrt(degree[i] * degree[j]));
        l(i, j) = -w(i, j) / scale;
      }
    }
  }
  return l;
}

/// exp(-tL) by Taylor's series of a small step and squaring: alternating signs, which so many
/// digits can afford.
template <class R = Real>
SquareOf<R> reference_heat(const Graph& graph, LaplacianKind kind,
                           const std::type_identity_t<R>& time) {
  const SquareOf<R> l = reference_laplacian<R>(graph, kind);
  R norm = 0;
  for (std::size_t i = 0; i < l.n; ++i) norm = std::max(norm, R(2 * l(i, i)));
  int n_squarings = 0;
  for (R scaled = norm * time; scaled > 1; scaled /= 2) ++n_squarings;
  const R step = ldexp(R(-time), -n_squarings);
  // Of norm 1 at most: the terms fall like 1 / k!.
  const int n_terms = 75 * std::numeric_limits<R>::digits10 / 100;
  SquareOf<R> heat = SquareOf<R>::identity(l.n), term = heat;
  for (int k = 1; k < n_terms; ++k) {
    term = l * term;
    for (std::size_t v = 0; v < term.values.size(); ++v) {
      term.values[v] *= step / k;
      heat.values[v] += term.values[v];
    }
  }
  for (int s = 0; s < n_squarings; ++s) heat = heat * heat;
  return heat;
}

/// (I + (t/K) L)^-K by Gaussian elimination.
template <class R = Real>
SquareOf<R> reference_euler(const Graph& graph, LaplacianKind kind, double time, int n_steps) {
  SquareOf<R> m = reference_laplacian<R>(graph, kind);
  const std::size_t n = m.n;
  for (R& value : m.values) value *= R(time) / n_steps;
  for (std::size_t i = 0; i < n; ++i) m(i, i) += 1;
  SquareOf<R> inverse = SquareOf<R>::identity(n);
  for (std::size_t p = 0; p < n; ++p) {
    const R pivot = m(p, p);
    for (std::size_t j = 0; j < n; ++j) {
      m(p, j) /= pivot;
      inverse(p, j) /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const R factor = m(i, p);
      if (i == p || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        m(i, j) -= factor * m(p, j);
        inverse(i, j) -= factor * inverse(p, j);
      }
    }
  }
  return power(inverse, n_steps);
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
