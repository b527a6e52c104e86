// Refinement where the options leave it open.
#pragma once

#include "methods/stages.hpp"

namespace geotherm::detail {

/// Maps that keep more of their ten nearest neighbours than this stay as they are by default.
inline constexpr double kept_without_refinement = 0.5;

/// What becomes of a map where the options leave refinement open: nothing, or refinement if it keeps
/// few neighbours.
enum class RefineDefault { off, where_few_are_kept };
EmbeddingRun refined(EmbeddingRun, const Input&, const MethodOptions&, const Context&,
                     RefineDefault);

}  // namespace geotherm::detail
