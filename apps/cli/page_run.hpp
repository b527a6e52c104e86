// The HTML page of one or several maps: its options on the command line, and its assembly from
// runs, files and what is measured for it.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "geotherm/methods.hpp"
#include "geotherm/page.hpp"
#include "geotherm/trust.hpp"
#include "input.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

struct PageCliOptions {
  std::vector<std::string> annotations;  ///< files
  std::vector<std::string> features;     ///< names of columns of the input
  std::string feature_source;            ///< of an .h5ad: "raw", "X", "layer:NAME"; empty: chosen
  std::string color;
  bool has_clusters = false;  ///< a column "cluster" will be there when the page is made
  std::string title;
  std::vector<std::string> links;  ///< "Title=file.html"
};
/// --annotations --color --features --feature-source --title --link.
void add_page_options(CLI::App& command, PageCliOptions& options, const std::string& group);
/// Refuses options that nothing would show.
void require_shown(const PageCliOptions& options, bool has_page, bool has_picture);

inline constexpr const char* cluster_column = "cluster";

/// Refuses at once where this build has no page, before hours of work.
void require_page();

/// A method as people write it: "HeatGeo", "t-SNE".
std::string shown_name(std::string_view method);

struct PageMap {
  std::string name;
  Matrix<double> coordinates;
};
/// The columns that the options and the data's own file give, checked before any work. `loaded` may
/// be null, where there are only maps.
std::vector<PageColumn> page_columns(const std::string& data_path, const LoadedInput* loaded,
                                     const std::vector<std::string>& names, std::size_t n_rows,
                                     const PageCliOptions&);

/// What a page is made of. `heat` is a run on the heat graph of `loaded`; null: maps only.
struct PageSource {
  std::vector<PageMap> maps;
  std::vector<PageColumn> columns;
  std::string data_path;
  const LoadedInput* loaded = nullptr;  ///< the data, where there is any
  const DistanceRun* heat = nullptr;
  MethodOptions settings = {};
  std::vector<std::string> names = {};  ///< of points
  nlohmann::json manifest = {};
  std::optional<PageTrajectory> trajectory = std::nullopt;
  std::string shown_path = {};  ///< where the file will be moved to; empty: it stays
};
void write_page(const std::string& path, const PageSource&, const PageCliOptions&, RunContext&);

/// One of the methods that a page compares: what it decided, saw and took.
nlohmann::json method_manifest(const std::string& method, const EmbeddingRun&);

}  // namespace geotherm::cli
