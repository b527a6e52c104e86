// Exact neighbours by looking at all pairs.
#pragma once

#include "neighbors/bounds.hpp"
#include "neighbors/lists.hpp"

namespace geotherm::detail {

/// O(n^2 d). Squared measures by matrix products, manhattan by direct sums, the others by bounds.
template <class T>
NeighborLists brute_force(const Space<T>&, const Cut&, const Context&);

/// The same for some points only, by direct sums, on the calling thread; in the order of `queries`.
/// `bounds` rule pairs out before they are measured.
template <class T>
ListPart brute_force_some(const Space<T>&, std::span<const Index> queries, const Cut&,
                          const PairBounds* bounds = nullptr);

/// Measures the candidates of one point and writes its list; the vectors are kept from point to point.
struct MeasureScratch {
  std::vector<double> measured;
  std::vector<Candidate> candidates;
};
template <class T>
void add_measured(const Space<T>& space, std::size_t point, std::span<const Index> ids,
                  const Cut& cut, MeasureScratch& scratch, ListPart& part) {
  auto& [measured, candidates] = scratch;
  measured.resize(ids.size());
  measure_rows(space.measure, space.rows.row(point).data(), space.rows.data(), space.dims(),
               ids.data(), ids.size(), measured.data());
  candidates.clear();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    candidates.push_back({space.distance(measured[k]), ids[k]});
  }
  part.add(static_cast<Index>(point), candidates, cut);
}

/// Positions k < n with values[k] <= limit, in order; returns how many. `out` has space for n.
std::size_t pick_at_most(const float* values, std::size_t n, float limit, Index* out);
std::size_t pick_at_most(const double* values, std::size_t n, double limit, Index* out);

}  // namespace geotherm::detail
