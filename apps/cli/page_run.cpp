#include "page_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "geotherm/spelling.hpp"
#include "help.hpp"
#include "manifest.hpp"
#include "output.hpp"
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

void refuse_unknown_color(const std::vector<PageColumn>& columns, const LoadedInput* loaded,
                          const std::string& color) {
  const auto is_it = [&](const PageColumn& column) { return column.name == color; };
  if (color.empty() || color == kDistortionColumn || color == kRemovedColumn ||
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
  if (loaded != nullptr) {
    names.insert(names.end(), loaded->file_columns.begin(), loaded->file_columns.end());
  }
  throw InvalidArgument(fmt::format("--color is '{}': the page has {}{}", color,
                                    known.empty() ? "no columns (see --annotations)" : known,
                                    did_you_mean(color, names)));
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
                  "Tables of columns to colour by: .csv .tsv (a header; first the rows'\n"
                  "names, or a column of the data such as cluster), .npz; those beside\n"
                  "the data in an .npz or .h5ad come along anyway")
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

void require_shown(const PageCliOptions& options, bool has_page, bool has_picture) {
  std::vector<std::string> issues;
  const auto needs = [&](bool is_given, bool is_shown, const char* option, const char* what) {
    if (is_given && !is_shown)
      issues.push_back(fmt::format("{} is given, but no {}", option, what));
  };
  const bool is_drawn = has_page || has_picture;
  needs(!options.color.empty(), is_drawn, "--color", "--plot or --html to be coloured");
  needs(!options.title.empty(), is_drawn, "--title", "--plot or --html to carry it");
  needs(!options.annotations.empty(), is_drawn, "--annotations", "--plot or --html to show them");
  needs(!options.features.empty(), is_drawn, "--features", "--html to show them");
  refuse_if_any(issues);
}

std::vector<PageColumn> page_columns(const std::string& data_path, const LoadedInput* loaded,
                                     const std::vector<std::string>& names, std::size_t n_rows,
                                     const PageCliOptions& options) {
  std::vector<PageColumn> columns = columns_beside(data_path, n_rows, loaded);
  const auto add = [&](std::vector<PageColumn> more) {
    std::move(more.begin(), more.end(), std::back_inserter(columns));
  };
  for (const std::string& file : options.annotations)
    add(read_columns(file, n_rows, names, columns));
  if (!options.features.empty()) {
    if (loaded == nullptr) {
      throw InvalidArgument("--features are columns of the data: give it with --points");
    }
    add(features_of(data_path, *loaded, options.features, options.feature_source));
  }
  // A colour that is a column of the data (a gene) comes along as if it had been asked for.
  const auto is_color = [&](const PageColumn& column) { return column.name == options.color; };
  if (loaded != nullptr && !options.color.empty() && std::ranges::none_of(columns, is_color)) {
    try {
      if (has_feature(*loaded, options.color) || is_h5ad(data_path)) {
        add(features_of(data_path, *loaded, {options.color}, options.feature_source));
      }
    } catch (const InvalidArgument&) {
      // No gene of the file either: refused below, with what there is.
    }
  }
  // The uncertainty of a point from a bootstrap or another tool belongs to trust.
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
    refuse_unknown_color(columns, loaded, options.color);
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
    std::filesystem::path file(split_key(source.data_path).first);
    if (!file.has_filename()) file = file.parent_path();  // a folder with a slash at its end
    data.title = file.stem().string();
  }
  for (const PageMap& map : source.maps) {
    data.panels.push_back({.name = map.name, .coordinates = map.coordinates.view()});
  }
  Trust trust;
  if (source.heat != nullptr && source.loaded != nullptr) {
    std::vector<MatrixView<const double>> maps;
    for (const PageMap& map : source.maps) maps.push_back(map.coordinates.view());
    trust = measure_trust(source.loaded->input(), *source.heat, maps, source.settings,
                          trust_options_for_page(n, limits), run_context.context());
    data = with_trust(std::move(data), trust, *source.heat, source.settings.laplacian);
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
