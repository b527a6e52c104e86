// Rows of a table by name or number.
#pragma once

#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::cli {

/// For each word the row of that name, else of that number, counted from 0. Refuses words that are
/// neither, all at once, with the names they are like.
std::vector<Index> rows_named(const std::string& option, const std::vector<std::string>& words,
                              const std::vector<std::string>& row_names, std::size_t n_rows);

}  // namespace geotherm::cli
