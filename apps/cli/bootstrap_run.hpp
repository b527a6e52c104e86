// --bootstrap of embed: how much the map depends on which rows were drawn.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "input.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

/// "cells_spread.csv" beside "cells.csv".
std::string spread_file(const std::string& output);

/// Embeds subsamples, writes one spread per row to spread_file(output), and gives what the manifest
/// says under "stability".
nlohmann::json run_bootstrap(const std::string& method, const LoadedInput& loaded,
                             const MethodOptions& settings, const Matrix<double>& map,
                             std::size_t n_samples, const std::string& output,
                             RunContext& run_context);

}  // namespace geotherm::cli
