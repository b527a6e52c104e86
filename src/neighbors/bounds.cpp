#include "neighbors/bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "core/simd.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t word_bits = 64;
// Bytes of a row are filled up to so many, floats of a row to float_block.
constexpr std::size_t byte_block = 64;
constexpr std::size_t float_block = 64;

// Canberra of counts by codes: 0 for 0, and from unit_gap on codes whose gaps are never above
// unit_gap times (y - x) / (y + x), which bounds_test.cpp checks for all pairs of counts. So a gap
// that is cut to unit_gap is that of counts of which one is 0. Larger counts have the code of the
// last.
constexpr std::size_t n_codes = 256;
constexpr int unit_gap = 30;
constexpr std::array<std::uint8_t, n_codes> codes_of_counts() {
  std::array<std::uint8_t, n_codes> codes = {0, unit_gap};
  for (int y = 2; y < static_cast<int>(n_codes); ++y) {
    int most = 2 * unit_gap;
    for (int x = 1; x < y; ++x) {
      most = std::min(most, codes[static_cast<std::size_t>(x)] + unit_gap * (y - x) / (y + x));
    }
    codes[static_cast<std::size_t>(y)] = static_cast<std::uint8_t>(most);
  }
  return codes;
}
constexpr std::array<std::uint8_t, n_codes> canberra_codes = codes_of_counts();
// What sums in another order may differ by.
constexpr double rounding_margin = 1 - 1e-9;

std::size_t at(const Index* ids, std::size_t first, std::size_t k) {
  return ids == nullptr ? first + k : static_cast<std::size_t>(ids[k]);
}

using Word = std::uint64_t;
using Byte = std::uint8_t;

[[gnu::always_inline]] inline std::size_t n_common(const Word* a, const Word* b, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < n; ++w) count += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
  return count;
}

[[gnu::always_inline]] inline std::size_t n_other(const Word* a, const Word* b, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < n; ++w) count += static_cast<std::size_t>(std::popcount(a[w] ^ b[w]));
  return count;
}

GEOTHERM_WIDE void jaccard_bits(const Word* rows, std::size_t width, const double* sums,
                                std::size_t query, const Index* ids, std::size_t first,
                                std::size_t count, double* out) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t j = at(ids, first, k);
    const auto both =
        static_cast<double>(n_common(rows + query * width, rows + j * width, width));
    const double any = sums[query] + sums[j] - both;
    out[k] = any == 0 ? 0 : (any - both) / any;
  }
}

GEOTHERM_WIDE void hamming_bits(const Word* rows, std::size_t width, std::size_t query,
                                const Index* ids, std::size_t first, std::size_t count,
                                double* out) {
  for (std::size_t k = 0; k < count; ++k) {
    out[k] = static_cast<double>(
        n_other(rows + query * width, rows + at(ids, first, k) * width, width));
  }
}

GEOTHERM_WIDE void hamming_bytes(const Byte* rows, std::size_t width, std::size_t query,
                                 const Index* ids, std::size_t first, std::size_t count,
                                 double* out) {
  const Byte* a = rows + query * width;
  for (std::size_t k = 0; k < count; ++k) {
    const Byte* b = rows + at(ids, first, k) * width;
    std::uint32_t n_unlike = 0;
    // A lane's own count stays below 256.
    for (std::size_t from = 0; from < width; from += 255 * byte_block) {
      const std::size_t end = std::min(width, from + 255 * byte_block);
      Byte lanes[byte_block] = {};
      for (std::size_t c = from; c < end; c += byte_block) {
        for (std::size_t l = 0; l < byte_block; ++l) {
          lanes[l] = static_cast<Byte>(lanes[l] + (a[c + l] != b[c + l] ? 1 : 0));
        }
      }
      for (const Byte lane : lanes) n_unlike += lane;
    }
    out[k] = static_cast<double>(n_unlike);
  }
}

/// Sum of |a - b|; `width` is a multiple of 64. In this form compilers find the instruction for it.
[[gnu::always_inline]] inline std::uint64_t gap_of(const Byte* a, const Byte* b,
                                                   std::size_t width) {
  constexpr std::size_t most = std::size_t{1} << 20U;  // an int holds as many gaps of 255
  std::uint64_t sum = 0;
  for (std::size_t from = 0; from < width; from += most) {
    const std::size_t end = std::min(width, from + most);
    int gap = 0;
    for (std::size_t c = from; c < end; ++c) {
      gap += std::abs(static_cast<int>(a[c]) - static_cast<int>(b[c]));
    }
    sum += static_cast<std::uint64_t>(gap);
  }
  return sum;
}

/// Gaps of entries cut to 255 are at most the gaps.
GEOTHERM_WIDE void braycurtis_bytes(const Byte* rows, std::size_t width, const double* sums,
                                    std::size_t query, const Index* ids, std::size_t first,
                                    std::size_t count, double* out) {
  const Byte* a = rows + query * width;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t j = at(ids, first, k);
    const Byte* b = rows + j * width;
    const std::uint64_t gap = gap_of(a, b, width);
    const double sum = sums[query] + sums[j];
    out[k] = sum > 0 ? rounding_margin * static_cast<double>(gap) / sum : 0;
  }
}

/// Gaps of codes, at most unit_gap.
GEOTHERM_WIDE void canberra_bytes(const Byte* rows, std::size_t width, std::size_t query,
                                  const Index* ids, std::size_t first, std::size_t count,
                                  double* out) {
  // A lane's own sum stays below 256.
  constexpr std::size_t most = 255 / unit_gap * byte_block;
  const Byte* a = rows + query * width;
  for (std::size_t k = 0; k < count; ++k) {
    const Byte* b = rows + at(ids, first, k) * width;
    std::uint32_t sum = 0;
    for (std::size_t from = 0; from < width; from += most) {
      const std::size_t end = std::min(width, from + most);
      Byte lanes[byte_block] = {};
      for (std::size_t c = from; c < end; c += byte_block) {
        for (std::size_t l = 0; l < byte_block; ++l) {
          const Byte x = a[c + l], y = b[c + l];
          const Byte larger = x > y ? x : y, smaller = x > y ? y : x;
          const auto gap = static_cast<Byte>(larger - smaller);
          lanes[l] = static_cast<Byte>(lanes[l] + (gap < unit_gap ? gap : Byte{unit_gap}));
        }
      }
      std::uint32_t part = 0;
      for (const Byte lane : lanes) part += lane;
      sum += part;
    }
    out[k] = static_cast<double>(sum) / unit_gap * rounding_margin;
  }
}

struct FloatGap {
  [[gnu::always_inline]] static float of(float x, float y) { return std::abs(x - y); }
};
struct FloatShare {
  [[gnu::always_inline]] static float of(float x, float y) {
    const float size = std::abs(x) + std::abs(y);
    return std::abs(x - y) / (size > 0 ? size : 1.0F);
  }
};
struct FloatSquare {
  [[gnu::always_inline]] static float of(float x, float y) { return (x - y) * (x - y); }
};

/// Rows are filled up with zeros, which add nothing.
template <class Term>
[[gnu::always_inline]] inline float float_sum(const float* a, const float* b, std::size_t width) {
  float lanes[float_block] = {};
  for (std::size_t c = 0; c < width; c += float_block) {
    for (std::size_t l = 0; l < float_block; ++l) lanes[l] += Term::of(a[c + l], b[c + l]);
  }
  for (std::size_t half = float_block / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

// What float32 loses in a sum of shares of 1, by the size of the sum and for each column.
double loss_of(std::size_t dims) {
  constexpr auto step = static_cast<double>(std::numeric_limits<float>::epsilon());
  return static_cast<double>(dims + 16) * step;
}

/// Where out[k] is up to limits[k]; the others stay. `sums` are those of the rows as they are, not
/// of their copies.
GEOTHERM_WIDE void braycurtis_floats(const float* rows, std::size_t width, const double* sums,
                                     double scale, std::size_t query, const Index* ids,
                                     std::size_t first, std::size_t count,
                                     const double* limits, double* out) {
  const double loss = loss_of(width);
  for (std::size_t k = 0; k < count; ++k) {
    if (!(out[k] <= limits[k])) continue;
    const std::size_t j = at(ids, first, k);
    const float gap = float_sum<FloatGap>(rows + query * width, rows + j * width, width);
    const double sum = (sums[query] + sums[j]) * scale;
    out[k] = sum > 0 ? static_cast<double>(gap) / sum * (1 - loss) - loss : 0;
  }
}

/// Where out[k] is up to limits[k]; the others stay.
GEOTHERM_WIDE void canberra_floats(const float* rows, std::size_t width, std::size_t query,
                                   const Index* ids, std::size_t first, std::size_t count,
                                   const double* limits, double* out) {
  const double loss = loss_of(width);
  for (std::size_t k = 0; k < count; ++k) {
    if (!(out[k] <= limits[k])) continue;
    const float sum =
        float_sum<FloatShare>(rows + query * width, rows + at(ids, first, k) * width, width);
    out[k] = static_cast<double>(sum) * (1 - loss) - 4 * loss;
  }
}

/// Of roots of shares: both divergences together are at least ln 2 / 2 of sum (sqrt p - sqrt q)^2.
GEOTHERM_WIDE void jensen_shannon_floats(const float* rows, std::size_t width, std::size_t query,
                                         const Index* ids, std::size_t first, std::size_t count,
                                         double* out) {
  const double loss = loss_of(width), factor = std::sqrt(0.5 * std::numbers::ln2);
  for (std::size_t k = 0; k < count; ++k) {
    const float sum =
        float_sum<FloatSquare>(rows + query * width, rows + at(ids, first, k) * width, width);
    const double length = std::sqrt(static_cast<double>(sum) * (1 - loss)) - 4 * loss;
    out[k] = factor * std::max(0.0, length);
  }
}

/// What the form of the copies depends on.
struct Entries {
  double largest = 0;
  double least = std::numeric_limits<double>::infinity();  ///< size of those that are not 0
  std::size_t n_zero = 0;
  bool are_counts = true;
};

template <class T>
Entries entries_of(const Matrix<T>& rows) {
  Entries found;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto x = static_cast<double>(rows.data()[k]);
    if (x == 0) {
      ++found.n_zero;
      continue;
    }
    const double size = std::abs(x);
    found.largest = std::max(found.largest, size);
    found.least = std::min(found.least, size);
    if (found.are_counts && (x < 0 || x != std::floor(x))) found.are_counts = false;
  }
  return found;
}

std::size_t filled_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

}  // namespace

template <class T>
void PairBounds::choose(const Space<T>& space) {
  const Measure measure = space.measure;
  if (measure == Measure::jaccard) {
    form_ = Form::jaccard_bits;
    return;
  }
  if (measure == Measure::jensen_shannon) {
    form_ = Form::jensen_shannon_floats;
    dims_ /= 2;
    return;
  }
  const Entries entries = entries_of(space.rows);
  if (entries.largest > 0) scale_ = std::ldexp(1.0, -std::ilogb(entries.largest));
  // Smaller ones would lose digits in float32.
  const bool suits_floats = !(entries.least * scale_ < 1e-30) && scale_ > 0 && scale_ < 1e300;
  if (measure == Measure::hamming && entries.are_counts && entries.largest <= 255) {
    form_ = entries.largest <= 1 ? Form::hamming_bits : Form::hamming_bytes;
  } else if (measure == Measure::braycurtis && entries.are_counts && entries.largest < 1e15) {
    form_ = Form::braycurtis_bytes;
  } else if (measure == Measure::canberra && entries.are_counts && suits_floats &&
             4 * entries.n_zero > space.rows.size()) {
    form_ = Form::canberra_bytes;
  } else if (measure == Measure::braycurtis && suits_floats) {
    form_ = Form::braycurtis_floats;
  } else if (measure == Measure::canberra && suits_floats) {
    form_ = Form::canberra_floats;
  }
}

template <class T>
void PairBounds::fill(const Space<T>& space) {
  const std::size_t n = space.n_points(), n_words = (dims_ + word_bits - 1) / word_bits;
  const bool is_canberra = form_ == Form::canberra_bytes;
  if (form_ == Form::jaccard_bits || form_ == Form::hamming_bits) {
    width_ = n_words;
    bits_.assign(n * width_, 0);
  } else if (form_ == Form::hamming_bytes || form_ == Form::braycurtis_bytes || is_canberra) {
    width_ = filled_up(dims_, byte_block);
    bytes_.assign(n * width_, 0);
  }
  // Bytes are loose where entries were cut.
  const bool is_cut = form_ == Form::braycurtis_bytes && scale_ < 1.0 / 128;
  if (is_canberra || is_cut || width_ == 0) {
    float_width_ = filled_up(dims_, float_block);
    floats_.assign(n * float_width_, 0);
  }
  sums_.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < dims_; ++c) {
      const auto x = static_cast<double>(space.rows(i, c));
      if (!bits_.empty()) {
        if (x != 0) bits_[i * width_ + c / word_bits] |= Word{1} << (c % word_bits);
        sums_[i] += x != 0 ? 1 : 0;
        continue;
      }
      if (!bytes_.empty()) {
        const auto cut = static_cast<std::size_t>(std::min(x, 255.0));
        bytes_[i * width_ + c] = is_canberra ? canberra_codes[cut] : static_cast<Byte>(cut);
      }
      if (!floats_.empty()) {
        const double y = form_ == Form::jensen_shannon_floats ? std::sqrt(x) : x * scale_;
        floats_[i * float_width_ + c] = static_cast<float>(y);
      }
      sums_[i] += x;
    }
  }
}

template <class T>
PairBounds::PairBounds(const Space<T>& space) : dims_(space.dims()) {
  if (has_boxes(space.measure)) return;
  choose(space);
  if (form_ != Form::none) fill(space);
}
template PairBounds::PairBounds(const Space<float>&);
template PairBounds::PairBounds(const Space<double>&);

double PairBounds::above(double bound) const {
  const double loss = loss_of(float_width_);
  switch (form_) {
    case Form::jaccard_bits:
    case Form::hamming_bits:
    case Form::hamming_bytes:
      return bound;
    case Form::braycurtis_bytes:
      // Bounds were made less by one margin, measures may be more by another.
      if (floats_.empty()) return bound / rounding_margin * (2 - rounding_margin);
      [[fallthrough]];
    case Form::braycurtis_floats:
      return (bound + loss) / (1 - loss) * (1 + loss) + loss;
    case Form::canberra_bytes:
    case Form::canberra_floats:
      return (bound + 4 * loss) / (1 - loss) * (1 + loss) + 4 * loss;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

void PairBounds::below(std::size_t query, const Index* ids, std::size_t first, std::size_t count,
                       const double* limits, double* out) const {
  switch (form_) {
    case Form::jaccard_bits:
      return jaccard_bits(bits_.data(), width_, sums_.data(), query, ids, first, count, out);
    case Form::hamming_bits:
      return hamming_bits(bits_.data(), width_, query, ids, first, count, out);
    case Form::hamming_bytes:
      return hamming_bytes(bytes_.data(), width_, query, ids, first, count, out);
    case Form::braycurtis_bytes:
      braycurtis_bytes(bytes_.data(), width_, sums_.data(), query, ids, first, count, out);
      if (floats_.empty()) return;
      return braycurtis_floats(floats_.data(), float_width_, sums_.data(), scale_, query, ids,
                               first, count, limits, out);
    case Form::canberra_bytes:
      canberra_bytes(bytes_.data(), width_, query, ids, first, count, out);
      return canberra_floats(floats_.data(), float_width_, query, ids, first, count, limits, out);
    case Form::braycurtis_floats:
      std::fill(out, out + count, 0.0);
      return braycurtis_floats(floats_.data(), float_width_, sums_.data(), scale_, query, ids,
                               first, count, limits, out);
    case Form::canberra_floats:
      std::fill(out, out + count, 0.0);
      return canberra_floats(floats_.data(), float_width_, query, ids, first, count, limits, out);
    case Form::jensen_shannon_floats:
      return jensen_shannon_floats(floats_.data(), float_width_, query, ids, first, count, out);
    case Form::none:
      return;
  }
}

}  // namespace geotherm::detail
