// Errors -> messages and exit codes, the same for every program.
#pragma once

#include <functional>
#include <string_view>

namespace geotherm::cli {

/// One line per complaint on stderr, each saying what is wrong and what to do.
void say(std::string_view message);

/// Runs it; what it throws becomes a message and a code.
int exit_code_of(const std::function<int()>& run);

}  // namespace geotherm::cli
