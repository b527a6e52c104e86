// The eigensolvers of docs/adr/0014-eigenvectors.md, each beside the one that could take its place:
// seconds of CPU on one thread. Writes the table to the file given.
//   cmake --build build --target bench_eigen && build/bench_eigen bench/eigen/results.md
#include <Spectra/SymEigsSolver.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>

#include "embedding/top_eigen.hpp"
#include "geotherm/geotherm.hpp"
#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "linalg/tridiagonal_eigen.hpp"
#include "points/gram_lanczos.hpp"
#include "points/truncated_svd.hpp"

namespace {

using namespace geotherm;
using namespace geotherm::detail;

/// The best of three.
double seconds(const std::function<void()>& work) {
  double best = 1e300;
  for (int round = 0; round < 3; ++round) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

struct Row {
  std::string problem, ours, other;
  double ours_s = 0, other_s = 0, difference = 0;
};

/// A symmetric operator with a product for one vector: for Spectra, and row by row for blocks.
struct Products {
  using Scalar = double;
  std::size_t n = 0;
  std::function<void(const double*, double*)> product;
  Eigen::Index rows() const { return static_cast<Eigen::Index>(n); }
  Eigen::Index cols() const { return rows(); }
  void perform_op(const double* x, double* y) const { product(x, y); }
};

Matrix<double> random_rows(std::size_t rows, std::size_t cols) {
  Rng rng(1, "bench.eigen", rows);
  Matrix<double> block(rows, cols);
  for (std::size_t k = 0; k < block.size(); ++k) block.data()[k] = rng.normal();
  return block;
}

std::vector<double> by_spectra(const Products& op, Eigen::Index wanted, Eigen::Index kept) {
  Spectra::SymEigsSolver<Products> solver(const_cast<Products&>(op), wanted, kept);
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, 1000, 1e-9, Spectra::SortRule::LargestAlge);
  const Eigen::VectorXd values = solver.eigenvalues();
  return {values.begin(), values.end()};
}

std::vector<double> by_blocks(const BlockOperator& apply, std::size_t n, std::size_t wanted) {
  return top_eigen(apply, random_rows(wanted + 6, n),
                   {.n_wanted = wanted, .tolerance = 1e-9, .max_products = 5000},
                   [](std::size_t) { return Next::go_on; })
      .values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    largest = std::max(largest, std::abs(a[k] - b[k]) / std::abs(a[0]));
  }
  return largest;
}

/// Few eigenvectors of a sparse matrix: I + the normalised weights of a roll.
Row sparse_row(std::size_t n) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = n, .noise = 0.1, .geodesic_limit = 0});
  const Graph graph = shared_graph(roll.X).graph;
  SparseMatrix s = build_laplacian(graph, LaplacianKind::normalized).matrix;
  const auto product = [&](const double* x, double* y) {
    for (std::size_t i = 0; i < s.rows; ++i) {
      double sum = 0;
      for (std::size_t k = s.offsets[i]; k < s.offsets[i + 1]; ++k) {
        sum += s.values[k] * x[s.indices[k]];
      }
      y[i] = 3 * x[i] - sum;
    }
  };
  std::vector<double> a, b;
  Row row{"6 eigenvectors of a sparse matrix, " + std::to_string(n) + " points", "Spectra",
          "block Rayleigh-Ritz (top_eigen)"};
  row.ours_s = seconds([&] { a = by_spectra({n, product}, 6, 40); });
  row.other_s = seconds([&] {
    b = by_blocks(
        [&](MatrixView<const double> block, MatrixView<double> out) {
          for (std::size_t r = 0; r < block.rows; ++r)
            product(block.row(r).data(), out.row(r).data());
        },
        n, 6);
  });
  row.difference = largest_difference(a, b);
  return row;
}

/// Two eigenvectors of a dense matrix that is streamed: squared shortest paths on a roll, centred,
/// as classical MDS has them.
Row dense_row(std::size_t n) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = n, .noise = 0.1, .geodesic_limit = 0});
  Matrix<double> b = shortest_path_distances(roll.X).dissimilarity.values;
  std::vector<double> mean(n, 0.0);
  double all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (double& d : b.row(i)) {
      d *= -d / 2;
      mean[i] += d / static_cast<double>(n);
    }
    all += mean[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) b(i, j) += all - mean[i] - mean[j];
  }
  std::vector<double> first, second;
  Row row{"2 eigenvectors of a dense matrix, n = " + std::to_string(n),
          "block Rayleigh-Ritz (top_eigen)", "Spectra"};
  row.ours_s = seconds([&] {
    first = by_blocks(
        [&](MatrixView<const double> block, MatrixView<double> out) {
          gemm(1, block, false, std::as_const(b).view(), false, 0, out);
        },
        n, 2);
  });
  row.other_s = seconds([&] {
    second =
        by_spectra({n,
                    [&](const double* x, double* y) {
                      gemm(1, std::as_const(b).view(), false, {x, n, 1, 1}, false, 0, {y, n, 1, 1});
                    }},
                   2, 20);
  });
  row.difference = largest_difference(first, second);
  return row;
}

/// All of a tridiagonal matrix, as a few hundred steps of Lanczos leave it.
Row tridiagonal_row(std::size_t n) {
  const Matrix<double> numbers = random_rows(2, n);
  const std::span<const double> diagonal = numbers.row(0);
  const std::span<const double> beside = numbers.row(1).first(n - 1);
  TridiagonalEigen found;
  Eigen::VectorXd values;
  Row row{"all of a tridiagonal matrix, n = " + std::to_string(n), "LAPACK dstedc", "Eigen"};
  row.ours_s = seconds([&] { found = tridiagonal_eigen(diagonal, beside); });
  row.other_s = seconds([&] {
    const auto size = static_cast<Eigen::Index>(n);
    const Eigen::VectorXd d = Eigen::Map<const Eigen::VectorXd>(diagonal.data(), size);
    const Eigen::VectorXd e = Eigen::Map<const Eigen::VectorXd>(beside.data(), size - 1);
    values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>().computeFromTridiagonal(d, e).eigenvalues();
  });
  row.difference = largest_difference({found.values.rbegin(), found.values.rend()},
                                      {values.reverse().begin(), values.reverse().end()});
  return row;
}

Row symmetric_row(std::size_t n) {
  const Matrix<double> half = random_rows(n, n);
  Matrix<double> matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) matrix(i, j) = half(i, j) + half(j, i);
  }
  SymmetricEigen found;
  Eigen::VectorXd values;
  Row row{"all of a dense symmetric matrix, n = " + std::to_string(n), "LAPACK dsyevd", "Eigen"};
  row.ours_s = seconds([&] { found = symmetric_eigen(matrix); });
  row.other_s = seconds([&] {
    const Eigen::Map<const Eigen::MatrixXd> map(matrix.data(), static_cast<Eigen::Index>(n),
                                                static_cast<Eigen::Index>(n));
    values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(map).eigenvalues();
  });
  row.difference = largest_difference({found.values.rbegin(), found.values.rend()},
                                      {values.reverse().begin(), values.reverse().end()});
  return row;
}

using Multiply = std::function<void(std::span<const double>, std::span<double>)>;

/// Singular values by Spectra, from the products A^T A.
std::vector<double> by_gram_spectra(const LinearOperator& table, std::size_t rank) {
  std::vector<double> between(table.rows);
  const Products gram{table.cols, [&](const double* x, double* y) {
                        table.multiply({x, table.cols}, between);
                        table.multiply_transposed(between, {y, table.cols});
                      }};
  std::vector<double> values =
      by_spectra(gram, static_cast<Eigen::Index>(rank), static_cast<Eigen::Index>(3 * rank));
  for (double& value : values) value = std::sqrt(value);
  return values;
}

/// Components of a sparse table with a flat spectrum, as scaled genes have it.
std::vector<Row> sparse_pca_rows(std::size_t rows, std::size_t cols, std::size_t rank) {
  Rng rng(1, "bench.eigen.genes");
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      if (rng.uniform() < 0.1) {
        entries.push_back({static_cast<Index>(i), static_cast<Index>(j), 1 + rng.uniform()});
      }
    }
  }
  const SparseMatrix table = sparse_from_triplets(rows, cols, std::move(entries));
  const std::vector<double> mean(cols, 0.0);
  const Multiply multiply = [&](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::size_t k = table.offsets[i]; k < table.offsets[i + 1]; ++k) {
        sum += table.values[k] * x[static_cast<std::size_t>(table.indices[k])];
      }
      y[i] = sum;
    }
  };
  const Multiply multiply_transposed = [&](std::span<const double> y, std::span<double> x) {
    std::fill(x.begin(), x.end(), 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = table.offsets[i]; k < table.offsets[i + 1]; ++k) {
        x[static_cast<std::size_t>(table.indices[k])] += table.values[k] * y[i];
      }
    }
  };
  const LinearOperator by_products{rows, cols, multiply, multiply_transposed};
  LeadingDirections lanczos;
  Row irlba{std::to_string(rank) + " components of a sparse table, " + std::to_string(rows) +
                " x " + std::to_string(cols) + ", flat spectrum",
            "Lanczos on the Gram matrix", "irlba"};
  irlba.ours_s = seconds([&] { lanczos = leading_directions(table, mean, rank, {}); });
  TruncatedSvd svd;
  irlba.other_s = seconds([&] { svd = truncated_svd(by_products, rank, {}); });
  irlba.difference = largest_difference(lanczos.values, svd.values);
  Row spectra = irlba;
  spectra.other = "Spectra on the Gram matrix";
  std::vector<double> values;
  spectra.other_s = seconds([&] { values = by_gram_spectra(by_products, rank); });
  spectra.difference = largest_difference(lanczos.values, values);
  return {irlba, spectra};
}

/// Components of a dense table whose variances fall as 1 / k.
Row dense_pca_row(std::size_t rows, std::size_t cols, std::size_t rank) {
  Matrix<double> table = random_rows(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) table(i, j) /= std::sqrt(static_cast<double>(j + 1));
  }
  const auto view = std::as_const(table).view();
  const LinearOperator by_products{
      rows, cols,
      [&](std::span<const double> x, std::span<double> y) {
        gemm(1, view, false, {x.data(), cols, 1, 1}, false, 0, {y.data(), rows, 1, 1});
      },
      [&](std::span<const double> y, std::span<double> x) {
        gemm(1, {y.data(), 1, rows, rows}, false, view, false, 0, {x.data(), 1, cols, cols});
      }};
  TruncatedSvd svd;
  std::vector<double> values;
  Row row{std::to_string(rank) + " components of a dense table, " + std::to_string(rows) + " x " +
              std::to_string(cols) + ", variances as 1 / k",
          "irlba", "Spectra on the Gram matrix"};
  row.ours_s = seconds([&] { svd = truncated_svd(by_products, rank, {}); });
  row.other_s = seconds([&] { values = by_gram_spectra(by_products, rank); });
  row.difference = largest_difference(svd.values, values);
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "bench_eigen RESULTS.md\n");
    return 2;
  }
  std::vector<Row> rows = {symmetric_row(1000), tridiagonal_row(400),
                           sparse_row(2000),    sparse_row(20000),
                           dense_row(4000),     dense_pca_row(5000, 4000, 20)};
  for (Row& row : sparse_pca_rows(3000, 2000, 50)) rows.push_back(std::move(row));
  std::ofstream file(argv[1]);
  file << "# Eigensolvers beside each other\n\nWritten by `bench/eigen/solvers.cpp`; do not edit. "
          "Seconds of CPU "
          "on one thread, the best of three; \"difference\" is the largest between the eigenvalues "
          "found, as a "
          "share of the first.\n\n| problem | taken | s | instead | s | instead / taken | "
          "difference |\n"
          "|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    char line[512];
    std::snprintf(line, sizeof(line), "| %s | %s | %.3f | %s | %.3f | %.1f | %.0e |\n",
                  row.problem.c_str(), row.ours.c_str(), row.ours_s, row.other.c_str(), row.other_s,
                  row.other_s / row.ours_s, row.difference);
    file << line;
  }
}
