// Rows of the option table: many points.
#include "methods/option_rows.hpp"

namespace geotherm::detail {

using enum OptionGroup;
using enum NumberKind;

std::vector<Option> scale_options() {
  std::vector<Option> t;
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
                   .level = OptionLevel::advanced,
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
  t.push_back(row({.name = "device",
                   .group = scale,
                   .read_by = parts::device,
                   .words = words_up_to(DeviceKind::automatic),
                   .placeholder = "NAME",
                   .help = "Where the heavy parts run: the CPU, a CUDA device (builds with "
                           "-DGEOTHERM_WITH_CUDA=ON), or auto: the device where there is one."},
                  field([](auto& o) -> auto& { return o.device; })));
  return t;
}

}  // namespace geotherm::detail
