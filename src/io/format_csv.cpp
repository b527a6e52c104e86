// Text tables: .csv, .tsv, .txt.
#include <algorithm>

#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {

Format csv_format() {
  return {
      .name = "text tables",
      .endings = {".csv", ".tsv", ".txt"},
      .may_be_packed = true,
      .has_label_columns = true,
      .selects_columns = true,
      .sniff =
          [](std::string_view start) {
            return std::ranges::none_of(start, [](char c) {
              const auto byte = static_cast<unsigned char>(c);
              return byte < 32 && c != '\n' && c != '\r' && c != '\t';
            });
          },
      .read = [](const FileName& file,
                 const ReadOptions& options) { return read_csv(file.path, file.ending, options); },
      .open_rows = [](const FileName& file,
                      const ReadOptions& options) -> std::unique_ptr<ObservationRows> {
        if (!options.use.empty() || options.reads_missing) return nullptr;
        return open_csv_rows(file.path, file.ending, options);
      },
      .write =
          [](const FileName& file, const TableToWrite& table) {
            write_csv_table(file.path, file.ending == ".csv" ? ',' : '\t', table.values,
                            table.row_names, table.column_names);
          }};
}

}  // namespace geotherm::detail
