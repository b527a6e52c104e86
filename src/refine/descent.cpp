// Epochs of all points that one process holds.
#include "refine/descent.hpp"

#include <algorithm>
#include <cmath>

#include "core/large_pages.hpp"
#include "core/rng_stream.hpp"
#include "core/state.hpp"
#include "refine/objective.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t lanes = refine_lanes;
constexpr std::size_t most_dimensions = RefineGrid::most_dimensions;
constexpr std::size_t block = 512;              // points of one task
constexpr std::string_view purpose = "refine";  // of its draws
#ifdef GEOTHERM_WITH_CUDA
constexpr std::size_t fewest_on_device = 4096;  // fewer are sooner done than sent
#endif

}  // namespace

double RefineSchedule::attraction(std::size_t epoch) const {
  const double done = static_cast<double>(epoch) / static_cast<double>(epochs);
  const double last = refine_last_attraction;
  return last + (first_attraction - last) * std::max(0.0, 1 - 2 * done);
}

RefineDescent::RefineDescent(const Attraction& rows, MatrixView<const double> start,
                             const RefineSchedule& schedule, const Context& context)
    : n_(start.rows), dimensions_(start.cols), schedule_(schedule) {
  places_.resize(n_ * dimensions_);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < dimensions_; ++k) {
      places_[k * n_ + i] = static_cast<float>(start(i, k));
    }
  }
#ifdef GEOTHERM_WITH_CUDA
  is_for_device_ = n_ >= fewest_on_device && device_of(context) != nullptr;
#endif
  if (!is_for_device_) number_by_place(context);
  next_ = places_;
  take_edges(rows, context);
}

void RefineDescent::number_by_place(const Context& context) {
  grid_.sort(places_, dimensions_, refine_reach, context);
  point_.assign(grid_.order().begin(), grid_.order().end());
  number_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    number_[static_cast<std::size_t>(point_[i])] = static_cast<Index>(i);
  }
  for (std::size_t k = 0; k < dimensions_; ++k) {
    std::copy_n(grid_.plane(k), n_, places_.begin() + static_cast<std::ptrdiff_t>(k * n_));
  }
}

void RefineDescent::take_edges(const Attraction& rows, const Context& context) {
  const std::size_t whole = is_for_device_ ? lanes : 1;
  offsets_.assign(n_ + 1, 0);
  parallel_for(context, n_, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      offsets_[i + 1] = (rows.count(point_of(i)) + whole - 1) / whole * whole;
    }
  });
  for (std::size_t i = 0; i < n_; ++i) offsets_[i + 1] += offsets_[i];
  resize_in_large_pages(to_, offsets_[n_] + lanes);
  resize_in_large_pages(weights_, offsets_[n_] + lanes);
  const double total = parallel_sum(context, n_, 65536, [&](std::size_t begin, std::size_t end) {
    Attraction::Row row;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      rows.read(i, row);
      for (const double value : row.weights) sum += value;
    }
    return sum;
  });
  const double unit = total > 0 ? static_cast<double>(n_) / total : 0;
  parallel_for(context, n_, 65536, [&](std::size_t begin, std::size_t end) {
    Attraction::Row row;
    for (std::size_t i = begin; i < end; ++i) {
      rows.read(point_of(i), row);
      for (std::size_t e = 0; e < offsets_[i + 1] - offsets_[i]; ++e) {
        const bool is_there = e < row.others.size();  // else: fills the row up, with no weight
        const auto other = static_cast<std::size_t>(is_there ? row.others[e] : 0);
        to_[offsets_[i] + e] =
            !is_there ? static_cast<Index>(i) : number_.empty() ? row.others[e] : number_[other];
        weights_[offsets_[i] + e] = is_there ? static_cast<float>(unit * row.weights[e]) : 0;
      }
    }
  });
}

RefinePush RefineDescent::push_on(std::size_t rank, const RefineGrid::Surroundings& around,
                                  std::uint32_t draw) const {
  const auto own = static_cast<std::size_t>(grid_.order()[rank]);
  std::array<RefineGroups, 2 * RefineGrid::most_rows> groups;
  for (std::size_t r = 0; r < around.count; ++r) {
    const RefineGrid::Range range = around.ranges[r];
    groups[r] =
        refine_groups(range, draw, static_cast<std::uint32_t>(point_of(own)), range.begin);
  }
  const float* planes[most_dimensions] = {};
  for (std::size_t k = 0; k < dimensions_; ++k) planes[k] = grid_.plane(k);
  RefinePush push;
  refine_push(planes, dimensions_, rank, around, groups.data(), push);
  return push;
}

template <class Take>
void RefineDescent::for_each_push(std::size_t begin, std::size_t end, std::uint32_t draw,
                                  const Take& take) const {
  RefineGrid::Surroundings around;
  for (std::size_t r = begin; r < end; ++r) {
    if (r == begin || grid_.bucket_of_rank(r) != grid_.bucket_of_rank(r - 1)) {
      around = grid_.around(r);
    }
    take(static_cast<std::size_t>(grid_.order()[r]), push_on(r, around, draw));
  }
}

std::vector<RefinePush> RefineDescent::pushes(const Context& context) {
  sort(context);
  std::vector<RefinePush> result(n_);
  const std::uint32_t draw = refine_draw_of_epoch(stream_base(context.seed, purpose), epoch_);
  for_each_push(0, n_, draw,
                [&](std::size_t i, const RefinePush& push) { result[point_of(i)] = push; });
  return result;
}

void RefineDescent::sort(const Context& context) {
  grid_.sort(places_, dimensions_, refine_reach, context, number_);
}

float RefineDescent::move_block(std::size_t begin, std::size_t end, float attraction,
                                std::uint32_t draw, double& near) {
  const auto strength = static_cast<float>(1 / std::max(near_, refine_least_near));
  float longest = 0;
  for_each_push(begin, end, draw, [&](std::size_t i, const RefinePush& push) {
    near += static_cast<double>(push.near);
    RefinePull pull;
    refine_pull(places_.data(), n_, dimensions_, i, to_.data() + offsets_[i],
                weights_.data() + offsets_[i], offsets_[i + 1] - offsets_[i], pull);
    const float stiffness = attraction * pull.stiffness + strength * push.stiffness;
    const float share = stiffness > 0 ? refine_share / stiffness : 0;
    for (std::size_t k = 0; k < dimensions_; ++k) {
      const float move = share * (strength * push.force[k] - attraction * pull.force[k]);
      next_[k * n_ + i] = places_[k * n_ + i] + move;
      longest = std::max(longest, std::abs(move));
    }
  });
  return longest;
}

void RefineDescent::advance(const Context& context) {
  const auto attraction = static_cast<float>(schedule_.attraction(epoch_));
#ifdef GEOTHERM_WITH_CUDA
  if (advance_on_device(attraction, context)) return;
#endif
  const double n = static_cast<double>(n_);
  const std::uint32_t draw = refine_draw_of_epoch(stream_base(context.seed, purpose), epoch_);
  sort(context);
  if (near_ == 0) {
    const double sum = parallel_sum(context, n_, block, [&](std::size_t begin, std::size_t end) {
      double near = 0;
      for_each_push(begin, end, draw, [&](std::size_t, const RefinePush& push) {
        near += static_cast<double>(push.near);
      });
      return near;
    });
    near_ = std::max(sum / n, refine_least_near);
  }
  std::vector<float> longest((n_ + block - 1) / block);
  const double sum = parallel_sum(context, n_, block, [&](std::size_t begin, std::size_t end) {
    double near = 0;
    longest[begin / block] = move_block(begin, end, attraction, draw, near);
    return near;
  });
  near_ = std::max(sum / n, refine_least_near);
  moved_ += static_cast<double>(*std::max_element(longest.begin(), longest.end()));
  places_.swap(next_);
  ++epoch_;
}

#ifdef GEOTHERM_WITH_CUDA
bool RefineDescent::advance_on_device(float attraction, const Context& context) {
  Device* const device = device_of(context);
  if (device == nullptr || !is_for_device_) return false;
  if (!on_device_) {
    on_device_ = std::make_shared<DeviceDescent>(
        *device, DeviceDescent::Arrays{.n = n_,
                                       .dimensions = dimensions_,
                                       .stream = stream_base(context.seed, purpose),
                                       .near = near_,
                                       .moved = moved_,
                                       .offsets = offsets_,
                                       .to = to_,
                                       .weights = weights_,
                                       .places = places_});
  }
  on_device_->advance(attraction, epoch_);
  ++epoch_;
  if (context.checkpoint != nullptr) on_device_->get(places_, near_, moved_);
  return true;
}
#endif

double RefineDescent::moved() const {
#ifdef GEOTHERM_WITH_CUDA
  if (on_device_) return on_device_->moved();
#endif
  return moved_;
}

bool RefineDescent::take_up(std::string_view stage, const Context& context) {
  std::size_t epoch = 0;
  std::vector<float> places;
  std::vector<Index> point;
  double near = 0, moved = 0;
  auto kept = std::tie(epoch, point, places, near, moved);
  if (!detail::take_up(context, stage, kept)) return false;
  if (places.size() != places_.size() || point != point_ || epoch > schedule_.epochs) return false;
  epoch_ = epoch;
  places_ = std::move(places);
  near_ = near;
  moved_ = moved;
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
      result(point_of(i), k) = static_cast<double>((*places)[k * n_ + i]);
    }
  }
  return result;
}

}  // namespace geotherm::detail
