// Weights from the lengths of steps: what rates by lengths and landmarks have in common.
#pragma once

#include <span>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// An outlier must not set the pace of all.
struct StepBounds {
  double least = 0.05;
  double most = 20;
};

/// The graph with weights W_ij / (s_i s_j), s_i the root mean square of the edge lengths at i in
/// units of unit[i] (> 0), within bounds, times one factor that restores the median degree.
Graph with_step_rates(Graph, std::span<const double> unit, const StepBounds&, const Context&);

}  // namespace geotherm::detail
