// Flow cytometry: .fcs.
#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {

Format fcs_format() {
  return {.name = "flow cytometry",
          .endings = {".fcs"},
          .sniff = [](std::string_view start) { return start.starts_with("FCS"); },
          .read = [](const FileName& file, const ReadOptions&) { return read_fcs(file.path); },
          .write =
              [](const FileName& file, const TableToWrite& table) {
                write_fcs(file.path, table.values, table.column_names);
              }};
}

}  // namespace geotherm::detail
