// Rows of the option table: basic ones and those of the graph.
#include "methods/option_rows.hpp"

namespace geotherm::detail {

using enum OptionGroup;
using enum NumberKind;

namespace {

std::vector<std::string_view> metric_words() {
  auto words = words_up_to(last_metric);
  words.push_back("precomputed");
  return words;
}

}  // namespace

std::vector<Option> basic_and_graph_options() {
  std::vector<Option> t;
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
                   .help = "Nearest neighbours per point, not counting the point itself; auto: 10 "
                           "(umap: 15). Larger: smoother, but may connect separate parts."},
                  field([](auto& o) -> auto& { return o.neighbors.knn; })));
  t.push_back(
      row({.name = "time",
           .group = basic,
           .level = basic_level,
           .read_by = parts::time,
           .number = real,
           .range = positive,
           .words = {"auto", "knee"},
           .left_open = "auto",
           .placeholder = "T",
           .counted = "a positive number",
           .help = "Diffusion time, or number of steps of the random walk. auto: chosen from the "
                   "data (diffusion-map: 1); knee: at the knee of the entropy curve, as "
                   "published."},
          time_access()));
  t.push_back(
      row({.name = "metric",
           .group = basic,
           .level = basic_level,
           .read_by = parts::metric,
           .words = metric_words(),
           .placeholder = "NAME",
           .help = "Distance between rows; precomputed: the input is an n x n distance matrix."},
          metric_access()));
  t.push_back(
      row({.name = "pca",
           .group = basic,
           .level = basic_level,
           .read_by = parts::reduction,
           .number = whole,
           .range = from_one,
           .words = {"none", "auto"},
           .left_open = "none",
           .placeholder = "RANK",
           .counted = "a number of components",
           .help = "Principal components to keep before the neighbour search; auto: chosen from "
                   "the data (tables of principal components are not reduced again). With a "
                   "number, large files are read in blocks and never held in memory as a "
                   "whole."},
          pca_access()));

  t.push_back(row({.name = "graph",
                   .group = graph,
                   .level = basic_level,
                   .read_by = parts::affinity,
                   .words = words_up_to(Affinity::fuzzy_union),
                   .placeholder = "NAME",
                   .help = "Edge weights."},
                  field([](auto& o) -> auto& { return o.affinity.kind; })));
  t.push_back(
      row({.name = "shortcuts",
           .group = graph,
           .level = basic_level,
           .read_by = parts::graph,
           .number = real,
           .range = {.least = 0, .most = 0.5, .is_open_below = true},
           .words = {"off", "auto"},
           .left_open = "off",
           .placeholder = "SHARE",
           .counted = "a share of the edges",
           .help = "Remove shortcut edges; a number is the fraction of the edges to examine."},
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
                   .help = "Move points towards their neighbours first, against strong noise. This "
                           "dissolves small populations: compare with off."},
                  smooth_access()));
  t.push_back(row({.name = "search",
                   .group = graph,
                   .read_by = parts::search,
                   .words = words_up_to(NeighborSearch::approximate),
                   .placeholder = "NAME",
                   .help = "Algorithm of the neighbour search."},
                  field([](auto& o) -> auto& { return o.neighbors.search; })));
  t.push_back(row({.name = "decay",
                   .group = graph,
                   .read_by = parts::affinity,
                   .number = real,
                   .range = positive,
                   .placeholder = "X",
                   .help = "Exponent of the alpha-decay kernel; larger: a sharper cutoff.",
                   .only_with = "graph",
                   .only_with_values = {"alpha-decay"}},
                  field([](auto& o) -> auto& { return o.affinity.decay; })));
  t.push_back(row({.name = "threshold",
                   .group = graph,
                   .read_by = parts::affinity,
                   .number = real,
                   .range = {.most = 1, .is_open_below = true, .is_open_above = true},
                   .placeholder = "X",
                   .help = "Affinities of the alpha-decay kernel below this are set to 0.",
                   .only_with = "graph",
                   .only_with_values = {"alpha-decay"}},
                  field([](auto& o) -> auto& { return o.affinity.threshold; })));
  t.push_back(
      row({.name = "anisotropy",
           .group = graph,
           .read_by = parts::affinity,
           .number = real,
           .range = {.most = 1},
           .placeholder = "X",
           .help = "Exponent of the density normalisation: 0 none, 1 removes the sampling density.",
           .only_with = "graph",
           .only_with_values = {"alpha-decay"}},
          field([](auto& o) -> auto& { return o.affinity.anisotropy; })));
  t.push_back(
      row({.name = "components",
           .group = graph,
           .read_by = parts::graph,
           .words = words_up_to(ComponentPolicy::error),
           .placeholder = "NAME",
           .help = "If the graph is disconnected: connect its components by short links, keep "
                   "them separate, or stop with an error."},
          field([](auto& o) -> auto& { return o.components; })));
  return t;
}

}  // namespace geotherm::detail
