// The points of each component in cells of near ones, so that the nearest point of a component is
// found without looking at all of it.
#pragma once

#include <span>
#include <vector>

#include "graph/components.hpp"
#include "neighbors/lists.hpp"

namespace geotherm::detail {

class ComponentCells {
 public:
  /// Components are cut at medians along their widest axis until cells have at most 64 points:
  /// O(n d log n). Space and components have to outlive this.
  ComponentCells(const Space<double>& space, const std::vector<Index>& component,
                 std::size_t n_components, const Context& context);

  std::size_t n_components() const { return first_cell_.size() - 1; }
  std::size_t n_cells() const { return offsets_.size() - 1; }
  /// Cells of component c: first_cell(c) ... first_cell(c + 1) - 1.
  std::size_t first_cell(std::size_t component) const { return first_cell_[component]; }
  std::size_t component_of_cell(std::size_t cell) const { return component_of_cell_[cell]; }
  /// Means of the cells and of the components, one row each.
  const Matrix<double>& cell_centers() const { return cell_centers_; }
  const Matrix<double>& component_centers() const { return component_centers_; }

  /// The point of a component nearest to `query` among those of the cells whose centres are nearest
  /// to it, up to 2,048 points; ties by index. Exact for components of up to that size.
  Candidate nearest_in(std::size_t component, const double* query) const;

  const Space<double>& space() const { return space_; }

 private:
  void cut(std::size_t begin, std::size_t end);

  const Space<double>& space_;
  std::vector<Index> order_;          ///< points by cell
  std::vector<std::size_t> offsets_;  ///< of the cells in order_
  std::vector<std::size_t> first_cell_;
  std::vector<std::size_t> component_of_cell_;
  Matrix<double> cell_centers_;
  Matrix<double> component_centers_;
};

}  // namespace geotherm::detail
