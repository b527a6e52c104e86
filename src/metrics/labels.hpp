// Labels of any integers as classes 0, 1, ... in order of the label.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct Classes {
  std::vector<std::size_t> of;     ///< class of each point
  std::vector<std::size_t> sizes;  ///< points in each class
};

inline Classes classes_of(std::span<const Index> labels) {
  std::vector<Index> distinct(labels.begin(), labels.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Classes classes;
  classes.of.reserve(labels.size());
  classes.sizes.assign(distinct.size(), 0);
  for (const Index label : labels) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), label);
    classes.of.push_back(static_cast<std::size_t>(place - distinct.begin()));
    ++classes.sizes[classes.of.back()];
  }
  return classes;
}

}  // namespace geotherm::detail
