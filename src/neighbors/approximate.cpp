// k-means cells; the points of a cell are compared, by matrix products in float32 relative to the
// centre of their cell, with the members of the cells that are nearest to each of them; what may
// belong into a list is measured again, exactly. Blocks of queries do not depend on each other, so
// threads change nothing. Chosen over a random-projection forest with nearest neighbour descent,
// which took twice as long on real data and, where there is little structure, missed a quarter of
// the neighbours without noticing (bench/scale/neighbors.py measures it).
#include "neighbors/approximate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "core/simd.hpp"
#include "linalg/blas.hpp"
#include "neighbors/brute_force.hpp"
#include "neighbors/cells.hpp"
#include "neighbors/device_cells.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t query_block = 512;
constexpr std::size_t n_sampled = 256;
// Cells near the own one that a point chooses from, for each that it looks into.
constexpr std::size_t choice_factor = 8;
constexpr double wanted_recall = 0.993;
// Members that a point is compared with at most: what has so little structure that this does not
// suffice is searched less well rather than for hours.
constexpr std::size_t most_compared = 65536;

/// out = factor (x - center); returns |x - center|^2.
GEOTHERM_WIDE float relative(const float* x, const float* center, float factor, std::size_t dims,
                             float* out) {
  constexpr std::size_t n_lanes = 8;
  float lanes[n_lanes] = {};
  std::size_t c = 0;
  for (; c + n_lanes <= dims; c += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const float step = x[c + l] - center[c + l];
      out[c + l] = factor * step;
      lanes[l] += step * step;
    }
  }
  float rest = 0;
  for (; c < dims; ++c) {
    const float step = x[c] - center[c];
    out[c] = factor * step;
    rest += step * step;
  }
  for (std::size_t half = n_lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0] + rest;
}

/// Centred float32 copies in the order of the cells.
struct CellPoints {
  CellMembers cells;
  Centers centers;
  Matrix<float> rows;  ///< row k is point cells.members[k]
};

template <class T>
Matrix<float> working_copy(const Matrix<T>& rows, const Context& context) {
  const std::size_t n = rows.rows(), d = rows.cols();
  const Frame frame = frame_of(rows, context);
  auto points = Matrix<float>::uninitialized(n, d);
  parallel_for(context, n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < d; ++c) {
        points(i, c) =
            static_cast<float>((static_cast<double>(rows(i, c)) - frame.means[c]) * frame.scale);
      }
    }
  });
  return points;
}

template <class T>
CellPoints cells_of(const Matrix<T>& rows, const Context& context) {
  CellPoints result;
  const Matrix<float> points = working_copy(rows, context);
  const std::size_t n = points.rows();
  // Where comparing with centres and with members cost about the same.
  const auto n_cells = static_cast<std::size_t>(std::sqrt(12.0 * static_cast<double>(n)));
  // Of many cells the k-means itself would take longer than the search. How well it did is measured
  // with the probes.
  constexpr std::size_t many_cells = 2500;
  const bool is_large = n_cells >= many_cells;
  result.centers = find_centers(points, n_cells, context, is_large ? 3 : 6);
  result.cells = is_large ? assign_in_two_steps(points, result.centers, context)
                          : assign_to(points, result.centers, context);
  result.rows = Matrix<float>::uninitialized(n, points.cols());
  parallel_for(context, n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto row = points.row(static_cast<std::size_t>(result.cells.members[k]));
      std::copy(row.begin(), row.end(), result.rows.row(k).begin());
    }
  });
  return result;
}

/// The `count` cells nearest to the centre of `cell`, itself first.
std::vector<Index> near_cells(const Centers& centers, std::size_t cell, std::size_t count) {
  Matrix<float> compared;
  compare_to({centers.rows.row(cell).data(), 1, centers.rows.cols(), centers.rows.cols()}, centers,
             {}, compared);
  std::vector<std::pair<float, Index>> all(centers.size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = {compared(0, c), static_cast<Index>(c)};
  all[cell].first = -std::numeric_limits<float>::infinity();
  count = std::min(count, all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), end, all.end());
  std::vector<Index> near;
  for (auto c = all.begin(); c != end; ++c) near.push_back(c->second);
  return near;
}

/// Lists of the sample's points [begin, end), where they are known already.
using SampleTruth = std::function<ListPart(std::size_t begin, std::size_t end)>;

struct Probes {
  std::size_t count = 0;
  double recall = 1;  ///< on the sample
};

/// How many cells to look into: the recall on a sample, were the cells taken in the order of their
/// distance to the point, is known for every number of them.
template <class T>
Probes choose_probes(const Space<T>& space, const CellPoints& points, std::size_t knn,
                     const SampleTruth& sample_truth, const Context& context) {
  const std::size_t n = space.n_points(), n_cells = points.cells.n_cells();
  const std::size_t count = std::min(n, n_sampled);
  std::vector<std::vector<std::size_t>> ranks((count + 15) / 16);
  parallel_for(context, count, 16, [&](std::size_t begin, std::size_t end) {
    std::vector<Index> queries;
    for (std::size_t q = begin; q < end; ++q) queries.push_back(static_cast<Index>(q * n / count));
    const ListPart truth = sample_truth ? sample_truth(begin, end)
                                        : brute_force_some(space, queries, {.knn = knn, .reach = 1});
    Matrix<float> compared;
    std::vector<std::size_t> rank(n_cells);
    std::vector<Index> order(n_cells);
    std::size_t at = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto& members = points.cells.members;
      const auto cell =
          static_cast<std::size_t>(points.cells.cell_of[static_cast<std::size_t>(queries[q])]);
      const auto place = static_cast<std::size_t>(
          std::find(members.begin() + static_cast<std::ptrdiff_t>(points.cells.offsets[cell]),
                    members.end(), queries[q]) -
          members.begin());
      compare_to({points.rows.row(place).data(), 1, points.rows.cols(), points.rows.cols()},
                 points.centers, {}, compared);
      std::iota(order.begin(), order.end(), Index{0});
      std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        return std::pair(compared(0, static_cast<std::size_t>(a)), a) <
               std::pair(compared(0, static_cast<std::size_t>(b)), b);
      });
      for (std::size_t r = 0; r < n_cells; ++r) rank[static_cast<std::size_t>(order[r])] = r;
      for (std::size_t c = 0; c < truth.counts[q]; ++c, ++at) {
        const auto neighbor = static_cast<std::size_t>(truth.indices[at]);
        ranks[begin / 16].push_back(rank[static_cast<std::size_t>(points.cells.cell_of[neighbor])]);
      }
    }
  });
  std::vector<std::size_t> all;
  for (const auto& part : ranks) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  const auto last = static_cast<std::size_t>(wanted_recall * static_cast<double>(all.size() - 1));
  Probes probes;
  probes.count = std::min(n_cells, all[last] + 2);
  const std::size_t most = std::max<std::size_t>(1, most_compared * n_cells / n);
  if (probes.count > most) {
    probes.count = most;
    const auto found = std::lower_bound(all.begin(), all.end(), most) - all.begin();
    probes.recall = static_cast<double>(found) / static_cast<double>(all.size());
  }
  return probes;
}

/// One block of queries of one cell against the cells they look into.
class BlockSearch {
 public:
  BlockSearch(const CellPoints& points, const Cut& cut, double measured_reach)
      : points_(points), cut_(cut), measured_reach_(measured_reach) {}

  /// Rows [begin, end) of the cell order, all of `cell`; `near` are the cells to choose from.
  void run(std::size_t begin, std::size_t end, std::size_t cell, std::span<const Index> near,
           std::size_t n_probes, std::vector<Sieve>& sieves) {
    const std::size_t m = end - begin, d = points_.rows.cols();
    choose(begin, end, near, n_probes);
    center_ = points_.centers.rows.row(cell).data();
    auto queries = Matrix<float>::uninitialized(m, d + 1);
    norms_.resize(m);
    for (std::size_t q = 0; q < m; ++q) {
      norms_[q] =
          relative(points_.rows.row(begin + q).data(), center_, 1, d, queries.row(q).data());
      queries(q, d) = 1;
    }
    sieves.resize(m);
    for (Sieve& sieve : sieves) sieve.reset(cut_.knn, measured_reach_);
    for (std::size_t c = 0; c < near.size(); ++c) {
      if (lookers_[c].empty()) continue;
      compare(begin, queries, lookers_[c], static_cast<std::size_t>(near[c]), sieves);
    }
    for (Sieve& sieve : sieves) sieve.tighten();
  }

 private:
  /// For each of the near cells the queries that look into it.
  void choose(std::size_t begin, std::size_t end, std::span<const Index> near,
              std::size_t n_probes) {
    const std::size_t d = points_.rows.cols();
    compare_to({points_.rows.row(begin).data(), end - begin, d, d}, points_.centers, near,
               compared_);
    lookers_.resize(near.size());
    for (auto& list : lookers_) list.clear();
    std::vector<float> sorted(near.size());
    for (std::size_t q = 0; q < end - begin; ++q) {
      const auto row = compared_.row(q);
      float limit = std::numeric_limits<float>::infinity();
      if (n_probes < near.size()) {
        std::copy(row.begin(), row.end(), sorted.begin());
        const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(n_probes) - 1;
        std::nth_element(sorted.begin(), nth, sorted.end());
        limit = *nth;
      }
      for (std::size_t c = 0; c < near.size(); ++c) {
        if (row[c] <= limit) lookers_[c].push_back(static_cast<Index>(q));
      }
    }
  }

  void compare(std::size_t begin, const Matrix<float>& queries, std::span<const Index> lookers,
               std::size_t cell, std::vector<Sieve>& sieves) {
    const std::size_t first = points_.cells.offsets[cell];
    const std::size_t count = points_.cells.offsets[cell + 1] - first;
    if (count == 0) return;
    const std::size_t width = queries.cols(), d = width - 1, m = lookers.size();
    if (members_.size() < count * width) members_.resize(count * width);
    if (tile_.size() < m * count) tile_.resize(m * count);
    if (picked_.size() < count) picked_.resize(count);
    member_norms_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      float* row = members_.data() + k * width;
      member_norms_[k] = relative(points_.rows.row(first + k).data(), center_, -2, d, row);
      row[d] = member_norms_[k];
    }
    MatrixView<const float> asking = queries.view();
    if (m < queries.rows()) {
      gathered_.resize(m * width);
      for (std::size_t q = 0; q < m; ++q) {
        std::copy_n(queries.row(static_cast<std::size_t>(lookers[q])).data(), width,
                    gathered_.data() + q * width);
      }
      asking = {gathered_.data(), m, width, width};
    }
    gemm(1.0F, asking, false, {members_.data(), count, width, width}, true, 0.0F,
         {tile_.data(), m, count, count});
    // What float32 loses in the sum of d + 1 products, with a margin.
    const double loss = 4e-7 * static_cast<double>(d + 4);
    for (std::size_t q = 0; q < m; ++q) {
      const auto asker = static_cast<std::size_t>(lookers[q]);
      Sieve& sieve = sieves[asker];
      const double own = static_cast<double>(norms_[asker]);
      const float* values = tile_.data() + q * count;
      for (std::size_t at = 0; at < count;) {
        const bool has_limit = std::isfinite(sieve.limit());
        const std::size_t step = std::min(count - at, has_limit ? count : std::size_t{64});
        const float limit = has_limit ? static_cast<float>(sieve.limit() - own + loss * own)
                                      : std::numeric_limits<float>::infinity();
        const std::size_t n_picked = pick_at_most(values + at, step, limit, picked_.data());
        for (std::size_t p = 0; p < n_picked; ++p) {
          const std::size_t k = at + static_cast<std::size_t>(picked_[p]);
          if (first + k == begin + asker) continue;
          const double measured = std::max(0.0, static_cast<double>(values[k]) + own);
          const double error = loss * (own + static_cast<double>(member_norms_[k]));
          sieve.offer(std::max(0.0, measured - error), measured + error,
                      points_.cells.members[first + k]);
        }
        sieve.settle();
        at += step;
      }
    }
  }

  const CellPoints& points_;
  const Cut& cut_;
  double measured_reach_;
  const float* center_ = nullptr;
  Matrix<float> compared_;
  std::vector<std::vector<Index>> lookers_;
  std::vector<float> norms_, member_norms_, members_, gathered_, tile_;
  std::vector<Index> picked_;
};

struct QueryBlock {
  std::size_t cell = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<QueryBlock> blocks_of(const CellMembers& cells) {
  std::vector<QueryBlock> blocks;
  for (std::size_t c = 0; c < cells.n_cells(); ++c) {
    for (std::size_t at = cells.offsets[c]; at < cells.offsets[c + 1]; at += query_block) {
      blocks.push_back({c, at, std::min(at + query_block, cells.offsets[c + 1])});
    }
  }
  return blocks;
}

#ifdef GEOTHERM_WITH_CUDA
constexpr std::size_t fewest_for_device = 100000;

/// The candidates of each point, by its place in the order of the cells, measured as everywhere.
template <class T>
class MeasuredOnHost {
 public:
  MeasuredOnHost(const Space<T>& space, const CellPoints& points, const Cut& cut)
      : space_(space), points_(points), cut_(cut) {}

  /// Of candidates of row `q` for the point at `place`; false: there were too many.
  bool add(const DeviceCandidates& found, std::size_t q, std::size_t place, ListPart& part) {
    const auto count = static_cast<std::size_t>(found.counts[q]);
    if (count > found.capacity) return false;
    ids_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = static_cast<std::size_t>(found.ids[q * found.capacity + k]);
      ids_.push_back(points_.cells.members[row]);
    }
    add_measured(space_, static_cast<std::size_t>(points_.cells.members[place]), ids_, cut_,
                 scratch_, part);
    return true;
  }

 private:
  const Space<T>& space_;
  const CellPoints& points_;
  const Cut& cut_;
  std::vector<Index> ids_;
  MeasureScratch scratch_;
};

/// The lists of the sample, by looking into all cells.
template <class T>
std::vector<ListPart> sample_lists(CellCandidates& search, const Space<T>& space,
                                   const CellPoints& points, std::size_t knn,
                                   const Context& context) {
  const std::size_t n = space.n_points(), count = std::min(n, n_sampled);
  std::vector<std::size_t> row_of(n);
  for (std::size_t k = 0; k < n; ++k) {
    row_of[static_cast<std::size_t>(points.cells.members[k])] = k;
  }
  std::vector<CellQueries> queries;
  for (std::size_t q = 0; q < count; ++q) {
    const auto place = static_cast<int>(row_of[q * n / count]);
    queries.push_back({0, place, place + 1});
  }
  search.look_into({}, 0, 0);
  search.start(queries, knn, 1);
  DeviceCandidates found;
  search.collect(found);
  const Cut cut{.knn = knn, .reach = 1};
  std::vector<ListPart> lists(count);
  parallel_for(context, count, 1, [&](std::size_t q, std::size_t) {
    const auto place = static_cast<std::size_t>(queries[q].begin);
    if (MeasuredOnHost<T>(space, points, cut).add(found, q, place, lists[q])) return;
    const Index crowded = points.cells.members[place];
    lists[q] = brute_force_some(space, std::span(&crowded, 1), cut);
  });
  return lists;
}

/// The search proper. Where ties leave more candidates than there is room for, by the CPU.
template <class T>
NeighborLists lists_from_device(CellCandidates& search, const Space<T>& space,
                                const CellPoints& points, std::size_t n_probes, const Cut& cut,
                                const Context& context) {
  const std::size_t n = space.n_points(), n_cells = points.cells.n_cells();
  const std::size_t n_near = std::min(n_cells, choice_factor * n_probes);
  std::vector<Index> near(n_cells * n_near);
  parallel_for(context, n_cells, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      std::ranges::copy(near_cells(points.centers, c, n_near),
                        near.begin() + static_cast<std::ptrdiff_t>(c * n_near));
    }
  });
  search.look_into(near, n_near, n_probes);
  std::vector<CellQueries> queries;
  const std::size_t together = cell_queries_at_once();
  for (std::size_t c = 0; c < n_cells; ++c) {
    for (std::size_t at = points.cells.offsets[c]; at < points.cells.offsets[c + 1]; at += together) {
      queries.push_back({static_cast<int>(c), static_cast<int>(at),
                         static_cast<int>(std::min(at + together, points.cells.offsets[c + 1]))});
    }
  }
  constexpr std::size_t at_once = 1024, block = 256;
  const double reach = space.measured_reach(cut.reach);
  const auto some = [&](std::size_t from) {
    return std::span(queries).subspan(from, std::min(at_once, queries.size() - from));
  };
  std::vector<ListPart> parts(n / block + queries.size() / at_once + 2);
  std::size_t n_parts = 0;
  DeviceCandidates found;
  search.start(some(0), cut.knn, reach);
  for (std::size_t from = 0; from < queries.size(); from += at_once) {
    const auto first = static_cast<std::size_t>(queries[from].begin);
    context.report_or_throw({.stage = "neighbours", .done = first, .total = n});
    search.collect(found);
    if (from + at_once < queries.size()) search.start(some(from + at_once), cut.knn, reach);
    parallel_for(context, found.count, block, [&](std::size_t begin, std::size_t end) {
      ListPart& part = parts[n_parts + begin / block];
      MeasuredOnHost<T> measured(space, points, cut);
      for (std::size_t q = begin; q < end; ++q) {
        if (measured.add(found, q, first + q, part)) continue;
        const auto i = static_cast<std::size_t>(points.cells.members[first + q]);
        const auto cell = static_cast<std::size_t>(points.cells.cell_of[i]);
        BlockSearch search_here(points, cut, reach);
        std::vector<Sieve> sieves;
        search_here.run(first + q, first + q + 1, cell,
                        std::span(near).subspan(cell * n_near, n_near), n_probes, sieves);
        std::vector<Index> ids;
        for (const auto& [bound, j] : sieves[0].kept()) ids.push_back(j);
        MeasureScratch scratch;
        add_measured(space, i, ids, cut, scratch, part);
      }
      part.trim();
    });
    n_parts += (found.count + block - 1) / block;
  }
  parts.resize(n_parts);
  NeighborLists lists = assemble(n, cut, std::move(parts), context);
  lists.search_used = NeighborSearch::approximate;
  return lists;
}
#endif

}  // namespace

template <class T>
NeighborLists approximate_search(const Space<T>& space, const Cut& cut, const Context& context) {
  const std::size_t n = space.n_points();
  CellPoints points = cells_of(space.rows, context);
  SampleTruth sample_truth;
#ifdef GEOTHERM_WITH_CUDA
  std::unique_ptr<CellCandidates> device_search;
  std::vector<ListPart> known;
  if (Device* const device = device_of(context);
      device != nullptr && n >= fewest_for_device &&
      suits_device_cells({.dims = space.dims(), .probes = 1, .near = 1, .knn = cut.knn})) {
    device_search = std::make_unique<CellCandidates>(*device, points.rows, points.centers,
                                                     points.cells.offsets);
    known = sample_lists(*device_search, space, points, cut.knn, context);
    sample_truth = [&](std::size_t begin, std::size_t end) {
      ListPart part;
      for (std::size_t q = begin; q < end; ++q) {
        part.counts.push_back(known[q].counts[0]);
        part.indices.insert(part.indices.end(), known[q].indices.begin(), known[q].indices.end());
      }
      return part;
    };
  }
#endif
  const Probes probes = choose_probes(space, points, cut.knn, sample_truth, context);
  // Most of the cells: all pairs cost no more, and miss nothing.
  if (3 * probes.count > points.cells.n_cells()) return brute_force(space, cut, context);
  if (probes.recall < 0.97) {
    context.warn("neighbours: the points have little structure to search by; about " +
                 std::to_string(std::lround(100 * probes.recall)) +
                 " % of the nearest are found. Fewer dimensions (PCA) may help");
  }
#ifdef GEOTHERM_WITH_CUDA
  if (device_search &&
      suits_device_cells({.dims = space.dims(),
                          .probes = probes.count,
                          .near = std::min(points.cells.n_cells(), choice_factor * probes.count),
                          .knn = cut.knn})) {
    return lists_from_device(*device_search, space, points, probes.count, cut, context);
  }
  device_search.reset();
#endif
  const std::vector<QueryBlock> blocks = blocks_of(points.cells);
  std::vector<ListPart> parts(blocks.size());
  constexpr std::size_t at_once = 256;
  for (std::size_t from = 0; from < blocks.size(); from += at_once) {
    context.report_or_throw({.stage = "neighbours", .done = blocks[from].begin, .total = n});
    parallel_for(context, std::min(at_once, blocks.size() - from), 1,
                 [&](std::size_t b, std::size_t) {
                   const QueryBlock& block = blocks[from + b];
                   BlockSearch search(points, cut, space.measured_reach(cut.reach));
                   const std::vector<Index> near =
                       near_cells(points.centers, block.cell, choice_factor * probes.count);
                   std::vector<Sieve> sieves;
                   search.run(block.begin, block.end, block.cell, near, probes.count, sieves);
                   std::vector<Index> ids;
                   std::vector<double> measured;
                   std::vector<Candidate> candidates;
                   for (std::size_t k = block.begin; k < block.end; ++k) {
                     const auto i = static_cast<std::size_t>(points.cells.members[k]);
                     ids.clear();
                     for (const auto& [bound, j] : sieves[k - block.begin].kept()) ids.push_back(j);
                     measured.resize(ids.size());
                     measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(),
                                  space.dims(), ids.data(), ids.size(), measured.data());
                     candidates.clear();
                     for (std::size_t c = 0; c < ids.size(); ++c) {
                       candidates.push_back({space.distance(measured[c]), ids[c]});
                     }
                     parts[from + b].add(static_cast<Index>(i), candidates, cut);
                   }
                   parts[from + b].trim();
                 });
  }
  points = {};  // the lists need their room
  NeighborLists lists = assemble(n, cut, std::move(parts), context);
  lists.search_used = NeighborSearch::approximate;
  return lists;
}
template NeighborLists approximate_search(const Space<float>&, const Cut&, const Context&);
template NeighborLists approximate_search(const Space<double>&, const Cut&, const Context&);

}  // namespace geotherm::detail
