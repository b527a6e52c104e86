// Rows of the option table: many points.
#include "methods/option_rows.hpp"

namespace geotherm::detail {

using enum OptionGroup;
using enum NumberKind;

std::vector<Option> scale_options() {
  std::vector<Option> t;
  t.push_back(
      row({.name = "landmarks",
           .group = scale,
           .level = basic_level,
           .read_by = parts::landmarks,
           .number = whole,
           .range = {.least = 2},
           .words = {"auto", "none"},
           .left_open = "auto",
           .placeholder = "N",
           .counted = "a number of landmarks",
           .help = "Compute distances between landmarks only and place all points relative to "
                   "them; auto: where all pairs would be too many."},
          landmarks_access()));
  t.push_back(
      row({.name = "max_memory",
           .group = scale,
           .level = basic_level,
           .read_by = parts::landmarks,
           .number = bytes,
           .range = {.least = 1, .most = 1e18},
           .left_open = "auto",
           .placeholder = "SIZE",
           .counted = "a size as 4GB, 500MB",
           .help = "Memory limit for all pairs, such as 4GB or 500MB; auto: half of the machine's "
                   "memory.",
           .only_with = "landmarks",
           .only_with_values = {"auto"}},
          landmark_field([](auto& l) -> auto& { return l.max_memory; })));
  t.push_back(
      row({.name = "landmark_choice",
           .group = scale,
           .read_by = parts::landmarks,
           .words = words_up_to(LandmarkChoice::central),
           .placeholder = "NAME",
           .help = "How landmarks are chosen: random; spread: far from those already chosen; "
                   "central: by k-means along the graph.",
           .only_with = "landmarks",
           .only_with_values = {"auto", "number"}},
          landmark_field([](auto& l) -> auto& { return l.choice; })));
  t.push_back(
      row({.name = "pivots",
           .group = scale,
           .level = OptionLevel::advanced,
           .read_by = parts::pivots,
           .number = whole,
           .range = {.least = 3},
           .left_open = "auto",
           .placeholder = "N",
           .help = "Number of pivots, to which distances from every point are fitted; auto: 96; "
                   "with pivot_heat points 256, and 112 of more than 10,000 points.",
           .only_with = "landmarks",
           .only_with_values = {"auto", "number"}},
          landmark_field([](auto& l) -> auto& { return l.n_pivots; })));
  t.push_back(
      row({.name = "pivot_heat",
           .group = scale,
           .read_by = parts::heat_pivots,
           .words = {"points", "landmarks"},
           .left_open = "auto",
           .placeholder = "WHERE",
           .help = "Graph on which the heat of the pivots diffuses: all points (agrees with all "
                   "pairs) or landmarks (fast); auto: points, up to 30,000 of them.",
           .only_with = "landmarks",
           .only_with_values = {"auto", "number"}},
          pivot_heat_access()));
  t.push_back(row({.name = "device",
                   .group = scale,
                   .read_by = parts::device,
                   .words = words_up_to(DeviceKind::automatic),
                   .placeholder = "NAME",
                   .help = "Device for the costly stages: the CPU, a CUDA device (builds with "
                           "-DGEOTHERM_WITH_CUDA=ON), or auto: the GPU if there is one."},
                  field([](auto& o) -> auto& { return o.device; })));
  return t;
}

}  // namespace geotherm::detail
