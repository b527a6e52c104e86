#include "heat/rows_in_single.hpp"

#include <algorithm>
#include <vector>

#include "heat/block_operator.hpp"

namespace geotherm::detail {
namespace {

// Rounding of the series is 1e-15 of the largest entry for each of some hundred terms at most, and
// in practice a hundredth of that: 3e-5 of an entry so small, and 1e-6 of its logarithm.
constexpr double least_resolved = 1e-10, tolerance = 1e-14;

bool is_resolved(std::span<const double> row, std::span<const Index> component, Index own) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] < least_resolved && component[i] == own) return false;
  }
  return true;
}

}  // namespace

Matrix<double> rows_in_single(const DiffusionKernel& kernel, const Laplacian& laplacian,
                              std::span<const Index> component, std::span<const Index> points,
                              const Context& context) {
  const auto series = heat_kernel(
      laplacian,
      {.time = kernel.report().time, .method = KernelMethod::chebyshev, .tolerance = tolerance},
      context);
  auto rows = Matrix<double>::uninitialized(points.size(), kernel.size());
  const auto put = [&](const Matrix<double>& from, std::size_t row, std::size_t to) {
    std::ranges::copy(from.row(row), rows.row(to).begin());
  };
  std::vector<std::size_t> rest;
  std::size_t begin = 0;
  // The first rows say whether the series is worth trying on the others.
  for (const std::size_t end : {std::min(wide_block, points.size()), points.size()}) {
    const Matrix<double> tried = series->rows(points.subspan(begin, end - begin), context);
    for (std::size_t r = begin; r < end; ++r) {
      const Index own = component[static_cast<std::size_t>(points[r])];
      if (is_resolved(tried.row(r - begin), component, own)) {
        put(tried, r - begin, r);
      } else {
        rest.push_back(r);
      }
    }
    begin = end;
    if (2 * rest.size() > end) break;
  }
  for (std::size_t r = begin; r < points.size(); ++r) rest.push_back(r);
  std::vector<Index> left;
  for (const std::size_t r : rest) left.push_back(points[r]);
  const Matrix<double> exact = kernel.rows(left, context);
  for (std::size_t k = 0; k < rest.size(); ++k) put(exact, k, rest[k]);
  return rows;
}

}  // namespace geotherm::detail
