// The command line as it was typed, for a command that hands it on to another program.
#pragma once

#include <string>
#include <vector>

namespace geotherm::cli {

/// To be called once, by main.
void keep_words(int argc, char** argv);
/// What came after the command's name.
const std::vector<std::string>& words_after_command();

}  // namespace geotherm::cli
