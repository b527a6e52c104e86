// Counting sort into the cells of a grid, folded into about as many buckets as there are points.
#include "refine/grid.hpp"

#include <algorithm>
#include <limits>

namespace geotherm::detail {
namespace {

constexpr std::size_t block = 16384;
constexpr std::uint64_t buckets_for_a_point = 4, fewest_buckets = 1024;

struct Bounds {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
};

Bounds bounds_of(std::span<const float> plane, const Context& context) {
  std::vector<Bounds> parts((plane.size() + block - 1) / block);
  parallel_for(context, plane.size(), block, [&](std::size_t begin, std::size_t end) {
    Bounds& part = parts[begin / block];
    for (std::size_t i = begin; i < end; ++i) {
      part.low = std::min(part.low, plane[i]);
      part.high = std::max(part.high, plane[i]);
    }
  });
  Bounds all;
  for (const Bounds& part : parts) {
    all.low = std::min(all.low, part.low);
    all.high = std::max(all.high, part.high);
  }
  return all;
}

/// Whether rows that begin at these cells keep apart in so many buckets.
bool keep_apart(std::span<const std::uint64_t> rows, std::uint64_t n_buckets) {
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const std::uint64_t apart = (rows[a] - rows[b]) % n_buckets;
      if (apart < 3 || apart > n_buckets - 3) return false;
    }
  }
  return true;
}

}  // namespace

void RefineGrid::sort(std::span<const float> places, std::size_t dimensions, float reach,
                      const Context& context, std::span<const Index> in_turn) {
  const std::size_t n = places.size() / dimensions;
  std::array<float, most_dimensions> low = {};
  std::array<std::uint64_t, most_dimensions> cells = {1, 1, 1}, stride = {1, 1, 1};
  for (std::size_t k = 0; k < dimensions; ++k) {
    const Bounds bounds = bounds_of(places.subspan(k * n, n), context);
    low[k] = bounds.low;
    // An empty cell before the first and one after the last: all cells around a point are there.
    cells[k] = static_cast<std::uint64_t>((bounds.high - bounds.low) / reach) + 3;
  }
  for (std::size_t k = dimensions - 1; k-- > 0;) stride[k] = stride[k + 1] * cells[k + 1];
  const std::uint64_t n_cells = stride[0] * cells[0];
  n_rows_ = dimensions == 1 ? 1 : dimensions == 2 ? 3 : 9;
  for (std::size_t r = 0; r < n_rows_; ++r) {
    rows_[r] = dimensions == 1   ? 0
               : dimensions == 2 ? r * stride[0]
                                 : r / 3 * stride[0] + r % 3 * stride[1];
  }
  std::uint64_t n_buckets = std::max<std::uint64_t>(buckets_for_a_point * n, fewest_buckets);
  if (n_cells <= n_buckets) n_buckets = n_cells;
  while (n_cells > n_buckets && !keep_apart(std::span(rows_).first(n_rows_), n_buckets)) {
    ++n_buckets;
  }
  // The first of the cells around one: one before along each axis.
  back_ = ((n_rows_ == 1 ? 0 : rows_[n_rows_ / 2]) + 1) % n_buckets;
  for (std::uint64_t& row : rows_) row %= n_buckets;
  bucket_.resize(n);
  order_.resize(n);
  sorted_.resize(dimensions * (n + slack));
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t cell = 0;
      for (std::size_t k = 0; k < dimensions; ++k) {
        const auto along = static_cast<std::uint64_t>((places[k * n + i] - low[k]) / reach);
        cell += (along + 1) * stride[k];
      }
      bucket_[i] = static_cast<std::uint32_t>(cell % n_buckets);
    }
  });
  begin_.assign(n_buckets + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++begin_[bucket_[i] + 1];
  for (std::size_t b = 0; b < n_buckets; ++b) begin_[b + 1] += begin_[b];
  // Each bucket's beginning moves to its end, which is where the next one begins.
  for (std::size_t t = 0; t < n; ++t) {
    const Index i = in_turn.empty() ? static_cast<Index>(t) : in_turn[t];
    order_[begin_[bucket_[static_cast<std::size_t>(i)]]++] = i;
  }
  for (std::size_t b = n_buckets; b > 0; --b) begin_[b] = begin_[b - 1];
  begin_[0] = 0;
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < dimensions; ++k) {
      float* const to = sorted_.data() + k * (n + slack);
      for (std::size_t r = begin; r < end; ++r) {
        to[r] = places[k * n + static_cast<std::size_t>(order_[r])];
      }
    }
  });
}

RefineGrid::Surroundings RefineGrid::around(std::size_t rank) const {
  const std::uint64_t n_buckets = begin_.size() - 1;
  // Sums of two buckets: divisions would take longer than all else here.
  const auto wrapped = [n_buckets](std::uint64_t b) { return b < n_buckets ? b : b - n_buckets; };
  const std::uint64_t first = wrapped(bucket_of_rank(rank) + n_buckets - back_);
  Surroundings result;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    const Range range{begin_[begin], begin_[end]};
    if (range.begin < range.end) result.ranges[result.count++] = range;
  };
  for (std::size_t r = 0; r < n_rows_; ++r) {
    const std::uint64_t at = wrapped(first + rows_[r]);
    add(at, std::min(at + 3, n_buckets));
    if (at + 3 > n_buckets) add(0, at + 3 - n_buckets);
  }
  return result;
}

}  // namespace geotherm::detail
