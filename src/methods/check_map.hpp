// The last step of every method: no map leaves the library that is none.
#pragma once

#include "geotherm/methods.hpp"

namespace geotherm::detail {

/// Hands the run over as it is. Throws InvalidData, saying which, where a coordinate is not finite,
/// or where all points coincide although more rows of the input than the map has columns are
/// affinely independent (unless the run was stopped before its end).
EmbeddingRun checked(EmbeddingRun, const Input&);

}  // namespace geotherm::detail
