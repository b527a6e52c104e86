// Rows of the option table: heat and distance.
#include "methods/option_rows.hpp"

namespace geotherm::detail {

using enum OptionGroup;
using enum NumberKind;

std::vector<Option> heat_and_distance_options() {
  std::vector<Option> t;
  t.push_back(
      row({.name = "rates",
           .group = heat,
           .level = basic_level,
           .read_by = parts::heat,
           .words = words_up_to(Rates::lengths),
           .left_open = "hops",
           .placeholder = "NAME",
           .help = "Edge weights of the diffusion: the affinities (hops), or affinities scaled by "
                   "squared edge lengths (lengths)."},
          field([](auto& o) -> auto& { return o.rates; })));
  t.push_back(row({.name = "laplacian",
                   .group = heat,
                   .read_by = parts::heat,
                   .words = words_up_to(LaplacianKind::random_walk),
                   .placeholder = "NAME",
                   .help = "Normalisation of the graph Laplacian."},
                  field([](auto& o) -> auto& { return o.laplacian; })));
  t.push_back(row({.name = "kernel",
                   .group = heat,
                   .read_by = parts::heat,
                   .words = words_up_to(KernelMethod::euler),
                   .placeholder = "NAME",
                   .help = "Algorithm for the heat kernel; auto: uniformization, which has a small "
                           "relative error in every entry.",
                   .word_aliases = {{"poisson", "uniformization"}}},
                  field([](auto& o) -> auto& { return o.heat.method; })));
  t.push_back(row({.name = "order",
                   .group = heat,
                   .read_by = parts::heat,
                   .number = whole,
                   .range = {.least = 1, .most = std::numeric_limits<int>::max()},
                   .left_open = "auto",
                   .placeholder = "N",
                   .help = "Degree of the Chebyshev polynomial, or number of backward Euler steps.",
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
  t.push_back(
      row({.name = "units",
           .group = distance,
           .read_by = parts::geodesic,
           .words = {"data", "heat"},
           .placeholder = "NAME",
           .help = "data: distances are rescaled to the units of the data (far pairs agree with "
                   "shortest paths); heat: as the formula gives them (rand-geo: always)."},
          units_access()));
  t.push_back(row(
      {.name = "denoise",
       .group = distance,
       .read_by = parts::geodesic,
       .number = real,
       .range = {.most = 1},
       .placeholder = "X",
       .help = "Weight of distances between rows of the distance matrix: 0 none, 1 only those."},
      field([](auto& o) -> auto& { return o.dissimilarity.denoise; })));
  t.push_back(
      row({.name = "kernel_floor",
           .group = distance,
           .read_by = parts::geodesic,
           .number = real,
           .range = positive,
           .left_open = "none",
           .placeholder = "X",
           .help = "Smaller kernel entries are raised to this value, which truncates distances."},
          field([](auto& o) -> auto& { return o.dissimilarity.kernel_floor; })));
  t.push_back(row({.name = "max_distance",
                   .group = distance,
                   .read_by = parts::geodesic,
                   .number = real,
                   .range = positive,
                   .left_open = "none",
                   .placeholder = "X",
                   .help = "Larger distances are set to this value."},
                  field([](auto& o) -> auto& { return o.dissimilarity.max_distance; })));
  return t;
}

}  // namespace geotherm::detail
