// Classical scaling (Torgerson 1952): the leading eigenvectors of -1/2 J D^2 J, J = I - 11^T/n.
// The matrix is never formed: D is squared tile by tile on its way into a product with a block.
#include "embedding/classical_mds.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd.hpp"
#include "embedding/pair_pass.hpp"
#include "embedding/top_eigen.hpp"
#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace detail {
namespace {

/// Up to here the dense eigensolver is quicker than iterating.
constexpr std::size_t n_dense = 200;

GEOTHERM_WIDE void square_row(const double* __restrict d, double unit, std::size_t m,
                              double* __restrict out) noexcept {
  for (std::size_t j = 0; j < m; ++j) out[j] = (d[j] * unit) * (d[j] * unit);
}

void centre_rows(MatrixView<double> rows) {
  for (std::size_t a = 0; a < rows.rows; ++a) {
    double sum = 0;
    for (const double e : rows.row(a)) sum += e;
    const double mean = sum / static_cast<double>(rows.cols);
    for (double& e : rows.row(a)) e -= mean;
  }
}

/// out = block * (-1/2 J D^2 J)
void centred_product(const Problem& problem, const Context& context,
                     MatrixView<const double> vectors, MatrixView<double> out) {
  constexpr std::size_t n_rows = 64;
  constexpr std::size_t n_cols = 512;
  const std::size_t n = problem.n();
  Matrix<double> centred(vectors.rows, n);
  for (std::size_t a = 0; a < vectors.rows; ++a) {
    std::copy_n(vectors.row(a).data(), n, centred.row(a).data());
  }
  centre_rows(centred);
  const MatrixView<const double> block = centred;
  if (problem.elsewhere != nullptr) {
    problem.elsewhere->squares_times(block, out, problem.unit);
    centre_rows(out);
    return;
  }
  parallel_for(context, n, n_rows, [&](std::size_t begin, std::size_t end) {
    std::vector<double> squares((end - begin) * n_cols);
    const MatrixView<double> target{out.data + begin, out.rows, end - begin, out.stride};
    for (std::size_t first = 0; first < n; first += n_cols) {
      const std::size_t m = std::min(n_cols, n - first);
      for (std::size_t i = begin; i < end; ++i) {
        double* row = squares.data() + (i - begin) * n_cols;
        square_row(&problem.distances(i, first), problem.unit, m, row);
        if (i >= first && i < first + m) row[i - first] = 0;
      }
      gemm(-0.5, {block.data + first, block.rows, m, block.stride}, false,
           {squares.data(), end - begin, m, n_cols}, true, first == 0 ? 0.0 : 1.0, target);
    }
  });
  centre_rows(out);
}

TopEigen dense_top(const Problem& problem, std::size_t n_wanted) {
  const std::size_t n = problem.n();
  Matrix<double> b(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double d = problem.distances(i, j) * problem.unit;
      b(i, j) = b(j, i) = -0.5 * d * d;
    }
  }
  centre_rows(b);
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += b(i, j);
    for (std::size_t i = 0; i < n; ++i) b(i, j) -= sum / static_cast<double>(n);
  }
  const SymmetricEigen eigen = symmetric_eigen(b);
  TopEigen top{std::vector<double>(n_wanted), Matrix<double>(n_wanted, n)};
  for (std::size_t a = 0; a < n_wanted; ++a) {
    top.values[a] = eigen.values[n - 1 - a];
    for (std::size_t i = 0; i < n; ++i) top.vectors(a, i) = eigen.vectors(i, n - 1 - a);
  }
  return top;
}

}  // namespace

ClassicalLayout classical_layout(const Problem& problem, std::size_t n_components, double tolerance,
                                 const Context& context) {
  const std::size_t n = problem.n();
  // n points span n - 1 dimensions at most; further components stay zero.
  const std::size_t n_wanted = std::min(n_components, n - 1);
  TopEigen top;
  if (problem.elsewhere == nullptr && n <= std::max(n_dense, 20 * n_wanted)) {
    top = dense_top(problem, n_wanted);
  } else {
    // A product is bound by the reading of D: a few more vectors come along for nothing.
    Matrix<double> start(std::max<std::size_t>(8, n_wanted + 4), n);
    Rng rng(context.seed, "classical_mds.start");
    for (std::size_t i = 0; i < start.size(); ++i) start.data()[i] = rng.normal();
    top = top_eigen(
        [&](MatrixView<const double> block, MatrixView<double> out) {
          centred_product(problem, context, block, out);
        },
        std::move(start), {.n_wanted = n_wanted, .tolerance = tolerance},
        [&](std::size_t product) { return context.report({"classical scaling", product, 0, 0}); });
  }

  Layout layout(n_components, n);
  for (std::size_t a = 0; a < n_wanted; ++a) {
    const double scale = std::sqrt(std::max(0.0, top.values[a]));
    for (std::size_t i = 0; i < n; ++i) layout(a, i) = scale * top.vectors(a, i);
  }
  return {coordinates_of(layout, problem.unit), top.n_products, top.outcome};
}

}  // namespace detail

Embedding classical_mds(MatrixView<const double> distances, std::size_t n_components,
                        const Context& context) {
  refuse_if_any(issues_with(MdsOptions{.n_components = n_components}));
  const detail::Problem problem = detail::checked_problem(distances, {}, MdsWeights::none, context);
  detail::ClassicalLayout found = detail::classical_layout(problem, n_components, 1e-10, context);
  const detail::Layout x = detail::layout_of(found.coordinates, problem.unit);
  detail::Layout pull(x.rows(), x.cols());
  const double raw = detail::PairPass(problem, n_components, context)(x, pull);
  const double squares = detail::weight_totals(problem, context).squares;
  return {.coordinates = std::move(found.coordinates),
          .outcome = found.outcome,
          .iterations = found.n_products,
          .stress = detail::normalised_stress(raw, squares),
          .stress_history = {}};
}

}  // namespace geotherm
