#include "page_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "help.hpp"
#include "geotherm/spelling.hpp"
#include "manifest.hpp"
#include "page_columns.hpp"

namespace geotherm::cli {
namespace {

std::vector<PageLink> links_of(const std::vector<std::string>& words) {
  std::vector<PageLink> links;
  for (const std::string& word : words) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0) {
      throw InvalidArgument(fmt::format("--link is '{}': give TITLE=FILE", word));
    }
    links.push_back({word.substr(0, at), word.substr(at + 1)});
    if (links.back().file.find(':') != std::string::npos) {
      throw InvalidArgument(
          fmt::format("--link leads to '{}': give a file beside the page, such as "
                      "tree.html",
                      links.back().file));
    }
  }
  return links;
}

constexpr const char* distortion = "distortion";
constexpr const char* removed_share = "share of edges removed";

void refuse_unknown_color(const std::vector<PageColumn>& columns, const std::string& color) {
  const auto is_it = [&](const PageColumn& column) { return column.name == color; };
  if (color.empty() || color == distortion || color == removed_share ||
      std::any_of(columns.begin(), columns.end(), is_it)) {
    return;
  }
  std::string known;
  for (const PageColumn& column : columns) {
    if (known.find("'" + column.name + "'") == std::string::npos) {
      known += (known.empty() ? "'" : ", '") + column.name + "'";
    }
  }
  std::vector<std::string> names;
  for (const PageColumn& column : columns) names.push_back(column.name);
  throw InvalidArgument(fmt::format("--color is '{}': the page has {}{}", color,
                                    known.empty() ? "no columns (see --annotations)" : known,
                                    did_you_mean(color, names)));
}

Trust trust_of(const PageSource& source, std::size_t n, const PageOptions& limits,
               const Context& context) {
  TrustOptions options;
  if (n > 20'000) options = {.knn = 12, .n_sources = 64, .n_probes = 48, .n_times = 9};
  options.max_rows = limits.max_heat_points;
  std::vector<MatrixView<const double>> maps;
  for (const PageMap& map : source.maps) maps.push_back(map.coordinates.view());
  return measure_trust(source.loaded->input(), *source.heat, maps, source.settings, options, context);
}

void add_trust_columns(const Trust& trust, std::vector<PageColumn>& columns) {
  for (std::size_t p = 0; p < trust.distortion.size(); ++p) {
    columns.push_back({.name = distortion,
                       .role = PageColumn::Role::trust,
                       .numbers = trust.distortion[p],
                       .panel = p});
  }
  if (!trust.removed_share.empty()) {
    columns.push_back(
        {.name = removed_share, .role = PageColumn::Role::trust, .numbers = trust.removed_share});
  }
}

/// Of the run, or of the landmarks that stand for many points.
PageGraph graph_of(const PageSource& source, const Trust& trust) {
  const bool has_landmarks = trust.landmarks.graph.n_points() > 0;
  const DistanceRun& run = has_landmarks ? trust.landmarks : *source.heat;
  PageGraph graph{.weights = &run.graph.weights,
                  .has_landmarks = has_landmarks,
                  .laplacian = std::string(to_string(source.settings.laplacian)),
                  .time = run.kernel.time,
                  .diagonal_times = trust.diagonal_times,
                  .diagonal = trust.diagonal.view()};
  if (run.unique_inverse.size() != run.graph.n_points()) graph.unique_inverse = run.unique_inverse;
  graph.length_scale = run.length_scale;
  for (const Edge& edge : run.shortcuts.removed) graph.removed.emplace_back(edge.from, edge.to);
  return graph;
}

/// The column shown first: the one asked for, else the one that was said to colour the data.
std::string color_of(const PageSource& source, const PageCliOptions& options) {
  if (!options.color.empty() || source.loaded == nullptr) return options.color;
  const std::string& announced = source.loaded->colors.name;
  const auto is_it = [&](const PageColumn& column) { return column.name == announced; };
  return std::any_of(source.columns.begin(), source.columns.end(), is_it) ? announced : "";
}

}  // namespace

void add_page_options(CLI::App& command, PageCliOptions& options, const std::string& group) {
  command
      .add_option("--annotations", options.annotations,
                  "Tables of columns to colour by: .csv .tsv (with a header), .npz; those\n"
                  "beside the data in an .npz or .h5ad come along anyway")
      ->type_name("FILE")
      ->group(advanced(group));
  command
      .add_option("--features", options.features,
                  "Columns of the data (genes) to ship with the page, by name: CD3D,LYZ")
      ->type_name("NAMES")
      ->delimiter(',')
      ->group(advanced(group));
  command
      .add_option("--feature-source", options.feature_source,
                  ".h5ad: raw, X or layer:NAME; empty: raw where there is one, else X")
      ->type_name("WHAT")
      ->group(advanced(group));
  command
      .add_option("--color", options.color,
                  "The column shown first, in the page and in --plot; empty: the label\n"
                  "column of the data, else the first one")
      ->type_name("COLUMN")
      ->group(group);
  command.add_option("--title", options.title, "Title of the page and of the picture")
      ->type_name("WORDS")
      ->group(group);
  command.add_option("--link", options.links, "Another page beside this one, for the bar on top")
      ->type_name("TITLE=FILE")
      ->group(advanced(group));
}

std::vector<PageColumn> page_columns(const std::string& data_path, const LoadedInput* loaded,
                                     const std::vector<std::string>& names, std::size_t n_rows,
                                     const PageCliOptions& options) {
  std::vector<PageColumn> columns = columns_beside(data_path, n_rows, loaded);
  const auto add = [&](std::vector<PageColumn> more) {
    std::move(more.begin(), more.end(), std::back_inserter(columns));
  };
  for (const std::string& file : options.annotations) add(read_columns(file, n_rows, names));
  if (!options.features.empty()) {
    if (loaded == nullptr) {
      throw InvalidArgument("--features are columns of the data: give it with --points");
    }
    add(features_of(data_path, *loaded, options.features, options.feature_source));
  }
  // Where a bootstrap or another tool wrote how sure a place is, it belongs to trust.
  for (PageColumn& column : columns) {
    if (column.name == "uncertainty" || column.name.ends_with("_uncertainty")) {
      column.role = PageColumn::Role::trust;
    }
  }
  if (loaded != nullptr) {
    for (const Column& column : loaded->quality) {
      columns.push_back(
          {.name = column.name, .numbers = std::get<std::vector<double>>(column.values)});
    }
  }
  if (!options.has_clusters || options.color != cluster_column) {
    refuse_unknown_color(columns, options.color);
  }
  links_of(options.links);
  return columns;
}

void require_page() {
  if (!has_page()) {
    throw InvalidArgument(
        "--html: this build has no page, since it was made without Node.js and npm: install them "
        "(Debian: nodejs, npm) and build again with -DGEOTHERM_WITH_VIEWER=ON");
  }
}

nlohmann::json method_manifest(const std::string& method, const EmbeddingRun& run) {
  return {{"method", method},
          {"resolved", resolved_of(run.distances.report)},
          {"outcome", to_string(run.embedding.outcome)},
          {"timings_s", run.distances.report.timings_s}};
}

std::string shown_name(std::string_view name) {
  const Method* method = method_named(name);
  return std::string(method == nullptr ? name : method->display);
}

void write_page(const std::string& path, const PageSource& source, const PageCliOptions& options,
                RunContext& run_context) {
  const PageOptions limits;
  const std::size_t n = source.maps.front().coordinates.rows();
  PageData data{.title = options.title,
                .names = source.names,
                .columns = source.columns,
                .color = color_of(source, options),
                .links = links_of(options.links)};
  if (data.title.empty()) {
    data.title = std::filesystem::path(split_key(source.data_path).first).stem().string();
  }
  for (const PageMap& map : source.maps) {
    data.panels.push_back({.name = map.name, .coordinates = map.coordinates.view()});
  }
  Trust trust;
  if (source.heat != nullptr && source.loaded != nullptr) {
    trust = trust_of(source, n, limits, run_context.context());
    add_trust_columns(trust, data.columns);
    data.graph = graph_of(source, trust);
    if (!trust.neighbors.empty()) {
      data.neighbors = PageNeighbors{trust.neighbors.view(), trust.neighbor_distances.view(),
                                     trust.neighbor_rows};
    }
    const TimeChoice& choice = source.heat->time_choice.times.empty()
                                   ? trust.landmarks.time_choice
                                   : source.heat->time_choice;
    data.entropy = PageCurve{choice.times, choice.entropies, choice.time, choice.how};
  }
  data.trajectory = source.trajectory;
  if (!source.manifest.is_null()) {
    data.manifest = source.manifest.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  const std::string html = html_page(data, limits, run_context.context());
  write_file_atomically(path, html);
  run_context.say(fmt::format("page -> {} ({:.1f} MB, {} map{}; open it in a browser)",
                              source.shown_path.empty() ? path : source.shown_path,
                              static_cast<double>(html.size()) / 1e6, data.panels.size(),
                              data.panels.size() == 1 ? "" : "s"));
}

}  // namespace geotherm::cli
