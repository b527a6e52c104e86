// Forces of UMAP's objective in gather form, and Adam with one scale a point. Single precision: the
// steps are stochastic and far larger than its rounding.
#include "refine/descent.hpp"

#include <algorithm>
#include <cmath>

#include "core/large_pages.hpp"
#include "core/simd.hpp"
#include "core/state.hpp"
#include "core/vector_power.hpp"
#include "refine/objective.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t lanes = refine_lanes;
constexpr std::size_t most_dimensions = 3;
constexpr std::size_t block = 512;     // points of one task
constexpr float least_square = refine_least_square, largest_push = refine_largest_push;
constexpr float softening = refine_softening;
constexpr float keep_force = refine_keep_force, keep_square = refine_keep_square;
constexpr float a = refine_a, b = refine_b;

// Entries that one loop works on: long enough to become a wide one.
constexpr std::size_t together = 64;

/// force[k] += 2 b times the sum over `count` others (whole lanes) of factor_of(entry, square of the
/// distance) and the difference along k. Sums are kept lane by lane, whatever the width of loops.
template <std::size_t K, class Factor>
[[gnu::always_inline]] inline void add_forces(const float* places, std::size_t n, std::size_t own, const Index* others,
                       std::size_t count, const Factor& factor_of, float* force) {
  float sum[K][lanes] = {};
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::size_t n_now = std::min(together, count - begin);
    float gap[K][together], factor[together];
    for (std::size_t k = 0; k < K; ++k) {
      const float* plane = places + k * n;
      const float here = plane[own];
      for (std::size_t l = 0; l < n_now; ++l) gap[k][l] = here - plane[others[begin + l]];
    }
    for (std::size_t l = 0; l < n_now; ++l) {
      float square = gap[0][l] * gap[0][l];
      for (std::size_t k = 1; k < K; ++k) square += gap[k][l] * gap[k][l];
      factor[l] = factor_of(begin + l, larger(square, least_square));
    }
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t e = 0; e < n_now; e += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) sum[k][l] += factor[e + l] * gap[k][e + l];
      }
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    float total = 0;
    for (std::size_t l = 0; l < lanes; ++l) total += sum[k][l];
    force[k] += 2 * b * total;
  }
}

template <class Factor>
[[gnu::always_inline]] inline void add_forces_of(std::size_t dimensions, const float* places, std::size_t n,
                          std::size_t own, const Index* others, std::size_t count,
                          const Factor& factor_of, float* force) {
  if (dimensions == 1) add_forces<1>(places, n, own, others, count, factor_of, force);
  if (dimensions == 2) add_forces<2>(places, n, own, others, count, factor_of, force);
  if (dimensions == 3) add_forces<3>(places, n, own, others, count, factor_of, force);
}

/// Adds to `force` what others pull with: w grad log(1 + a d^2b).
GEOTHERM_WIDE void pull(const float* places, std::size_t n, std::size_t dimensions, std::size_t own,
                        const Index* others, const float* weights, std::size_t count,
                        float* force) {
  const auto factor_of = [weights](std::size_t e, float square) {
    const float p = a * power(square, b);
    return weights[e] * p / (square * (p + 1));
  };
  add_forces_of(dimensions, places, n, own, others, count, factor_of, force);
}

/// Adds what others push with: grad log(1 + 1 / (a d^2b)), each of at most largest_push: one near
/// point among random ones would set the scale of all steps after it.
GEOTHERM_WIDE void push(const float* places, std::size_t n, std::size_t dimensions, std::size_t own,
                        const Index* others, std::size_t count, float share, float* force) {
  const auto factor_of = [share](std::size_t, float square) {
    const float p = a * power(square, b), r = p + softening;
    return -share * smaller(p / (square * r * (r + 1)), largest_push * power(square, -0.5f));
  };
  add_forces_of(dimensions, places, n, own, others, count, factor_of, force);
}

}  // namespace

double RefineSchedule::step(std::size_t epoch) const {
  const double left = 1 - static_cast<double>(epoch) / static_cast<double>(epochs);
  return last_step + (first_step - last_step) * left * left;
}

RefineDescent::RefineDescent(const SparseMatrix& memberships, MatrixView<const double> start,
                             const RefineSchedule& schedule, const Context& context)
    : n_(start.rows), dimensions_(start.cols), schedule_(schedule), offsets_(start.rows + 1, 0) {
  for (std::size_t i = 0; i < n_; ++i) {
    const std::size_t count = memberships.row_indices(i).size();
    offsets_[i + 1] = offsets_[i] + (count + lanes - 1) / lanes * lanes;
  }
  resize_in_large_pages(to_, offsets_[n_]);
  resize_in_large_pages(weights_, offsets_[n_]);
  const auto put_rows = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto others = memberships.row_indices(i);
      const auto values = memberships.row_values(i);
      for (std::size_t e = 0; e < offsets_[i + 1] - offsets_[i]; ++e) {
        const bool is_there = e < others.size();  // else: fills the row up, with no weight
        to_[offsets_[i] + e] = is_there ? others[e] : static_cast<Index>(i);
        weights_[offsets_[i] + e] = is_there ? static_cast<float>(values[e]) : 0;
        sum += is_there ? values[e] : 0;
      }
    }
    return sum;
  };
  const double total = parallel_sum(context, n_, 65536, put_rows);
  // Ten negatives for either end of each edge, by weight (UMAP: five). A point feels its own alone,
  // so that they count for those that others would draw as well.
  push_ = static_cast<float>(20 * total / static_cast<double>(n_) /
                             static_cast<double>(schedule_.negatives));
  near_push_ = refine_near_share * push_ * static_cast<float>(schedule_.negatives) / lanes;
  places_.resize(n_ * dimensions_);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < dimensions_; ++k) {
      places_[k * n_ + i] = static_cast<float>(start(i, k));
    }
  }
  next_ = places_;
  momentum_.assign(places_.size(), 0);
  squares_.assign(n_, 0);
}

void RefineDescent::push_near(std::size_t i, Rng& rng, float* force) const {
  const std::size_t n_own = offsets_[i + 1] - offsets_[i];
  if (n_own == 0) return;
  const std::uint64_t bits = rng.next();
  const auto j = static_cast<std::size_t>(to_[offsets_[i] + (((bits >> 32) * n_own) >> 32)]);
  const std::size_t n_groups = (offsets_[j + 1] - offsets_[j]) / lanes;
  const std::size_t group = ((bits & 0xffffffff) * n_groups) >> 32;
  push(places_.data(), n_, dimensions_, i, to_.data() + offsets_[j] + group * lanes, lanes,
       near_push_, force);
}

void RefineDescent::move_block(std::size_t begin, std::size_t end, const RefineStep& step, Rng& rng) {
  std::vector<Index> drawn(schedule_.negatives);
  for (std::size_t i = begin; i < end; ++i) {
    float force[most_dimensions] = {};
    pull(places_.data(), n_, dimensions_, i, to_.data() + offsets_[i],
         weights_.data() + offsets_[i], offsets_[i + 1] - offsets_[i], force);
    for (std::size_t d = 0; d < drawn.size(); d += 2) {
      // Two numbers of 32 bits out of each 64. A point that draws itself is not pushed.
      const std::uint64_t bits = rng.next();
      drawn[d] = static_cast<Index>(((bits >> 32) * n_) >> 32);
      drawn[d + 1] = static_cast<Index>(((bits & 0xffffffff) * n_) >> 32);
    }
    push(places_.data(), n_, dimensions_, i, drawn.data(), drawn.size(), push_, force);
    push_near(i, rng, force);
    float square = 0;
    for (std::size_t k = 0; k < dimensions_; ++k) square += force[k] * force[k];
    square /= static_cast<float>(dimensions_);
    squares_[i] = keep_square * squares_[i] + (1 - keep_square) * square;
    const float scale = std::sqrt(squares_[i] * step.of_square) + 1e-12f;
    for (std::size_t k = 0; k < dimensions_; ++k) {
      float& m = momentum_[k * n_ + i];
      m = keep_force * m + (1 - keep_force) * force[k];
      const float move = std::clamp(m * step.of_force / scale, -1.0f, 1.0f);
      next_[k * n_ + i] = places_[k * n_ + i] - step.length * move;
    }
  }
}

void RefineDescent::advance(const Context& context) {
  const double age = static_cast<double>(epoch_ + 1);
  const RefineStep step{
      .length = static_cast<float>(schedule_.step(epoch_)),
      .of_force = static_cast<float>(1 / (1 - std::pow(static_cast<double>(keep_force), age))),
      .of_square = static_cast<float>(1 / (1 - std::pow(static_cast<double>(keep_square), age)))};
#ifdef GEOTHERM_WITH_CUDA
  if (advance_on_device(step, context)) return;
#endif
  const std::size_t n_blocks = (n_ + block - 1) / block;
  parallel_for(context, n_, block, [&](std::size_t begin, std::size_t end) {
    Rng rng(context.seed, "refine", epoch_ * n_blocks + begin / block);
    move_block(begin, end, step, rng);
  });
  places_.swap(next_);
  ++epoch_;
}

#ifdef GEOTHERM_WITH_CUDA
bool RefineDescent::advance_on_device(const RefineStep& step, const Context& context) {
  constexpr std::size_t fewest = 4096;  // fewer are sooner done than sent
  Device* const device = device_of(context);
  if (device == nullptr || n_ < fewest) return false;
  if (!on_device_) {
    on_device_ = std::make_shared<DeviceDescent>(
        *device, DeviceDescent::Arrays{.n = n_,
                                       .dimensions = dimensions_,
                                       .negatives = schedule_.negatives,
                                       .push = push_,
                                       .near_push = near_push_,
                                       .offsets = offsets_,
                                       .to = to_,
                                       .weights = weights_,
                                       .places = places_,
                                       .momentum = momentum_,
                                       .squares = squares_});
  }
  on_device_->advance(step, Rng(context.seed, "refine.device", epoch_).next());
  ++epoch_;
  if (context.checkpoint != nullptr) on_device_->get(places_, momentum_, squares_);
  return true;
}
#endif

bool RefineDescent::take_up(std::string_view stage, const Context& context) {
  std::size_t epoch = 0;
  std::vector<float> places, momentum, squares;
  auto kept = std::tie(epoch, places, momentum, squares);
  if (!detail::take_up(context, stage, kept)) return false;
  if (places.size() != places_.size() || momentum.size() != momentum_.size() ||
      squares.size() != squares_.size() || epoch > schedule_.epochs) {
    return false;
  }
  epoch_ = epoch;
  places_ = std::move(places);
  momentum_ = std::move(momentum);
  squares_ = std::move(squares);
  return true;
}

Matrix<double> RefineDescent::coordinates() const {
  auto result = Matrix<double>::uninitialized(n_, dimensions_);
  const std::vector<float>* places = &places_;
#ifdef GEOTHERM_WITH_CUDA
  std::vector<float> there(places_.size());
  if (on_device_) {
    on_device_->get_places(there);
    places = &there;
  }
#endif
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < dimensions_; ++k) {
      result(i, k) = static_cast<double>((*places)[k * n_ + i]);
    }
  }
  return result;
}

}  // namespace geotherm::detail
