// Single precision: the steps are stochastic and far larger than its rounding. d^2b is taken for
// eight pairs at a time.
#include "embedding/umap_descent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/rng_stream.hpp"
#include "core/simd.hpp"
#include "core/state.hpp"
#include "core/vector_power.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t most_in_block = 512;     // points of one task
constexpr std::string_view purpose = "umap descent";  // of its draws
#ifdef GEOTHERM_WITH_CUDA
constexpr std::size_t fewest_on_device = 4096;  // fewer are sooner done than sent
static_assert(most_in_block <= DeviceUmap::most_in_block);
#endif
constexpr float largest_move = 4;              // of one pair along one axis, before the step
constexpr float least_square = 1.1920929e-7f;  // keeps d^2b and its quotient finite

[[gnu::always_inline]] inline float clamped(float x) {
  return std::min(std::max(x, -largest_move), largest_move);
}

struct Forces {
  float a = 1, b = 1, step = 1;
};

// What pulls `own` towards `other`: the coefficient of their difference, below 0.
[[gnu::always_inline]] inline float pull(const Forces& by, const float* own, const float* other,
                                         std::size_t dimensions) {
  float square = 0;
  for (std::size_t k = 0; k < dimensions; ++k) square += (own[k] - other[k]) * (own[k] - other[k]);
  square = std::max(square, least_square);
  const float p = power(square, by.b);
  return -2 * by.a * by.b * p / (square * (by.a * p + 1));
}

// Moves both ends of an edge towards one another.
GEOTHERM_WIDE void attract_both(const Forces& by, std::size_t dimensions, float* own,
                                float* other) {
  const float coefficient = pull(by, own, other, dimensions);
  for (std::size_t k = 0; k < dimensions; ++k) {
    const float move = by.step * clamped(coefficient * (own[k] - other[k]));
    own[k] += move;
    other[k] -= move;
  }
}

// Moves `own` alone, for both visits of the edge, this one's and that from its other end.
GEOTHERM_WIDE void attract_own(const Forces& by, const float* other, std::size_t dimensions,
                               float* own) {
  const float coefficient = pull(by, own, other, dimensions);
  for (std::size_t k = 0; k < dimensions; ++k) {
    own[k] += 2 * by.step * clamped(coefficient * (own[k] - other[k]));
  }
}

// Moves `own` away from eight others, of which the first `count` are meant; all eight are read.
GEOTHERM_WIDE void repel(const Forces& by, const float* positions, const Index* others,
                         std::size_t count, std::size_t dimensions, float* difference, float* own) {
  float square[lanes] = {}, coefficient[lanes];
  for (std::size_t k = 0; k < dimensions; ++k) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const float gap = own[k] - positions[static_cast<std::size_t>(others[l]) * dimensions + k];
      difference[k * lanes + l] = gap;
      square[l] += gap * gap;
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    const float s = std::max(square[l], least_square);
    coefficient[l] = 2 * by.b / ((0.001f + s) * (by.a * power(s, by.b) + 1));
    coefficient[l] = l < count ? coefficient[l] : 0.0f;
  }
  for (std::size_t k = 0; k < dimensions; ++k) {
    float sum = 0;
    for (std::size_t l = 0; l < lanes; ++l) {
      sum += clamped(coefficient[l] * difference[k * lanes + l]);
    }
    own[k] += by.step * sum;
  }
}

// Cuts `points` in halves at the median of the wider axis until they are small; `ends` gets where
// each block ends. Ties by index.
void cut_into_blocks(MatrixView<const double> coordinates, std::span<Index> points,
                     std::size_t first, std::vector<std::size_t>& ends) {
  if (points.size() <= most_in_block) {
    std::ranges::sort(points);
    ends.push_back(first + points.size());
    return;
  }
  std::size_t widest = 0;
  double width = -1;
  for (std::size_t k = 0; k < coordinates.cols; ++k) {
    const auto at = [&](Index p) { return coordinates(static_cast<std::size_t>(p), k); };
    const auto [low, high] = std::ranges::minmax(points, {}, at);
    if (at(high) - at(low) <= width) continue;
    width = at(high) - at(low);
    widest = k;
  }
  const std::size_t half = points.size() / 2;
  std::ranges::nth_element(
      points, points.begin() + static_cast<std::ptrdiff_t>(half), {},
      [&](Index p) { return std::pair(coordinates(static_cast<std::size_t>(p), widest), p); });
  cut_into_blocks(coordinates, points.first(half), first, ends);
  cut_into_blocks(coordinates, points.subspan(half), first + half, ends);
}

}  // namespace

UmapDescent::UmapDescent(const FuzzySets& sets, MatrixView<const double> start,
                         const UmapForces& forces, std::size_t n_epochs)
    : n_(sets.size()),
      dimensions_(start.cols),
      n_epochs_(n_epochs),
      a_(static_cast<float>(forces.a)),
      b_(static_cast<float>(forces.b)),
      negative_rate_(static_cast<float>(forces.negative_sample_rate)),
      offsets_(1, 0),
      point_(n_) {
  std::iota(point_.begin(), point_.end(), Index{0});
  cut_into_blocks(start, point_, 0, block_ends_);
  std::vector<Index> place(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    place[static_cast<std::size_t>(point_[i])] = static_cast<Index>(i);
  }
  double largest = 0;
  for (const auto& set : sets) {
    for (const auto& [to, membership] : set) largest = std::max(largest, membership);
  }
  for (const Index p : point_) {
    for (const auto& [to, membership] : sets[static_cast<std::size_t>(p)]) {
      // Less often than once in all epochs: never.
      if (membership < largest / static_cast<double>(n_epochs)) continue;
      const auto period = static_cast<float>(largest / membership);
      edges_.push_back({.to = place[static_cast<std::size_t>(to)],
                        .period = period,
                        .next = period,
                        .next_negative = period / negative_rate_});
    }
    offsets_.push_back(edges_.size());
    for (const double e : start.row(static_cast<std::size_t>(p))) {
      live_.push_back(static_cast<float>(e));
    }
  }
  seen_ = live_;
}

void UmapDescent::push_away(std::size_t i, std::size_t n_others, float step, Rng& rng,
                            std::span<float> difference) {
  Index others[lanes];
  for (std::size_t drawn = 0; drawn < n_others;) {
    std::size_t count = 0;
    while (count < lanes && drawn < n_others) {
      // Two numbers of 32 bits out of each 64: (bits n) / 2^32 is uniform but for n / 2^32.
      const std::uint64_t bits = rng.next();
      for (const std::uint64_t half : {bits >> 32, bits & 0xffffffff}) {
        if (count == lanes || drawn == n_others) break;
        const auto other = static_cast<Index>((half * n_) >> 32);
        ++drawn;
        if (static_cast<std::size_t>(other) != i) others[count++] = other;
      }
    }
    std::fill(others + count, others + lanes, static_cast<Index>(i));
    repel({.a = a_, .b = b_, .step = step}, seen_.data(), others, count, dimensions_,
          difference.data(), live_.data() + i * dimensions_);
  }
}

void UmapDescent::run_block(std::size_t begin, std::size_t end, Rng& rng) {
  const auto epoch = static_cast<float>(epoch_);
  const Forces by{.a = a_, .b = b_, .step = 1 - epoch / static_cast<float>(n_epochs_)};
  std::vector<float> difference(dimensions_ * lanes);
  for (std::size_t i = begin; i < end; ++i) {
    float* own = live_.data() + i * dimensions_;
    for (std::size_t e = offsets_[i]; e < offsets_[i + 1]; ++e) {
      Edge& edge = edges_[e];
      if (edge.next > epoch) continue;
      const auto other = static_cast<std::size_t>(edge.to);
      if (other >= begin && other < end) {
        attract_both(by, dimensions_, own, live_.data() + other * dimensions_);
      } else {
        attract_own(by, seen_.data() + other * dimensions_, dimensions_, own);
      }
      const float per_negative = edge.period / negative_rate_;
      const auto n_negative =
          static_cast<std::size_t>(std::max(0.0f, (epoch - edge.next_negative) / per_negative));
      push_away(i, n_negative, by.step, rng, difference);
      edge.next += edge.period;
      edge.next_negative += static_cast<float>(n_negative) * per_negative;
    }
  }
}

void UmapDescent::advance(const Context& context) {
#ifdef GEOTHERM_WITH_CUDA
  if (advance_on_device(context)) return;
#endif
  const std::size_t n_blocks = block_ends_.size();
  parallel_for(context, n_blocks, 1, [&](std::size_t b, std::size_t) {
    Rng rng(context.seed, purpose, epoch_ * n_blocks + b);
    run_block(b == 0 ? 0 : block_ends_[b - 1], block_ends_[b], rng);
  });
  seen_ = live_;
  ++epoch_;
}

#ifdef GEOTHERM_WITH_CUDA
bool UmapDescent::advance_on_device(const Context& context) {
  Device* const device = device_of(context);
  if (device == nullptr || n_ < fewest_on_device || dimensions_ > DeviceUmap::most_dimensions) {
    return false;
  }
  if (!on_device_) {
    std::vector<Index> to(edges_.size());
    std::vector<float> periods(edges_.size()), next(edges_.size()), next_negative(edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      to[e] = edges_[e].to;
      periods[e] = edges_[e].period;
      next[e] = edges_[e].next;
      next_negative[e] = edges_[e].next_negative;
    }
    on_device_ = std::make_shared<DeviceUmap>(*device,
                                              DeviceUmap::Arrays{.n = n_,
                                                                 .dimensions = dimensions_,
                                                                 .a = a_,
                                                                 .b = b_,
                                                                 .negative_rate = negative_rate_,
                                                                 .block_ends = block_ends_,
                                                                 .offsets = offsets_,
                                                                 .to = to,
                                                                 .periods = periods,
                                                                 .next = next,
                                                                 .next_negative = next_negative,
                                                                 .places = live_});
  }
  const auto epoch = static_cast<float>(epoch_);
  on_device_->advance(epoch, 1 - epoch / static_cast<float>(n_epochs_),
                      stream_base(context.seed, purpose), epoch_ * block_ends_.size());
  ++epoch_;
  if (context.checkpoint != nullptr) {
    std::vector<float> next(edges_.size()), next_negative(edges_.size());
    on_device_->get(next, next_negative);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      edges_[e].next = next[e];
      edges_[e].next_negative = next_negative[e];
    }
    on_device_->get_places(live_);
  }
  return true;
}
#endif

bool UmapDescent::take_up(std::string_view stage, const Context& context) {
  std::size_t epoch = 0;
  std::vector<Edge> edges;
  std::vector<float> live;
  auto kept = std::tie(epoch, edges, live);
  if (!detail::take_up(context, stage, kept)) return false;
  if (edges.size() != edges_.size() || live.size() != live_.size() || epoch > n_epochs_) {
    return false;
  }
  epoch_ = epoch;
  edges_ = std::move(edges);
  live_ = std::move(live);
  seen_ = live_;
  return true;
}

Matrix<double> UmapDescent::coordinates() const {
  auto result = Matrix<double>::uninitialized(n_, dimensions_);
  const std::vector<float>* places = &live_;
#ifdef GEOTHERM_WITH_CUDA
  std::vector<float> there(live_.size());
  if (on_device_) {
    on_device_->get_places(there);
    places = &there;
  }
#endif
  for (std::size_t i = 0; i < n_; ++i) {
    const auto row = result.row(static_cast<std::size_t>(point_[i]));
    for (std::size_t k = 0; k < dimensions_; ++k) {
      row[k] = static_cast<double>((*places)[i * dimensions_ + k]);
    }
  }
  return result;
}

}  // namespace geotherm::detail
