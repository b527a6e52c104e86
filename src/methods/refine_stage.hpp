// Refinement where the options leave it open.
#pragma once

#include "methods/stages.hpp"

namespace geotherm::detail {

/// What becomes of a map where the options leave refinement open: nothing, or refinement if it keeps
/// few neighbours.
enum class RefineDefault { off, where_few_are_kept };
EmbeddingRun refined(EmbeddingRun, const Input&, const MethodOptions&, const Context&,
                     RefineDefault);

}  // namespace geotherm::detail
