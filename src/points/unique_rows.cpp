// Finds rows that are the same point. One pass with a hash table: O(rows x columns).
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

template <class T>
UniqueRows unique_rows_of(MatrixView<const T> points) {
  UniqueRows result;
  result.unique_inverse.resize(points.rows);
  if (points.rows == 0) return result;
  // Open addressing at most half full; a slot holds a position in `first`, or -1.
  const std::size_t n_slots = std::bit_ceil(2 * points.rows);
  std::vector<Index> slots(n_slots, -1);
  std::vector<std::uint64_t> hashes;  // of the distinct rows
  for (std::size_t i = 0; i < points.rows; ++i) {
    const std::span<const T> row = points.row(i);
    const std::uint64_t hash = hash_of(row);
    std::size_t slot = hash & (n_slots - 1);
    for (; slots[slot] >= 0; slot = (slot + 1) & (n_slots - 1)) {
      const auto place = static_cast<std::size_t>(slots[slot]);
      if (hashes[place] != hash) continue;
      if (are_equal<T>(points.row(static_cast<std::size_t>(result.first[place])), row)) break;
    }
    if (slots[slot] < 0) {
      slots[slot] = static_cast<Index>(result.first.size());
      result.first.push_back(static_cast<Index>(i));
      hashes.push_back(hash);
    }
    result.unique_inverse[i] = slots[slot];
  }
  return result;
}

}  // namespace

UniqueRows find_unique_rows(MatrixView<const double> points) { return unique_rows_of(points); }
UniqueRows find_unique_rows(MatrixView<const float> points) { return unique_rows_of(points); }

}  // namespace geotherm
