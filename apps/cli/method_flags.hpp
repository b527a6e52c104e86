// The options of a method on the command line: names and defaults of MethodOptions, nothing more.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "geotherm/methods.hpp"

namespace geotherm::cli {

struct MethodFlags {
  std::string method = "heatgeo";
  std::string metric = "euclidean";  ///< a metric's name, or "precomputed"
  std::string pca = {};              ///< empty here and below: the method's own choice
  std::string time = "auto";
  std::string shortcuts = {};
  std::string smooth = "off";
  std::string rates = {};
  std::string landmarks = "auto";
  std::string max_memory = "auto";
  LandmarkChoice landmark_choice = LandmarkOptions{}.choice;
  std::optional<std::size_t> pivots = std::nullopt;
  std::string pivot_heat = "auto";  ///< or "points", "landmarks"
  std::string refine = "auto";      ///< or "off", a number of epochs
  std::optional<double> balance = std::nullopt;
  MethodOptions settings = {};

  bool is_precomputed() const { return metric == "precomputed" || method == "mds"; }
};

/// Everything up to the distances; `add_layout_options` is for maps alone.
/// `for_distances`: only methods that have distances of their own are offered.
void add_method_options(CLI::App& command, MethodFlags& options, bool for_distances);
void add_layout_options(CLI::App& command, MethodFlags& options);

/// Fills the settings from the words ("auto", "none", a number); throws InvalidArgument.
void resolve(MethodFlags& options);

/// The options as they were asked for, for the manifest.
nlohmann::json to_json(const MethodFlags& options);

}  // namespace geotherm::cli
