// The parts of the search by cells that cost, on a GPU: which centre is nearest, and who of the
// members of some cells may be in a point's list. No CUDA header is needed to read this.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "neighbors/cells.hpp"
#include "neighbors/device_candidates.hpp"

namespace geotherm::detail {

/// Of each point, ties to the first. Sums in float32, as on the CPU in another order.
std::vector<Index> nearest_centers(Device&, const Matrix<float>& points, const Centers&);

/// Points of one cell that are looked for together: rows [begin, end) in the order of the cells.
struct CellQueries {
  int cell = 0;
  int begin = 0;
  int end = 0;
};

struct CellSearchLimits {
  std::size_t dims, probes, near, knn;
};
/// Whether the kernels below have room for it.
bool suits_device_cells(const CellSearchLimits&);
/// As many queries as one block of threads takes.
std::size_t cell_queries_at_once();

/// Points and centres stay on the device; queries are handed over in runs.
class CellCandidates {
 public:
  /// `rows`: in the order of the cells, which begin at `offsets`.
  CellCandidates(Device&, const Matrix<float>& rows, const Centers&,
                 std::span<const std::size_t> offsets);
  ~CellCandidates();
  /// `near`: n_near cells for each cell, of which each point looks into the `n_probes` nearest to
  /// it, and into those of the others in its block besides. None: into all cells.
  void look_into(std::span<const Index> near, std::size_t n_near, std::size_t n_probes);
  /// Begins; comes back before it is done.
  void start(std::span<const CellQueries>, std::size_t knn, double measured_reach);
  /// Waits. Candidates are rows in the order of the cells: all within reach of the knn-th nearest
  /// there, with room for rounding; a row a query, block by block.
  void collect(DeviceCandidates&);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm::detail
