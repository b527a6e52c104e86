// Values in, order and ranks out. Doubles are mapped to integers of the same order and sorted
// digit by digit, least significant first: stable, so that ties stay in order of index.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "geotherm/metrics.hpp"
#include "metrics/order.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr unsigned digit_bits = 11;
constexpr unsigned n_digits = 6;  // 66 bits cover the key
constexpr std::size_t n_buckets = std::size_t{1} << digit_bits;
// Below this many values the histograms cost more than comparisons.
constexpr std::size_t comparison_limit = 768;

std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

std::size_t digit(std::uint64_t key, unsigned d) {
  return static_cast<std::size_t>(key >> (d * digit_bits)) & (n_buckets - 1);
}

}  // namespace

std::span<const Sorter::Entry> Sorter::sort(std::span<const double> values) {
  const std::size_t n = values.size();
  entries_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    entries_[i] = {key_of(values[i]), static_cast<std::uint32_t>(i)};
  }
  if (n < comparison_limit) {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    });
    return entries_;
  }
  std::array<std::array<std::uint32_t, n_buckets>, n_digits> counts{};
  for (const Entry& e : entries_) {
    for (unsigned d = 0; d < n_digits; ++d) ++counts[d][digit(e.key, d)];
  }
  other_.resize(n);
  for (unsigned d = 0; d < n_digits; ++d) {
    auto& places = counts[d];
    if (places[digit(entries_[0].key, d)] == n) continue;  // all share this digit
    std::uint32_t place = 0;
    for (std::uint32_t& p : places) place += std::exchange(p, place);
    for (const Entry& e : entries_) other_[places[digit(e.key, d)]++] = e;
    entries_.swap(other_);
  }
  return entries_;
}

void average_ranks(std::span<const double> values, Sorter& sorter, std::span<double> out) {
  const auto sorted = sorter.sort(values);
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end].key == sorted[begin].key) ++end;
    // Positions begin + 1 ... end share their mean, an integer or a half: exact.
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (std::size_t k = begin; k < end; ++k) out[sorted[k].index] = rank;
    begin = end;
  }
}

void nearest_in_row(std::span<const double> row, std::size_t self, std::size_t k,
                    std::vector<Index>& out) {
  out.clear();
  // A heap with the farthest kept entry on top. Indices rise, so an equal distance never displaces.
  const auto nearer = [&](Index a, Index b) {
    const double da = row[static_cast<std::size_t>(a)], db = row[static_cast<std::size_t>(b)];
    return da != db ? da < db : a < b;
  };
  double farthest = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j == self) continue;
    if (out.size() < k) {
      out.push_back(static_cast<Index>(j));
      if (out.size() < k) continue;
      std::make_heap(out.begin(), out.end(), nearer);
    } else {
      if (!(row[j] < farthest)) continue;
      std::pop_heap(out.begin(), out.end(), nearer);
      out.back() = static_cast<Index>(j);
      std::push_heap(out.begin(), out.end(), nearer);
    }
    farthest = row[static_cast<std::size_t>(out.front())];
  }
  std::sort_heap(out.begin(), out.end(), nearer);
}

}  // namespace detail

std::vector<double> ranks(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      throw InvalidArgument("value " + std::to_string(i) + " is NaN: it has no rank; leave it out");
    }
  }
  std::vector<double> result(values.size());
  detail::Sorter sorter;
  detail::average_ranks(values, sorter, result);
  return result;
}

}  // namespace geotherm
