// A large table with a rank for its PCA: reduced while it is read, never whole in memory.
#pragma once

#include <memory>

#include "input.hpp"
#include "method_options.hpp"

namespace geotherm::cli {

/// The rows of the input where they are to be reduced while they are read: a large table of a
/// format that comes in blocks, a rank that is given, and columns few enough. Null: read it whole.
/// `needs_table`: something else than the method looks at the table itself.
std::unique_ptr<ObservationRows> rows_to_reduce(const std::string& path, const MethodOptions&,
                                                const InputOptions&, bool needs_table);

/// Reads and reduces them: `loaded.table` holds the scores, and the method is told that there is
/// nothing left to reduce.
LoadedInput load_reduced(const std::string& path, ObservationRows&, MethodOptions&,
                         const Context& context);

/// What the method would have noted of its PCA, into its report.
void note_reduction(const LoadedInput&, RunReport&);

}  // namespace geotherm::cli
