// The symmetric matrix behind each of the three Laplacians.
#include "heat/symmetric_form.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace geotherm::detail {
namespace {

void check(const Laplacian& l) {
  const SparseMatrix& m = l.matrix;
  if (m.rows != m.cols || m.offsets.size() != m.rows + 1 || l.degree.size() != m.rows) {
    throw InvalidArgument("laplacian.matrix is " + std::to_string(m.rows) + " x " +
                          std::to_string(m.cols) + " with " + std::to_string(l.degree.size()) +
                          " degrees: give one made by build_laplacian");
  }
  for (std::size_t i = 0; i < m.rows; ++i) {
    const auto columns = m.row_indices(i);
    const auto values = m.row_values(i);
    bool has_diagonal = false;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const bool on_diagonal = static_cast<std::size_t>(columns[k]) == i;
      has_diagonal |= on_diagonal;
      if (!std::isfinite(values[k]) || (on_diagonal ? values[k] < 0 : values[k] > 0)) {
        throw InvalidArgument("laplacian.matrix has " + std::to_string(values[k]) + " at (" +
                              std::to_string(i) + ", " + std::to_string(columns[k]) +
                              "): diagonals are 0 or more, all others 0 or less");
      }
    }
    if (!has_diagonal) {
      throw InvalidArgument("laplacian.matrix stores no diagonal in row " + std::to_string(i) +
                            ": give one made by build_laplacian");
    }
  }
}

/// Q^1/2 (I - Q^-1 W) Q^-1/2. Both halves are taken from below the diagonal, so that they agree to
/// the bit.
SparseMatrix normalized_from_walk(const SparseMatrix& walk, const std::vector<double>& root) {
  SparseMatrix m = walk;
  for (std::size_t i = 0; i < m.rows; ++i) {
    const auto columns = m.row_indices(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto j = static_cast<std::size_t>(columns[k]);
      if (j >= i) continue;
      const std::size_t mirror = m.find(j, static_cast<Index>(i));
      if (mirror == m.n_entries()) {
        throw InvalidArgument("laplacian.matrix has an entry at (" + std::to_string(i) + ", " +
                              std::to_string(j) + ") but none at its mirror: give one made by " +
                              "build_laplacian from a symmetric graph");
      }
      double& here = m.values[m.offsets[i] + k];
      here = here == 0 ? 0 : here * (root[i] / root[j]);
      m.values[mirror] = here;
    }
  }
  return m;
}

}  // namespace

SymmetricForm symmetric_form(const Laplacian& laplacian) {
  check(laplacian);
  SymmetricForm form;
  form.order = breadth_first_order(laplacian.matrix);
  form.spectral_bound = laplacian.spectral_bound;
  if (laplacian.is_symmetric()) {
    form.matrix = renumbered(laplacian.matrix, form.order);
  } else {
    std::vector<double> root(laplacian.size(), 1.0);
    for (std::size_t i = 0; i < root.size(); ++i) {
      if (laplacian.degree[i] > 0) root[i] = std::sqrt(laplacian.degree[i]);
    }
    form.matrix = renumbered(normalized_from_walk(laplacian.matrix, root), form.order);
    form.scale.resize(root.size());
    for (std::size_t p = 0; p < root.size(); ++p) {
      form.scale[p] = root[static_cast<std::size_t>(form.order.node[p])];
    }
  }
  if (laplacian.kind != LaplacianKind::combinatorial) {
    double low = 0, high = 0;
    for (const double q : laplacian.degree) {
      if (q <= 0) continue;
      low = low == 0 ? q : std::min(low, q);
      high = std::max(high, q);
    }
    if (high > 0) form.stationary_ratio = std::sqrt(low / high);
  }
  for (std::size_t p = 0; p < form.size(); ++p) {
    const double diagonal = form.matrix.values[form.matrix.find(p, static_cast<Index>(p))];
    form.largest_diagonal = std::max(form.largest_diagonal, diagonal);
  }
  return form;
}

double scale_ratio(const SymmetricForm& form) {
  if (form.scale.empty()) return 1;
  const auto [low, high] = std::minmax_element(form.scale.begin(), form.scale.end());
  return *high / *low;
}

}  // namespace geotherm::detail
