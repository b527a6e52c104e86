// A thread a query, in the order of the leaves, so that the threads of a warp walk alike. One walk
// for the k-th nearest, another for everyone within reach of it.
#include <algorithm>
#include <cmath>

#include "core/cuda.cuh"
#include "neighbors/device_tree.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 64;
constexpr int most_dims = static_cast<int>(most_tree_dims);
constexpr int longest_list = 32;
constexpr int deepest = 40;  // 2^31 points in leaves of at least 8
constexpr std::size_t fewest_points = 50000;
constexpr std::size_t queries_at_once = 1 << 16;
// Boxes and points are ruled out with this margin: sums are in another order than the CPU's.
constexpr double margin = 1 + 1e-10;

using Node = KdTree<double>::Node;

template <int D>
struct Waiting {
  int node;
  double box;
  double offsets[D];
};

/// Calls leaf(begin, end) for all leaves whose box is within limit().
template <int D, class Limit, class Leaf>
__device__ inline void walk(const Node* nodes, const double (&query)[D], const Limit& limit,
                            const Leaf& leaf) {
  Waiting<D> stack[deepest];
  int n_waiting = 1;
  stack[0] = {};
  while (n_waiting > 0) {
    Waiting<D> here = stack[--n_waiting];
    if (here.box > limit() * margin) continue;
    Node node = nodes[here.node];
    while (node.right != 0) {
      double x = 0, before = 0;
#pragma unroll
      for (int c = 0; c < D; ++c) {
        if (c == node.dim) x = query[c], before = here.offsets[c];
      }
      const double over = x - node.left_most, under = node.right_least - x;
      const bool is_left_near = over < under;
      // The near child goes on where its gap is negative, as a rule; the far one waits.
      const double near_gap = is_left_near ? over : under, far_gap = is_left_near ? under : over;
      Waiting<D> far = here;
      far.node = is_left_near ? node.right : here.node + 1;
      if (far_gap > before) {
        far.box += (far_gap - before) * (far_gap + before);
#pragma unroll
        for (int c = 0; c < D; ++c) {
          if (c == node.dim) far.offsets[c] = far_gap;
        }
      }
      if (far.box <= limit() * margin && n_waiting < deepest) stack[n_waiting++] = far;
      here.node = is_left_near ? here.node + 1 : node.right;
      if (near_gap > before) {
        here.box += (near_gap - before) * (near_gap + before);
#pragma unroll
        for (int c = 0; c < D; ++c) {
          if (c == node.dim) here.offsets[c] = near_gap;
        }
      }
      node = nodes[here.node];
    }
    if (here.box <= limit() * margin) leaf(node.begin, node.end);
  }
}

template <int D>
__global__ void __launch_bounds__(threads)
    tree_kernel(const Node* nodes, const double* rows, unsigned first, unsigned count, int knn,
                double reach, int capacity, int* ids, int* counts) {
  const unsigned q = blockIdx.x * threads + threadIdx.x;
  if (q >= count) return;
  const int own = static_cast<int>(first + q);
  double query[D];
#pragma unroll
  for (int c = 0; c < D; ++c) query[c] = rows[static_cast<std::size_t>(own) * D + c];
  const auto squared = [&](int k) {
    double sum = 0;
#pragma unroll
    for (int c = 0; c < D; ++c) {
      const double gap = query[c] - __ldg(rows + static_cast<std::size_t>(k) * D + c);
      sum = fma(gap, gap, sum);
    }
    return sum;
  };
  double nearest[longest_list];  // ascending
  int n_nearest = 0;
  double kth = INFINITY;
  walk<D>(
      nodes, query, [&] { return kth; },
      [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
          const double apart = squared(k);
          if (k == own || !(apart < kth)) continue;
          int at = n_nearest < knn ? n_nearest++ : knn - 1;
          for (; at > 0 && nearest[at - 1] > apart; --at) nearest[at] = nearest[at - 1];
          nearest[at] = apart;
          if (n_nearest == knn) kth = nearest[knn - 1];
        }
      });
  const double within = kth * reach * margin;
  int* mine = ids + static_cast<std::size_t>(q) * capacity;
  int n_found = 0;
  walk<D>(
      nodes, query, [&] { return within; },
      [&](int begin, int end) {
        for (int k = begin; k < end; ++k) {
          if (k == own || squared(k) > within) continue;
          if (n_found < capacity) mine[n_found] = k;
          ++n_found;
        }
      });
  counts[q] = n_found;
}

template <int D>
struct Launch {
  static void run(std::size_t dims, unsigned blocks, cudaStream_t stream, const Node* nodes,
                  const double* rows, unsigned first, unsigned count, int knn, double reach,
                  int capacity, int* ids, int* counts) {
    if (dims == D) {
      tree_kernel<D><<<blocks, threads, 0, stream>>>(nodes, rows, first, count, knn, reach,
                                                     capacity, ids, counts);
    } else if constexpr (D > 1) {
      Launch<D - 1>::run(dims, blocks, stream, nodes, rows, first, count, knn, reach, capacity, ids,
                         counts);
    }
  }
};

class Candidates final : public TreeCandidates {
 public:
  Candidates(Device& device, const KdTree<double>& tree, std::size_t dims, std::size_t knn,
             double reach, std::size_t capacity)
      : device_(device),
        n_(tree.order().size()),
        dims_(dims),
        knn_(knn),
        capacity_(capacity),
        reach_(reach),
        nodes_(device, tree.nodes().data(), tree.nodes().size()),
        rows_(device, tree.rows().data(), tree.rows().size()),
        ids_(device, std::min(n_, queries_at_once) * capacity),
        counts_(device, std::min(n_, queries_at_once)) {
    device.wait();
  }

  std::size_t block() const override { return queries_at_once; }

  void start(std::size_t first) override {
    first_ = first;
    count_ = std::min(queries_at_once, n_ - first);
    Launch<most_dims>::run(dims_, blocks_for(count_, threads), device_.stream(), nodes_.data(),
                           rows_.data(), static_cast<unsigned>(first),
                           static_cast<unsigned>(count_), static_cast<int>(knn_), reach_,
                           static_cast<int>(capacity_), ids_.data(), counts_.data());
    check_launch("walk through the tree");
  }

  void collect(DeviceCandidates& found) override {
    found.first = first_;
    found.count = count_;
    found.capacity = capacity_;
    found.ids.resize(count_ * capacity_);
    found.counts.resize(count_);
    ids_.get(found.ids.data(), found.ids.size());
    counts_.get(found.counts.data(), count_);
  }

 private:
  Device& device_;
  std::size_t n_, dims_, knn_, capacity_;
  double reach_;
  Buffer<Node> nodes_;
  Buffer<double> rows_;
  Buffer<int> ids_, counts_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace

std::unique_ptr<TreeCandidates> tree_candidates(const Context& context, const KdTree<double>& tree,
                                                const Space<double>& space, const Cut& cut) {
  Device* const device = device_of(context);
  if (device == nullptr || space.n_points() < fewest_points || !is_squared(space.measure) ||
      cut.knn > static_cast<std::size_t>(longest_list) || space.dims() > most_tree_dims) {
    return nullptr;
  }
  // As many as an even density has within reach, and a few more.
  const double expected = static_cast<double>(cut.knn) *
                          std::pow(std::max(1.0, cut.reach), static_cast<double>(space.dims()));
  if (!(expected < 128)) return nullptr;
  const auto capacity = static_cast<std::size_t>(1.25 * expected) + 8;
  return std::make_unique<Candidates>(*device, tree, space.dims(), cut.knn,
                                      space.measured_reach(cut.reach), capacity);
}

}  // namespace geotherm::detail
