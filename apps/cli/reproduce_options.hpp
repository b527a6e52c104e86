// The command line of reproduce, which the program and geotherm-reproduce share.
#pragma once

#include <string>
#include <vector>

#include "run_context.hpp"

namespace geotherm::cli {

struct ReproduceCommand {
  std::vector<std::string> names;
  std::string output = "results";
  std::string data;
  std::string part = "1/1";
  bool quick = false;
  std::size_t shrink = 1;
  RunOptions run;
};

void add_reproduce_options(CLI::App& command, ReproduceCommand& options);

}  // namespace geotherm::cli
