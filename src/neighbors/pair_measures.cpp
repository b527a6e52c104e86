#include "neighbors/pair_measures.hpp"

#include <cmath>

namespace geotherm::detail {
namespace {

template <class T>
double hamming(const T* a, const T* b, std::size_t dims) {
  std::size_t n_other = 0;
  for (std::size_t c = 0; c < dims; ++c) n_other += a[c] != b[c] ? 1 : 0;
  return static_cast<double>(n_other);
}

template <class T>
double jaccard(const T* a, const T* b, std::size_t dims) {
  std::size_t n_both = 0, n_any = 0;
  for (std::size_t c = 0; c < dims; ++c) {
    const bool in_a = a[c] != 0, in_b = b[c] != 0;
    n_both += in_a && in_b ? 1 : 0;
    n_any += in_a || in_b ? 1 : 0;
  }
  return n_any == 0 ? 0 : static_cast<double>(n_any - n_both) / static_cast<double>(n_any);
}

template <class T>
double braycurtis(const T* a, const T* b, std::size_t dims) {
  double gaps = 0, sums = 0;
  for (std::size_t c = 0; c < dims; ++c) {
    const double x = static_cast<double>(a[c]), y = static_cast<double>(b[c]);
    gaps += std::abs(x - y);
    sums += x + y;
  }
  return sums > 0 ? gaps / sums : 0;
}

template <class T>
double canberra(const T* a, const T* b, std::size_t dims) {
  double sum = 0;
  for (std::size_t c = 0; c < dims; ++c) {
    const double x = static_cast<double>(a[c]), y = static_cast<double>(b[c]);
    const double size = std::abs(x) + std::abs(y);
    if (size > 0) sum += std::abs(x - y) / size;
  }
  return sum;
}

/// Root of the mean of both divergences from the mean of two distributions.
template <class T>
double jensen_shannon(const T* a, const T* b, std::size_t dims) {
  double sum = 0;
  for (std::size_t c = 0; c < dims; ++c) {
    const double p = static_cast<double>(a[c]), q = static_cast<double>(b[c]);
    const double mean = 0.5 * (p + q);
    double term = 0;
    if (p > 0) term += p * std::log(p / mean);
    if (q > 0) term += q * std::log(q / mean);
    sum += term;
  }
  return std::sqrt(std::max(0.0, 0.5 * sum));
}

template <class T, class Pair>
void measure_each(const T* query, const T* rows, std::size_t dims, const Index* ids,
                  std::size_t count, double* out, const Pair& pair) {
  for (std::size_t k = 0; k < count; ++k) {
    out[k] = pair(query, rows + (ids == nullptr ? k : static_cast<std::size_t>(ids[k])) * dims, dims);
  }
}

}  // namespace

template <class T>
void measure_pairs(Measure measure, const T* query, const T* rows, std::size_t dims,
                   const Index* ids, std::size_t count, double* out) {
  switch (measure) {
    case Measure::hamming:
      return measure_each(query, rows, dims, ids, count, out, hamming<T>);
    case Measure::jaccard:
      return measure_each(query, rows, dims, ids, count, out, jaccard<T>);
    case Measure::braycurtis:
      return measure_each(query, rows, dims, ids, count, out, braycurtis<T>);
    case Measure::canberra:
      return measure_each(query, rows, dims, ids, count, out, canberra<T>);
    default:
      return measure_each(query, rows, dims, ids, count, out, jensen_shannon<T>);
  }
}
template void measure_pairs(Measure, const float*, const float*, std::size_t, const Index*,
                            std::size_t, double*);
template void measure_pairs(Measure, const double*, const double*, std::size_t, const Index*,
                            std::size_t, double*);

}  // namespace geotherm::detail
