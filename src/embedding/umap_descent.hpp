// Fuzzy neighbour sets and a start -> UMAP's layout, one epoch at a time, on any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "embedding/device_umap.hpp"
#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Every point's neighbours with their membership, symmetric.
using FuzzySets = std::vector<std::vector<std::pair<Index, double>>>;

struct UmapForces {
  double a = 1;  ///< the map's similarity is 1 / (1 + a d^2b)
  double b = 1;
  double negative_sample_rate = 5;
};

/// Stochastic descent by the schedule of UMAP: an edge is visited once in (largest membership / its
/// own) epochs, moves both its ends, and draws random points to push away. Points are cut into
/// blocks that lie together at the start. Within an epoch a block sees its own points move and the
/// others where they were before it: an edge between blocks is visited from both sides, each moving
/// its own end. So nothing depends on which thread comes first, and few edges are of that kind.
class UmapDescent {
 public:
  UmapDescent(const FuzzySets&, MatrixView<const double> start, const UmapForces&,
              std::size_t n_epochs);
  /// One epoch more; its random numbers come from (seed, epoch, block).
  void advance(const Context&);
  Matrix<double> coordinates() const;
  std::size_t epoch() const { return epoch_; }

  /// All that the next epoch depends on, for a Checkpoint: live_, edges_ with their schedule, the
  /// epoch. seen_ equals live_ between epochs.
  auto state() { return std::tie(epoch_, edges_, live_); }
  /// Takes up such a state of a descent made from the same sets, start and options; false where
  /// there is none.
  bool take_up(std::string_view stage, const Context&);

 private:
  struct Edge {
    Index to = 0;
    float period = 1;         ///< epochs between visits
    float next = 1;           ///< epoch of the next visit
    float next_negative = 0;  ///< up to where points to push away have been drawn
  };

#ifdef GEOTHERM_WITH_CUDA
  /// False where the run has no device, or one of no use here.
  bool advance_on_device(const Context&);
#endif
  void run_block(std::size_t begin, std::size_t end, Rng& rng);
  void push_away(std::size_t i, std::size_t n_others, float step, Rng& rng,
                 std::span<float> difference);

  std::size_t n_ = 0;
  std::size_t dimensions_ = 0;
  std::size_t n_epochs_ = 0;
  std::size_t epoch_ = 0;
  float a_ = 1, b_ = 1, negative_rate_ = 5;
  // Points are renumbered by block.
  std::vector<std::size_t> offsets_;
  std::vector<Edge> edges_;
  std::vector<Index> point_;  // the caller's number of each
  std::vector<std::size_t> block_ends_;
  std::vector<float> seen_;  // before this epoch, n x dimensions
  std::vector<float> live_;
  std::shared_ptr<DeviceUmap> on_device_;  // has edges and places once it advances
};

}  // namespace geotherm::detail
