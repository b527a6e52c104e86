// DiffusionKernel -> PHATE's potential distance: Euclidean between the rows of -log(K + offset).
#include <algorithm>
#include <cmath>

#include "core/vector_log.hpp"
#include "dissimilarity/kernel_distance.hpp"
#include "dissimilarity/row_distances.hpp"
#include "geotherm/dissimilarity.hpp"

namespace geotherm {

std::vector<std::string> issues_with(const PotentialOptions& options) {
  std::vector<std::string> issues;
  if (!(options.offset >= detail::smallest_heat) || !std::isfinite(options.offset)) {
    issues.push_back("offset = " + detail::text(options.offset) +
                     " is not a finite number >= " + detail::text(detail::smallest_heat) +
                     ": it keeps the logarithm of entries that are 0 finite; 1e-7 is PHATE's");
  }
  return issues;
}

Dissimilarity potential_distance(const DiffusionKernel& kernel, const PotentialOptions& options,
                                 const Context& context) {
  refuse_if_any(issues_with(options));
  Matrix<double> potential = kernel.dense(context);
  // The sign of the logarithm does not matter to distances.
  parallel_for(context, potential.rows(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = potential.row(i);
      for (double& value : row) {
        if (!std::isfinite(value)) {
          throw InvalidArgument("kernel: row " + std::to_string(i) +
                                " holds a value that is not finite");
        }
        value = std::max(value, 0.0) + options.offset;
      }
      detail::log_in_place(row.data(), row.size());
    }
  });
  Dissimilarity result;
  result.values = detail::row_distances(std::move(potential), "dissimilarity", context);
  return result;
}

}  // namespace geotherm
