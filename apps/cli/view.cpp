// geotherm view: maps that were made before -> an HTML page of them, side by side, or a look at
// them in the terminal.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "command.hpp"
#include "page_run.hpp"
#include "terminal.hpp"

namespace geotherm::cli {
namespace {

struct ViewOptions {
  std::vector<std::string> maps;
  std::string output;
  std::string points;
  std::string manifest;
  InputOptions reading;
  PageCliOptions page;
  RunOptions run;
};

/// The map of an AnnData file that is most likely meant: ours, else one of the usual ones.
Matrix<double> map_in(const std::string& path, std::vector<std::string>& row_names) {
  for (const char* name : {"X_heatgeo", "X_phate", "X_umap", "X_tsne", "X_pca"}) {
    try {
      Table table = read_observations(path, {.use = std::string("obsm:") + name}).table;
      if (row_names.empty()) row_names = table.row_names;
      return table.to_double();
    } catch (const IoError&) {
      if (name == std::string_view("X_pca")) throw;
    }
  }
  return {};
}

/// "Name=file", or a file alone: no name then.
struct NamedFile {
  std::string name;
  std::string path;
};
NamedFile named_file(const std::string& word) {
  const std::size_t at = word.find('=');
  const bool is_named = at != std::string::npos && at > 0 && !std::filesystem::exists(word);
  if (!is_named) return {"", word};
  return {word.substr(0, at), word.substr(at + 1)};
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// A file without a name has that of its stem.
PageMap read_map(const std::string& word, std::vector<std::string>& row_names) {
  auto [name, path] = named_file(word);
  const bool is_named = !name.empty();
  if (path.ends_with(".h5ad")) return {is_named ? name : path, map_in(path, row_names)};
  if (path.ends_with(".gtm")) {
    // A model holds the coordinates of its training points: of a sample where the table was in
    // blocks.
    return {is_named ? name : stem_of(path), load_model(path).coordinates};
  }
  // "cells.h5ad:X_umap" is a map that lies in the file already.
  const std::size_t h5ad = path.rfind(".h5ad:");
  const bool is_in_h5ad = h5ad != std::string::npos;
  Table table = is_in_h5ad ? read_observations(path.substr(0, h5ad + 5),
                                               {.use = "obsm:" + path.substr(h5ad + 6)})
                                 .table
                           : read_table(path);
  if (row_names.empty()) row_names = table.row_names;
  const auto [file, key] = split_key(path);
  if (!is_named) name = stem_of(file);
  if (!is_named && is_in_h5ad) name = path.substr(h5ad + 6);
  if (!is_named && !is_in_h5ad && !key.empty()) name += ":" + key;
  return {std::move(name), table.to_double()};
}

/// The file that a map lies in: columns beside it come along.
std::string data_of(const std::string& word) {
  const std::string path = named_file(word).path;
  const std::size_t h5ad = path.rfind(".h5ad:");
  return h5ad == std::string::npos ? path : path.substr(0, h5ad + 5);
}

bool is_of_few_groups(const PageColumn& column) {
  const std::set<std::string_view> groups(column.texts.begin(), column.texts.end());
  return groups.size() >= 2 && groups.size() <= 60;
}

/// Coloured by the column --color names; else by the first of few groups, where there is one.
PlotOptions plot_of(const PageMap& map, const std::vector<PageColumn>& columns,
                    const std::string& color) {
  PlotOptions plot{.title = map.name};
  const auto chosen = std::find_if(columns.begin(), columns.end(), [&](const PageColumn& column) {
    return color.empty() ? is_of_few_groups(column) : column.name == color;
  });
  if (chosen == columns.end()) return plot;
  plot.legend_title = chosen->name;
  plot.categories = chosen->texts;
  plot.values = chosen->numbers;
  if (chosen->is_sparse) {
    plot.values.assign(map.coordinates.rows(), 0);
    for (std::size_t k = 0; k < chosen->rows.size(); ++k) {
      plot.values[static_cast<std::size_t>(chosen->rows[k])] = chosen->values[k];
    }
  }
  return plot;
}

int view(const ViewOptions& options) {
  if (!options.output.empty() && !options.output.ends_with(".html")) {
    throw InvalidArgument(fmt::format("-o is '{}': the page is written as .html", options.output));
  }
  RunContext run_context(options.run);
  PageSource source;
  for (const std::string& word : options.maps) source.maps.push_back(read_map(word, source.names));
  source.data_path = options.points.empty() ? data_of(options.maps.front()) : options.points;

  LoadedInput loaded;
  DistanceRun heat;
  if (!options.points.empty()) {
    loaded = load_input(options.points, false, options.reading, run_context.context());
    const std::size_t n = source.maps.front().coordinates.rows();
    if (loaded.table.rows() != n) {
      throw InvalidData(
          fmt::format("{} has {} rows but {} has {}: the points and their map have "
                      "the same rows",
                      options.points, loaded.table.rows(), options.maps.front(), n));
    }
    source.loaded = &loaded;
  }
  source.columns = page_columns(source.data_path, source.loaded, source.names,
                                source.maps.front().coordinates.rows(), options.page);
  if (options.output.empty()) {
    for (const PageMap& map : source.maps) {
      print_scatter(map.coordinates, plot_of(map, source.columns, options.page.color));
    }
    return success;
  }
  if (source.loaded != nullptr) {
    heat = heat_graph(loaded.input(), source.settings, run_context.context());
    run_context.clear_bar();
    source.heat = &heat;
  }
  if (!options.manifest.empty()) {
    std::ifstream file(options.manifest);
    if (!file) throw IoError(options.manifest + ": cannot be opened (is the name right?)");
    source.manifest = nlohmann::json::parse(file, nullptr, false);
    if (source.manifest.is_discarded()) throw IoError(options.manifest + ": is not JSON");
  }
  write_page(options.output, source, options.page, run_context);
  return success;
}

}  // namespace

void add_view(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand("view", "Show maps in the terminal or as an HTML page");
  command
      ->add_option("EMBEDDING", options->maps,
                   "Maps: .csv .tsv .npy .npz (file.npz:key) .h5ad (cells.h5ad:X_umap); with a\n"
                   "name: UMAP=umap.csv")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "The page: one .html file that opens in any browser, without network. Empty:\n"
                   "the maps are drawn in the terminal")
      ->type_name("FILE");
  command
      ->add_option("--points", options->points,
                   "The data of the maps: adds heat on its graph, true neighbours and\n"
                   "distortion to the page")
      ->type_name("FILE");
  command->add_option("--manifest", options->manifest, "A run's manifest to show, .json")
      ->type_name("FILE");
  add_page_options(*command, options->page, "Page");
  command->add_option("--use", options->reading.read.use, "--points in an .h5ad: X, obsm:NAME, ...")
      ->type_name("WHAT")
      ->group("Page");
  add_run_options(*command, options->run);
  command->footer(
      "Examples:\n"
      "  geotherm view map.csv\n"
      "  geotherm view map.csv -o map.html --annotations cells.csv --color cell_type\n"
      "  geotherm view HeatGeo=a.csv UMAP=b.csv --points cells.npz:X -o maps.html\n");
  command->callback([options, &chosen] { chosen = [options] { return view(*options); }; });
}

}  // namespace geotherm::cli
