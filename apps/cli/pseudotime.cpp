// geotherm pseudotime: order of cells from a root, end states, branches and fates.
#include <fmt/core.h>

#include <chrono>

#include "command.hpp"
#include "manifest.hpp"
#include "method_flags.hpp"
#include "output.hpp"
#include "output_check.hpp"
#include "pseudotime_output.hpp"
#include "pseudotime_page.hpp"
#include "pseudotime_roots.hpp"
#include "pseudotime_trends.hpp"

namespace geotherm::cli {
namespace {

/// Of a group or a marker, so many roots are averaged.
constexpr std::size_t most_roots = 10;

struct TrajectoryOptions {
  std::string input;
  std::string output;
  std::string tree;
  std::string manifest;
  std::string html;
  bool prints_json = false;
  RootWords roots;
  TrendWords trends;
  PageCliOptions page;
  PseudotimeOptions order;
  MilestoneOptions milestones;
  DirectionOptions direction;
  InputOptions reading;
  MethodFlags method;
  RunOptions run;
};

std::string joined(const std::vector<Index>& rows, const LoadedInput& loaded) {
  std::string text;
  for (const Index row : rows) {
    const auto& names = loaded.table.row_names;
    text += fmt::format(
        "{}{}{}", text.empty() ? "" : ", ", row,
        names.empty() ? "" : fmt::format(" ({})", names[static_cast<std::size_t>(row)]));
  }
  return text;
}

/// Rows of distinct points, the first of each.
std::vector<Index> first_rows(const std::vector<Index>& unique_inverse, std::size_t n_unique) {
  std::vector<Index> first(n_unique, -1);
  for (std::size_t i = 0; i < unique_inverse.size(); ++i) {
    Index& row = first[static_cast<std::size_t>(unique_inverse[i])];
    if (row < 0) row = static_cast<Index>(i);
  }
  return first;
}

int propose_roots(const DistanceRun& run, const LoadedInput& loaded, RunContext& run_context) {
  const std::vector<Index> first = first_rows(run.unique_inverse, run.graph.n_points());
  std::vector<Index> rows;
  for (const Index place : root_candidates(run.graph, 4, run_context.context())) {
    rows.push_back(first[static_cast<std::size_t>(place)]);
  }
  run_context.clear_bar();
  run_context.say(
      "no root is given, so nothing is ordered: a distance cannot tell a beginning from an end");
  fmt::print("Extremes of the geometry, where a trajectory may begin: {}\n", joined(rows, loaded));
  fmt::print("Choose one with --root ROW, or give --root-group or --root-marker.\n");
  return success;
}

void warn_of_unsupported(const MilestoneNetwork& network, const MilestoneOptions& options,
                         RunContext& run_context) {
  if (network.is_supported) return;
  run_context.warn(fmt::format(
      "no trajectory is supported: curves through the cells explain {:.2f} of the variance of "
      "their "
      "distances, and {:.2f} are needed (a cloud without branches stays below). The order is "
      "written all the same: look at the map before you read it",
      network.explained, options.min_explained));
}

/// All that will be written, looked at before anything is read.
void check_outputs(const TrajectoryOptions& options) {
  using Kind = OutputFile::Kind;
  require_outputs({{"-o", options.output, Kind::table},
                   {"--html", options.html, Kind::page},
                   {"--tree", options.tree, Kind::manifest},
                   {"--manifest", options.manifest, Kind::manifest}});
  if (!options.html.empty()) require_page();
}

int pseudotime_of(TrajectoryOptions& options) {
  const std::vector<std::string> idle = resolve(options.method);
  RunContext run_context(options.run);
  for (const std::string& warning : idle) run_context.warn(warning);
  check_outputs(options);
  MethodOptions settings = options.method.settings;
  settings.components = ComponentPolicy::separate;  // nothing flows along bridges
  const Context& context = run_context.context();
  if (!options.output.empty()) require_other_file(options.input, options.output);
  const LoadedInput loaded =
      load_input(options.input, options.method.is_precomputed(), options.reading, context);
  run_context.say(loaded.in_words());
  options.trends.source = options.page.feature_source;
  const GeneValues genes = gene_values(options.trends, options.input, loaded);
  DistanceRun run = shared_graph(loaded.input(), settings, context);
  if (options.roots.empty()) return propose_roots(run, loaded, run_context);
  if (options.output.empty()) throw InvalidArgument("-o is needed: where the pseudotime goes");

  const std::vector<Index> component_of_place = connected_components(run.graph.weights);
  std::vector<Index> component, places;
  for (const Index place : run.unique_inverse) {
    component.push_back(component_of_place[static_cast<std::size_t>(place)]);
  }
  const std::vector<Index> roots =
      roots_of(options.roots, options.input, loaded, component, most_roots);
  for (const Index row : roots) {
    places.push_back(run.unique_inverse[static_cast<std::size_t>(row)]);
  }
  TrajectoryTable of_places;
  auto start = std::chrono::steady_clock::now();
  const auto lap = [&](const char* stage) {
    const auto now = std::chrono::steady_clock::now();
    run.report.timings_s[stage] = std::chrono::duration<double>(now - start).count();
    start = now;
  };
  of_places.order = pseudotime(run.graph, places, options.order, context);
  lap("order");
  of_places.network =
      milestone_network(run.graph, of_places.order, places.front(), options.milestones, context);
  lap("milestones");
  warn_of_unsupported(of_places.network, options.milestones, run_context);
  const SparseMatrix walk =
      directed_walk(run.graph, of_places.order.by_distance, options.direction, context);
  of_places.fates = fate_probabilities(walk, of_places.order.by_distance,
                                       cells_at_ends(of_places.network), context);
  lap("fates");
  const TrajectoryTable table = spread_to_rows(of_places, run.unique_inverse);
  run_context.clear_bar();

  const MilestoneNetwork& network = table.network;
  run.report.resolved["n_roots"] = static_cast<double>(roots.size());
  run.report.resolved["root"] = joined(roots, loaded);
  run.report.resolved["explained"] = network.explained;
  run.report.resolved["n_ends"] = static_cast<double>(network.ends.size());
  run.report.resolved["n_branchings"] = static_cast<double>(network.branchings.size());
  run.report.resolved["n_loops"] = static_cast<double>(network.n_loops);
  run.report.resolved["n_unreached"] = static_cast<double>(table.order.n_unreached);
  nlohmann::json asked = to_json(options.method, MethodUse::distances);
  asked["input"] = options.input;
  asked["output"] = options.output;
  asked["root"] = options.roots.rows;
  asked["root_group"] = options.roots.group;
  asked["root_marker"] = options.roots.marker;
  asked["groups"] = options.roots.groups_file;
  asked["bootstrap"] = options.order.bootstrap;
  asked["level"] = options.order.level;
  asked["resolutions"] = options.order.resolutions;
  asked["even_ends"] = options.order.even_ends;
  asked["min_explained"] = options.milestones.min_explained;
  asked["min_branch"] = options.milestones.min_branch;
  asked["backward"] = options.direction.backward;
  asked["reading"] = to_json(options.reading);
  const nlohmann::json manifest = make_manifest("pseudotime", std::move(asked), run,
                                                Outcome::converged, options.run, run_context);
  const nlohmann::json tree = tree_json(network, loaded);
  save_trajectory(options.input, options.output, loaded, table, tree, manifest);
  write_json(options.tree, tree);
  write_trends(options.trends, genes, table, context);
  write_json(options.manifest, manifest);
  if (options.prints_json) fmt::print("{}\n", in_text(manifest));
  run_context.say(fmt::format(
      "pseudotime of {} cells from {} root{}; {} end{}, {} branching{}, {} loop{} -> {}",
      table.order.values.size() - table.order.n_unreached, roots.size(),
      roots.size() == 1 ? "" : "s", network.ends.size(), network.ends.size() == 1 ? "" : "s",
      network.branchings.size(), network.branchings.size() == 1 ? "" : "s", network.n_loops,
      network.n_loops == 1 ? "" : "s", options.output));
  if (!options.html.empty()) {
    write_trajectory_page(options.html, options.input, loaded, options.method, table, manifest,
                          options.page, run_context);
  }
  return success;
}

void add_root_options(CLI::App& command, TrajectoryOptions& options) {
  command
      .add_option("--root", options.roots.rows,
                  "Where it begins: a row, counted from 0, or a cell's name;\nseveral, as 0,17, "
                  "are averaged")
      ->type_name("ROWS")
      ->delimiter(',');
  command
      .add_option("--root-group", options.roots.group,
                  "Or in this group: up to 10 of its cells are averaged")
      ->type_name("LABEL");
  command
      .add_option("--groups", options.roots.groups_file,
                  "Groups for --root-group: file.npz:key, cells.h5ad:column, .csv;\n"
                  "else the labels read with the input")
      ->type_name("FILE");
  command
      .add_option("--root-marker", options.roots.marker,
                  "Or where a gene is highest or lowest: GENE:high, GENE:low")
      ->type_name("GENE:SIDE");
}

void add_trend_options(CLI::App& command, TrendWords& words) {
  command
      .add_option("--genes", words.genes,
                  "Genes of --trends and --branch-genes, by name: CD3D,LYZ; else all, and\n"
                  "--trends has the ten best explained of each end")
      ->type_name("NAMES")
      ->delimiter(',');
  command
      .add_option("--trends", words.curves,
                  "Also write smooth curves of genes towards each end, with 95 % bands, as .csv")
      ->type_name("FILE");
  command
      .add_option("--branch-genes", words.branch_genes,
                  "Also write the genes of each end, the best explained first, as .csv")
      ->type_name("FILE");
}

}  // namespace

void add_pseudotime(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TrajectoryOptions>();
  CLI::App* command = app.add_subcommand(
      "pseudotime", "Order cells from a root: pseudotime, branches, end states and fates");
  add_input_path(*command, options->input);
  command
      ->add_option("-o,--output", options->output,
                   "Pseudotime, its interval and fates: .npy, .npz, .csv, .tsv, .h5ad")
      ->type_name("FILE");
  add_root_options(*command, *options);
  command
      ->add_option("--bootstrap", options->order.bootstrap,
                   "Replicates for an interval of each cell; 0: none")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1000000}).description(""))
      ->capture_default_str();
  command->add_option("--level", options->order.level, "Coverage of the interval")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--resolutions", options->order.resolutions,
                   "Numbers of slow modes of heat; the order is the mean over these.\nFewer: "
                   "smoother, small branches shrink")
      ->type_name("COUNTS")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--even-ends", options->order.even_ends,
                   "How far the ends of branches are brought to one pseudotime; 0: as long as\n"
                   "distances say, 1: every branch ends at 1")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--min-branch", options->milestones.min_branch,
                   "Branches shorter than this share of the longest path are left out")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--min-explained", options->milestones.min_explained,
                   "Share of the variance of distances that branches must explain")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--tree", options->tree,
                   "Also write milestones, network and percentages, as .json")
      ->type_name("FILE");
  command
      ->add_option("--manifest", options->manifest,
                   "Also write options, choices and results of the run, as .json")
      ->type_name("FILE");
  command->add_flag("--json", options->prints_json, "Print the manifest on stdout");
  add_trend_options(*command, options->trends);
  command
      ->add_option("--html", options->html,
                   "Also make the map and write the page: order as colour, the tree over\n"
                   "the map, fates, and the flow from the root")
      ->type_name("FILE");
  add_page_options(*command, options->page, "Page (--html)");
  add_input_options(*command, options->reading);
  add_method_options(*command, options->method, MethodUse::distances);
  add_run_options(*command, options->run);
  command->footer(
      "Examples:\n"
      "  geotherm pseudotime cells.csv -o order.csv --root 0\n"
      "  geotherm pseudotime data.npz:X -o order.npy --root 0,17 --bootstrap 20\n"
      "  geotherm pseudotime cells.csv -o order.csv --root 0 --html order.html\n");
  command->callback([options, &chosen] { chosen = [options] { return pseudotime_of(*options); }; });
}

}  // namespace geotherm::cli
