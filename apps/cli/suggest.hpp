// A command line that was not understood -> what was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace geotherm::cli {

/// "no command 'emebd'; did you mean 'embed'?", "no option --n-neighbors; did you mean '--knn'?",
/// "--missing is 'zero': give refuse, mean or knn"; else what the parser says.
std::string explanation_of(const CLI::ParseError& error, const CLI::App& app, int argc,
                           const char* const* argv);

/// The parser reads -2 as a count of 2^64 - 2; from here on it is refused.
void refuse_negative_counts(CLI::App& app);

}  // namespace geotherm::cli
