// Several views of the same rows, read and joined into one list of neighbours per row.
#pragma once

#include <string>
#include <vector>

#include "input.hpp"
#include "method_flags.hpp"

namespace geotherm::cli {

/// Where each view is: files, or parts of `input` (obsm:NAME, layer:NAME of an .h5ad; modalities of
/// an .h5mu, all where none is named). Empty: the input is one table.
struct ViewPlace {
  std::string path;
  std::string use;
  std::string name;
};
std::vector<ViewPlace> places_of_views(const std::string& input,
                                       const std::vector<std::string>& views);

/// Rows are matched by name where all views have names, else by their order. Each view is reduced
/// by PCA (rank chosen from the data, or as the options say) before its neighbours are found.
LoadedInput load_views(const std::vector<ViewPlace>& views, const MethodFlags& method,
                       const InputOptions& options, const Context& context);

/// Neighbours as the method wants them where it is given lists: enough of them, and far enough.
NeighborOptions neighbors_for_lists(const MethodFlags& method, std::size_t n_points);

}  // namespace geotherm::cli
