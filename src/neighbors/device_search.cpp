#include "neighbors/device_search.hpp"

#ifdef GEOTHERM_WITH_CUDA
#include <algorithm>
#include <limits>

#include "neighbors/brute_force.hpp"
#include "neighbors/device_candidates.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t fewest_points = 4096;
constexpr std::size_t most_points = 200000;
constexpr std::size_t longest_list = 512;
constexpr std::size_t query_block = 64;

}  // namespace

bool suits_device_search(std::size_t n, const Cut& cut, Measure measure) {
  return is_squared(measure) && n >= fewest_points && n <= most_points &&
         cut.knn <= longest_list;
}

template <class T>
NeighborLists device_search(Device& device, const Space<T>& space, const Cut& cut,
                            const Context& context) {
  const std::size_t n = space.n_points(), dims = space.dims();
  const Frame frame = frame_of(space.rows, context);
  auto centred = Matrix<double>::uninitialized(n, dims);
  std::vector<double> norms(n);
  parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double norm = 0;
      for (std::size_t c = 0; c < dims; ++c) {
        const double x = (static_cast<double>(space.rows(i, c)) - frame.means[c]) * frame.scale;
        centred(i, c) = x;
        norm += x * x;
      }
      norms[i] = norm;
    }
  });
  // As the filter of brute_force, which adds its terms in another order.
  const double loss =
      2 * static_cast<double>(dims + 16) * std::numeric_limits<double>::epsilon();
  CandidateSearch search(device, centred, norms, cut.knn, space.measured_reach(cut.reach), loss);
  std::vector<ListPart> parts((n + query_block - 1) / query_block + n / search.block() + 1);
  std::size_t n_parts = 0;
  DeviceCandidates found;
  search.start(0);
  for (std::size_t first = 0; first < n; first += search.block()) {
    context.report_or_throw({.stage = "neighbours", .done = first, .total = n});
    search.collect(found);
    if (first + search.block() < n) search.start(first + search.block());
    const std::size_t part_from = n_parts;
    n_parts += (found.count + query_block - 1) / query_block;
    parallel_for(context, found.count, query_block, [&](std::size_t begin, std::size_t end) {
      ListPart& part = parts[part_from + begin / query_block];
      std::vector<double> measured;
      std::vector<Candidate> candidates;
      std::vector<Index> crowded;
      for (std::size_t q = begin; q < end; ++q) {
        const std::size_t i = first + q;
        const auto count = static_cast<std::size_t>(found.counts[q]);
        if (count > found.capacity) {  // many ties, or a long reach
          crowded.assign(1, static_cast<Index>(i));
          const ListPart own = brute_force_some(space, crowded, cut);
          part.points.push_back(own.points[0]);
          part.counts.push_back(own.counts[0]);
          part.indices.insert(part.indices.end(), own.indices.begin(), own.indices.end());
          part.distances.insert(part.distances.end(), own.distances.begin(), own.distances.end());
          continue;
        }
        const Index* ids = found.ids.data() + q * found.capacity;
        measured.resize(count);
        measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), dims, ids, count,
                     measured.data());
        candidates.clear();
        for (std::size_t k = 0; k < count; ++k) {
          candidates.push_back({space.distance(measured[k]), ids[k]});
        }
        part.add(static_cast<Index>(i), candidates, cut);
      }
    });
  }
  parts.resize(n_parts);
  NeighborLists lists = assemble(n, cut, std::move(parts), context);
  lists.search_used = NeighborSearch::brute_force;
  return lists;
}
template NeighborLists device_search(Device&, const Space<float>&, const Cut&, const Context&);
template NeighborLists device_search(Device&, const Space<double>&, const Cut&, const Context&);

}  // namespace geotherm::detail
#endif
