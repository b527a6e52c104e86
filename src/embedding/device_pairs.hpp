// The pairs of a stress problem in a GPU's memory. No CUDA header is needed to read this.
#pragma once

#include <memory>

#include "core/device.hpp"
#include "embedding/problem.hpp"
#include "geotherm/embedding.hpp"

namespace geotherm::detail {

/// Of at most this many components.
inline constexpr std::size_t most_device_components = 8;

/// `distances` must outlive it.
std::unique_ptr<PairSource> device_pairs(const ResidentDistances& distances);

/// mds() of distances that are on a device already; uniform weights.
Embedding mds_of_resident(const ResidentDistances&, const MdsOptions&, const Context&);

}  // namespace geotherm::detail
