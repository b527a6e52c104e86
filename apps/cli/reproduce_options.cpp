#include "reproduce_options.hpp"

namespace geotherm::cli {

void add_reproduce_options(CLI::App& command, ReproduceCommand& options) {
  command
      .add_option("EXPERIMENT", options.names,
                  "Their names, or all. None: lists them, with what each costs")
      ->type_name("");
  command
      .add_option("-o,--output", options.output,
                  "Folder for index.html, results.md, the figures, and cache/, from which\n"
                  "a stopped run goes on")
      ->type_name("FOLDER")
      ->capture_default_str();
  command.add_flag("--quick", options.quick, "The same rows from fewer seeds and choices");
  command
      .add_option("--data", options.data,
                  "Folder with the real data sets (default: GEOTHERM_DATA); rows whose\n"
                  "file is not there say so")
      ->type_name("FOLDER");
  command
      .add_option("--part", options.part,
                  "I/N: only the I-th of N shares of the work, so that N processes can\n"
                  "share one folder")
      ->type_name("I/N");
  // For tests of the program: data sets this many times smaller.
  command.add_option("--shrink", options.shrink)->group("");
  add_seedless_run_options(command, options.run);
  command.footer(
      "Examples:\n"
      "  geotherm reproduce\n"
      "  geotherm reproduce distances --quick -o results\n");
}

}  // namespace geotherm::cli
