// Weights of pairs, given by the caller or computed from the dissimilarity where they are needed:
// no solver ever holds an n x n array of its own.
#pragma once

#include "geotherm/embedding.hpp"

namespace geotherm::detail {

/// Where the weight of a pair comes from, in units in which the largest dissimilarity is about 1.
struct Weighting {
  enum class Kind { uniform, given, inverse, gaussian };
  Kind kind = Kind::uniform;
  MatrixView<const double> values = {};  ///< given: n x n
  double value_unit = 1;                 ///< given: a power of two that brings the largest near 1
  double length = 1;  ///< inverse: shortest length that counts as such; gaussian: the median

  bool is_uniform() const { return kind == Kind::uniform; }
  /// The given weights of pair (i, j) and on; null for the other kinds.
  const double* given(std::size_t i, std::size_t j) const noexcept {
    return kind == Kind::given ? values.data + i * values.stride + j : nullptr;
  }
  /// Weights of m pairs whose dissimilarities are d times `unit` and whose given weights, if that
  /// is the kind, are `given`.
  void fill(const double* given, const double* d, double unit, std::size_t m,
            double* weights) const noexcept;
};

/// Median of the positive entries above the diagonal, right to 1e-6 of itself; 0 where there is
/// none. Two passes of counting, so that nothing is copied or sorted.
double median_distance(MatrixView<const double> distances, const Context&);

}  // namespace geotherm::detail
