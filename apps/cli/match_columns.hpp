// Columns of a new table put into the order of a model's, by name.
#pragma once

#include <string>

#include "geotherm/model.hpp"
#include "geotherm/observations.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

/// Reorders the columns and says so; refuses (InvalidData) a table that lacks some, with the list,
/// unless they are to be taken as 0. Without names on either side only the number is compared,
/// which is said where one side has them.
void match_to_model(const Model& model, bool absent_are_zero, Observations& read,
                    RunContext& run_context);

}  // namespace geotherm::cli
