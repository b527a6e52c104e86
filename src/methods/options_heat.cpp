// Rows of the option table: heat and distance.
#include "methods/option_rows.hpp"

namespace geotherm::detail {

using enum OptionGroup;
using enum NumberKind;

std::vector<Option> heat_and_distance_options() {
  std::vector<Option> t;
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
  return t;
}

}  // namespace geotherm::detail
