// One thread a point: sums are made in the order of the CPU, without fused products.
#include "core/cuda.cuh"
#include "landmarks/device_shares.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 128;
constexpr int most = static_cast<int>(most_shares);
constexpr int room = 64;  // landmarks that one point meets in a round
constexpr std::size_t fewest_points = 20000;

struct Share {
  int landmark;
  float share;
};
static_assert(sizeof(Share) == sizeof(std::pair<Index, float>));

struct Round {
  const std::size_t* offsets;
  const int* to;
  const double* weights;
  const Share* now;
  Share* next;
  unsigned n;
  int* is_crowded;
};

__device__ inline bool is_before(double share, int landmark, double other_share, int other) {
  return share != other_share ? share > other_share : landmark < other;
}

__global__ void __launch_bounds__(threads) spread_kernel(Round r) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= r.n) return;
  int landmark[room];
  double share[room];
  int count = 0;
  const auto take = [&](std::size_t j, double weight) {
    const Share* row = r.now + j * most;
    for (int l = 0; l < most; ++l) {
      const Share s = row[l];
      if (s.landmark < 0) break;
      const double part = __dmul_rn(weight, static_cast<double>(s.share));
      int at = 0;
      while (at < count && landmark[at] != s.landmark) ++at;
      if (at < count) {
        share[at] = __dadd_rn(share[at], part);
      } else if (count < room) {
        landmark[count] = s.landmark;
        share[count++] = part;
      } else {
        *r.is_crowded = 1;
      }
    }
  };
  // Inside a cell nothing has arrived yet: the mean of equals.
  const Share* own_row = r.now + static_cast<std::size_t>(i) * most;
  const int cell = own_row[0].landmark;
  bool is_inside = own_row[1].landmark < 0;
  double own = 0;
  for (std::size_t e = r.offsets[i]; e < r.offsets[i + 1]; ++e) {
    const Share* row = r.now + static_cast<std::size_t>(r.to[e]) * most;
    is_inside = is_inside && row[0].landmark == cell && row[1].landmark < 0;
  }
  Share* out = r.next + static_cast<std::size_t>(i) * most;
  if (is_inside) {
    for (int l = 0; l < most; ++l) out[l] = own_row[l];
    return;
  }
  for (std::size_t e = r.offsets[i]; e < r.offsets[i + 1]; ++e) {
    take(static_cast<std::size_t>(r.to[e]), r.weights[e]);
    own = fmax(own, r.weights[e]);
  }
  take(i, own > 0 ? own : 1.0);
  // The largest first, then those by number.
  const int kept = min(count, most);
  for (int k = 0; k < kept; ++k) {
    int best = k;
    for (int l = k + 1; l < count; ++l) {
      if (is_before(share[l], landmark[l], share[best], landmark[best])) best = l;
    }
    const double s = share[k];
    const int l = landmark[k];
    share[k] = share[best];
    landmark[k] = landmark[best];
    share[best] = s;
    landmark[best] = l;
  }
  for (int k = 1; k < kept; ++k) {
    for (int l = k; l > 0 && landmark[l] < landmark[l - 1]; --l) {
      const double s = share[l];
      const int number = landmark[l];
      share[l] = share[l - 1];
      landmark[l] = landmark[l - 1];
      share[l - 1] = s;
      landmark[l - 1] = number;
    }
  }
  double sum = 0;
  for (int k = 0; k < kept; ++k) sum = __dadd_rn(sum, share[k]);
  for (int k = 0; k < most; ++k) {
    out[k] = k < kept ? Share{landmark[k], static_cast<float>(__ddiv_rn(share[k], sum))} : Share{-1, 0};
  }
}

}  // namespace

bool spread_on_device(const Context& context, const SparseMatrix& weights, std::size_t n_rounds,
                      std::span<std::pair<Index, float>> rows) {
  Device* const device = device_of(context);
  if (device == nullptr || weights.rows < fewest_points) return false;
  const double needed = 16.0 * static_cast<double>(weights.n_entries()) +
                        200.0 * static_cast<double>(weights.rows);
  if (needed > 0.9 * static_cast<double>(free_memory(*device))) return false;
  const Buffer<std::size_t> offsets(*device, weights.offsets.data(), weights.offsets.size());
  const Buffer<int> to(*device, weights.indices.data(), weights.indices.size());
  const Buffer<double> values(*device, weights.values.data(), weights.values.size());
  Buffer<Share> now(*device, reinterpret_cast<const Share*>(rows.data()), rows.size());
  Buffer<Share> next(*device, rows.size());
  Buffer<int> is_crowded(*device, 1);
  is_crowded.clear();
  for (std::size_t round = 0; round < n_rounds; ++round) {
    context.report_or_throw({.stage = "landmarks", .done = round, .total = n_rounds});
    spread_kernel<<<blocks_for(weights.rows, threads), threads, 0, device->stream()>>>(
        {offsets.data(), to.data(), values.data(), now.data(), next.data(),
         static_cast<unsigned>(weights.rows), is_crowded.data()});
    check_launch("shares of landmarks");
    now.swap(next);
  }
  int crowded = 0;
  is_crowded.get(&crowded, 1);
  if (crowded != 0) return false;
  now.get(reinterpret_cast<Share*>(rows.data()), rows.size());
  return true;
}

}  // namespace geotherm::detail
