#include "manifest.hpp"

#include <fstream>

#include "core/platform.hpp"
#include "geotherm/io.hpp"

namespace geotherm::cli {

nlohmann::json resolved_of(const RunReport& report) {
  nlohmann::json resolved = nlohmann::json::object();
  for (const auto& [name, value] : report.resolved) {
    std::visit([&resolved, &key = name](const auto& v) { resolved[key] = v; }, value);
  }
  return resolved;
}

nlohmann::json make_manifest(const std::string& command, nlohmann::json options,
                             const DistanceRun& run, Outcome outcome, const RunOptions& run_options,
                             const RunContext& context) {
  nlohmann::json resolved = resolved_of(run.report);
  if (!run.time_choice.times.empty()) {
    resolved["entropy_curve"] = {{"times", run.time_choice.times},
                                 {"entropies", run.time_choice.entropies}};
  }
  resolved["threads"] = context.context().executor->n_threads();
  return {{"version", version()},
          {"command", command},
          {"options", std::move(options)},
          {"resolved", std::move(resolved)},
          {"seed", run_options.seed},
          {"outcome", to_string(outcome)},
          {"warnings", context.warnings()},
          {"timings_s", run.report.timings_s},
          {"peak_memory_bytes", detail::platform::peak_memory()}};
}

nlohmann::json read_manifest(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(path + ": cannot be read (check the spelling and the folder)");
  nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  const bool is_manifest = json.is_object() && json.contains("options") &&
                           json["options"].is_object() && json["options"].contains("method") &&
                           json["options"]["method"].is_string() && json.contains("resolved") &&
                           json["resolved"].is_object();
  if (!is_manifest) {
    throw IoError(path + ": is not the manifest of a run ('geotherm embed --manifest' writes one)");
  }
  return json;
}

std::string in_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_json(const std::string& path, const nlohmann::json& json) {
  if (path.empty()) return;
  write_file_atomically(path, in_text(json) + "\n");
}

}  // namespace geotherm::cli
