// A folder of Cell Ranger: matrix.mtx, barcodes.tsv, features.tsv.
#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {

Format tenx_folder_format() {
  return {.name = "a folder of 10x", .read = [](const FileName& file, const ReadOptions&) {
            return read_tenx_folder(file.path);
          }};
}

}  // namespace geotherm::detail
