// The table of options: one row each. A new option is a row here, its field in an options struct,
// and the code that uses the field.
#include "methods/option_access.hpp"

namespace geotherm::detail {
namespace {

using enum OptionGroup;
using enum NumberKind;
constexpr OptionLevel advanced = OptionLevel::advanced;
constexpr OptionLevel basic_level = OptionLevel::basic;
constexpr OptionRange positive = {.is_open_below = true};
constexpr OptionRange from_one = {.least = 1};

std::string word_in(const OptionValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  return word == nullptr ? std::string() : *word;
}

// Fields that stand for more than a number or a word.

Access pca_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.pca) return {};
            if (!o.pca->rank) return "auto";
            if (*o.pca->rank == 0) return "none";
            return static_cast<std::int64_t>(*o.pca->rank);
          },
          [](MethodOptions& o, const OptionValue& value) {
            o.pca.reset();
            if (std::holds_alternative<std::monostate>(value)) return;
            o.pca = PcaOptions{};
            if (word_in(value) == "auto") return;
            const auto* rank = std::get_if<std::int64_t>(&value);
            o.pca->rank = rank == nullptr ? 0 : static_cast<std::size_t>(*rank);
          }};
}

Access smooth_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.smooth) return "off";
            if (!o.smooth->steps) return "auto";
            return static_cast<std::int64_t>(*o.smooth->steps);
          },
          [](MethodOptions& o, const OptionValue& value) {
            o.smooth.reset();
            if (std::holds_alternative<std::monostate>(value) || word_in(value) == "off") return;
            o.smooth = SmoothOptions{};
            if (const auto* steps = std::get_if<std::int64_t>(&value)) {
              o.smooth->steps = static_cast<std::size_t>(*steps);
            }
          }};
}

Access refine_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.refine) return {};
            if (!o.refine->epochs) return "auto";
            if (*o.refine->epochs == 0) return "off";
            return static_cast<std::int64_t>(*o.refine->epochs);
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (std::holds_alternative<std::monostate>(value) || word_in(value) == "auto") {
              if (o.refine) o.refine->epochs.reset();
              return;
            }
            if (!o.refine) o.refine = RefineOptions{};
            const auto* epochs = std::get_if<std::int64_t>(&value);
            o.refine->epochs = epochs != nullptr ? static_cast<std::size_t>(*epochs) : 0;
          }};
}

Access balance_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.refine) return {};
            return o.refine->balance;
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (std::holds_alternative<std::monostate>(value)) return;
            if (!o.refine) o.refine = RefineOptions{};
            o.refine->balance = real_of(value);
          }};
}

Access units_access() {
  return {[](const MethodOptions& o) -> OptionValue { return o.has_data_units ? "data" : "heat"; },
          [](MethodOptions& o, const OptionValue& value) {
            o.has_data_units = word_in(value) != "heat";
          }};
}

Access shortcuts_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.shortcuts) return {};
            if (o.shortcuts->share == 0) return "off";
            if (o.shortcuts->share == ShortcutOptions{}.share) return "auto";
            return o.shortcuts->share;
          },
          [](MethodOptions& o, const OptionValue& value) {
            o.shortcuts.reset();
            if (std::holds_alternative<std::monostate>(value)) return;
            o.shortcuts = ShortcutOptions{};
            if (word_in(value) == "auto") return;
            o.shortcuts->share = word_in(value) == "off" ? 0 : real_of(value);
          }};
}

Access time_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.time_choice) return o.heat.time;
            return o.time_choice->rule == TimeRule::knee ? "knee" : "auto";
          },
          [](MethodOptions& o, const OptionValue& value) {
            const MethodOptions defaults;
            o.time_choice = defaults.time_choice;
            if (std::holds_alternative<std::monostate>(value)) return;
            if (const std::string word = word_in(value); !word.empty()) {
              o.time_choice = TimeOptions{};
              if (word == "knee") o.time_choice->rule = TimeRule::knee;
              return;
            }
            o.time_choice.reset();
            o.heat.time = real_of(value);
          }};
}

Access metric_access() {
  // "precomputed" says what the input is, and leaves the metric alone.
  return {[](const MethodOptions& o) -> OptionValue {
            return std::string(to_string(o.neighbors.metric));
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (const auto metric = metric_named(word_in(value))) o.neighbors.metric = *metric;
          }};
}

Access landmarks_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.landmarks) return "none";
            if (!o.landmarks->count) return "auto";
            return static_cast<std::int64_t>(*o.landmarks->count);
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (word_in(value) == "none") {
              o.landmarks.reset();
              return;
            }
            if (!o.landmarks) o.landmarks = LandmarkOptions{};
            o.landmarks->count.reset();
            if (const auto* count = std::get_if<std::int64_t>(&value)) {
              o.landmarks->count = static_cast<std::size_t>(*count);
            }
          }};
}

Access pivot_heat_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.landmarks || !o.landmarks->has_full_pivots) return {};
            return *o.landmarks->has_full_pivots ? "points" : "landmarks";
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (!o.landmarks) return;
            o.landmarks->has_full_pivots.reset();
            if (const std::string word = word_in(value); !word.empty()) {
              o.landmarks->has_full_pivots = word == "points";
            }
          }};
}

Access start_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (o.start.kind == StartKind::pca) return "pca";
            if (o.start.kind == StartKind::spectral) return "spectral";
            return {};
          },
          [](MethodOptions& o, const OptionValue& value) {
            const std::string word = word_in(value);
            o.start.kind = word == "pca"        ? StartKind::pca
                           : word == "spectral" ? StartKind::spectral
                                                : StartKind::own;
          }};
}

// A row: what is said of the option, and the field it stands for.
Option row(Option option, Access access) {
  option.get = access.get;
  option.set = access.set;
  return option;
}

std::vector<std::string_view> metric_words() {
  auto words = words_up_to(last_metric);
  words.push_back("precomputed");
  return words;
}

void add_basic_and_graph(std::vector<Option>& t) {
  t.push_back(row({.name = "n_components",
                   .group = basic,
                   .level = basic_level,
                   .read_by = parts::map,
                   .number = whole,
                   .range = from_one,
                   .placeholder = "N",
                   .help = "Dimensions of the map."},
                  field([](auto& o) -> auto& { return o.mds.n_components; })));
  t.push_back(row({.name = "knn",
                   .group = basic,
                   .level = basic_level,
                   .read_by = parts::knn,
                   .number = whole,
                   .range = from_one,
                   .left_open = "auto",
                   .placeholder = "N",
                   .help = "Neighbours of each point, itself not counted; auto: 10 (umap: 15). More is "
                           "smoother, but may join what is apart."},
                  field([](auto& o) -> auto& { return o.neighbors.knn; })));
  t.push_back(row({.name = "time",
                   .group = basic,
                   .level = basic_level,
                   .read_by = parts::time,
                   .number = real,
                   .range = positive,
                   .words = {"auto", "knee"},
                   .left_open = "auto",
                   .placeholder = "T",
                   .counted = "a positive number",
                   .help = "Diffusion time, or steps of the random walk. auto: chosen from the data "
                           "(diffusion-map: 1); knee: at the knee of the entropy curve, as published."},
                  time_access()));
  t.push_back(row({.name = "metric",
                   .group = basic,
                   .level = basic_level,
                   .read_by = parts::metric,
                   .words = metric_words(),
                   .placeholder = "NAME",
                   .help = "Distance between rows; precomputed: the input is an n x n matrix of "
                           "distances."},
                  metric_access()));
  t.push_back(row({.name = "pca",
                   .group = basic,
                   .level = basic_level,
                   .read_by = parts::reduction,
                   .number = whole,
                   .range = from_one,
                   .words = {"none", "auto"},
                   .left_open = "none",
                   .placeholder = "RANK",
                   .counted = "a number of components",
                   .help = "Reduce the table first, to a rank chosen from the data (auto; tables that "
                           "hold principal components are left alone) or given. With a rank, large "
                           "files are read in blocks and never held whole."},
                  pca_access()));

  t.push_back(row({.name = "graph",
                   .group = graph,
                   .level = basic_level,
                   .read_by = parts::affinity,
                   .words = words_up_to(Affinity::fuzzy_union),
                   .placeholder = "NAME",
                   .help = "Edge weights."},
                  field([](auto& o) -> auto& { return o.affinity.kind; })));
  t.push_back(row({.name = "shortcuts",
                   .group = graph,
                   .level = basic_level,
                   .read_by = parts::graph,
                   .number = real,
                   .range = {.least = 0, .most = 0.5, .is_open_below = true},
                   .words = {"off", "auto"},
                   .left_open = "off",
                   .placeholder = "SHARE",
                   .counted = "a share of the edges",
                   .help = "Remove shortcut edges; a number is the share of the edges to examine."},
                  shortcuts_access()));
  t.push_back(row({.name = "smooth",
                   .group = graph,
                   .level = basic_level,
                   .read_by = parts::reduction,
                   .number = whole,
                   .words = {"off", "auto"},
                   .left_open = "off",
                   .placeholder = "STEPS",
                   .counted = "a number of steps",
                   .help = "Move points towards their neighbours first, against thick noise. It "
                           "dissolves small populations: compare with off."},
                  smooth_access()));
  t.push_back(row({.name = "search",
                   .group = graph,
                   .read_by = parts::search,
                   .words = words_up_to(NeighborSearch::approximate),
                   .placeholder = "NAME",
                   .help = "How neighbours are found."},
                  field([](auto& o) -> auto& { return o.neighbors.search; })));
  t.push_back(row({.name = "decay",
                   .group = graph,
                   .read_by = parts::affinity,
                   .number = real,
                   .range = positive,
                   .placeholder = "X",
                   .help = "Exponent of the alpha-decay kernel; larger is closer to a hard cut.",
                   .only_with = "graph",
                   .only_with_values = {"alpha-decay"}},
                  field([](auto& o) -> auto& { return o.affinity.decay; })));
  t.push_back(row({.name = "threshold",
                   .group = graph,
                   .read_by = parts::affinity,
                   .number = real,
                   .range = {.most = 1, .is_open_below = true, .is_open_above = true},
                   .placeholder = "X",
                   .help = "Smaller affinities of the alpha-decay kernel are dropped.",
                   .only_with = "graph",
                   .only_with_values = {"alpha-decay"}},
                  field([](auto& o) -> auto& { return o.affinity.threshold; })));
  t.push_back(row({.name = "anisotropy",
                   .group = graph,
                   .read_by = parts::affinity,
                   .number = real,
                   .range = {.most = 1},
                   .placeholder = "X",
                   .help = "0 keeps the density of the sample, 1 divides it out.",
                   .only_with = "graph",
                   .only_with_values = {"alpha-decay"}},
                  field([](auto& o) -> auto& { return o.affinity.anisotropy; })));
  t.push_back(row({.name = "components",
                   .group = graph,
                   .read_by = parts::graph,
                   .words = words_up_to(ComponentPolicy::error),
                   .placeholder = "NAME",
                   .help = "A graph of several components: join them by their shortest links, leave "
                           "them separate, or stop with an error."},
                  field([](auto& o) -> auto& { return o.components; })));
}

void add_heat_and_distance(std::vector<Option>& t) {
  t.push_back(row({.name = "rates",
                   .group = heat,
                   .level = basic_level,
                   .read_by = parts::heat,
                   .words = words_up_to(Rates::lengths),
                   .left_open = "hops",
                   .placeholder = "NAME",
                   .help = "Heat counts hops, or moves in lengths (distances in the units of the data)."},
                  field([](auto& o) -> auto& { return o.rates; })));
  t.push_back(row({.name = "laplacian",
                   .group = heat,
                   .read_by = parts::heat,
                   .words = words_up_to(LaplacianKind::random_walk),
                   .placeholder = "NAME",
                   .help = "Form of the graph Laplacian."},
                  field([](auto& o) -> auto& { return o.laplacian; })));
  t.push_back(row({.name = "kernel",
                   .group = heat,
                   .read_by = parts::heat,
                   .words = words_up_to(KernelMethod::euler),
                   .placeholder = "NAME",
                   .help = "How the heat kernel is computed; auto: uniformization, which is accurate "
                           "in every entry.",
                   .word_aliases = {{"poisson", "uniformization"}}},
                  field([](auto& o) -> auto& { return o.heat.method; })));
  t.push_back(row({.name = "order",
                   .group = heat,
                   .read_by = parts::heat,
                   .number = whole,
                   .range = {.least = 1, .most = std::numeric_limits<int>::max()},
                   .left_open = "auto",
                   .placeholder = "N",
                   .help = "Degree of the Chebyshev polynomial, or steps of the Euler scheme.",
                   .only_with = "kernel",
                   .only_with_values = {"chebyshev", "euler"}},
                  field([](auto& o) -> auto& { return o.heat.order; })));

  t.push_back(row({.name = "harnack",
                   .group = distance,
                   .read_by = parts::geodesic,
                   .number = real,
                   .placeholder = "X",
                   .help = "Weight of the volume term; 1 makes d(i, i) = 0."},
                  field([](auto& o) -> auto& { return o.dissimilarity.harnack; })));
  t.push_back(row({.name = "units",
                   .group = distance,
                   .read_by = parts::geodesic,
                   .words = {"data", "heat"},
                   .placeholder = "NAME",
                   .help = "Distances in the units of the data (far pairs have the length of "
                           "shortest paths), or as the formula gives them (rand-geo: always these)."},
                  units_access()));
  t.push_back(row({.name = "denoise",
                   .group = distance,
                   .read_by = parts::geodesic,
                   .number = real,
                   .range = {.most = 1},
                   .placeholder = "X",
                   .help = "Mix in distances between rows of distances: 0 none, 1 only those."},
                  field([](auto& o) -> auto& { return o.dissimilarity.denoise; })));
  t.push_back(row({.name = "kernel_floor",
                   .group = distance,
                   .read_by = parts::geodesic,
                   .number = real,
                   .range = positive,
                   .left_open = "none",
                   .placeholder = "X",
                   .help = "Raise smaller kernel entries to this: a truncated distance."},
                  field([](auto& o) -> auto& { return o.dissimilarity.kernel_floor; })));
  t.push_back(row({.name = "max_distance",
                   .group = distance,
                   .read_by = parts::geodesic,
                   .number = real,
                   .range = positive,
                   .left_open = "none",
                   .placeholder = "X",
                   .help = "Cut larger distances to this."},
                  field([](auto& o) -> auto& { return o.dissimilarity.max_distance; })));
}

void add_layout(std::vector<Option>& t) {
  t.push_back(row({.name = "refine",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::refine,
                   .number = whole,
                   .words = {"off", "auto"},
                   .left_open = "auto",
                   .placeholder = "EPOCHS",
                   .counted = "a number of epochs",
                   .help = "Arrange neighbours in the finished map while its large shape stays; "
                           "auto: where balance is given."},
                  refine_access()));
  t.push_back(row({.name = "balance",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::refine,
                   .number = real,
                   .range = {.most = 1},
                   .left_open = "none",
                   .placeholder = "X",
                   .help = "What refinement is for: 0 keeps geodesics (no refinement), 1 puts "
                           "neighbours first."},
                  balance_access()));
  t.push_back(row({.name = "mds",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::mds,
                   .words = words_up_to(MdsMethod::sgd),
                   .placeholder = "NAME",
                   .help = "Solver of metric multidimensional scaling (MDS)."},
                  field([](auto& o) -> auto& { return o.mds.method; })));
  t.push_back(row({.name = "max_iterations",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::mds,
                   .number = whole,
                   .left_open = "auto",
                   .placeholder = "N",
                   .help = "Sweeps of MDS at most; iterations of tsne, epochs of umap.",
                   .only_with = "mds",
                   .only_with_values = {"smacof", "sgd"}},
                  field([](auto& o) -> auto& { return o.mds.max_iterations; })));
  t.push_back(row({.name = "perplexity",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::tsne,
                   .number = real,
                   .range = from_one,
                   .placeholder = "X",
                   .help = "Effective number of neighbours."},
                  field([](auto& o) -> auto& { return o.tsne.perplexity; })));
  t.push_back(row({.name = "min_dist",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::umap,
                   .number = real,
                   .placeholder = "X",
                   .help = "How close points may lie in the map, in units of spread."},
                  field([](auto& o) -> auto& { return o.umap.min_dist; })));
  t.push_back(row({.name = "mds_weights",
                   .group = layout,
                   .read_by = parts::mds_weights,
                   .words = words_up_to(MdsWeights::gaussian),
                   .placeholder = "NAME",
                   .help = "Weights of the stress, by which near pairs count more.",
                   .only_with = "mds",
                   .only_with_values = {"smacof", "sgd"}},
                  field([](auto& o) -> auto& { return o.mds.weights; })));
  t.push_back(row({.name = "tolerance",
                   .group = layout,
                   .read_by = parts::mds,
                   .number = real,
                   .placeholder = "X",
                   .help = "SMACOF stops when two sweeps in a row lower the stress by less than this share.",
                   .only_with = "mds",
                   .only_with_values = {"smacof"}},
                  field([](auto& o) -> auto& { return o.mds.tolerance; })));
  t.push_back(row({.name = "n_shakes",
                   .group = layout,
                   .read_by = parts::mds,
                   .number = whole,
                   .placeholder = "N",
                   .help = "Further SMACOF runs from perturbed starts; the lowest stress is kept.",
                   .only_with = "mds",
                   .only_with_values = {"smacof"}},
                  field([](auto& o) -> auto& { return o.mds.n_shakes; })));
  t.push_back(row({.name = "init",
                   .group = layout,
                   .read_by = parts::mds | parts::tsne | parts::umap,
                   .words = {"pca", "spectral"},
                   .left_open = "auto",
                   .placeholder = "WHAT",
                   .help = "What the layout starts from: principal components, eigenmaps of the "
                           "graph, or a map (the program: FILE or obsm:NAME; Python: an array). "
                           "auto: the method's own."},
                  start_access()));
  t.push_back(row({.name = "early_exaggeration",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = real,
                   .range = from_one,
                   .placeholder = "X",
                   .help = "Attraction is multiplied by this in the first iterations."},
                  field([](auto& o) -> auto& { return o.tsne.early_exaggeration; })));
  t.push_back(row({.name = "n_iterations",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = whole,
                   .placeholder = "N",
                   .help = "All iterations, the exaggerated ones counted.",
                   .aliases = {"max_iterations"}},
                  field([](auto& o) -> auto& { return o.tsne.iterations; })));
  t.push_back(row({.name = "theta",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = real,
                   .range = {.most = 1},
                   .placeholder = "X",
                   .help = "Barnes-Hut: a cell is one point where size / distance is below this; 0 is exact."},
                  field([](auto& o) -> auto& { return o.tsne.theta; })));
  t.push_back(row({.name = "learning_rate",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = real,
                   .range = positive,
                   .left_open = "auto",
                   .placeholder = "X",
                   .help = "Step size; auto: max(200, n / early_exaggeration)."},
                  field([](auto& o) -> auto& { return o.tsne.learning_rate; })));
  t.push_back(row({.name = "spread",
                   .group = layout,
                   .read_by = parts::umap,
                   .number = real,
                   .range = positive,
                   .placeholder = "X",
                   .help = "Scale of the map."},
                  field([](auto& o) -> auto& { return o.umap.spread; })));
  t.push_back(row({.name = "n_epochs",
                   .group = layout,
                   .read_by = parts::umap,
                   .number = whole,
                   .range = from_one,
                   .left_open = "auto",
                   .placeholder = "N",
                   .help = "Passes over the edges; auto: 500 up to 10,000 points, falling to 200 for more.",
                   .aliases = {"max_iterations"}},
                  field([](auto& o) -> auto& { return o.umap.n_epochs; })));
  t.push_back(row({.name = "negative_sample_rate",
                   .group = layout,
                   .read_by = parts::umap,
                   .number = real,
                   .range = positive,
                   .placeholder = "X",
                   .help = "Random points pushed away for each edge that pulls."},
                  field([](auto& o) -> auto& { return o.umap.negative_sample_rate; })));
}

void add_scale(std::vector<Option>& t) {
  t.push_back(row({.name = "landmarks",
                   .group = scale,
                   .level = basic_level,
                   .read_by = parts::landmarks,
                   .number = whole,
                   .range = {.least = 2},
                   .words = {"auto", "none"},
                   .left_open = "auto",
                   .placeholder = "N",
                   .counted = "a number of landmarks",
                   .help = "Measure distances between landmarks only and place every point by them; "
                           "auto: where all pairs are too many."},
                  landmarks_access()));
  t.push_back(row({.name = "max_memory",
                   .group = scale,
                   .level = basic_level,
                   .read_by = parts::landmarks,
                   .number = bytes,
                   .range = {.least = 1, .most = 1e18},
                   .left_open = "auto",
                   .placeholder = "SIZE",
                   .counted = "a size as 4GB, 500MB",
                   .help = "Memory that all pairs may take, as 4GB or 500MB; auto: half of the machine's.",
                   .only_with = "landmarks",
                   .only_with_values = {"auto"}},
                  landmark_field([](auto& l) -> auto& { return l.max_memory; })));
  t.push_back(row({.name = "landmark_choice",
                   .group = scale,
                   .read_by = parts::landmarks,
                   .words = words_up_to(LandmarkChoice::central),
                   .placeholder = "NAME",
                   .help = "How landmarks are drawn: at random; spread, where the last ones were far; "
                           "central, by k-means along the graph.",
                   .only_with = "landmarks",
                   .only_with_values = {"auto", "number"}},
                  landmark_field([](auto& l) -> auto& { return l.choice; })));
  t.push_back(row({.name = "pivots",
                   .group = scale,
                   .level = advanced,
                   .read_by = parts::pivots,
                   .number = whole,
                   .range = {.least = 3},
                   .left_open = "auto",
                   .placeholder = "N",
                   .help = "Landmarks whose distances to every point shape the map; auto: 96, or 256 "
                           "with pivot_heat points.",
                   .only_with = "landmarks",
                   .only_with_values = {"auto", "number"}},
                  landmark_field([](auto& l) -> auto& { return l.n_pivots; })));
  t.push_back(row({.name = "pivot_heat",
                   .group = scale,
                   .read_by = parts::heat_pivots,
                   .words = {"points", "landmarks"},
                   .left_open = "auto",
                   .placeholder = "WHERE",
                   .help = "Where the heat of pivots spreads: over all points (agrees with all pairs) or "
                           "over landmarks (fast); auto: points up to 20,000 of them.",
                   .only_with = "landmarks",
                   .only_with_values = {"auto", "number"}},
                  pivot_heat_access()));
}

}  // namespace

std::vector<Option> option_table() {
  std::vector<Option> table;
  add_basic_and_graph(table);
  add_heat_and_distance(table);
  add_layout(table);
  add_scale(table);
  return table;
}

}  // namespace geotherm::detail
