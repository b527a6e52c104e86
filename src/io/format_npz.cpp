// NumPy arrays under keys: .npz.
#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {
namespace {

const std::string& key_of(const FileName& file, const ReadOptions& options) {
  return file.key.empty() ? options.use : file.key;
}

}  // namespace

Format npz_format() {
  return {.name = "NumPy arrays",
          .endings = {".npz"},
          .has_keys = true,
          .has_uses = true,
          .sniff = [](std::string_view start) { return start.starts_with("PK\x03\x04"); },
          .read =
              [](const FileName& file, const ReadOptions& options) {
                Observations result;
                result.table = read_npz_table(file.path, key_of(file, options));
                return result;
              },
          .open_rows = [](const FileName& file,
                          const ReadOptions& options) -> std::unique_ptr<ObservationRows> {
            if (!options.label_column.empty()) return nullptr;
            return open_npz_rows(file.path, key_of(file, options));
          },
          .write =
              [](const FileName& file, const TableToWrite& table) {
                const std::string& key = file.key.empty() ? table.key : file.key;
                write_npz_table(file.path, key.empty() ? "data" : key, table.values);
              }};
}

}  // namespace geotherm::detail
