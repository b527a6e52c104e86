// A large table with a rank for its PCA: reduced while it is read, never whole in memory.
#pragma once

#include <optional>
#include <string>

#include "input.hpp"
#include "method_flags.hpp"

namespace geotherm::cli {

/// The input as load_input gives it; or, where that is large, of a format that comes in blocks, and
/// has a rank for its PCA and columns few enough, reduced while it is read: `table` then holds the
/// scores, and the method is told that there is nothing left to reduce. What is reduced is
/// estimated here, before it is read: nothing comes back where the estimate is all that is wanted.
/// `needs_table`: something else than the method looks at the table itself.
std::optional<LoadedInput> load_or_reduce(const std::string& path, MethodFlags&,
                                          const InputOptions&, bool needs_table, bool only_estimate,
                                          const Context&);

/// What the method would have noted of its PCA, into its report.
void note_reduction(const LoadedInput&, RunReport&);

}  // namespace geotherm::cli
