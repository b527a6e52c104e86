#include "neighbors/all_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/simd.hpp"
#include "linalg/blas.hpp"
#include "neighbors/product_filter.hpp"

namespace geotherm::detail {
namespace {

// Where the sieves take about 50 MB.
constexpr std::size_t most_points = 20000;
constexpr std::size_t least_points = 1000;
constexpr std::size_t least_product_dims = 128;
constexpr std::size_t least_block = 256;
constexpr std::size_t most_blocks = 64;

/// Positions k < n with values[k] <= max(own, others[k]) - shift, rounded up; returns how many.
template <class F>
[[gnu::always_inline]] inline std::size_t pick(const F* values, std::size_t n, double own,
                                               const double* others, double shift, Index* out) {
  constexpr std::size_t group = 32;
  constexpr double up = 2 * std::numeric_limits<F>::epsilon();
  constexpr double least = std::numeric_limits<F>::min();
  const auto is_near = [&](std::size_t k) {
    const double limit = (own > others[k] ? own : others[k]) - shift;
    return values[k] <= static_cast<F>(limit + up * std::abs(limit) + least);
  };
  std::size_t n_picked = 0, k = 0;
  for (; k + group <= n; k += group) {
    int hits = 0;
    for (std::size_t l = 0; l < group; ++l) hits += is_near(k + l) ? 1 : 0;
    if (hits == 0) continue;
    for (std::size_t l = 0; l < group; ++l) {
      if (is_near(k + l)) out[n_picked++] = static_cast<Index>(k + l);
    }
  }
  for (; k < n; ++k) {
    if (is_near(k)) out[n_picked++] = static_cast<Index>(k);
  }
  return n_picked;
}

GEOTHERM_WIDE std::size_t pick_f32(const float* values, std::size_t n, double own,
                                   const double* others, double shift, Index* out) {
  return pick(values, n, own, others, shift, out);
}
GEOTHERM_WIDE std::size_t pick_f64(const double* values, std::size_t n, double own,
                                   const double* others, Index* out) {
  return pick(values, n, own, others, 0, out);
}

/// Sieves and their limits side by side.
class Sieves {
 public:
  Sieves(std::size_t n, const Cut& cut, double measured_reach)
      : sieves_(n), limits_(n, std::numeric_limits<double>::infinity()) {
    for (Sieve& sieve : sieves_) sieve.reset(cut.knn, measured_reach);
  }
  const double* limits() const { return limits_.data(); }

  void offer(std::size_t i, double lower, double upper, std::size_t other) {
    if (lower > limits_[i]) return;
    sieves_[i].offer(lower, upper, static_cast<Index>(other));
    sieves_[i].settle();
    limits_[i] = sieves_[i].limit();
  }
  std::size_t n_kept() const {
    std::size_t sum = 0;
    for (const Sieve& sieve : sieves_) sum += sieve.kept().size();
    return sum;
  }
  std::vector<Sieve> tightened(const Context& context) {
    parallel_for(context, sieves_.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sieves_[i].tighten();
    });
    return std::move(sieves_);
  }

 private:
  std::vector<Sieve> sieves_;
  std::vector<double> limits_;
};

/// Pairs one by one, by bounds where there are any.
template <class T>
class MeetOneByOne {
 public:
  MeetOneByOne(const Space<T>& space, const PairBounds& bounds) : space_(space), bounds_(bounds) {}

  /// Point i and those of [from, end).
  void operator()(std::size_t i, std::size_t from, std::size_t end, Sieves& sieves) {
    const std::size_t count = end - from;
    const double* others = sieves.limits() + from;
    const double own = sieves.limits()[i];
    values_.resize(count);
    picked_.resize(count);
    const T* query = space_.rows.row(i).data();
    if (bounds_.is_empty()) {
      measure_rows(space_.measure, query, space_.rows.row(from).data(), space_.dims(), nullptr,
                   count, values_.data());
    } else {
      limits_.resize(count);
      for (std::size_t k = 0; k < count; ++k) limits_[k] = std::max(own, others[k]);
      bounds_.below(i, nullptr, from, count, limits_.data(), values_.data());
    }
    const std::size_t n_picked = pick_f64(values_.data(), count, own, others, picked_.data());
    for (std::size_t p = 0; p < n_picked; ++p) {
      const auto k = static_cast<std::size_t>(picked_[p]);
      const auto j = static_cast<Index>(from + k);
      double lower = values_[k], upper = lower;
      if (!bounds_.is_empty()) {
        if (lower > std::max(sieves.limits()[i], others[k])) continue;
        upper = bounds_.above(lower);
        if (!std::isfinite(upper)) {
          measure_rows(space_.measure, query, space_.rows.data(), space_.dims(), &j, 1, &upper);
          lower = upper;
        }
      }
      sieves.offer(i, lower, upper, from + k);
      sieves.offer(from + k, lower, upper, i);
    }
  }

 private:
  const Space<T>& space_;
  const PairBounds& bounds_;
  std::vector<double> values_, limits_;
  std::vector<Index> picked_;
};

/// Two blocks by a product of matrices.
class MeetByProducts {
 public:
  explicit MeetByProducts(const FilterPoints<float>& points) : points_(points) {}

  void operator()(std::size_t begin, std::size_t end, std::size_t from, std::size_t to,
                  Sieves& sieves) {
    const std::size_t m = end - begin, count = to - from, width = points_.rows.cols();
    if (block_.rows() != m) block_ = Matrix<float>::uninitialized(m, width);
    if (tile_.rows() != m || tile_.cols() != count) tile_ = Matrix<float>::uninitialized(m, count);
    picked_.resize(count);
    for (std::size_t q = 0; q < m; ++q) {
      for (std::size_t c = 0; c + 1 < width; ++c) block_(q, c) = -2 * points_.rows(begin + q, c);
      block_(q, width - 1) = 1;
    }
    const MatrixView<const float> others{points_.rows.row(from).data(), count, width, width};
    gemm(1.0F, std::as_const(block_).view(), false, others, true, 0.0F,
         {tile_.data(), m, count, count});
    for (std::size_t q = 0; q < m; ++q) {
      const std::size_t i = begin + q, first = begin == from ? q + 1 : 0;
      const double own = points_.norms[i], shift = own * (1 - points_.loss) - points_.floor;
      const float* values = tile_.row(q).data() + first;
      const std::size_t n_picked =
          pick_f32(values, count - first, sieves.limits()[i], sieves.limits() + from + first, shift,
                   picked_.data());
      for (std::size_t p = 0; p < n_picked; ++p) {
        const auto k = static_cast<std::size_t>(picked_[p]);
        const std::size_t j = from + first + k;
        const double lower = static_cast<double>(values[k]) + shift;
        const double upper =
            lower + 2 * (points_.loss * (own + points_.norms[j]) + points_.floor);
        sieves.offer(i, lower, upper, j);
        sieves.offer(j, lower, upper, i);
      }
    }
  }

 private:
  const FilterPoints<float>& points_;
  Matrix<float> block_, tile_;
  std::vector<Index> picked_;
};

}  // namespace

template <class T>
bool suits_all_pairs(const Space<T>& space) {
  const std::size_t n = space.n_points();
  return n >= least_points && n <= most_points &&
         (!is_squared(space.measure) || space.dims() >= least_product_dims);
}
template bool suits_all_pairs(const Space<float>&);
template bool suits_all_pairs(const Space<double>&);

template <class T>
std::vector<Sieve> sift_all_pairs(const Space<T>& space, const PairBounds& bounds, const Cut& cut,
                                  const Context& context) {
  const std::size_t n = space.n_points();
  const std::size_t size = std::max(least_block, (n + most_blocks - 1) / most_blocks);
  const std::size_t n_blocks = (n + size - 1) / size;
  FilterPoints<float> points;
  if (is_squared(space.measure)) {
    points = filter_points<float>(space.rows.view(), frame_of(space.rows, context));
  }
  Sieves sieves(n, cut, space.measured_reach(cut.reach));
  const auto meet = [&](std::size_t a, std::size_t b) {
    const std::size_t end = std::min(n, (a + 1) * size), to = std::min(n, (b + 1) * size);
    if (is_squared(space.measure)) {
      MeetByProducts products(points);
      products(a * size, end, b * size, to, sieves);
      return;
    }
    MeetOneByOne<T> one(space, bounds);
    for (std::size_t i = a * size; i < end; ++i) {
      const std::size_t from = a == b ? i + 1 : b * size;
      if (from < to) one(i, from, to, sieves);
    }
  };
  parallel_for(context, n_blocks, 1, [&](std::size_t b, std::size_t) { meet(b, b); });
  // Rounds of a tournament: no block occurs twice in one, so that threads share nothing.
  const std::size_t most_kept = n * (256 + 4 * cut.knn);
  const std::size_t n_seats = n_blocks + n_blocks % 2, n_rounds = n_seats - 1;
  for (std::size_t r = 0; r < n_rounds; ++r) {
    context.report_or_throw({.stage = "neighbours", .done = r * n / n_rounds, .total = n});
    parallel_for(context, n_seats / 2, 1, [&](std::size_t k, std::size_t) {
      const std::size_t a = k == 0 ? n_rounds : (r + k) % n_rounds;
      const std::size_t b = (r + n_rounds - k) % n_rounds;
      if (std::max(a, b) < n_blocks) meet(std::min(a, b), std::max(a, b));
    });
    if (sieves.n_kept() > most_kept) return {};
  }
  return sieves.tightened(context);
}
template std::vector<Sieve> sift_all_pairs(const Space<float>&, const PairBounds&, const Cut&,
                                           const Context&);
template std::vector<Sieve> sift_all_pairs(const Space<double>&, const PairBounds&, const Cut&,
                                           const Context&);

}  // namespace geotherm::detail
