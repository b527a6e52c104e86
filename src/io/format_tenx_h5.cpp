// Counts of Cell Ranger in one file: .h5.
#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {

Format tenx_h5_format() {
  return {.name = "10x counts",
          .endings = {".h5", ".hdf5"},
          .is_available = has_hdf5,
          .read = [](const FileName& file, const ReadOptions&) { return read_tenx_h5(file.path); }};
}

}  // namespace geotherm::detail
