// refine_layout from whatever tells who attracts whom.
#pragma once

#include "geotherm/refine.hpp"
#include "refine/attraction.hpp"

namespace geotherm::detail {

Refined refine_layout(MatrixView<const double> start, const Attraction&, const RefineOptions&,
                      const Context&);

}  // namespace geotherm::detail
