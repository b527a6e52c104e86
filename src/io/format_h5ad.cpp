// AnnData: .h5ad.
#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {

bool looks_like_hdf5(std::string_view start) { return start.starts_with("\x89HDF\r\n\x1a\n"); }

Format h5ad_format() {
  return {
      .name = "AnnData",
      .endings = {".h5ad"},
      .has_uses = true,
      .has_label_columns = true,
      .sniff = looks_like_hdf5,
      .is_available = has_hdf5,
      .read = [](const FileName& file,
                 const ReadOptions& options) { return read_h5ad(file.path, options); },
      .open_rows = [](const FileName& file,
                      const ReadOptions& options) { return open_h5ad_rows(file.path, options); },
      .write =
          [](const FileName& file, const TableToWrite& table) {
            NewH5ad content;
            content.dense = table.values;
            content.obs_names = table.row_names;
            content.var_names = table.column_names;
            write_new_h5ad(file.path, content);
          }};
}

}  // namespace geotherm::detail
