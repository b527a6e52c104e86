// MatrixMarket: .mtx.
#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {

Format mtx_format() {
  return {.name = "MatrixMarket",
          .endings = {".mtx"},
          .may_be_packed = true,
          .sniff = [](std::string_view start) { return start.starts_with("%%MatrixMarket"); },
          .read = [](const FileName& file, const ReadOptions&) { return read_mtx(file.path); },
          .write = [](const FileName& file,
                      const TableToWrite& table) { write_mtx(file.path, table.values); }};
}

}  // namespace geotherm::detail
