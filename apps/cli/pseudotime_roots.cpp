#include "pseudotime_roots.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "column.hpp"
#include "geotherm/spelling.hpp"
#include "page_columns.hpp"
#include "row_names.hpp"

namespace geotherm::cli {
namespace {

/// The members in the component that holds most of them, thinned evenly.
std::vector<Index> chosen_from(std::vector<Index> members, const std::vector<Index>& component,
                               std::size_t most) {
  std::map<Index, std::size_t> count;
  for (const Index row : members) ++count[component[static_cast<std::size_t>(row)]];
  const auto fullest = std::max_element(count.begin(), count.end(), [](auto& a, auto& b) {
                         return a.second < b.second;
                       })->first;
  std::erase_if(members,
                [&](Index row) { return component[static_cast<std::size_t>(row)] != fullest; });
  const std::size_t stride = (members.size() + most - 1) / most;
  std::vector<Index> chosen;
  for (std::size_t k = 0; k < members.size(); k += stride) chosen.push_back(members[k]);
  return chosen;
}

std::vector<Index> members_of(const RootWords& words, const std::string& path,
                              const LoadedInput& loaded, std::size_t n) {
  std::vector<std::string> names = loaded.colors.categories.to_vector();
  if (!words.groups_file.empty()) names = read_group_names(words.groups_file, {path, n});
  if (names.size() != n) {
    throw InvalidArgument(
        "--root-group needs the groups of the cells: give --groups FILE (file.npz:key, "
        "cells.h5ad:column, .csv), or --label-column for a table");
  }
  std::vector<Index> members;
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == words.group) members.push_back(static_cast<Index>(i));
  }
  if (members.empty()) {
    const std::set<std::string> known(names.begin(), names.end());
    std::string listed;
    for (const std::string& name : known) {
      if (listed.size() > 200) {
        listed += ", ...";
        break;
      }
      listed += (listed.empty() ? "" : ", ") + name;
    }
    throw InvalidArgument(fmt::format("--root-group is '{}', which does not exist: groups are {}{}",
                                      words.group, listed,
                                      did_you_mean(words.group, {known.begin(), known.end()})));
  }
  return members;
}

/// The hundredth of the cells (5 at least) with the most, or least, of a gene.
std::vector<Index> marked(const RootWords& words, const std::string& path,
                          const LoadedInput& loaded, std::size_t n) {
  const std::size_t colon = words.marker.rfind(':');
  const std::string side = colon == std::string::npos ? "" : words.marker.substr(colon + 1);
  if (side != "high" && side != "low") {
    throw InvalidArgument(
        fmt::format("--root-marker is '{}': give GENE:high or GENE:low", words.marker));
  }
  const auto columns =
      features_of(path, loaded, {words.marker.substr(0, colon)}, "", "--root-marker");
  const PageColumn& column = columns.at(0);
  std::vector<double> values(n, 0);
  if (column.is_sparse) {
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      values[static_cast<std::size_t>(column.rows[k])] = column.values[k];
    }
  } else {
    values = column.numbers;
  }
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const double x = values[static_cast<std::size_t>(a)], y = values[static_cast<std::size_t>(b)];
    return side == "high" ? x > y : x < y;
  });
  order.resize(std::min(n, std::max<std::size_t>(5, n / 100)));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<Index> roots_of(const RootWords& words, const std::string& path,
                            const LoadedInput& loaded, const std::vector<Index>& component,
                            std::size_t most) {
  const std::size_t n = component.size();
  const int n_ways = static_cast<int>(!words.rows.empty()) +
                     static_cast<int>(!words.group.empty()) +
                     static_cast<int>(!words.marker.empty());
  if (n_ways > 1) {
    throw InvalidArgument("--root, --root-group and --root-marker exclude each other: give one");
  }
  if (!words.rows.empty()) return rows_named("--root", words.rows, loaded.table.row_names, n);
  return chosen_from(
      words.group.empty() ? marked(words, path, loaded, n) : members_of(words, path, loaded, n),
      component, most);
}

}  // namespace geotherm::cli
