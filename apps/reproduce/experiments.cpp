// The list of experiments, and what they share: where results and data files are found.
#include "experiments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace geotherm::cli {

std::span<const Experiment> experiments() {
  static const std::array all = {distances_experiment,  embeddings_experiment,
                                 clustering_experiment, interpolation_experiment,
                                 time_order_experiment, studies_experiment};
  return all;
}

std::vector<std::vector<std::uint64_t>> seed_pairs(const ReproduceSettings& settings) {
  std::vector<std::vector<std::uint64_t>> pairs(
      std::max(settings.validation_seeds.size(), settings.report_seeds.size()));
  for (const auto* seeds : {&settings.validation_seeds, &settings.report_seeds}) {
    for (std::size_t k = 0; k < seeds->size(); ++k) pairs[k].push_back((*seeds)[k]);
  }
  return pairs;
}

const nlohmann::json* Results::of(const nlohmann::json& key) const {
  const auto found = values_.find(key.dump());
  return found == values_.end() ? nullptr : &found->second;
}

std::string Results::reason(const nlohmann::json& key) const {
  const auto found = failures_.find(key.dump());
  return found == failures_.end() ? "not run" : "failed: " + found->second;
}

bool Results::has_failed(const nlohmann::json& key) const { return failures_.contains(key.dump()); }

void Results::keep(const nlohmann::json& key, nlohmann::json result) {
  failures_.erase(key.dump());
  values_[key.dump()] = std::move(result);
}

void Results::keep_failure(const nlohmann::json& key, std::string message) {
  failures_[key.dump()] = std::move(message);
}

std::filesystem::path data_file(const ReproduceSettings& settings, const std::string& name) {
  if (settings.data.empty()) return {};
  for (const auto& path : {settings.data / name, settings.data / "data" / name}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

std::string data_is_missing(const ReproduceSettings& settings, const std::string& name) {
  if (settings.data.empty()) {
    return fmt::format("no data: {} is looked for in --data or GEOTHERM_DATA, and neither is given",
                       name);
  }
  // The folder itself differs from machine to machine; results should not.
  return fmt::format("no data: {} is not in the data folder", name);
}

}  // namespace geotherm::cli
