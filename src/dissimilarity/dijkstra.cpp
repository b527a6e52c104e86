// Dijkstra with a heap that knows where each point lies, so that no point is in it twice. The
// distances do not depend on the order of equal entries: rounding up to addition is monotone, so
// each is the least of the rounded sums along all paths.
#include "dissimilarity/dijkstra.hpp"

#include <algorithm>
#include <limits>

namespace geotherm::detail {

Dijkstra::Dijkstra(const SparseMatrix& edges, std::span<const double> lengths)
    : edges_(edges), lengths_(lengths), place_(edges.rows) {
  heap_.reserve(edges.rows);
}

void Dijkstra::rise(std::size_t place, Entry entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / 4;
    if (!(entry.distance < heap_[parent].distance)) break;
    heap_[place] = heap_[parent];
    place_[static_cast<std::size_t>(heap_[place].point)] = static_cast<Index>(place);
    place = parent;
  }
  heap_[place] = entry;
  place_[static_cast<std::size_t>(entry.point)] = static_cast<Index>(place);
}

Dijkstra::Entry Dijkstra::take_nearest() {
  const Entry nearest = heap_.front();
  const Entry last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return nearest;
  std::size_t place = 0;
  for (;;) {
    const std::size_t first = 4 * place + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + 4, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child].distance < heap_[least].distance) least = child;
    }
    if (!(heap_[least].distance < last.distance)) break;
    heap_[place] = heap_[least];
    place_[static_cast<std::size_t>(heap_[place].point)] = static_cast<Index>(place);
    place = least;
  }
  heap_[place] = last;
  place_[static_cast<std::size_t>(last.point)] = static_cast<Index>(place);
  return nearest;
}

void Dijkstra::run(Index from, std::span<double> distances) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::fill(distances.begin(), distances.end(), infinite);
  distances[static_cast<std::size_t>(from)] = 0;
  heap_.assign(1, {0.0, from});
  place_[static_cast<std::size_t>(from)] = 0;
  while (!heap_.empty()) {
    const Entry nearest = take_nearest();
    const std::size_t i = static_cast<std::size_t>(nearest.point);
    for (std::size_t e = edges_.offsets[i]; e < edges_.offsets[i + 1]; ++e) {
      const std::size_t j = static_cast<std::size_t>(edges_.indices[e]);
      const double by_here = nearest.distance + lengths_[e];
      if (!(by_here < distances[j])) continue;
      const bool is_new = distances[j] == infinite;
      distances[j] = by_here;
      std::size_t place = static_cast<std::size_t>(place_[j]);
      if (is_new) {
        place = heap_.size();
        heap_.push_back({});
      }
      rise(place, {by_here, static_cast<Index>(j)});
    }
  }
}

}  // namespace geotherm::detail
