// Small graphs for the tests of this module.
#pragma once

#include <cmath>
#include <vector>

#include "geotherm/heat.hpp"

namespace geotherm::testing {

inline constexpr LaplacianKind all_kinds[] = {
    LaplacianKind::combinatorial, LaplacianKind::normalized, LaplacianKind::random_walk};
inline constexpr KernelMethod all_methods[] = {KernelMethod::uniformization, KernelMethod::exact,
                                               KernelMethod::chebyshev, KernelMethod::euler};

inline Graph graph_of(std::size_t n, const std::vector<Triplet>& one_way) {
  std::vector<Triplet> entries;
  for (const Triplet& e : one_way) {
    entries.push_back(e);
    entries.push_back({e.col, e.row, e.value});
  }
  Graph graph;
  graph.weights = sparse_from_triplets(n, n, entries);
  return graph;
}

inline Graph path_graph(std::size_t n) {
  std::vector<Triplet> edges;
  for (std::size_t i = 1; i < n; ++i) {
    edges.push_back({static_cast<Index>(i - 1), static_cast<Index>(i), 1.0});
  }
  return graph_of(n, edges);
}

/// Points at random on a strip `length` long and 1 wide, each joined to those within `reach`, with
/// weights over three orders of magnitude; a chain along the strip keeps it connected. Points are
/// numbered at random.
inline Graph strip_graph(std::size_t n, double length, double reach, std::uint64_t seed = 0) {
  Rng rng(seed, "test.strip");
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = length * rng.uniform();
    y[i] = rng.uniform();
  }
  std::vector<Triplet> edges;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t next = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (x[j] > x[i] && (next == n || x[j] < x[next])) next = j;
      const double d2 = (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]);
      if (j < i && d2 < reach * reach) {
        edges.push_back(
            {static_cast<Index>(i), static_cast<Index>(j), std::exp(-7 * d2 / (reach * reach))});
      }
    }
    if (next < n) edges.push_back({static_cast<Index>(i), static_cast<Index>(next), 1e-3});
  }
  return graph_of(n, edges);
}

/// Two components, a pair and a point without edges, interleaved.
inline Graph scattered_graph() {
  std::vector<Triplet> edges;
  for (Index i = 0; i + 3 < 30; i += 3) edges.push_back({i, i + 3, 0.5 + 0.01 * i});
  for (Index i = 1; i + 3 < 30; i += 3) edges.push_back({i, i + 3, 2.0});
  edges.push_back({2, 5, 1.0});
  return graph_of(30, edges);
}

inline double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  }
  return largest;
}

/// Over all entries; infinite where just one of the two is 0.
inline double largest_relative_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double x = a.data()[k], y = b.data()[k];
    if (x != y) largest = std::max(largest, std::abs(x - y) / std::min(std::abs(x), std::abs(y)));
  }
  return largest;
}

inline bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

inline Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) {
      for (std::size_t j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

}  // namespace geotherm::testing
