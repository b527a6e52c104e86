#include "method_options.hpp"

#include <fmt/core.h>

#include <charconv>
#include <functional>

namespace geotherm::cli {
namespace {

/// An option that takes one of an enum's names; the library's own table decides.
template <class Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& target,
                        std::function<std::optional<Enum>(std::string_view)> named,
                        const std::vector<std::string>& names, const std::string& help) {
  const auto parse = [&target, named](const std::string& word) {
    const auto value = named(word);
    if (value) target = *value;
    return value.has_value();
  };
  return command
      .add_option_function<std::string>(
          name, [parse](const std::string& w) { parse(w); }, help)
      ->check(CLI::IsMember(names))
      ->default_str(std::string(to_string(target)));
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

}  // namespace

void add_method_options(CLI::App& command, MethodOptions& options, bool for_distances) {
  RecipeOptions& recipe = options.recipe;
  std::vector<std::string> names;
  std::string listed = "One of:";
  for (const Method& method : methods()) {
    if (for_distances && method.distances == nullptr) continue;
    names.emplace_back(method.name);
    listed += fmt::format("\n{:<20} {}", method.name, method.summary);
  }
  command.add_option("--method", options.method, listed)
      ->check(CLI::IsMember(names))
      ->capture_default_str()
      ->group("Method");

  command
      .add_option("--pca", options.pca,
                  "Reduce the table first: none, auto (rank from the data), or a rank R")
      ->capture_default_str()
      ->group("Graph");
  command
      .add_option("--metric", options.metric,
                  "euclidean, cosine, correlation, manhattan; precomputed: INPUT is an n x n "
                  "distance matrix")
      ->check(CLI::IsMember({"euclidean", "cosine", "correlation", "manhattan", "precomputed"}))
      ->capture_default_str()
      ->group("Graph");
  command
      .add_option("--knn", recipe.neighbors.knn,
                  "Neighbours of each point; more is smoother, but joins what is apart")
      ->default_str("10")
      ->group("Graph");
  add_choice<NeighborSearch>(command, "--search", recipe.neighbors.search, neighbor_search_named,
                             {"auto", "brute-force", "tree", "approximate"},
                             "How neighbours are found: auto, brute-force, tree, approximate")
      ->group("Graph");
  add_choice<Affinity>(command, "--graph", recipe.affinity.kind, affinity_named,
                       {"alpha-decay", "knn", "gaussian", "umap"},
                       "Edge weights: alpha-decay, knn, gaussian, umap")
      ->group("Graph");
  command.add_option("--decay", recipe.affinity.decay, "Alpha decay: exponent of the kernel")
      ->capture_default_str()
      ->group("Graph");
  command
      .add_option("--anisotropy", recipe.affinity.anisotropy,
                  "Alpha decay: 0 keeps the density of the sample, 1 divides it out")
      ->capture_default_str()
      ->group("Graph");
  add_choice<ComponentPolicy>(command, "--components", recipe.components, component_policy_named,
                              {"bridge", "separate", "error"},
                              "A graph in pieces: bridge (join by the shortest links), separate, "
                              "error")
      ->group("Graph");

  command
      .add_option("--shortcuts", options.shortcuts,
                  "Take out short-circuit edges: off, auto, or the SHARE of edges to examine")
      ->capture_default_str()
      ->group("Graph");
  add_choice<Rates>(command, "--rates", recipe.rates, rates_named, {"hops", "lengths"},
                    "Heat counts hops, or moves in lengths (distances in units of the data)")
      ->group("Heat");
  add_choice<LaplacianKind>(command, "--laplacian", recipe.laplacian, laplacian_kind_named,
                            {"combinatorial", "normalized", "random-walk"},
                            "combinatorial, normalized, random-walk")
      ->group("Heat");
  add_choice<KernelMethod>(command, "--kernel", recipe.heat.method, kernel_method_named,
                           {"auto", "poisson", "exact", "chebyshev", "euler"},
                           "Heat kernel: auto, poisson (right in every entry), exact, chebyshev, "
                           "euler")
      ->group("Heat");
  command.add_option("--order", recipe.heat.order, "Chebyshev degree or Euler steps")
      ->default_str("auto")
      ->group("Heat");
  command
      .add_option("--time", options.time, "Diffusion time, or auto: the knee of the entropy curve")
      ->capture_default_str()
      ->group("Heat");

  command
      .add_option("--harnack", recipe.dissimilarity.harnack,
                  "Weight of the volume term; 1 makes d(i, i) = 0")
      ->capture_default_str()
      ->group("Distance");
  command
      .add_option("--denoise", recipe.dissimilarity.denoise,
                  "Mixes in distances between rows of distances: 0 none, 1 only those")
      ->capture_default_str()
      ->group("Distance");
  command
      .add_option("--kernel-floor", recipe.dissimilarity.kernel_floor,
                  "Raise smaller kernel entries to this: a truncated distance")
      ->group("Distance");
  command
      .add_option("--max-distance", recipe.dissimilarity.max_distance,
                  "Cut larger distances to this")
      ->group("Distance");
}

void add_neighbor_layout_options(CLI::App& command, RecipeOptions& recipe) {
  command.add_option("--perplexity", recipe.tsne.perplexity, "t-SNE: effective neighbours")
      ->capture_default_str()
      ->group("Layout");
  command.add_option("--min-dist", recipe.umap.min_dist, "UMAP: how close points may lie")
      ->capture_default_str()
      ->group("Layout");
}

void add_layout_options(CLI::App& command, MethodOptions& options) {
  add_neighbor_layout_options(command, options.recipe);
  MdsOptions& mds = options.recipe.mds;
  command.add_option("--n-components", mds.n_components, "Dimensions of the map")
      ->capture_default_str()
      ->group("Layout");
  add_choice<MdsMethod>(command, "--mds", mds.method, mds_method_named,
                        {"classical", "smacof", "sgd"}, "classical, smacof, sgd")
      ->group("Layout");
  add_choice<MdsWeights>(command, "--mds-weights", mds.weights, mds_weights_named,
                         {"none", "heat", "inverse", "gaussian"},
                         "Which pairs count more: none, heat, inverse, gaussian")
      ->group("Layout");
  command.add_option("--max-iterations", mds.max_iterations, "Sweeps of the layout at most")
      ->default_str("auto")
      ->group("Layout");
}

void resolve(MethodOptions& options) {
  RecipeOptions& recipe = options.recipe;
  if (!options.is_precomputed()) recipe.neighbors.metric = *metric_named(options.metric);

  if (options.pca == "auto") {
    recipe.pca = PcaOptions{};
  } else if (options.pca != "none") {
    const auto rank = number_in<std::size_t>(options.pca);
    if (!rank || *rank == 0) {
      throw InvalidArgument(fmt::format(
          "--pca is '{}': give none, auto, or a number of components from 1", options.pca));
    }
    recipe.pca = PcaOptions{.rank = *rank};
  }

  if (options.shortcuts == "auto") {
    recipe.shortcuts = ShortcutOptions{};
  } else if (options.shortcuts != "off") {
    const auto share = number_in<double>(options.shortcuts);
    if (!share || !(*share > 0 && *share <= 0.5)) {
      throw InvalidArgument(fmt::format(
          "--shortcuts is '{}': give off, auto, or a share in (0, 0.5]", options.shortcuts));
    }
    recipe.shortcuts = ShortcutOptions{.share = *share};
  }

  if (options.time == "auto") {
    recipe.time_choice = TimeOptions{};
  } else {
    const auto time = number_in<double>(options.time);
    if (!time || !(*time > 0)) {
      throw InvalidArgument(
          fmt::format("--time is '{}': give auto or a positive number", options.time));
    }
    recipe.time_choice.reset();
    recipe.heat.time = *time;
  }
}

nlohmann::json to_json(const MethodOptions& options) {
  const RecipeOptions& recipe = options.recipe;
  return {{"method", options.method},
          {"pca", options.pca},
          {"metric", options.metric},
          {"knn", or_auto(recipe.neighbors.knn)},
          {"search", to_string(recipe.neighbors.search)},
          {"graph", to_string(recipe.affinity.kind)},
          {"decay", recipe.affinity.decay},
          {"anisotropy", recipe.affinity.anisotropy},
          {"components", to_string(recipe.components)},
          {"shortcuts", options.shortcuts},
          {"rates", to_string(recipe.rates)},
          {"perplexity", recipe.tsne.perplexity},
          {"min_dist", recipe.umap.min_dist},
          {"laplacian", to_string(recipe.laplacian)},
          {"kernel", to_string(recipe.heat.method)},
          {"order", or_auto(recipe.heat.order)},
          {"time", options.time},
          {"harnack", recipe.dissimilarity.harnack},
          {"denoise", recipe.dissimilarity.denoise},
          {"n_components", recipe.mds.n_components},
          {"mds", to_string(recipe.mds.method)},
          {"mds_weights", to_string(recipe.mds.weights)},
          {"max_iterations", or_auto(recipe.mds.max_iterations)}};
}

}  // namespace geotherm::cli
