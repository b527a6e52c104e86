// Stands in for src/io/hdf5 in builds without the HDF5 library.
#include "io/formats.hpp"

namespace geotherm {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw IoError(path +
                ": this build of geotherm was made without HDF5 (rebuild it with libhdf5-dev "
                "installed; or save the matrix as .npy: numpy.save('X.npy', adata.obsm['X_pca']))");
}

}  // namespace

namespace detail {
Observations read_h5ad(const std::string& path, const ReadOptions&) { refuse(path); }
Observations read_h5mu(const std::string& path, const std::string&, const ReadOptions&) {
  refuse(path);
}
std::unique_ptr<ObservationRows> open_h5ad_rows(const std::string& path, const ReadOptions&) {
  refuse(path);
}
Observations read_tenx_h5(const std::string& path) { refuse(path); }
void write_tenx_h5(const std::string& path, const TenxCounts&) { refuse(path); }
}  // namespace detail

std::vector<std::string> list_modalities(const std::string& path) { refuse(path); }
std::vector<std::string> list_h5ad_columns(const std::string& path) { refuse(path); }
Column read_h5ad_column(const std::string& path, const std::string&) { refuse(path); }
std::vector<std::string> read_h5ad_names(const std::string& path) { refuse(path); }
void write_into_h5ad(const std::string&, const std::string& target, const H5adResults&) {
  refuse(target);
}
void write_new_h5ad(const std::string& path, const NewH5ad&) { refuse(path); }
bool has_hdf5() noexcept { return false; }

}  // namespace geotherm
