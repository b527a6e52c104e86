#include "neighbors/pair_measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "core/simd.hpp"
#include "core/vector_log.hpp"

namespace geotherm::detail {
namespace {

// Columns whose logarithms are taken at once.
constexpr std::size_t n_buffered = 256;

// Sums side by side, since one sum in order waits for itself; their final order is fixed.
constexpr std::size_t n_sums = 8;
constexpr std::size_t n_wide = 32;
[[gnu::always_inline]] inline double total(const double* sums, std::size_t n) {
  double halves[n_wide] = {};
  for (std::size_t l = 0; l < n; ++l) halves[l] = sums[l];
  for (std::size_t half = n / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) halves[l] += halves[l + half];
  }
  return halves[0];
}

template <class Term, class T>
[[gnu::always_inline]] inline double term(const T* a, const T* b, std::size_t c) {
  return Term::of(static_cast<double>(a[c]), static_cast<double>(b[c]));
}

/// Sum of Term::of over the columns.
template <class Term, class T>
[[gnu::always_inline]] inline double sum_of(const T* a, const T* b, std::size_t dims) {
  double wide[n_wide] = {}, sums[n_sums] = {}, rest = 0;
  std::size_t c = 0;
  for (; c + n_wide <= dims; c += n_wide) {
    for (std::size_t l = 0; l < n_wide; ++l) wide[l] += term<Term>(a, b, c + l);
  }
  const double most = c > 0 ? total(wide, n_wide) : 0;
  for (; c + n_sums <= dims; c += n_sums) {
    for (std::size_t l = 0; l < n_sums; ++l) sums[l] += term<Term>(a, b, c + l);
  }
  for (; c < dims; ++c) rest += term<Term>(a, b, c);
  return (most + total(sums, n_sums)) + rest;
}

// Counts are those of 32 bits for floats, of 64 for doubles: as wide as what is compared.
template <class T>
[[gnu::always_inline]] inline double hamming(const T* a, const T* b, std::size_t dims) {
  using Count = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Count n_other = 0;
  for (std::size_t c = 0; c < dims; ++c) n_other += a[c] != b[c] ? Count{1} : Count{0};
  return static_cast<double>(n_other);
}

template <class T>
[[gnu::always_inline]] inline double jaccard(const T* a, const T* b, std::size_t dims) {
  using Count = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Count n_both = 0, n_any = 0;
  for (std::size_t c = 0; c < dims; ++c) {
    const Count in_a = a[c] != 0 ? 1 : 0, in_b = b[c] != 0 ? 1 : 0;
    n_both += in_a & in_b;
    n_any += in_a | in_b;
  }
  return n_any == 0 ? 0 : static_cast<double>(n_any - n_both) / static_cast<double>(n_any);
}

struct Gap {
  [[gnu::always_inline]] static double of(double x, double y) { return std::abs(x - y); }
};
struct Sum {
  [[gnu::always_inline]] static double of(double x, double y) { return x + y; }
};
/// 0 / 0 is 0.
struct Share {
  [[gnu::always_inline]] static double of(double x, double y) {
    const double size = std::abs(x) + std::abs(y);
    return std::abs(x - y) / (size > 0 ? size : 1.0);
  }
};

template <class T>
[[gnu::always_inline]] inline double braycurtis(const T* a, const T* b, std::size_t dims) {
  const double gap = sum_of<Gap>(a, b, dims), sum = sum_of<Sum>(a, b, dims);
  return sum > 0 ? gap / sum : 0;
}

/// Root of the mean of both divergences from the mean m of two distributions: p log p + q log q -
/// 2 m log m. Rows are p, then p log p; so one logarithm a column, many columns at once. Equal rows
/// give 0 exactly.
template <class T>
[[gnu::always_inline]] inline double jensen_shannon(const T* a, const T* b, std::size_t dims) {
  // Where both shares are 0 the logarithm does not matter, but has to be taken of something.
  constexpr double least = std::numeric_limits<double>::min();
  const std::size_t n_shares = dims / 2;
  double logs[n_buffered], terms[n_buffered];
  double sums[n_sums] = {};
  for (std::size_t from = 0; from < n_shares; from += n_buffered) {
    const std::size_t count = std::min(n_shares - from, n_buffered);
    const T *own = a + from, *other = b + from;
    for (std::size_t c = 0; c < count; ++c) {
      const double mean = 0.5 * (static_cast<double>(own[c]) + static_cast<double>(other[c]));
      logs[c] = mean > least ? mean : least;
    }
    log_in_place(logs, count);
    for (std::size_t c = 0; c < count; ++c) {
      const double both = static_cast<double>(own[c]) + static_cast<double>(other[c]);
      terms[c] = (static_cast<double>(own[n_shares + c]) + static_cast<double>(other[n_shares + c])) -
                 both * logs[c];
    }
    const std::size_t whole = count - count % n_sums;
    for (std::size_t c = 0; c < whole; c += n_sums) {
      for (std::size_t l = 0; l < n_sums; ++l) sums[l] += terms[c + l];
    }
    for (std::size_t c = whole; c < count; ++c) sums[c - whole] += terms[c];
  }
  return std::sqrt(std::max(0.0, 0.5 * total(sums, n_sums)));
}

template <Measure measure, class T>
[[gnu::always_inline]] inline void measure_each(const T* query, const T* rows, std::size_t dims,
                                                const Index* ids, std::size_t count, double* out) {
  for (std::size_t k = 0; k < count; ++k) {
    const T* row = rows + (ids == nullptr ? k : static_cast<std::size_t>(ids[k])) * dims;
    if constexpr (measure == Measure::hamming) out[k] = hamming(query, row, dims);
    if constexpr (measure == Measure::jaccard) out[k] = jaccard(query, row, dims);
    if constexpr (measure == Measure::braycurtis) out[k] = braycurtis(query, row, dims);
    if constexpr (measure == Measure::canberra) out[k] = sum_of<Share>(query, row, dims);
    if constexpr (measure == Measure::jensen_shannon) out[k] = jensen_shannon(query, row, dims);
  }
}

// Each is compiled for its own width.
#define GEOTHERM_MEASURE(name, T)                                                              \
  GEOTHERM_WIDE void name##_of(const T* query, const T* rows, std::size_t dims,                \
                               const Index* ids, std::size_t count, double* out) {             \
    measure_each<Measure::name>(query, rows, dims, ids, count, out);                           \
  }
GEOTHERM_MEASURE(hamming, float)
GEOTHERM_MEASURE(hamming, double)
GEOTHERM_MEASURE(jaccard, float)
GEOTHERM_MEASURE(jaccard, double)
GEOTHERM_MEASURE(braycurtis, float)
GEOTHERM_MEASURE(braycurtis, double)
GEOTHERM_MEASURE(canberra, float)
GEOTHERM_MEASURE(canberra, double)
GEOTHERM_MEASURE(jensen_shannon, float)
GEOTHERM_MEASURE(jensen_shannon, double)
#undef GEOTHERM_MEASURE

}  // namespace

template <class T>
void measure_pairs(Measure measure, const T* query, const T* rows, std::size_t dims,
                   const Index* ids, std::size_t count, double* out) {
  switch (measure) {
    case Measure::hamming:
      return hamming_of(query, rows, dims, ids, count, out);
    case Measure::jaccard:
      return jaccard_of(query, rows, dims, ids, count, out);
    case Measure::braycurtis:
      return braycurtis_of(query, rows, dims, ids, count, out);
    case Measure::canberra:
      return canberra_of(query, rows, dims, ids, count, out);
    default:
      return jensen_shannon_of(query, rows, dims, ids, count, out);
  }
}
template void measure_pairs(Measure, const float*, const float*, std::size_t, const Index*,
                            std::size_t, double*);
template void measure_pairs(Measure, const double*, const double*, std::size_t, const Index*,
                            std::size_t, double*);

}  // namespace geotherm::detail
