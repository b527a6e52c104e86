// AnnData's .h5ad, MuData's .h5mu and 10x's .h5. An input that begins as HDF5 does is the file
// itself; any other describes a tree (hdf5_tree.cpp), so that damage reaches our readers and not
// only the library's. The first byte of a description chooses what is asked for.
#include "harness.hpp"
#include "hdf5_tree.hpp"

// The library itself loses a few bytes where it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geotherm;
  using namespace geotherm::fuzz;
  if (size < 1) return 0;
  constexpr const char* uses[] = {
      "", "X", "raw", "layer:counts", "obsp:connectivities", "X_pca", "obsm:", "layer:../X"};
  ReadOptions options;
  const bool is_raw = text_of(data, size).starts_with("\x89HDF");
  std::string path;
  if (is_raw) {
    path = scratch().file("a.h5ad", text_of(data, size));
  } else {
    options.use = uses[data[0] % 8];
    if ((data[0] & 8) != 0) options.label_column = "cell_type";
    if ((data[0] & 16) != 0) options.columns = {"a"};
    path = scratch().folder() + "/a.h5ad";
    write_hdf5_tree(path, data + 1, size - 1);
  }
  read_all(path, options);
  read_or_refuse(path, [&] {
    for (const std::string& name : list_h5ad_columns(path)) read_h5ad_column(path, name);
  });
  const std::string several = scratch().folder() + "/a.h5mu";
  ::rename(path.c_str(), several.c_str());
  read_all(several);  // refused: it names the tables to choose from
  read_or_refuse(several, [&] {
    for (const std::string& name : list_modalities(several)) read_all(several, options, ":" + name);
  });
  const std::string tenx = scratch().folder() + "/a.h5";
  ::rename(several.c_str(), tenx.c_str());
  read_all(tenx);
  return 0;
}
