// Words on the command line -> the cells that a trajectory begins at.
#pragma once

#include <string>
#include <vector>

#include "input.hpp"

namespace geotherm::cli {

struct RootWords {
  std::vector<std::string> rows = {};  ///< numbers from 0, or names
  std::string group = {};
  std::string marker = {};  ///< GENE:high or GENE:low
  std::string groups_file = {};

  bool empty() const { return rows.empty() && group.empty() && marker.empty(); }
};

/// Rows of the input. Of a group or a marker at most `most` cells, evenly through it; those in the
/// component (`component`, one per row) that holds most of them.
std::vector<Index> roots_of(const RootWords& words, const std::string& path,
                            const LoadedInput& loaded, const std::vector<Index>& component,
                            std::size_t most);

}  // namespace geotherm::cli
