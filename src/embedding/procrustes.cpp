// The similarity transform (with reflection) that lays one map over another: Kabsch by SVD.
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <sstream>

#include "embedding/problem.hpp"

namespace geotherm {
namespace {

struct Centred {
  Matrix<double> points;     ///< mean 0, times `unit`
  std::vector<double> mean;  ///< times `unit`
  double unit = 1;
  double squares = 0;
};

Centred centred(std::string_view name, MatrixView<const double> points) {
  Centred result{Matrix<double>(points.rows, points.cols), std::vector<double>(points.cols)};
  double largest = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (const double v : points.row(i)) {
      if (!std::isfinite(v)) {
        throw InvalidArgument(std::string(name) + " holds a value that is not finite in row " +
                              std::to_string(i) + ": give finite coordinates");
      }
      largest = std::max(largest, std::abs(v));
    }
  }
  result.unit = detail::unit_for(largest);
  for (std::size_t k = 0; k < points.cols; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < points.rows; ++i) sum += points(i, k) * result.unit;
    result.mean[k] = sum / static_cast<double>(points.rows);
    for (std::size_t i = 0; i < points.rows; ++i) {
      const double v = points(i, k) * result.unit - result.mean[k];
      result.points(i, k) = v;
      result.squares += v * v;
    }
  }
  return result;
}

}  // namespace

Procrustes procrustes(MatrixView<const double> reference, MatrixView<const double> moving) {
  if (reference.rows != moving.rows || reference.cols != moving.cols || reference.empty()) {
    std::ostringstream message;
    message << "reference is " << reference.rows << " x " << reference.cols << ", moving is "
            << moving.rows << " x " << moving.cols
            << ": give two maps of the same points with as many components";
    throw InvalidArgument(message.str());
  }
  const std::size_t n = reference.rows;
  const std::size_t n_components = reference.cols;
  const Centred a = centred("reference", reference);
  const Centred b = centred("moving", moving);

  using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(n);
  const auto cols = static_cast<Eigen::Index>(n_components);
  const Eigen::Map<const Points> a_points(a.points.data(), rows, cols);
  const Eigen::Map<const Points> b_points(b.points.data(), rows, cols);
  const Eigen::MatrixXd cross = b_points.transpose() * a_points;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(cross, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::MatrixXd turn = svd.matrixU() * svd.matrixV().transpose();
  // A map that is a single point cannot be scaled onto anything: it is put on the mean.
  const double scale = b.squares > 0 ? svd.singularValues().sum() / b.squares : 0.0;
  const Points aligned = scale * (b_points * turn);

  Procrustes result;
  result.aligned = Matrix<double>(n, n_components);
  result.scale = scale * b.unit / a.unit;
  result.rotation = Matrix<double>(n_components, n_components);
  for (std::size_t j = 0; j < n_components; ++j) {
    for (std::size_t k = 0; k < n_components; ++k) {
      result.rotation(j, k) = turn(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k));
    }
  }
  double residual = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n_components; ++k) {
      const double v = aligned(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      const double miss = v - a.points(i, k);
      residual += miss * miss;
      result.aligned(i, k) = (v + a.mean[k]) / a.unit;
    }
  }
  result.disparity = a.squares > 0 ? residual / a.squares : 0.0;
  return result;
}

}  // namespace geotherm
