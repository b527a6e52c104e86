// Tables with columns of text: Gower's distance as the manhattan distance of an encoded table.
#pragma once

#include <string>
#include <vector>

#include "input.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

/// A text table (.csv, .tsv with a header) with columns of words: each word of a column becomes a
/// column "name=word" of 0 and 1. `named`: the columns that hold words; "auto" among them: those
/// that are not all numbers. Columns that number or name the rows, each value once, are left out
/// and said. Numbers over their range and words over 2, over the number of columns: manhattan
/// distances are Gower's, in [0, 1]. The steps go to `steps` and the rows before them to
/// `keys_before`.
LoadedInput load_categorical(const std::string& path, const std::vector<std::string>& named,
                             const InputOptions& options);

/// Whether a model was made of such a table, and this file is one.
bool is_encoded(const std::vector<std::string>& model_columns, const std::string& path);
/// The file as a model's columns have it: words that it did not see are 0 in all of them, and
/// warned of.
Table encoded_like(const std::vector<std::string>& model_columns, const std::string& path,
                   RunContext& run_context);

}  // namespace geotherm::cli
