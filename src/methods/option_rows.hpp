// What the files of the option table share: the shape of a row, usual ranges, and fields that stand
// for more than a number or a word.
#pragma once

#include "methods/option_access.hpp"

namespace geotherm::detail {

inline constexpr OptionLevel basic_level = OptionLevel::basic;
inline constexpr OptionRange positive = {.is_open_below = true};
inline constexpr OptionRange from_one = {.least = 1};

/// A row: what is said of the option, and the field it stands for.
inline Option row(Option option, Access access) {
  option.get = access.get;
  option.set = access.set;
  return option;
}

// option_fields.cpp
Access pca_access();
Access smooth_access();
Access refine_access();
Access balance_access();
Access units_access();
Access shortcuts_access();
Access time_access();
Access metric_access();
Access landmarks_access();
Access pivot_heat_access();
Access start_access();

// One file each; help shows them in this order.
std::vector<Option> basic_and_graph_options();
std::vector<Option> heat_and_distance_options();
std::vector<Option> layout_options();
std::vector<Option> scale_options();

}  // namespace geotherm::detail
