#include "neighbors/local_distances.hpp"

#include "core/simd.hpp"
#include "linalg/blas.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t n_lanes = 16;

[[gnu::always_inline]] inline float sum_of(float* lanes) {
  for (std::size_t half = n_lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

/// out = row - amid; returns |out|^2.
GEOTHERM_WIDE float relative_row(const float* row, const float* amid, std::size_t dims,
                                 float* out) {
  float lanes[n_lanes] = {};
  float rest = 0;
  std::size_t c = 0;
  for (; c + n_lanes <= dims; c += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const float x = row[c + l] - amid[c + l];
      out[c + l] = x;
      lanes[l] += x * x;
    }
  }
  for (; c < dims; ++c) {
    out[c] = row[c] - amid[c];
    rest += out[c] * out[c];
  }
  return sum_of(lanes) + rest;
}

GEOTHERM_WIDE float squared_distance(const float* a, const float* b, std::size_t dims) {
  float lanes[n_lanes] = {};
  float rest = 0;
  std::size_t c = 0;
  for (; c + n_lanes <= dims; c += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const float x = a[c + l] - b[c + l];
      lanes[l] += x * x;
    }
  }
  for (; c < dims; ++c) rest += (a[c] - b[c]) * (a[c] - b[c]);
  return sum_of(lanes) + rest;
}

GEOTHERM_WIDE void add_norms(float* row, std::size_t n, float own, const float* norms) {
  for (std::size_t k = 0; k < n; ++k) {
    const float squared = row[k] + (own + norms[k]);
    row[k] = squared > 0 ? squared : 0;
  }
}

// Most groups have no hit and end after the count, which the compiler makes wide.
GEOTHERM_WIDE std::size_t pick_closer_wide(const float* distances, std::size_t n, float limit,
                                           const float* limits, Index* out) {
  constexpr std::size_t group = 16;
  std::size_t n_picked = 0;
  for (std::size_t k = 0; k < n; k += group) {
    const std::size_t end = k + group < n ? k + group : n;
    int hits = 0;
    for (std::size_t l = k; l < end; ++l) {
      hits += (distances[l] < limit ? 1 : 0) | (distances[l] < limits[l] ? 1 : 0);
    }
    if (hits == 0) continue;
    for (std::size_t l = k; l < end; ++l) {
      out[n_picked] = static_cast<Index>(l);
      n_picked += distances[l] < limit || distances[l] < limits[l] ? 1 : 0;
    }
  }
  return n_picked;
}

}  // namespace

std::size_t pick_closer(std::span<const float> distances, float limit, const float* limits,
                        Index* out) {
  return pick_closer_wide(distances.data(), distances.size(), limit, limits, out);
}

float LocalDistances::direct(std::size_t a, std::size_t b) const {
  const auto row = [&](std::size_t k) {
    return points_->row(static_cast<std::size_t>(ids_[k])).data();
  };
  return squared_distance(row(a), row(b), points_->cols());
}

void LocalDistances::compute(const Matrix<float>& points, std::span<const Index> ids,
                             std::size_t n_rows, Index amid) {
  points_ = &points;
  ids_ = ids;
  const std::size_t dims = points.cols();
  width_ = ids.size();
  rows_.resize(width_ * dims);
  norms_.resize(width_);
  squared_.resize(n_rows * width_);
  const float* centre = points.row(static_cast<std::size_t>(amid)).data();
  for (std::size_t k = 0; k < width_; ++k) {
    norms_[k] = relative_row(points.row(static_cast<std::size_t>(ids[k])).data(), centre, dims,
                             rows_.data() + k * dims);
  }
  const MatrixView<const float> left{rows_.data(), n_rows, dims, dims};
  const MatrixView<const float> right{rows_.data(), width_, dims, dims};
  const MatrixView<float> products{squared_.data(), n_rows, width_, width_};
  gemm(-2.0F, left, false, right, true, 0.0F, products);
  for (std::size_t a = 0; a < n_rows; ++a) {
    add_norms(squared_.data() + a * width_, width_, norms_[a], norms_.data());
  }
}

}  // namespace geotherm::detail
