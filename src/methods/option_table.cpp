// The table of options. A new option is a row in one of options_*.cpp, its field in an options
// struct, and the code that uses the field.
#include "methods/option_rows.hpp"

namespace geotherm::detail {

std::vector<Option> option_table() {
  std::vector<Option> table = basic_and_graph_options();
  for (auto* more : {heat_and_distance_options, layout_options, scale_options}) {
    for (Option& option : more()) table.push_back(std::move(option));
  }
  return table;
}

}  // namespace geotherm::detail
