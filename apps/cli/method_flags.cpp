#include "method_flags.hpp"

#include <fmt/core.h>

#include <cctype>
#include <charconv>
#include <functional>

namespace geotherm::cli {
namespace {

/// Refuses other words, naming those it knows; the help lists them once, in the option's own text.
CLI::Validator one_of(const std::vector<std::string>& names) {
  return CLI::IsMember(names).description("");
}

/// An option that takes one of an enum's names; the library's own table decides.
template <class Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& target,
                        std::function<std::optional<Enum>(std::string_view)> named,
                        const std::vector<std::string>& names, const std::string& help) {
  const auto take = [&target, named](const std::string& word) {
    if (const auto value = named(word)) target = *value;
  };
  return command.add_option_function<std::string>(name, take, help)
      ->type_name("NAME")
      ->check(one_of(names))
      ->default_str(std::string(to_string(target)));
}

/// For `distances`, what stands before the comma: the part of a method that comes before the map.
std::string_view shown_summary(const Method& method, bool for_distances) {
  return for_distances ? method.summary.substr(0, method.summary.find(',')) : method.summary;
}

template <class Number>
std::optional<Number> number_in(const std::string& word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

template <class T>
nlohmann::json or_auto(const std::optional<T>& value) {
  if (value) return *value;
  return "auto";
}

std::string or_own(const std::string& word) {
  return word.empty() ? "the method's own choice" : word;
}

void add_graph_options(CLI::App& command, MethodFlags& options) {
  MethodOptions& settings = options.settings;
  const std::string group = "Graph";
  command
      .add_option("--pca", options.pca,
                  "Reduce the table first: none, auto (rank from the data; principal\n"
                  "components are left alone), or a rank, for which large tables are\n"
                  "read in blocks and never held whole. heatgeo, sne: auto")
      ->type_name("RANK")
      ->default_str("none")
      ->group(group);
  command
      .add_option("--smooth", options.smooth,
                  "Move points towards their neighbours first, against thick noise: off,\n"
                  "auto, or steps. It dissolves small populations: look twice")
      ->type_name("STEPS")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--metric", options.metric,
                  "Distance of rows: euclidean, cosine, correlation, manhattan;\n"
                  "precomputed: INPUT is an n x n distance matrix")
      ->type_name("NAME")
      ->check(one_of({"euclidean", "cosine", "correlation", "manhattan", "precomputed"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--knn", settings.neighbors.knn,
                  "Neighbours of each point (umap: 15); more is smoother, but may\n"
                  "join what is apart")
      ->type_name("N")
      ->default_str("10")
      ->group(group);
  add_choice<NeighborSearch>(command, "--search", settings.neighbors.search, neighbor_search_named,
                             {"auto", "brute-force", "tree", "approximate"},
                             "How they are found: auto, brute-force, tree, approximate")
      ->group(group);
  add_choice<Affinity>(command, "--graph", settings.affinity.kind, affinity_named,
                       {"alpha-decay", "knn", "gaussian", "umap"},
                       "Edge weights: alpha-decay, knn, gaussian, umap")
      ->group(group);
  command.add_option("--decay", settings.affinity.decay, "alpha-decay: exponent of the kernel")
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--anisotropy", settings.affinity.anisotropy,
                  "alpha-decay: 0 keeps the density of the sample, 1 divides it out")
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
  add_choice<ComponentPolicy>(command, "--components", settings.components, component_policy_named,
                              {"bridge", "separate", "error"},
                              "A graph in pieces: bridge (join by the shortest links), separate,\n"
                              "error")
      ->group(group);
  command
      .add_option("--shortcuts", options.shortcuts,
                  "Take out short-circuit edges: off, auto, or the share of edges to\n"
                  "examine, up to 0.5. heatgeo, sne: auto")
      ->type_name("SHARE")
      ->default_str("off")
      ->group(group);
}

void add_heat_options(CLI::App& command, MethodFlags& options) {
  MethodOptions& settings = options.settings;
  const std::string group = "Heat (heatgeo, heat-phate, sne; the time also of walks)";
  command
      .add_option("--time", options.time,
                  "How long heat spreads, or steps of a walk; auto: until it covers\n"
                  "30 % of the points (diffusion-map: 1); knee: of the entropy, as\n"
                  "published")
      ->type_name("T")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--rates", options.rates,
                  "Heat counts hops, or moves in lengths (distances in the units of the\n"
                  "data). heatgeo, sne: lengths")
      ->type_name("NAME")
      ->check(one_of({"hops", "lengths"}))
      ->default_str("hops")
      ->group(group);
  add_choice<LaplacianKind>(command, "--laplacian", settings.laplacian, laplacian_kind_named,
                            {"combinatorial", "normalized", "random-walk"},
                            "Laplacian: combinatorial, normalized, random-walk")
      ->group(group);
  add_choice<KernelMethod>(command, "--kernel", settings.heat.method, kernel_method_named,
                           {"auto", "uniformization", "poisson", "exact", "chebyshev", "euler"},
                           "auto, uniformization (right in every entry), exact, chebyshev, euler")
      ->group(group);
  command.add_option("--order", settings.heat.order, "chebyshev: degree; euler: steps")
      ->type_name("N")
      ->default_str("auto")
      ->group(group);
}

void add_distance_options(CLI::App& command, HeatGeodesicOptions& distance) {
  const std::string group = "Distance (heatgeo, rand-geo, sne)";
  command
      .add_option("--harnack", distance.harnack, "Weight of the volume term; 1 makes d(i, i) = 0")
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--denoise", distance.denoise,
                  "Mix in distances between rows of distances: 0 none, 1 only those")
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--kernel-floor", distance.kernel_floor,
                  "Raise smaller kernel entries to this: a truncated distance")
      ->type_name("X")
      ->group(group);
  command.add_option("--max-distance", distance.max_distance, "Cut larger distances to this")
      ->type_name("X")
      ->group(group);
}

void add_scale_options(CLI::App& command, MethodFlags& options) {
  const std::string group = "Scale (methods that measure distances)";
  command
      .add_option("--landmarks", options.landmarks,
                  "Measure between landmarks only: auto (where all pairs are too many),\n"
                  "none, or how many")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  add_choice<LandmarkChoice>(command, "--landmark-choice", options.landmark_choice,
                             landmark_choice_named, {"random", "spread", "central"},
                             "random; spread: where the last were far; central: k-means along\n"
                             "the graph")
      ->group(group);
  command
      .add_option("--max-memory", options.max_memory,
                  "What all pairs may take, as 4GB or 500MB; auto: half of the machine's")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(group);
}

/// "4GB", "500 MB", "1.5GiB", or bytes.
std::optional<std::size_t> bytes_in(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || !(value > 0)) return std::nullopt;
  std::string unit(end, word.data() + word.size());
  std::erase(unit, ' ');
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const bool is_binary = unit.ends_with("IB");
  const double step = is_binary ? 1024 : 1000;
  const std::string letters = "KMGT";
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t place = letters.find(unit[0]);
    const std::string rest = unit.substr(1);
    if (place == std::string::npos || (rest != "" && rest != "B" && rest != "IB")) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k <= place; ++k) factor *= step;
  }
  const double bytes = value * factor;
  if (!(bytes >= 1 && bytes < 1e18)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

void resolve_scale(MethodFlags& options) {
  LandmarkOptions landmarks;
  landmarks.n_pivots = options.pivots;
  landmarks.choice = options.landmark_choice;
  if (options.pivot_heat != "auto") landmarks.has_full_pivots = options.pivot_heat == "points";
  if (options.max_memory != "auto") {
    landmarks.max_memory = bytes_in(options.max_memory);
    if (!landmarks.max_memory) {
      throw InvalidArgument(fmt::format("--max-memory is '{}': give auto, or a size as 4GB, 500MB",
                                        options.max_memory));
    }
  }
  if (options.landmarks == "none") {
    options.settings.landmarks.reset();
    return;
  }
  if (options.landmarks != "auto") {
    landmarks.count = number_in<std::size_t>(options.landmarks);
    if (!landmarks.count || *landmarks.count < 2) {
      throw InvalidArgument(fmt::format("--landmarks is '{}': give auto, none, or a number from 2",
                                        options.landmarks));
    }
  }
  options.settings.landmarks = landmarks;
}

void resolve_refinement(MethodFlags& options) {
  std::optional<RefineOptions>& refine = options.settings.refine;
  refine.reset();
  if (options.balance) refine = RefineOptions{.balance = *options.balance};
  if (options.refine == "auto") return;
  const auto epochs = number_in<std::size_t>(options.refine);
  if (!epochs && options.refine != "off") {
    throw InvalidArgument(
        fmt::format("--refine is '{}': give auto, off, or a number of epochs", options.refine));
  }
  if (!refine) refine = RefineOptions{};
  refine->epochs = epochs.value_or(0);
}

}  // namespace

void add_method_options(CLI::App& command, MethodFlags& options, bool for_distances) {
  MethodOptions& settings = options.settings;
  std::vector<std::string> names;
  std::string listed = "One of:";
  for (const Method& method : methods()) {
    if (for_distances && method.distances == nullptr) continue;
    names.emplace_back(method.name);
    listed += fmt::format("\n{:<20}{}", method.name, shown_summary(method, for_distances));
  }
  command.add_option("--method", options.method, listed)
      ->type_name("NAME")
      ->check(one_of(names))
      ->capture_default_str()
      ->group("Method");
  add_graph_options(command, options);
  add_heat_options(command, options);
  add_distance_options(command, settings.dissimilarity);
  add_scale_options(command, options);
}

void add_layout_options(CLI::App& command, MethodFlags& options) {
  MdsOptions& mds = options.settings.mds;
  const std::string group = "Layout";
  command.add_option("--n-components", mds.n_components, "Dimensions of the map")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  add_choice<MdsMethod>(command, "--mds", mds.method, mds_method_named,
                        {"classical", "smacof", "sgd"},
                        "Metric scaling (MDS): classical, smacof, sgd (stochastic)")
      ->group(group);
  add_choice<MdsWeights>(command, "--mds-weights", mds.weights, mds_weights_named,
                         {"none", "heat", "inverse", "gaussian"},
                         "Let near pairs count more: none, heat, inverse, gaussian")
      ->group(group);
  command
      .add_option("--max-iterations", mds.max_iterations,
                  "Stop the layout after N sweeps, iterations (tsne), epochs (umap)")
      ->type_name("N")
      ->default_str("auto")
      ->group(group);
  command
      .add_option("--pivots", options.pivots,
                  "Landmarks whose distances to every point shape the map; auto: 96,\n"
                  "or 256 with --pivot-heat points")
      ->type_name("N")
      ->default_str("auto")
      ->group(group);
  command
      .add_option("--pivot-heat", options.pivot_heat,
                  "heatgeo: where the heat of pivots spreads: points (agrees with all\n"
                  "pairs), landmarks (fast); auto: points up to 20,000 of them")
      ->type_name("WHERE")
      ->check(one_of({"auto", "points", "landmarks"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--refine", options.refine,
                  "Let neighbours find each other in the finished map while its large\n"
                  "shape stays: off, or how many epochs (300 is usual); auto: off, unless\n"
                  "--balance is given. Not for tsne, umap")
      ->type_name("EPOCHS")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--balance", options.balance,
                  "What the refinement is for: 0 keeps geodesics (the same as --refine\n"
                  "off), 1 puts neighbours first")
      ->type_name("X")
      ->group(group);
  command
      .add_option("--perplexity", options.settings.tsne.perplexity,
                  "tsne: effective number of neighbours")
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--min-dist", options.settings.umap.min_dist,
                  "umap: how close points may lie in the map")
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
}

void resolve(MethodFlags& options) {
  MethodOptions& settings = options.settings;
  if (settings.mds.max_iterations) {
    if (options.method == "tsne") settings.tsne.iterations = *settings.mds.max_iterations;
    if (options.method == "umap") settings.umap.n_epochs = *settings.mds.max_iterations;
  }
  if (!options.is_precomputed()) settings.neighbors.metric = *metric_named(options.metric);

  if (options.pca == "auto") {
    settings.pca = PcaOptions{};
  } else if (options.pca == "none") {
    settings.pca = PcaOptions{.rank = 0};
  } else if (!options.pca.empty()) {
    const auto rank = number_in<std::size_t>(options.pca);
    if (!rank || *rank == 0) {
      throw InvalidArgument(fmt::format(
          "--pca is '{}': give none, auto, or a number of components from 1", options.pca));
    }
    settings.pca = PcaOptions{.rank = *rank};
  }

  if (options.smooth == "auto") {
    settings.smooth = SmoothOptions{};
  } else if (options.smooth != "off") {
    const auto steps = number_in<std::size_t>(options.smooth);
    if (!steps) {
      throw InvalidArgument(
          fmt::format("--smooth is '{}': give off, auto, or a number of steps", options.smooth));
    }
    settings.smooth = SmoothOptions{.steps = *steps};
  }

  if (!options.rates.empty()) settings.rates = rates_named(options.rates);
  if (options.shortcuts == "auto") {
    settings.shortcuts = ShortcutOptions{};
  } else if (options.shortcuts == "off") {
    settings.shortcuts = ShortcutOptions{.share = 0};
  } else if (!options.shortcuts.empty()) {
    const auto share = number_in<double>(options.shortcuts);
    if (!share || !(*share > 0 && *share <= 0.5)) {
      throw InvalidArgument(fmt::format(
          "--shortcuts is '{}': give off, auto, or a share in (0, 0.5]", options.shortcuts));
    }
    settings.shortcuts = ShortcutOptions{.share = *share};
  }

  resolve_scale(options);
  resolve_refinement(options);

  if (options.time == "auto") {
    settings.time_choice = TimeOptions{};
  } else if (options.time == "knee") {
    settings.time_choice = TimeOptions{.rule = TimeRule::knee};
  } else {
    const auto time = number_in<double>(options.time);
    if (!time || !(*time > 0)) {
      throw InvalidArgument(
          fmt::format("--time is '{}': give auto, knee or a positive number", options.time));
    }
    settings.time_choice.reset();
    settings.heat.time = *time;
  }
}

nlohmann::json to_json(const MethodFlags& options) {
  const MethodOptions& settings = options.settings;
  return {{"method", options.method},
          {"pca", or_own(options.pca)},
          {"smooth", options.smooth},
          {"metric", options.metric},
          {"knn", or_auto(settings.neighbors.knn)},
          {"search", to_string(settings.neighbors.search)},
          {"graph", to_string(settings.affinity.kind)},
          {"decay", settings.affinity.decay},
          {"anisotropy", settings.affinity.anisotropy},
          {"components", to_string(settings.components)},
          {"shortcuts", or_own(options.shortcuts)},
          {"rates", or_own(options.rates)},
          {"landmarks", options.landmarks},
          {"max_memory", options.max_memory},
          {"landmark_choice", to_string(options.landmark_choice)},
          {"pivots", or_auto(options.pivots)},
          {"pivot_heat", options.pivot_heat},
          {"refine", options.refine},
          {"balance", or_auto(options.balance)},
          {"perplexity", settings.tsne.perplexity},
          {"min_dist", settings.umap.min_dist},
          {"laplacian", to_string(settings.laplacian)},
          {"kernel", to_string(settings.heat.method)},
          {"order", or_auto(settings.heat.order)},
          {"time", options.time},
          {"harnack", settings.dissimilarity.harnack},
          {"denoise", settings.dissimilarity.denoise},
          {"kernel_floor", or_auto(settings.dissimilarity.kernel_floor)},
          {"max_distance", or_auto(settings.dissimilarity.max_distance)},
          {"n_components", settings.mds.n_components},
          {"mds", to_string(settings.mds.method)},
          {"mds_weights", to_string(settings.mds.weights)},
          {"max_iterations", or_auto(settings.mds.max_iterations)}};
}

}  // namespace geotherm::cli
