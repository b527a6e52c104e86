// The run manifest: from it a run can be repeated and understood.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "geotherm/methods.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

/// What a run decided and saw, by name.
nlohmann::json resolved_of(const RunReport&);

/// Keys: version command options resolved seed outcome warnings timings_s peak_memory_bytes.
nlohmann::json make_manifest(const std::string& command, nlohmann::json options,
                             const DistanceRun& run, Outcome outcome, const RunOptions& run_options,
                             const RunContext& context);

/// Of a run of 'geotherm embed'. Throws IoError where the file is none.
nlohmann::json read_manifest(const std::string& path);

/// Indented; bytes that are no UTF-8 are replaced.
std::string in_text(const nlohmann::json& json);

/// Writes JSON atomically; nothing where the path is empty.
void write_json(const std::string& path, const nlohmann::json& json);

}  // namespace geotherm::cli
