// geotherm embed: a file of points, cells or a graph -> a map of them, and the page that shows it.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bootstrap_run.hpp"
#include "checkpoint_run.hpp"
#include "cluster_run.hpp"
#include "command.hpp"
#include "embed_options.hpp"
#include "estimate.hpp"
#include "geotherm/formats.hpp"
#include "geotherm/model.hpp"
#include "geotherm/report.hpp"
#include "geotherm/spelling.hpp"
#include "help.hpp"
#include "input.hpp"
#include "manifest.hpp"
#include "method_flags.hpp"
#include "output.hpp"
#include "output_check.hpp"
#include "page_columns.hpp"
#include "page_run.hpp"
#include "removed_edges.hpp"
#include "streamed_input.hpp"
#include "terminal.hpp"
#include "views_input.hpp"

namespace geotherm::cli {
namespace {

/// What --color names, of the columns that the page offers too; else what came with the data.
Colors colors_of_picture(const EmbedOptions& options, const LoadedInput& loaded,
                         const std::vector<PageColumn>& columns) {
  for (const PageColumn& column : columns) {
    if (column.name != options.page.color) continue;
    Colors colors{column.name, column.texts, column.numbers};
    if (column.is_sparse) colors.values.assign(loaded.input().n_points(), 0.0);
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      colors.values[static_cast<std::size_t>(column.rows[k])] = column.values[k];
    }
    return colors;
  }
  return loaded.colors;
}

bool has_picture(const EmbedOptions& options) { return !options.plot.empty() || options.is_shown; }

/// What page and picture show first, as it is said of the input.
std::string first_color_in_words(const EmbedOptions& options, const LoadedInput& loaded) {
  const std::string other = options.clusters.is_wanted ? cluster_column : loaded.colors.name;
  const std::string& name = options.page.color.empty() ? other : options.page.color;
  return name.empty() ? "" : fmt::format(", coloured by '{}'", name);
}

/// Clusters become the first column, and what is shown first; their marker genes come along.
void add_cluster_columns(const ClusterRun& clusters, const LoadedInput& loaded,
                         EmbedOptions& options, std::vector<PageColumn>& columns) {
  if (clusters.labels.empty()) return;
  columns.insert(columns.begin(), PageColumn{.name = cluster_column, .texts = clusters.labels});
  if (options.page.color.empty()) options.page.color = cluster_column;
  if (options.html.empty() || clusters.marker_genes.empty()) return;
  std::vector<std::string> wanted;
  for (const std::string& gene : clusters.marker_genes) {
    if (std::ranges::count(options.page.features, gene) == 0) wanted.push_back(gene);
  }
  std::vector<PageColumn> genes = features_of(options.input, loaded, wanted, "");
  std::move(genes.begin(), genes.end(), std::back_inserter(columns));
}

PlotOptions plot_of(const EmbedOptions& options, const Colors& colors) {
  const std::filesystem::path file(split_key(options.input).first);
  const std::filesystem::path name =
      file.has_filename() ? file.filename() : file.parent_path().filename();
  return {.title = options.page.title.empty() ? name.string() : options.page.title,
          .values = colors.values,
          .categories = colors.categories,
          .legend_title = colors.name};
}

void draw(const EmbedOptions& options, const Matrix<double>& map, const PlotOptions& plot) {
  const bool is_png = options.plot.ends_with(".png");
  write_file_atomically(options.plot, is_png ? scatter_png(map, plot) : scatter_svg(map, plot));
}

/// What of a manifest is the same whenever the run is repeated: the same run gives the same model.
nlohmann::json without_circumstances(nlohmann::json manifest) {
  manifest.erase("timings_s");
  manifest.erase("peak_memory_bytes");
  manifest["resolved"].erase("threads");
  return manifest;
}

void settle_output(EmbedOptions& options, RunContext& run_context) {
  if (options.is_inplace) {
    if (!options.output.empty()) throw InvalidArgument("give -o or --inplace, not both");
    if (!options.input.ends_with(".h5ad")) {
      throw InvalidArgument(
          fmt::format("--inplace adds the map to an .h5ad file; the input is '{}'", options.input));
    }
    options.output = options.input;
    return;
  }
  if (options.output.empty()) {
    options.output = default_output(options.input, options.method.method);
    run_context.say(fmt::format("no -o given: the map goes to {}", options.output));
    options.is_shown =
        options.is_shown || (is_on_terminal() && !options.run.quiet && !options.prints_json);
  }
  require_other_file(options.input, options.output);
}

/// Gower's distance is the manhattan distance of the encoded table; components of it mean nothing.
void compare_by_gower(EmbedOptions& options) {
  auto& words = options.method.words;
  if (words.contains("metric") && words["metric"] != "manhattan") {
    throw InvalidArgument(fmt::format(
        "--categorical compares rows by Gower's distance: leave --metric {} out", words["metric"]));
  }
  if (option_of(options.method.row(), "metric") != nullptr) words["metric"] = "manhattan";
  if (option_of(options.method.row(), "pca") != nullptr) words.try_emplace("pca", "none");
}

/// Sparse rows stay sparse where no step before the neighbours needs them dense.
void keep_sparse(EmbedOptions& options) {
  const MethodOptions& settings = options.method.settings;
  const Metric metric = settings.neighbors.metric;
  const Method& method = options.method.row();
  const bool is_reduced = method.has(parts::reduction) && !needs_raw_columns(metric) &&
                          !(settings.pca && settings.pca->rank == 0);
  const bool has_search = metric == Metric::cosine || metric == Metric::jaccard;
  if (!has_search || is_reduced || settings.smooth || !method.has(parts::search) ||
      options.method.is_precomputed() || !options.model.empty() || !options.html.empty() ||
      options.n_bootstrap > 0) {
    return;
  }
  options.reading.sparse_neighbors = neighbors_for_lists(options.method, 0);
}

/// --init FILE or obsm:NAME; empty: one of the words that the method knows itself.
std::string take_start_file(EmbedOptions& options) {
  const auto given = options.method.words.find("init");
  if (given == options.method.words.end()) return {};
  const std::string what = given->second;
  if (what == "auto" || what == "pca" || what == "spectral") return {};
  if (option_of(options.method.row(), "init") == nullptr) return {};  // refused with the others
  options.method.words.erase(given);
  return what;
}

/// The map to start from, for the rows that were read.
Matrix<double> read_start(const std::string& what, const EmbedOptions& options,
                          const LoadedInput& loaded) {
  const bool is_obsm = what.starts_with("obsm:");
  if (is_obsm && !options.input.ends_with(".h5ad")) {
    throw InvalidArgument(fmt::format("--init is '{}', but the input '{}' is no .h5ad: give a file",
                                      what, options.input));
  }
  const Table table =
      is_obsm ? densified(read_observations(options.input, {.use = what})) : read_table(what);
  Matrix<double> map = table.to_double();
  // Tables of maps may hold more than coordinates: x1, x2, novelty.
  std::vector<std::size_t> axes;
  for (std::size_t c = 0; c < table.column_names.size(); ++c) {
    if (table.column_names[c] == fmt::format("x{}", axes.size() + 1)) axes.push_back(c);
  }
  if (!axes.empty() && axes.size() < map.cols()) {
    Matrix<double> kept(map.rows(), axes.size());
    for (std::size_t i = 0; i < map.rows(); ++i) {
      for (std::size_t k = 0; k < axes.size(); ++k) kept(i, k) = map(i, axes[k]);
    }
    map = std::move(kept);
  }
  const std::size_t dims = options.method.settings.mds.n_components;
  if (is_obsm && map.cols() > dims) {
    throw InvalidArgument(fmt::format(
        "--init is '{}' of {} columns: the map has {} (--n-components)", what, map.cols(), dims));
  }
  if (!loaded.cells) return map;
  Matrix<double> of_cells(loaded.cells->cells.size(), map.cols());
  for (std::size_t i = 0; i < of_cells.rows(); ++i) {
    const auto row = static_cast<std::size_t>(loaded.cells->cells[i]);
    if (row < map.rows()) std::ranges::copy(map.row(row), of_cells.row(i).begin());
  }
  return of_cells;
}

/// A kept column of a text table is no coordinate.
void name_label_column(EmbedOptions& options) {
  std::string& column = options.reading.read.label_column;
  const std::string ending = file_name(split_key(options.input).first).ending;
  const bool is_text = ending == ".csv" || ending == ".tsv" || ending == ".txt";
  const bool is_elsewhere =
      !options.page.annotations.empty() || std::ranges::count(options.keep, cluster_column) > 0;
  if (!is_text || !column.empty() || options.keep.empty() || is_elsewhere) return;
  column = options.keep.front();
}

/// The columns of --keep, one label per row that was read.
std::vector<Colors> columns_to_keep(const EmbedOptions& options, const LoadedInput& loaded) {
  std::vector<Colors> kept;
  std::vector<std::string> names;
  if (options.keep.empty()) return kept;
  const std::size_t n = loaded.input().n_points();
  std::vector<PageColumn> beside = columns_beside(options.input, n, &loaded);
  for (const std::string& file : options.page.annotations) {
    auto more = read_columns(file, n, loaded.table.row_names, beside);
    std::ranges::move(more, std::back_inserter(beside));
  }
  for (const PageColumn& column : beside) names.push_back(column.name);
  if (!loaded.colors.name.empty()) names.push_back(loaded.colors.name);
  for (const std::string& name : options.keep) {
    if (name == cluster_column && options.clusters.is_wanted) continue;  // they are yet to be found
    Colors found = loaded.colors.name == name ? loaded.colors : Colors{};
    for (const PageColumn& column : beside) {
      if (column.name == name) found = {name, column.texts, column.numbers};
    }
    if (found.name.empty()) {
      const std::string has = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
      throw InvalidArgument(
          fmt::format("--keep is '{}': {} has no column of that name (it has {}){}", name,
                      options.input, has, did_you_mean(name, names)));
    }
    if (found.categories.empty()) {
      throw InvalidArgument(fmt::format(
          "--keep is '{}': its values are measurements; labels are text or a few whole numbers",
          name));
    }
    kept.push_back(std::move(found));
  }
  return kept;
}

/// Whether a run has the graph of all points and its time of heat: runs by landmarks have those of
/// the landmarks.
bool is_of_heat(const Method& method, const DistanceRun& run) {
  const auto last = std::max_element(run.unique_inverse.begin(), run.unique_inverse.end());
  return method.has(parts::heat) && run.time_factor == 1 && last != run.unique_inverse.end() &&
         run.graph.n_points() == static_cast<std::size_t>(*last) + 1;
}

/// Of what was given, what a method reads; rows that were reduced while they were read stay so.
MethodOptions settings_for(const Method& method, const EmbedOptions& options,
                           const LoadedInput& loaded) {
  MethodOptions settings = options_for(method, options.method.given);
  if (loaded.is_reduced()) settings.pca = PcaOptions{.rank = 0};
  return settings;
}

using Others = std::vector<std::pair<std::string, EmbeddingRun>>;

/// The maps of --compare, each with the options it reads.
Others other_maps(const EmbedOptions& options, const LoadedInput& loaded, nlohmann::json& manifest,
                  RunContext& run_context) {
  Others others;
  for (const std::string& name : options.compare) {
    const Method& method = *method_named(name);
    run_context.next_part();
    others.emplace_back(name, method.embed(loaded.input(), settings_for(method, options, loaded),
                                           run_context.context()));
    run_context.clear_bar();
    run_context.say(fmt::format("{}: done", shown_name(name)));
    manifest["compared"].push_back(method_manifest(name, others.back().second));
  }
  return others;
}

/// The page of the map and of those it is compared with.
void show(const EmbedOptions& options, const LoadedInput& loaded, std::vector<PageColumn> columns,
          const EmbeddingRun& run, const Others& others, nlohmann::json manifest,
          RunContext& run_context) {
  const Input input = loaded.input();
  const MethodOptions& settings = options.method.settings;
  PageSource source{.maps = {{shown_name(options.method.method), run.embedding.coordinates}},
                    .columns = std::move(columns),
                    .data_path = options.input,
                    .loaded = &loaded,
                    .settings = settings,
                    .names = loaded.table.row_names};
  if (!run.unrefined.empty()) {
    source.maps.push_back({shown_name(options.method.method) + ", unrefined", run.unrefined});
  }
  DistanceRun of_heat;
  if (is_of_heat(options.method.row(), run.distances)) source.heat = &run.distances;
  for (const auto& [name, other] : others) {
    source.maps.push_back({shown_name(name), other.embedding.coordinates});
    if (source.heat == nullptr && is_of_heat(*method_named(name), other.distances)) {
      source.settings = settings_for(*method_named(name), options, loaded);
      source.heat = &other.distances;
    }
  }
  if (source.heat == nullptr) {
    source.settings = settings_for(methods().front(), options, loaded);
    of_heat = heat_graph(input, source.settings, run_context.context());
    source.heat = &of_heat;
  }
  source.manifest = std::move(manifest);
  write_page(options.html, source, options.page, run_context);
}

/// Whether more than the method looks at the table, as it is in the file.
bool needs_table(const EmbedOptions& options) {
  const bool is_copied = options.output.ends_with(".h5ad") && !options.input.ends_with(".h5ad");
  return is_copied || !options.html.empty() || options.n_bootstrap > 0;
}

/// All that will be written, looked at before anything is read.
void check_outputs(const EmbedOptions& options) {
  using Kind = OutputFile::Kind;
  require_outputs({{"-o", options.output, Kind::table},
                   {"--model", options.model, Kind::model},
                   {"--html", options.html, Kind::page},
                   {"--plot", options.plot, Kind::picture},
                   {"--manifest", options.manifest, Kind::manifest},
                   {"--counts", options.counts, Kind::counts},
                   {"--checkpoint", options.checkpoint.folder, Kind::folder}});
}

bool holds_several_maps(const std::string& output) {
  return output.ends_with(".h5ad") || split_key(output).first.ends_with(".npz");
}

void require_sensible_page(const EmbedOptions& options) {
  if (options.html.empty() && !options.compare.empty() && !holds_several_maps(options.output)) {
    throw InvalidArgument(
        "--compare puts maps side by side in a page, an .h5ad or an .npz: give --html FILE, or -o "
        "such a file");
  }
  require_shown(options.page, !options.html.empty() || !options.keep.empty(), has_picture(options));
  if (!options.html.empty()) require_page();
}

int embed(EmbedOptions& options) {
  if (options.input.empty() && !options.views.empty()) options.input = options.views.front();
  if (options.input.empty()) {
    throw InvalidArgument("INPUT is missing: give a file of points (see 'geotherm embed --help')");
  }
  if (!options.reading.categorical.empty()) compare_by_gower(options);
  const std::string start_file = take_start_file(options);
  const std::vector<std::string> idle = resolve(options.method, options.compare);
  if (!options.keep.empty() && options.model.empty()) {
    throw InvalidArgument("--keep keeps labels in a model: give --model FILE");
  }
  name_label_column(options);
  keep_sparse(options);
  options.reading.keeps_steps = !options.model.empty();
  if (!options.model.empty()) options.method.settings.keep_neighbors = model_neighbors;
  if (!options.counts.empty() && options.reading.preprocess != "single-cell") {
    throw InvalidArgument(
        "--counts writes the counts of the cells that were kept: give --preprocess single-cell");
  }
  options.method.settings.keep_landmarks = false;  // nothing that is written asks for distances
  RunContext run_context(options.run);
  for (const std::string& warning : idle) run_context.warn(warning);
  run_context.set_parts(1 + options.compare.size());
  settle_output(options, run_context);
  require_sensible_page(options);
  check_outputs(options);
  const std::vector<ViewPlace> views = places_of_views(options.input, options.views);
  const std::optional<LoadedInput> found =
      views.empty() ? load_or_reduce(options.input, options.method, options.reading,
                                     needs_table(options), options.estimate, run_context.context())
                    : load_views(views, options.method, options.reading, run_context.context());
  if (!found) return success;
  const LoadedInput& loaded = *found;
  run_context.clear_bar();
  run_context.say(loaded.in_words() + first_color_in_words(options, loaded));

  const Input input = loaded.input();
  if (!start_file.empty()) {
    options.method.settings.start = {StartKind::map, read_start(start_file, options, loaded)};
  }
  const std::vector<Colors> kept_labels = columns_to_keep(options, loaded);
  std::vector<PageColumn> columns;
  const bool is_colored = !options.page.color.empty() && has_picture(options);
  options.page.has_clusters = options.clusters.is_wanted;
  if (!options.html.empty() || is_colored) {
    columns = page_columns(options.input, &loaded, loaded.table.row_names, input.n_points(),
                           options.page);
  }
  if (!loaded.is_reduced() &&
      only_estimates(options.estimate, options.method, shape_of(input), run_context.context())) {
    return success;
  }
  const Method& method = options.method.row();
  const auto kept =
      open_checkpoint(options.checkpoint, options.method, input, options.run, run_context);
  Context keeping = run_context.context();
  keeping.checkpoint = kept.get();
  EmbeddingRun run = method.embed(input, options.method.settings, keeping);
  note_reduction(loaded, run.distances.report);
  run_context.begin_to_write();
  const std::size_t n = input.n_points();
  const Embedding& embedding = run.embedding;
  if (embedding.outcome == Outcome::iteration_limit) {
    run_context.warn(
        fmt::format("the layout stopped at its limit of {} sweeps; more may lower the "
                    "stress of {:.4g} (--max-iterations)",
                    embedding.iterations, embedding.stress));
  }

  const std::vector<double> removed = removed_fraction(run.distances);
  warn_of_losses(removed, loaded.colors.categories, run_context);

  nlohmann::json asked = to_json(options.method, MethodUse::map);
  asked["input"] = options.input;
  asked["output"] = options.output;
  asked["reading"] = to_json(options.reading);
  if (!start_file.empty()) asked["init"] = start_file;
  nlohmann::json manifest = make_manifest("embed", std::move(asked), run.distances,
                                          embedding.outcome, options.run, run_context);
  manifest["resolved"]["input"] = loaded.in_words();
  manifest["resolved"]["n_points"] = n;
  if (!loaded.views.is_null()) manifest["views"] = loaded.views;
  if (loaded.cells) manifest["resolved"]["preprocessing"] = loaded.cells->in_words;
  if (options.n_bootstrap > 0) {
    manifest["stability"] =
        run_bootstrap(options.method.method, loaded, options.method.settings, embedding.coordinates,
                      options.n_bootstrap, options.output, run_context);
  }
  const Others others = other_maps(options, loaded, manifest, run_context);
  const ClusterRun clusters =
      run_clusters(options.clusters, loaded, run.distances, options.method.settings, run_context);
  if (!clusters.labels.empty()) manifest["clusters"] = clusters.manifest;
  add_cluster_columns(clusters, loaded, options, columns);
  MapExtras extras{.clusters = clusters.labels};
  for (const auto& [name, other] : others) {
    extras.maps.emplace_back(name, &other.embedding.coordinates);
  }
  const MapTarget target{options.input, options.output, options.method.method};
  nlohmann::json losses = losses_in_short(removed, loaded.colors.categories);
  const bool has_losses = !losses.is_null() && losses["largest"] > 0;
  // In a table of coordinates it would pass for one more: a file of its own, on request.
  const bool is_kept = has_losses && (options.keeps_removed || holds_several_maps(options.output));
  if (is_kept) losses["column"] = removed_place(target);
  manifest["removed_fraction"] = std::move(losses);
  if (is_kept) extras.removed = removed;
  const std::string written = save_map(target, loaded, embedding.coordinates, extras, manifest);
  if (!clusters.labels.empty()) {
    run_context.say(fmt::format("clusters -> {}", clusters_place(options.output)));
  }
  if (has_losses) {
    run_context.say(fmt::format("shortcut edges were removed at {} points -> {}",
                                manifest["removed_fraction"]["points"].get<std::size_t>(),
                                is_kept ? removed_place(target) : "--removed writes the share"));
  }
  if (!options.counts.empty()) save_counts(options.counts, loaded);
  const PlotOptions plot = plot_of(options, colors_of_picture(options, loaded, columns));
  if (!options.plot.empty()) draw(options, embedding.coordinates, plot);
  if (!options.model.empty()) {
    Model model =
        make_model(method.name, input, options.method.settings, run, run_context.context());
    if (!loaded.keys_before.empty()) {
      model = with_steps_before(std::move(model), loaded.steps, loaded.keys_before,
                                run.distances.unique_inverse);
    }
    add_names(model, loaded);
    for (const Colors& labels : kept_labels) {
      model.labels.push_back(unique_row_labels(model, labels.name, labels.categories.to_vector()));
    }
    if (!clusters.labels.empty() && std::ranges::count(options.keep, cluster_column) > 0) {
      model.labels.push_back(unique_row_labels(model, cluster_column, clusters.labels));
    }
    model.description = in_text(without_circumstances(manifest));
    save_model(options.model, model);
  }
  write_json(options.manifest, manifest);
  if (options.prints_json) fmt::print("{}\n", in_text(manifest));
  if (!options.html.empty()) {
    show(options, loaded, std::move(columns), run, others, std::move(manifest), run_context);
  }
  if (options.is_shown) print_scatter(embedding.coordinates, plot);
  const bool has_stress = method.has(parts::mds) && std::isfinite(embedding.stress);
  run_context.say(fmt::format("{} points -> {} ({} dimensions{})", n, written,
                              embedding.coordinates.cols(),
                              has_stress ? fmt::format(", stress {:.4g}", embedding.stress) : ""));
  return close_run(kept.get(), options.checkpoint.folder, embedding.outcome, run_context);
}

}  // namespace

void add_embed(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App* command = app.add_subcommand("embed", "Embed the points of a file in a map");
  add_embed_options(*command, *options);
  command->callback([options, &chosen] { chosen = [options] { return embed(*options); }; });
}

}  // namespace geotherm::cli
