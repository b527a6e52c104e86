// Rows of the option table: layout and refinement.
#include "methods/option_rows.hpp"

namespace geotherm::detail {

using enum OptionGroup;
using enum NumberKind;

std::vector<Option> layout_options() {
  std::vector<Option> t;
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
                           "auto: where balance is given, and maps of heatgeo that keep less than "
                           ".7 of their neighbours."},
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
  return t;
}

}  // namespace geotherm::detail
