// --checkpoint: a folder in which a long run keeps its state, so that the same command goes on with
// it after the process was ended.
#pragma once

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

/// Null where no folder was asked for. Says so where it goes on from an earlier run.
std::unique_ptr<CheckpointFolder> open_checkpoint(const CheckpointCliOptions& options,
                                                  const MethodFlags& method, const Input& input,
                                                  const RunOptions& run, RunContext& run_context);

/// Of a run that is done or was stopped: removes what was kept, or says how to go on.
void close_checkpoint(CheckpointFolder* kept, const std::string& folder, bool is_done,
                      RunContext& run_context);

}  // namespace geotherm::cli
