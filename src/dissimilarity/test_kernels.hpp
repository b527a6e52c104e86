// Kernels whose entries are known, for the tests of this module.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "geotherm/dissimilarity.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm::testing {

/// Holds the matrix it is given.
class GivenKernel final : public DiffusionKernel {
 public:
  GivenKernel(Matrix<double> entries, double time, bool is_symmetric = true, double resolution = 0)
      : entries_(std::move(entries)), is_symmetric_(is_symmetric) {
    report_.time = time;
    report_.resolution = resolution;
  }
  std::size_t size() const override { return entries_.rows(); }
  bool is_symmetric() const override { return is_symmetric_; }
  const KernelReport& report() const override { return report_; }
  Matrix<double> apply(MatrixView<const double> block, const Context&) const override {
    Matrix<double> result(size(), block.cols);
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t k = 0; k < size(); ++k) {
        for (std::size_t r = 0; r < block.cols; ++r) result(i, r) += entries_(i, k) * block(k, r);
      }
    }
    return result;
  }
  Matrix<double> dense(const Context&) const override { return entries_; }
  Matrix<double> rows(std::span<const Index> points, const Context&) const override {
    Matrix<double> result(points.size(), size());
    for (std::size_t r = 0; r < points.size(); ++r) {
      std::ranges::copy(entries_.row(static_cast<std::size_t>(points[r])), result.row(r).begin());
    }
    return result;
  }
  std::vector<double> diagonal(const Context&) const override {
    std::vector<double> result(size());
    for (std::size_t i = 0; i < size(); ++i) result[i] = entries_(i, i);
    return result;
  }
  const Matrix<double>& entries() const { return entries_; }

 private:
  Matrix<double> entries_;
  bool is_symmetric_;
  KernelReport report_;
};

/// Symmetric weights in (0, 1] on a ring with random chords: connected, n >= 3.
inline Matrix<double> random_weights(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "dissimilarity.test.weights");
  Matrix<double> w(n, n);
  const auto join = [&](std::size_t i, std::size_t j) {
    if (i != j) w(i, j) = w(j, i) = 0.1 + 0.9 * rng.uniform();
  };
  for (std::size_t i = 0; i < n; ++i) {
    join(i, (i + 1) % n);
    join(i, (i + 2 + rng.below(5)) % n);
  }
  return w;
}

inline std::vector<double> degrees(const Matrix<double>& w) {
  std::vector<double> q(w.rows(), 0.0);
  for (std::size_t i = 0; i < w.rows(); ++i) {
    for (const double value : w.row(i)) q[i] += value;
  }
  return q;
}

/// exp(-t L) by eigendecomposition, L = Q - W, or Q^-1/2 (Q - W) Q^-1/2 where normalised.
inline Matrix<double> heat_of(const Matrix<double>& w, double time, bool normalised = false) {
  const std::size_t n = w.rows();
  const std::vector<double> q = degrees(w);
  Matrix<double> laplacian(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      laplacian(i, j) = (i == j ? q[i] : 0.0) - w(i, j);
      if (normalised) laplacian(i, j) /= std::sqrt(q[i] * q[j]);
    }
  }
  const auto eigen = detail::symmetric_eigen(laplacian);
  Matrix<double> heat(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    const double decay = std::exp(-time * eigen.values[k]);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        heat(i, j) += decay * (eigen.vectors(i, k) * eigen.vectors(j, k));
      }
    }
  }
  return heat;
}

/// Heat of the path of n nodes with unit weights, right in every entry down to underflow: that of
/// the endless line, exp(-2t) I_m(2t), and its images behind both ends.
inline Matrix<double> heat_of_path(std::size_t n, double time) {
  std::vector<double> line(4 * n + 2, 0.0);
  for (std::size_t m = 0; m < line.size(); ++m) {
    // The power series of I_m has only positive terms.
    const double order = static_cast<double>(m);
    double term = std::exp(order * std::log(time) - std::lgamma(order + 1) - 2 * time);
    for (double k = 1; term > 1e-20 * line[m]; ++k) {
      line[m] += term;
      term *= time * time / (k * (k + order));
    }
  }
  Matrix<double> heat(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t apart = i > j ? i - j : j - i;
      const std::size_t around = i + j + 1;
      heat(i, j) = line[apart] + line[2 * n - apart] + line[2 * n + apart] + line[around] +
                   line[2 * n - around] + line[2 * n + around];
    }
  }
  return heat;
}

inline double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (std::size_t e = 0; e < a.size(); ++e) {
    largest = std::max(largest, std::abs(a.data()[e] - b.data()[e]));
  }
  return largest;
}

inline bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

inline bool is_a_dissimilarity(const Matrix<double>& d) {
  for (std::size_t i = 0; i < d.rows(); ++i) {
    if (d(i, i) != 0) return false;
    for (std::size_t j = 0; j < d.cols(); ++j) {
      if (!std::isfinite(d(i, j)) || d(i, j) < 0 || d(i, j) != d(j, i)) return false;
    }
  }
  return d.rows() == d.cols();
}

/// Shortest paths over the finite entries, by Floyd and Warshall.
inline Matrix<double> all_shortest(Matrix<double> d) {
  const std::size_t n = d.rows();
  for (std::size_t i = 0; i < n; ++i) d(i, i) = 0;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
    }
  }
  return d;
}

}  // namespace geotherm::testing
