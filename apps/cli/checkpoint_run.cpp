#include "checkpoint_run.hpp"

#include <fmt/core.h>

#include "help.hpp"

namespace geotherm::cli {

void add_checkpoint_options(CLI::App& command, CheckpointCliOptions& options) {
  command
      .add_option("--checkpoint", options.folder,
                  "Save the state of a long run in this folder: the same command resumes\n"
                  "from there, with the same result. Removed when the map is written")
      ->type_name("FOLDER")
      ->group(advanced("Run"));
  command
      .add_option("--checkpoint-every", options.every_s,
                  "Seconds between saves; 0: as often as possible")
      ->type_name("S")
      ->capture_default_str()
      ->group(advanced("Run"));
}

std::map<std::string, std::string> options_in_words(const MethodFlags& method,
                                                    const RunOptions& run) {
  std::map<std::string, std::string> words;
  const nlohmann::json asked = to_json(method, MethodUse::map);
  for (const auto& [name, value] : asked.items()) {
    words[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  words["seed"] = std::to_string(run.seed);
  return words;
}

std::unique_ptr<CheckpointFolder> open_checkpoint(const CheckpointCliOptions& options,
                                                  std::map<std::string, std::string> described,
                                                  RunContext& run_context) {
  if (options.folder.empty()) return nullptr;
  auto kept = std::make_unique<CheckpointFolder>(options.folder, std::move(described),
                                                 options.every_s, run_context.context());
  if (kept->is_resumed()) {
    run_context.say(fmt::format("resuming an earlier run from {}", options.folder));
  }
  return kept;
}

std::unique_ptr<CheckpointFolder> open_checkpoint(const CheckpointCliOptions& options,
                                                  const MethodFlags& method, const Input& input,
                                                  const RunOptions& run, RunContext& run_context) {
  if (options.folder.empty()) return nullptr;
  std::map<std::string, std::string> words = options_in_words(method, run);
  words["input"] = fingerprint(input);
  return open_checkpoint(options, std::move(words), run_context);
}

int close_run(CheckpointFolder* kept, const std::string& folder, Outcome outcome,
              RunContext& run_context) {
  const bool is_done = outcome != Outcome::stopped;
  if (kept != nullptr && is_done) {
    kept->remove();
  } else if (kept != nullptr && kept->is_empty()) {
    kept->remove();
    run_context.say("stopped before a state was due to be kept: the same command begins anew");
  } else if (kept != nullptr) {
    run_context.say(fmt::format(
        "stopped; the state is kept in {}: the same command resumes from there", folder));
  }
  return is_done ? success : interrupted;
}

}  // namespace geotherm::cli
