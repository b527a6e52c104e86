// What an estimator keeps of a fit, so that distances from further rows need no second one.
#pragma once

#include "bindings.hpp"
#include "geotherm/methods.hpp"

namespace geotherm::python {

/// Times, units and diagonals, or landmarks, and what the graph has beside its weights and lengths:
/// plain arrays and numbers, which travel in a pickle. None where the distances of the run are not
/// heat geodesic.
nb::object fitted_heat(const Method&, const DistanceRun&);

void bind_fitted_heat(nb::module_& m);

}  // namespace geotherm::python
