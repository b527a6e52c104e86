// Finds rows that are the same point. One pass with a hash table: O(rows x columns).
#include <algorithm>
#include <bit>

#include "geotherm/points.hpp"

namespace geotherm {
namespace {

/// The bits of a coordinate; 0 and -0 are equal.
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x); }
std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x == 0 ? 0.0F : x); }

template <class T>
std::uint64_t hash_of(std::span<const T> row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const T x : row) {
    hash = std::rotl(hash ^ bits_of(x), 27) * 0x9fb21c651e98df25ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

template <class T>
bool are_equal(std::span<const T> a, std::span<const T> b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (bits_of(a[j]) != bits_of(b[j])) return false;
  }
  return true;
}

/// Rows in parts by the leading bits of their hashes: equal rows are in one part, and parts do not
/// know of each other.
template <class T>
class EqualRows {
 public:
  EqualRows(MatrixView<const T> points, const Context& context)
      : points_(points), hashes_(points.rows), first_(points.rows) {
    parallel_for(context, points.rows, 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) hashes_[i] = hash_of(points.row(i));
    });
    constexpr std::size_t rows_of_part = 16384;
    n_bits_ = std::min<std::size_t>(6, std::bit_width(points.rows / rows_of_part));
    parallel_for(context, std::size_t{1} << n_bits_, 1,
                 [&](std::size_t part, std::size_t) { find(part); });
  }
  /// The first row that equals row i.
  Index first(std::size_t i) const { return first_[i]; }

 private:
  std::size_t part_of(std::uint64_t hash) const {
    return n_bits_ == 0 ? 0 : hash >> (64 - n_bits_);
  }

  void find(std::size_t part) {
    std::size_t count = 0;
    for (const std::uint64_t hash : hashes_) count += part_of(hash) == part ? 1 : 0;
    // Open addressing at most half full; a slot holds a row, or -1.
    const std::size_t n_slots = std::bit_ceil(2 * count + 1);
    std::vector<Index> slots(n_slots, -1);
    for (std::size_t i = 0; i < points_.rows; ++i) {
      if (part_of(hashes_[i]) != part) continue;
      std::size_t slot = hashes_[i] & (n_slots - 1);
      for (; slots[slot] >= 0; slot = (slot + 1) & (n_slots - 1)) {
        const auto other = static_cast<std::size_t>(slots[slot]);
        if (hashes_[other] != hashes_[i]) continue;
        if (are_equal<T>(points_.row(other), points_.row(i))) break;
      }
      if (slots[slot] < 0) slots[slot] = static_cast<Index>(i);
      first_[i] = slots[slot];
    }
  }

  MatrixView<const T> points_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Index> first_;
  std::size_t n_bits_ = 0;
};

template <class T>
UniqueRows unique_rows_of(MatrixView<const T> points, const Context& context) {
  UniqueRows result;
  result.unique_inverse.resize(points.rows);
  if (points.rows == 0) return result;
  const EqualRows<T> equal(points, context);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto first = static_cast<std::size_t>(equal.first(i));
    if (first == i) {
      result.unique_inverse[i] = static_cast<Index>(result.first.size());
      result.first.push_back(static_cast<Index>(i));
    } else {
      result.unique_inverse[i] = result.unique_inverse[first];
    }
  }
  return result;
}

}  // namespace

UniqueRows find_unique_rows(MatrixView<const double> points, const Context& context) {
  return unique_rows_of(points, context);
}
UniqueRows find_unique_rows(MatrixView<const float> points, const Context& context) {
  return unique_rows_of(points, context);
}

}  // namespace geotherm
