// The landmark solution of a table in blocks: what the blocks gathered, through the same modules.
#pragma once

#include "geotherm/coarse.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {

/// As heat_geo_coarse says.
CoarseMap coarse_map(const KernelDistance&, MatrixView<const float> landmark_points,
                     const std::vector<Triplet>& crossings, std::span<const std::size_t> n_points,
                     const CellEdges&, double edge_length, const MethodOptions&, const Context&);

}  // namespace geotherm::detail
