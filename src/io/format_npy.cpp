// A NumPy array: .npy.
#include "geotherm/formats.hpp"
#include "io/atomic_file.hpp"
#include "io/npy.hpp"
#include "io/npy_rows.hpp"

namespace geotherm::detail {
namespace {

Table words_for(const std::string& path, const NpyHeader& header) {
  Table table;
  table.source = path;
  table.assumed = type_in_words(header) + (header.shape.size() == 1 ? ", read as one column" : "");
  return table;
}

Observations read(const FileName& name, const ReadOptions&) {
  const InputFile file(name.path);
  FileSource source(file);
  const NpyHeader header = read_npy_header(source);
  Observations result;
  result.table = words_for(name.path, header);
  read_npy_matrix(header, source, result.table);
  return result;
}

std::unique_ptr<ObservationRows> open_rows(const FileName& name, const ReadOptions& options) {
  if (!options.use.empty() || !options.label_column.empty()) return nullptr;
  auto file = std::make_unique<InputFile>(name.path);
  FileSource source(*file);
  Table table = words_for(name.path, read_npy_header(source));
  return rows_of_npy(std::move(file), std::move(table),
                     [](const InputFile& opened) { return std::make_unique<FileSource>(opened); });
}

}  // namespace

Format npy_format() {
  return {.name = "a NumPy array",
          .endings = {".npy"},
          .sniff = [](std::string_view start) { return start.starts_with("\x93NUMPY"); },
          .read = read,
          .open_rows = open_rows,
          .write =
              [](const FileName& name, const TableToWrite& table) {
                AtomicFile file(name.path);
                write_npy_matrix(table.values, [&](std::string_view bytes) { file.write(bytes); });
                file.commit();
              }};
}

}  // namespace geotherm::detail
