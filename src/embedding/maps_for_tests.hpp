// What the tests of this module share: point sets, their distances, and slow but plain oracles.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "geotherm/embedding.hpp"

namespace geotherm::testing {

inline Matrix<double> random_points(std::size_t n, std::size_t k, std::uint64_t seed) {
  Rng rng(seed, "test.points");
  Matrix<double> points(n, k);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = rng.normal();
  return points;
}

inline double distance(const Matrix<double>& points, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < points.cols(); ++k) {
    sum += (points(i, k) - points(j, k)) * (points(i, k) - points(j, k));
  }
  return std::sqrt(sum);
}

inline Matrix<double> distances_of(const Matrix<double>& points, double scale = 1) {
  Matrix<double> d(points.rows(), points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) d(i, j) = scale * distance(points, i, j);
  }
  return d;
}

/// Symmetric, independent entries: as far from Euclidean as dissimilarities get.
inline Matrix<double> random_dissimilarity(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "test.dissimilarity");
  Matrix<double> d(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) d(i, j) = d(j, i) = 0.1 + rng.uniform();
  }
  return d;
}

/// Positive, symmetric, spread over four decades; something odd on the diagonal.
inline Matrix<double> random_weights(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "test.weights");
  Matrix<double> w(n, n, 7.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) w(i, j) = w(j, i) = std::pow(10.0, -4 * rng.uniform());
  }
  return w;
}

inline double naive_stress(const Matrix<double>& d, const Matrix<double>* w,
                           const Matrix<double>& y) {
  double raw = 0, squares = 0;
  for (std::size_t i = 0; i < d.rows(); ++i) {
    for (std::size_t j = i + 1; j < d.rows(); ++j) {
      const double weight = w == nullptr ? 1 : (*w)(i, j);
      const double miss = d(i, j) - distance(y, i, j);
      raw += weight * miss * miss;
      squares += weight * d(i, j) * d(i, j);
    }
  }
  return raw / squares;
}

/// Plain SMACOF with the exact Moore-Penrose inverse of V. O(n^3) once, O(n^2) a sweep.
inline Matrix<double> naive_smacof(const Matrix<double>& d, const Matrix<double>* w,
                                   const Matrix<double>& start, std::size_t n_sweeps) {
  const auto n = static_cast<Eigen::Index>(d.rows());
  const auto k = static_cast<Eigen::Index>(start.cols());
  const auto at = [](const Matrix<double>& m, Eigen::Index i, Eigen::Index j) {
    return m(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  };
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(n, n), x(n, k);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      if (i == j) continue;
      v(i, j) = w == nullptr ? -1 : -at(*w, i, j);
      v(i, i) -= v(i, j);
    }
    for (Eigen::Index c = 0; c < k; ++c) x(i, c) = at(start, i, c);
  }
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
  const Eigen::MatrixXd inverse = (v + ones).inverse() - ones;
  for (std::size_t sweep = 0; sweep < n_sweeps; ++sweep) {
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        const double length = (x.row(i) - x.row(j)).norm();
        if (i == j || length == 0) continue;
        b(i, j) = v(i, j) * at(d, i, j) / length;
        b(i, i) -= b(i, j);
      }
    }
    x = (inverse * (b * x)).eval();
  }
  Matrix<double> result(start.rows(), start.cols());
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index c = 0; c < k; ++c) {
      result(static_cast<std::size_t>(i), static_cast<std::size_t>(c)) = x(i, c);
    }
  }
  return result;
}

inline bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

inline bool all_finite(const Matrix<double>& m) {
  return std::all_of(m.data(), m.data() + m.size(), [](double v) { return std::isfinite(v); });
}

/// Message of the InvalidArgument that `call` throws; empty where it throws none.
template <class Call>
std::string complaint_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace geotherm::testing
