// A little language for trees of HDF5. Each step is a letter, the number of a place and arguments;
// a byte that is missing reads as 0:
//   g place                                          a group
//   d place type n_dims dims... packing n_bytes ...  numbers; the bytes are repeated to fill it
//   s place width n ... texts                        text, of variable length where width is 0
//   b place n ...                                    truth values, an enumeration as h5py writes
//   a place name n_values ...                        integers as attribute
//   t place name n texts                             text as attribute
//   l place target                                   a soft link between places
// A text is a number below 64: one of `words`, or a byte 128 + n and n bytes of its own.
#include "hdf5_tree.hpp"

#include <hdf5.h>

#include <array>
#include <string_view>
#include <vector>

namespace geotherm::fuzz {
namespace {

constexpr std::array places = {"X",
                               "X/data",
                               "X/indices",
                               "X/indptr",
                               "obs",
                               "obs/_index",
                               "obs/cell_type",
                               "obs/cell_type/codes",
                               "obs/cell_type/categories",
                               "obs/__categories/cell_type",
                               "obs/score",
                               "obs/score/values",
                               "obs/score/mask",
                               "var",
                               "var/_index",
                               "obsm/X_pca",
                               "layers/counts",
                               "layers/counts/data",
                               "layers/counts/indices",
                               "layers/counts/indptr",
                               "obsp/connectivities",
                               "obsp/connectivities/data",
                               "obsp/connectivities/indices",
                               "obsp/connectivities/indptr",
                               "raw/X",
                               "raw/X/data",
                               "raw/X/indices",
                               "raw/X/indptr",
                               "raw/var",
                               "raw/var/_index",
                               "matrix",
                               "matrix/barcodes",
                               "matrix/data",
                               "matrix/indices",
                               "matrix/indptr",
                               "matrix/shape",
                               "matrix/features",
                               "matrix/features/name",
                               "matrix/features/id",
                               "matrix/features/feature_type",
                               "hg19",
                               "hg19/barcodes",
                               "hg19/data",
                               "hg19/indices",
                               "hg19/indptr",
                               "hg19/shape",
                               "hg19/genes",
                               "hg19/gene_names",
                               "mod",
                               "mod/rna",
                               "mod/rna/X",
                               "mod/rna/obs",
                               "mod/rna/obs/_index",
                               "mod/rna/var",
                               "mod/rna/var/_index",
                               "mod/rna/obsm/X_pca",
                               "mod/prot",
                               "mod/prot/X",
                               "mod/prot/X/data",
                               "mod/prot/X/indices",
                               "mod/prot/X/indptr",
                               "mod/prot/obs",
                               "mod/prot/obs/_index"};
constexpr std::array words = {"csr_matrix",
                              "csc_matrix",
                              "array",
                              "dataframe",
                              "categorical",
                              "_index",
                              "cell_type",
                              "score",
                              "encoding-type",
                              "shape",
                              "column-order",
                              "h5sparse_format",
                              "h5sparse_shape",
                              "csr",
                              "csc",
                              "Gene Expression",
                              "Antibody Capture",
                              "a",
                              "b",
                              "c",
                              "",
                              "..",
                              "/",
                              "X"};

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool done() const { return at_ == end_; }
  std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  std::string text() {
    const std::uint8_t first = byte();
    if (first < 128) return words[first % words.size()];
    std::string text;
    for (int i = first - 128; i > 0 && !done(); --i) text += static_cast<char>(byte());
    return text;
  }
  const char* place() { return places[byte() % places.size()]; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

class TreeWriter {
 public:
  explicit TreeWriter(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    // In memory until it is closed: many times fewer calls of the system.
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(how, 1 << 14, 1);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, how);
    H5Pclose(how);
    with_parents_ = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(with_parents_, 1);
  }
  ~TreeWriter() {
    H5Pclose(with_parents_);
    H5Fclose(file_);
  }
  TreeWriter(const TreeWriter&) = delete;
  TreeWriter& operator=(const TreeWriter&) = delete;

  void step(Bytes& in) {
    const std::uint8_t letter = in.byte();
    const char* place = in.place();
    switch (letter) {
      case 'g': {
        const hid_t group = H5Gcreate2(file_, place, with_parents_, H5P_DEFAULT, H5P_DEFAULT);
        if (group >= 0) H5Gclose(group);
        break;
      }
      case 'd':
        return numbers(in, place);
      case 's':
        return texts(in, place, false);
      case 'b':
        return flags(in, place);
      case 'a':
        return sizes(in, place);
      case 't':
        return texts(in, place, true);
      case 'l':
        H5Lcreate_soft((std::string("/") + in.place()).c_str(), file_, place, with_parents_,
                       H5P_DEFAULT);
        break;
      default:
        break;
    }
  }

 private:
  static hid_t type_of(std::uint8_t which) {
    const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I32LE,
                           H5T_STD_I64LE,  H5T_STD_I8LE,   H5T_STD_U64LE,
                           H5T_STD_U16BE,  H5T_IEEE_F64BE, H5T_STD_B8LE};
    return types[which % 9];
  }

  void write(const char* place, hid_t type, const std::vector<hsize_t>& dims, std::uint8_t packing,
             const void* values) {
    const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (packing % 4 != 0 && !dims.empty()) {
      std::vector<hsize_t> chunk;
      for (const hsize_t extent : dims) chunk.push_back(extent < 3 ? 1 : extent / 2);
      H5Pset_chunk(how, static_cast<int>(chunk.size()), chunk.data());
      if (packing % 4 == 2) H5Pset_deflate(how, 4);
      if (packing % 4 == 3) H5Pset_shuffle(how);
    }
    const hid_t made = H5Dcreate2(file_, place, type, space, with_parents_, how, H5P_DEFAULT);
    if (made >= 0) {
      if (values != nullptr) H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
      H5Dclose(made);
    }
    H5Pclose(how);
    H5Sclose(space);
  }

  void numbers(Bytes& in, const char* place) {
    const hid_t type = type_of(in.byte());
    std::vector<hsize_t> dims(in.byte() % 4);
    std::size_t n = 1;
    for (hsize_t& extent : dims) {
      extent = in.byte();
      // Past 200 the extent is a claim of a size that nothing stands behind.
      if (extent > 200) extent = hsize_t{1} << (extent - 200);
      n = n > (std::size_t{1} << 40) ? n : n * extent;
    }
    const std::uint8_t packing = in.byte();
    std::vector<unsigned char> pattern(in.byte());
    for (unsigned char& byte : pattern) byte = in.byte();
    const std::size_t n_bytes = n * H5Tget_size(type);
    // Large ones stay unwritten: HDF5 gives zeros for them, whatever their size.
    if (pattern.empty() || n_bytes > (1u << 16))
      return write(place, type, dims, packing | 1, nullptr);
    std::vector<unsigned char> values(n_bytes);
    for (std::size_t i = 0; i < n_bytes; ++i) values[i] = pattern[i % pattern.size()];
    write(place, type, dims, packing, values.data());
  }

  void flags(Bytes& in, const char* place) {
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    const signed char no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    std::vector<signed char> values(in.byte());
    for (signed char& value : values) value = static_cast<signed char>(in.byte());
    write(place, type, {values.size()}, 0, values.data());
    H5Tclose(type);
  }

  void sizes(Bytes& in, const char* place) {
    const std::string name = in.text();
    std::vector<std::int64_t> values(in.byte() % 40);
    for (std::int64_t& value : values) {
      value = static_cast<std::int8_t>(in.byte());
      if (value < -64) value = std::int64_t{1} << (value + 128);
    }
    const hsize_t n = values.size();
    attribute(place, name, H5T_STD_I64LE, n, values.data());
  }

  void attribute(const char* place, const std::string& name, hid_t type, hsize_t n,
                 const void* values) {
    const hid_t object = H5Oopen(file_, place, H5P_DEFAULT);
    if (object < 0) return;
    const hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr);
    const hid_t made = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0) {
      if (n > 0) H5Awrite(made, type, values);
      H5Aclose(made);
    }
    H5Sclose(space);
    H5Oclose(object);
  }

  void texts(Bytes& in, const char* place, bool is_attribute) {
    const std::string name = is_attribute ? in.text() : std::string();
    const std::uint8_t width = is_attribute ? std::uint8_t{0} : in.byte();
    std::vector<std::string> values(in.byte() % 100);
    for (std::string& value : values) value = in.text();
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, width == 0 ? H5T_VARIABLE : width);
    std::vector<const char*> pointers;
    std::string fixed;
    for (std::string& value : values) {
      pointers.push_back(value.c_str());
      std::string cut = value;
      cut.resize(width);
      fixed += cut;
    }
    const void* bytes = width == 0 ? static_cast<const void*>(pointers.data()) : fixed.data();
    if (is_attribute) {
      attribute(place, name, type, values.size(), bytes);
    } else {
      write(place, type, {values.size()}, 0, values.empty() ? nullptr : bytes);
    }
    H5Tclose(type);
  }

  hid_t file_ = -1;
  hid_t with_parents_ = -1;
};

}  // namespace

void write_hdf5_tree(const std::string& path, const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  TreeWriter tree(path);
  for (int n = 0; n < 100 && !in.done(); ++n) tree.step(in);
}

}  // namespace geotherm::fuzz
