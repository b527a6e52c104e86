// A command line that was not understood -> what was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace geotherm::cli {

/// "no command 'emebd'; did you mean 'embed'?", "no option --n-neighbors; did you mean '--knn'?";
/// empty where every word is known.
std::string suggestion_for(const CLI::App& app, int argc, const char* const* argv);

}  // namespace geotherm::cli
