// Tables as people have them: how numbers are written, values that are missing, columns of
// different scales. In: a loaded table. Out: the same, filled and scaled, with words on it.
#pragma once

#include <CLI/CLI.hpp>

#include "input.hpp"

namespace geotherm::cli {

void add_table_options(CLI::App& command, InputOptions& options);
/// The options that the reader knows, from their words; refuses what makes no sense together.
ReadOptions read_options_of(const InputOptions& options);

/// Fills gaps, warns where a few columns decide all distances, scales as asked and keeps the steps
/// for a model. For dense points alone.
void prepare_table(const InputOptions& options, const Context& context, LoadedInput& loaded);

/// "; 3 of 500 values are missing ..." where the table has gaps, else nothing.
std::string gaps_in_words(const Table& table);

}  // namespace geotherm::cli
