// MuData: several AnnData tables of the same rows in one file, .h5mu:NAME.
#include "geotherm/formats.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {

Format h5mu_format() {
  return {.name = "MuData",
          .endings = {".h5mu"},
          .has_keys = true,
          .has_uses = true,
          .has_label_columns = true,
          .is_available = has_hdf5,
          .read = [](const FileName& file, const ReadOptions& options) {
            return read_h5mu(file.path, file.key, options);
          }};
}

}  // namespace geotherm::detail
