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
                   .help = "Refine the finished map towards its neighbours while the global arrangement "
                           "stays; auto: where balance is given, and for heatgeo maps that preserve "
                           "less than 0.7 of the nearest neighbours."},
                  refine_access()));
  t.push_back(row({.name = "balance",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::refine,
                   .number = real,
                   .range = {.most = 1},
                   .left_open = "none",
                   .placeholder = "X",
                   .help = "Aim of the refinement: 0 preserves geodesics (no refinement), 1 favours "
                           "neighbours."},
                  balance_access()));
  t.push_back(row({.name = "mds",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::mds,
                   .words = words_up_to(MdsMethod::sgd),
                   .placeholder = "NAME",
                   .help = "Solver for metric multidimensional scaling (MDS)."},
                  field([](auto& o) -> auto& { return o.mds.method; })));
  t.push_back(row({.name = "max_iterations",
                   .group = layout,
                   .level = basic_level,
                   .read_by = parts::mds,
                   .number = whole,
                   .left_open = "auto",
                   .placeholder = "N",
                   .help = "Maximal number of MDS sweeps; iterations of tsne, epochs of umap.",
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
                   .help = "Minimal distance between points in the map, in units of spread."},
                  field([](auto& o) -> auto& { return o.umap.min_dist; })));
  t.push_back(row({.name = "mds_weights",
                   .group = layout,
                   .read_by = parts::mds_weights,
                   .words = words_up_to(MdsWeights::gaussian),
                   .placeholder = "NAME",
                   .help = "Weights in the stress; all but none favour near pairs.",
                   .only_with = "mds",
                   .only_with_values = {"smacof", "sgd"}},
                  field([](auto& o) -> auto& { return o.mds.weights; })));
  t.push_back(row({.name = "tolerance",
                   .group = layout,
                   .read_by = parts::mds,
                   .number = real,
                   .placeholder = "X",
                   .help = "SMACOF stops when two consecutive sweeps lower the stress by less than this "
                           "fraction.",
                   .only_with = "mds",
                   .only_with_values = {"smacof"}},
                  field([](auto& o) -> auto& { return o.mds.tolerance; })));
  t.push_back(row({.name = "n_shakes",
                   .group = layout,
                   .read_by = parts::mds,
                   .number = whole,
                   .placeholder = "N",
                   .help = "Additional SMACOF runs from perturbed solutions; the lowest stress is kept.",
                   .only_with = "mds",
                   .only_with_values = {"smacof"}},
                  field([](auto& o) -> auto& { return o.mds.n_shakes; })));
  t.push_back(row({.name = "init",
                   .group = layout,
                   .read_by = parts::mds | parts::tsne | parts::umap,
                   .words = {"pca", "spectral"},
                   .left_open = "auto",
                   .placeholder = "WHAT",
                   .help = "Initial layout: principal components, Laplacian eigenmaps of the graph, or a "
                           "map (program: FILE or obsm:NAME; Python: an array). auto: the method's "
                           "own."},
                  start_access()));
  t.push_back(row({.name = "early_exaggeration",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = real,
                   .range = from_one,
                   .placeholder = "X",
                   .help = "Factor of the attraction in the first iterations."},
                  field([](auto& o) -> auto& { return o.tsne.early_exaggeration; })));
  t.push_back(row({.name = "n_iterations",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = whole,
                   .placeholder = "N",
                   .help = "Number of iterations, including the exaggerated ones.",
                   .aliases = {"max_iterations"}},
                  field([](auto& o) -> auto& { return o.tsne.iterations; })));
  t.push_back(row({.name = "theta",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = real,
                   .range = {.most = 1},
                   .placeholder = "X",
                   .help = "Barnes-Hut accuracy: cells with size / distance below this are summarised; 0 is "
                           "exact."},
                  field([](auto& o) -> auto& { return o.tsne.theta; })));
  t.push_back(row({.name = "learning_rate",
                   .group = layout,
                   .read_by = parts::tsne,
                   .number = real,
                   .range = positive,
                   .left_open = "auto",
                   .placeholder = "X",
                   .help = "Learning rate; auto: max(200, n / early_exaggeration)."},
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
                   .help = "Training epochs; auto: 500 up to 10,000 points, decreasing to 200 for more.",
                   .aliases = {"max_iterations"}},
                  field([](auto& o) -> auto& { return o.umap.n_epochs; })));
  t.push_back(row({.name = "negative_sample_rate",
                   .group = layout,
                   .read_by = parts::umap,
                   .number = real,
                   .range = positive,
                   .placeholder = "X",
                   .help = "Negative samples per positive sample."},
                  field([](auto& o) -> auto& { return o.umap.negative_sample_rate; })));
  return t;
}

}  // namespace geotherm::detail
