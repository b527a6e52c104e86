// Principal components of a sparse table. In: the table and a rank. Out: scores, components, mean
// and singular values, as for dense ones; memory for the entries, the scores and some vectors.
#include <algorithm>
#include <cmath>
#include <string>

#include "geotherm/points.hpp"
#include "points/gram_lanczos.hpp"
#include "points/variable_genes.hpp"

namespace geotherm {
namespace {

constexpr std::size_t kBlock = 256;  // rows a task

// The centred table times each component; rows on their own.
Matrix<double> scores_of(const SparseMatrix& points, const Pca& pca, const Context& context) {
  const std::size_t rank = pca.components.rows();
  Matrix<double> turned(points.cols, rank);
  std::vector<double> shift(rank, 0);
  for (std::size_t r = 0; r < rank; ++r) {
    for (std::size_t j = 0; j < points.cols; ++j) {
      turned(j, r) = pca.components(r, j);
      shift[r] += pca.mean[j] * turned(j, r);
    }
  }
  Matrix<double> scores(points.rows, rank);
  parallel_for(context, points.rows, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double* const score = scores.row(i).data();
      for (std::size_t k = points.offsets[i]; k < points.offsets[i + 1]; ++k) {
        const auto column = static_cast<std::size_t>(points.indices[k]);
        detail::add_multiple(points.values[k], turned.row(column).data(), score, rank);
      }
      detail::add_multiple(-1, shift.data(), score, rank);
    }
  });
  return scores;
}

}  // namespace

Pca pca(const SparseMatrix& points, const PcaOptions& options, const Context& context) {
  const std::size_t most = std::min(points.rows, points.cols);
  if (!options.rank || *options.rank < 1 || *options.rank >= most) {
    refuse_if_any({"pca.rank is " + (options.rank ? std::to_string(*options.rank) : "empty") +
                   ": give 1 to " + std::to_string(most > 0 ? most - 1 : 0) +
                   " for a sparse table of " + std::to_string(points.rows) + " rows and " +
                   std::to_string(points.cols) + " columns"});
  }
  if (!std::ranges::all_of(points.values, [](double value) { return std::isfinite(value); })) {
    throw InvalidData("the sparse table holds NaN or infinite entries (leave those rows out)");
  }
  Pca result;
  result.mean = detail::column_sums(points).sum;
  for (double& mean : result.mean) mean /= static_cast<double>(points.rows);
  detail::LeadingDirections found =
      detail::leading_directions(points, result.mean, *options.rank, context);
  if (found.outcome == Outcome::iteration_limit) {
    context.warn("the last principal components have not settled; fewer are safer (n_components)");
  }
  result.components = std::move(found.right);
  result.singular_values = std::move(found.values);
  result.choice = "rank " + std::to_string(*options.rank) + " as asked (sparse, Lanczos)";
  result.scores = scores_of(points, result, context);
  return result;
}

}  // namespace geotherm
