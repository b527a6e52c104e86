// The options of geotherm embed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "checkpoint_run.hpp"
#include "cluster_run.hpp"
#include "input.hpp"
#include "method_flags.hpp"
#include "page_run.hpp"

namespace geotherm::cli {

struct EmbedOptions {
  std::string input;
  std::string output;
  bool is_inplace = false;
  std::string manifest;
  std::string plot;
  std::string model;
  std::vector<std::string> keep;
  std::vector<std::string> views;
  std::string counts;
  std::size_t n_bootstrap = 0;
  CheckpointCliOptions checkpoint;
  bool prints_json = false;
  std::string html;
  std::vector<std::string> compare;
  PageCliOptions page;
  bool is_shown = false;
  bool keeps_removed = false;
  ClusterCliOptions clusters;
  InputOptions reading;
  bool estimate = false;
  MethodFlags method;
  RunOptions run;
};
void add_embed_options(CLI::App& command, EmbedOptions& options);

}  // namespace geotherm::cli
