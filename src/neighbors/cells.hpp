// Points -> cells around centres (k-means), the coarse grid of the cell search.
#pragma once

#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Centres with -2c and |c|^2 beside each other, so that one matrix product gives |x - c|^2 -
/// |x|^2.
struct Centers {
  Matrix<float> rows;      ///< k x d
  Matrix<float> prepared;  ///< k x (d + 1): -2c, |c|^2

  std::size_t size() const { return rows.rows(); }
};

/// Which centre each point is nearest to, and the points of each cell in order of index.
struct CellMembers {
  std::vector<Index> cell_of;
  std::vector<std::size_t> offsets;  ///< cell c holds members[offsets[c]] ... [offsets[c + 1] - 1]
  std::vector<Index> members;

  std::span<const Index> of(std::size_t cell) const {
    return std::span(members).subspan(offsets[cell], offsets[cell + 1] - offsets[cell]);
  }
  std::size_t n_cells() const { return offsets.size() - 1; }
};

/// Lloyd's iteration on a sample of the points. Deterministic: sums are added in order of index.
Centers find_centers(const Matrix<float>& points, std::size_t n_centers, const Context&,
                     std::size_t n_rounds = 6);

/// By a tree up to 8 dimensions, else O(n k d) by matrix products on fixed tiles; ties to the first
/// centre.
CellMembers assign_to(const Matrix<float>& points, const Centers&, const Context&);

/// The same of many centres, each point to the nearest of those that are near the centre of centres
/// nearest to it: not always the nearest of all. O(n sqrt(k) d).
CellMembers assign_in_two_steps(const Matrix<float>& points, const Centers&, const Context&);

/// |x - c|^2 - |x|^2 of `rows` (m x d, stride as it is) and the chosen centres (all where empty),
/// into out (m x number of centres).
void compare_to(MatrixView<const float> rows, const Centers&, std::span<const Index> chosen,
                Matrix<float>& out);

}  // namespace geotherm::detail
