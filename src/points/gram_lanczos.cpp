// In a flat spectrum restarts throw away what took longest to find: a basis of a few hundred
// vectors as long as a row is cheaper than the products that restarts would repeat.
#include "points/gram_lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "core/large_pages.hpp"
#include "core/simd.hpp"
#include "linalg/blas.hpp"
#include "linalg/tridiagonal_eigen.hpp"
#include "points/orthonormal_rows.hpp"

namespace geotherm::detail {

GEOTHERM_WIDE void add_multiple(double factor, const double* x, double* y, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) y[k] += factor * x[k];
}

namespace {

constexpr std::size_t kRowsABlock = 512;
// The Ritz values are looked at every so many steps, more often once they move by less than kNear
// of the largest; they have settled where they move by no more than kSettled.
constexpr std::size_t kFarSteps = 20, kNearSteps = 10;
constexpr double kNear = 1e-3, kSettled = 1e-10;

GEOTHERM_WIDE double dot(const double* x, const double* y, std::size_t n) {
  double lanes[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += x[k + l] * y[k + l];
  }
  for (; k < n; ++k) lanes[0] += x[k] * y[k];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

// Four sums side by side: one would wait for each addition to end.
template <class I, class V>
double sparse_dot(const I* indices, const V* values, std::size_t n, const double* x) {
  const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(indices[k])]; };
  double a = 0, b = 0, c = 0, d = 0;
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    a += static_cast<double>(values[k]) * at(k);
    b += static_cast<double>(values[k + 1]) * at(k + 1);
    c += static_cast<double>(values[k + 2]) * at(k + 2);
    d += static_cast<double>(values[k + 3]) * at(k + 3);
  }
  for (; k < n; ++k) a += static_cast<double>(values[k]) * at(k);
  return (a + b) + (c + d);
}

using Product = std::function<void(const double* x, double* y)>;

// y = matrix x, from a copy whose indices and values take as little module as they can: the
// products wait for memory.
template <class I, class V>
Product packed_product(const SparseMatrix& matrix, const Context& context) {
  struct Packed {
    std::vector<std::size_t> offsets;
    std::vector<I> indices;
    std::vector<V> values;
  };
  auto packed = std::make_shared<Packed>();
  packed->offsets = matrix.offsets;
  packed->indices.reserve(matrix.n_entries());
  packed->values.reserve(matrix.n_entries());
  for (const Index index : matrix.indices) packed->indices.push_back(static_cast<I>(index));
  for (const double value : matrix.values) packed->values.push_back(static_cast<V>(value));
  return [packed, &context](const double* x, double* y) {
    parallel_for(context, packed->offsets.size() - 1, kRowsABlock,
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t i = begin; i < end; ++i) {
                     const std::size_t at = packed->offsets[i];
                     y[i] = sparse_dot(packed->indices.data() + at, packed->values.data() + at,
                                       packed->offsets[i + 1] - at, x);
                   }
                 });
  };
}

Product product_with(const SparseMatrix& matrix, const Context& context) {
  const bool is_narrow = matrix.cols <= std::numeric_limits<std::uint16_t>::max();
  const bool is_single = std::ranges::all_of(matrix.values, [](double value) {
    return static_cast<double>(static_cast<float>(value)) == value;
  });
  if (is_narrow && is_single) return packed_product<std::uint16_t, float>(matrix, context);
  if (is_narrow) return packed_product<std::uint16_t, double>(matrix, context);
  if (is_single) return packed_product<Index, float>(matrix, context);
  return packed_product<Index, double>(matrix, context);
}

// Columns that are filled so far that zeros are cheaper than indices, 64 of them a strip: a row of
// a strip is four lines of float32.
class Strips {
 public:
  static constexpr std::size_t width = 64;
  Strips() = default;

  /// Takes the fullest columns out of the table; none where float32 would lose digits.
  explicit Strips(SparseMatrix& table);
  /// y += these columns times x; z += these columns transposed times y.
  void add_product(const double* x, double* y, const Context& context) const;
  void add_transposed(const double* y, double* z, const Context& context) const;

 private:
  std::size_t n_strips() const { return columns_.size() / width; }
  std::size_t rows_ = 0;
  std::vector<std::size_t> columns_;
  std::vector<float> values_;  // strip by strip, row by row
};

GEOTHERM_WIDE void add_rows_of_strip(const float* strip, std::size_t n_rows, const double* x,
                                     double* y) {
  for (std::size_t i = 0; i < n_rows; ++i, strip += Strips::width) {
    double lanes[8] = {};
    for (std::size_t k = 0; k < Strips::width; k += 8) {
      for (std::size_t l = 0; l < 8; ++l) lanes[l] += static_cast<double>(strip[k + l]) * x[k + l];
    }
    y[i] += ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
            ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
  }
}

GEOTHERM_WIDE void sum_columns_of_strip(const float* strip, std::size_t n_rows, const double* y,
                                        double* sums) {
  for (std::size_t i = 0; i < n_rows; ++i, strip += Strips::width) {
    const double factor = y[i];
    for (std::size_t k = 0; k < Strips::width; ++k) {
      sums[k] += factor * static_cast<double>(strip[k]);
    }
  }
}

Strips::Strips(SparseMatrix& table) : rows_(table.rows) {
  constexpr double least_filled = 0.25;
  const bool is_single = std::ranges::all_of(table.values, [](double value) {
    return static_cast<double>(static_cast<float>(value)) == value;
  });
  if (!is_single) return;
  std::vector<std::size_t> n_filled(table.cols, 0);
  for (const Index column : table.indices) ++n_filled[static_cast<std::size_t>(column)];
  for (std::size_t j = 0; j < table.cols; ++j) {
    if (static_cast<double>(n_filled[j]) >= least_filled * static_cast<double>(rows_)) {
      columns_.push_back(j);
    }
  }
  std::ranges::stable_sort(columns_,
                           [&](std::size_t a, std::size_t b) { return n_filled[a] > n_filled[b]; });
  columns_.resize(n_strips() * width);  // whole strips
  if (columns_.empty()) return;
  std::vector<Index> place(table.cols, -1);
  for (std::size_t c = 0; c < columns_.size(); ++c) place[columns_[c]] = static_cast<Index>(c);
  values_.assign(columns_.size() * rows_, 0.0F);
  std::size_t n_left = 0;
  for (std::size_t i = 0, k = 0; i < rows_; ++i) {
    for (const std::size_t end = table.offsets[i + 1]; k < end; ++k) {
      const Index at = place[static_cast<std::size_t>(table.indices[k])];
      if (at < 0) {
        table.indices[n_left] = table.indices[k];
        table.values[n_left++] = table.values[k];
      } else {
        const auto c = static_cast<std::size_t>(at);
        values_[(c / width * rows_ + i) * width + c % width] = static_cast<float>(table.values[k]);
      }
    }
    table.offsets[i + 1] = n_left;
  }
  table.indices.resize(n_left);
  table.values.resize(n_left);
}

void Strips::add_product(const double* x, double* y, const Context& context) const {
  if (columns_.empty()) return;
  std::vector<double> of_columns(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) of_columns[c] = x[columns_[c]];
  parallel_for(context, rows_, kRowsABlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = 0; s < n_strips(); ++s) {
      add_rows_of_strip(&values_[(s * rows_ + begin) * width], end - begin, &of_columns[s * width],
                        y + begin);
    }
  });
}

void Strips::add_transposed(const double* y, double* z, const Context& context) const {
  parallel_for(context, n_strips(), 1, [&](std::size_t s, std::size_t) {
    double sums[width] = {};
    sum_columns_of_strip(&values_[s * rows_ * width], rows_, y, sums);
    for (std::size_t k = 0; k < width; ++k) z[columns_[s * width + k]] += sums[k];
  });
}

// Products with A^T A. What is not in strips is kept by rows and by columns: sums over the entries
// of a row or column are faster than adding one row after the other to a vector, and need no copies
// of that vector to be the same on any number of threads.
class Gram {
 public:
  Gram(SparseMatrix table, std::span<const double> mean, const Context& context)
      : context_(context),
        strips_(table),
        times_(product_with(table, context)),
        times_transposed_(product_with(transpose(table), context)),
        mean_(mean),
        along_(table.rows) {}

  void multiply(const double* x, double* z) {
    times_(x, along_.data());
    strips_.add_product(x, along_.data(), context_);
    const double shift = dot(mean_.data(), x, mean_.size());
    double total = 0;
    for (double& value : along_) total += value -= shift;
    times_transposed_(along_.data(), z);
    strips_.add_transposed(along_.data(), z, context_);
    add_multiple(-total, mean_.data(), z, mean_.size());
  }

 private:
  const Context& context_;
  Strips strips_;
  Product times_, times_transposed_;
  std::span<const double> mean_;
  std::vector<double> along_;
};

// Rounding brings back directions that were found already. By how much follows from the steps
// themselves (the recurrence of Simon, 1984), so that they need taking out only now and then, in
// two steps after one another since each is made from the two before.
class LostOrthogonality {
 public:
  explicit LostOrthogonality(std::size_t n)
      : noise_(kEpsilon * std::sqrt(static_cast<double>(n))) {}

  // After step j, before its vector is scaled by `length`: whether it has to be made orthogonal.
  bool is_due(const std::vector<double>& alpha, const std::vector<double>& beta, double length) {
    const std::size_t j = alpha.size() - 1;
    largest_ = std::max(largest_, alpha[j] + length + (j > 0 ? beta[j - 1] : 0));
    const double noise = noise_ * largest_;
    double worst = 0;
    std::vector<double> next(j + 2, 1.0);
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = 0;
      if (k < j) {
        sum = beta[k] * now_[k + 1] + (alpha[k] - alpha[j]) * now_[k] - beta[j - 1] * before_[k];
        if (k > 0) sum += beta[k - 1] * now_[k - 1];
      }
      next[k] = (sum + std::copysign(noise, sum)) / length;
      worst = std::max(worst, std::abs(next[k]));
    }
    const bool is_worn = worst > kMostLost;
    const bool is_due = is_worn || was_worn_;
    was_worn_ = is_worn;
    if (is_due) std::fill(next.begin(), next.end() - 1, noise_);
    before_ = std::exchange(now_, std::move(next));
    return is_due;
  }

 private:
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  static constexpr double kMostLost = 1e-8;
  double noise_ = 0, largest_ = 0;
  bool was_worn_ = false;
  std::vector<double> before_, now_ = {1.0};  // products of the newest two vectors with all before
};

}  // namespace

LeadingDirections leading_directions(const SparseMatrix& table, std::span<const double> mean,
                                     std::size_t rank, const Context& context) {
  const std::size_t n = table.cols;
  const std::size_t most = std::min(n, 10 * rank + 200);
  Gram gram(table, mean, context);
  auto basis = Matrix<double>::uninitialized(most, n);
  ask_for_large_pages(basis);
  std::vector<double> alpha, beta, last;
  LostOrthogonality lost(n);
  LeadingDirections result;
  result.outcome = Outcome::iteration_limit;

  std::vector<double> next(n);
  Rng rng(context.seed, "pca.start");
  for (double& value : next) value = rng.normal();
  double norm = std::sqrt(dot(next.data(), next.data(), n));
  std::size_t n_basis = 0, next_look = rank + kFarSteps;
  while (true) {
    double* const newest = basis.row(n_basis++).data();
    for (std::size_t k = 0; k < n; ++k) newest[k] = next[k] / norm;
    context.report_or_throw({.stage = "pca", .done = n_basis, .total = most});
    gram.multiply(newest, next.data());
    alpha.push_back(dot(newest, next.data(), n));
    add_multiple(-alpha.back(), newest, next.data(), n);
    if (n_basis > 1) add_multiple(-beta.back(), newest - n, next.data(), n);
    norm = std::sqrt(dot(next.data(), next.data(), n));
    if (lost.is_due(alpha, beta, norm)) {
      for (std::size_t b = 0; b < n_basis; ++b) {
        const double* old = basis.row(b).data();
        add_multiple(-dot(old, next.data(), n), old, next.data(), n);
      }
      norm = std::sqrt(dot(next.data(), next.data(), n));
    }
    const bool is_complete = norm <= 1e-14 * std::abs(alpha.front()) || n_basis == n;
    if (n_basis == next_look) {
      std::vector<double> now = tridiagonal_values(alpha, beta);
      now.erase(now.begin(), now.end() - static_cast<std::ptrdiff_t>(rank));
      double moved = last.empty() ? 1 : 0;
      for (std::size_t r = 0; r < last.size(); ++r) {
        moved = std::max(moved, std::abs(now[r] - last[r]) / now.back());
      }
      last = std::move(now);
      if (moved <= kSettled) result.outcome = Outcome::converged;
      next_look += moved > kNear ? std::max(kFarSteps, n_basis / 5) : kNearSteps;
    }
    if (is_complete) result.outcome = Outcome::converged;
    if (result.outcome == Outcome::converged || n_basis == most) break;
    beta.push_back(norm);
  }

  const TridiagonalEigen ritz = tridiagonal_eigen(alpha, beta);
  rank = std::min(rank, n_basis);
  Matrix<double> weights(rank, n_basis);
  for (std::size_t r = 0; r < rank; ++r) {
    const std::size_t from = n_basis - 1 - r;
    result.values.push_back(std::sqrt(std::max(0.0, ritz.values[from])));
    std::ranges::copy(ritz.vectors.row(from), weights.row(r).begin());
  }
  result.right = Matrix<double>(rank, n);
  gemm(1.0, weights.view(), false, {basis.data(), n_basis, n, n}, false, 0.0, result.right.view());
  fix_row_signs(result.right);
  return result;
}

}  // namespace geotherm::detail
