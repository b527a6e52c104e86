// Lists of neighbours -> symmetric weights (unite.hpp) in a GPU's memory. Weights are the CPU's up
// to roundings of exp and pow; who is joined with whom is the same. No CUDA header is needed to
// read this.
#pragma once

#include <optional>

#include "core/device.hpp"
#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// Empty where the context has no GPU, its memory is too small, or there are few points: the CPU's
/// turn then.
///
/// Alpha decay of all that the lists hold, without anisotropy; components are not numbered.
std::optional<Graph> alpha_decay_on_device(const Context&, const NeighborLists&,
                                           const AffinityOptions&);
/// The fuzzy union of the nearest `most` of each point along the edges of a graph with lengths.
std::optional<SparseMatrix> memberships_on_device(const Context&, const Graph&, std::size_t most);

}  // namespace geotherm::detail
