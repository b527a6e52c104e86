// --checkpoint: a folder in which a long run keeps its state, so that the same command goes on with
// it after the process was ended.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "geotherm/checkpoint.hpp"
#include "method_flags.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

struct CheckpointCliOptions {
  std::string folder;
  double every_s = 30;
};
void add_checkpoint_options(CLI::App& command, CheckpointCliOptions& options);

/// Null where no folder was asked for. Says so where it goes on from an earlier run. `described`:
/// all that decides the result, so that another run is refused; threads are no part of it.
std::unique_ptr<CheckpointFolder> open_checkpoint(const CheckpointCliOptions& options,
                                                  std::map<std::string, std::string> described,
                                                  RunContext& run_context);
/// The same of a method, its options and its input.
std::unique_ptr<CheckpointFolder> open_checkpoint(const CheckpointCliOptions& options,
                                                  const MethodFlags& method, const Input& input,
                                                  const RunOptions& run, RunContext& run_context);

/// The options of a method that were given, by name.
std::map<std::string, std::string> options_in_words(const MethodFlags& method,
                                                    const RunOptions& run);

/// Of a run that is done or was stopped: removes what was kept, or says how to go on. The exit
/// status.
int close_run(CheckpointFolder* kept, const std::string& folder, Outcome outcome,
              RunContext& run_context);

}  // namespace geotherm::cli
