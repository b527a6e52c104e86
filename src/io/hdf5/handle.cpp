// Reading HDF5 objects with every size checked against the file before memory is taken.
#include "io/hdf5/handle.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace geotherm::detail {
namespace {

// Deflate packs at most 1,032 to 1; beyond that a size is a promise the file cannot keep. Small
// files may hold a little more, through fill values.
std::size_t most_bytes_of(std::size_t file_size) {
  constexpr std::size_t spare = std::size_t{64} << 20;
  return file_size > (SIZE_MAX - spare) / 1032 ? SIZE_MAX : 1032 * file_size + spare;
}

template <class T>
hid_t memory_type();
template <>
hid_t memory_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t memory_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t memory_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t memory_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}

}  // namespace

void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// Opened as bytes first: the complaints about paths are the better ones.
H5Reader::H5Reader(const std::string& path, const std::string& group) : bytes_(path), path_(path) {
  silence_hdf5();
  if (bytes_.size() == 0) throw IoError(path + ": is empty");
  most_bytes_ = most_bytes_of(bytes_.size());
  if (H5Fis_hdf5(path.c_str()) <= 0) throw IoError(path + ": is not an HDF5 file, or is damaged");
  whole_ = H5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!whole_) {
    throw IoError(path +
                  ": cannot be opened as HDF5 (is it cut short, or open in another program?)");
  }
  const auto refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                         void*) -> herr_t { return -1; };
  inside_ = H5Handle(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
  if (!inside_ || H5Pset_elink_cb(inside_, refuse, nullptr) < 0) throw std::bad_alloc();
  file_ = H5Handle(H5Gopen2(whole_, "/", H5P_DEFAULT), H5Gclose);
  if (group.empty()) return;
  if (!is_group(group)) throw IoError(path + ": has no group '" + group + "'");
  file_ = H5Handle(H5Oopen(whole_, group.c_str(), inside_), H5Oclose);
  if (!file_) throw IoError(path + ": the group '" + group + "' cannot be opened");
}

void H5Reader::fail(const std::string& object, const std::string& what) const {
  throw IoError(path_ + ", " + object + ": " + what);
}

bool H5Reader::has(const std::string& name) const {
  // Every part of the way must be a link that leads somewhere.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (H5Lexists(file_, part.c_str(), inside_) <= 0) return false;
    if (H5Oexists_by_name(file_, part.c_str(), inside_) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

bool H5Reader::is_group(const std::string& name) const {
  if (!has(name)) return false;
  const H5Handle object(H5Oopen(file_, name.c_str(), inside_), H5Oclose);
  return object && H5Iget_type(object) == H5I_GROUP;
}

std::vector<std::string> H5Reader::names_in(const std::string& group) const {
  std::vector<std::string> names;
  const H5Handle object(H5Oopen(file_, group.c_str(), inside_), H5Oclose);
  if (!object || H5Iget_type(object) != H5I_GROUP) return names;
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    } catch (...) {
      return -1;  // no exception may pass through the C library
    }
    return 0;
  };
  if (H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names) < 0) {
    fail(group, "its entries cannot be listed");
  }
  return names;
}

H5Handle H5Reader::open_dataset(const std::string& name) const {
  if (!has(name)) fail(name, "is not in the file");
  H5Handle dataset(H5Oopen(file_, name.c_str(), inside_), H5Oclose);
  if (!dataset || H5Iget_type(dataset) != H5I_DATASET) {
    fail(name, "is not an array, or cannot be opened");
  }
  const H5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  if (!list || H5Pget_external_count(list) > 0 || H5Pget_layout(list) == H5D_VIRTUAL) {
    fail(name, "keeps its values in other files, which are not read (copy them into this one)");
  }
  return dataset;
}

std::vector<std::size_t> H5Reader::shape(const std::string& name) const {
  const H5Handle dataset = open_dataset(name);
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  const int n_dims = space ? H5Sget_simple_extent_ndims(space) : -1;
  if (n_dims < 0 || n_dims > 32) fail(name, "has no shape");
  std::vector<hsize_t> extents(static_cast<std::size_t>(n_dims));
  if (n_dims > 0) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

std::size_t H5Reader::checked_size(hid_t dataset, const std::string& name) const {
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  const H5Handle type(H5Dget_type(dataset), H5Tclose);
  const hssize_t n = space ? H5Sget_simple_extent_npoints(space) : -1;
  const std::size_t item = type ? H5Tget_size(type) : 0;
  if (n < 0 || item == 0) fail(name, "is damaged: it has no size");
  if (static_cast<std::size_t>(n) > most_bytes_ / item) {
    fail(name, "claims " + with_commas(static_cast<std::size_t>(n)) +
                   " values, more than the file can hold (it is damaged)");
  }
  return static_cast<std::size_t>(n);
}

void H5Reader::require_size(const std::string& name) const {
  const H5Handle dataset = open_dataset(name);
  // Small types are widened to 8 bytes at the most.
  if (checked_size(dataset, name) > most_bytes_ / sizeof(double)) {
    fail(name, "claims more values than the file can hold (it is damaged)");
  }
}

H5Kind H5Reader::kind(const std::string& name) const {
  const H5Handle dataset = open_dataset(name);
  const H5Handle type(H5Dget_type(dataset), H5Tclose);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      return H5Tget_size(type) <= 4 ? H5Kind::float32 : H5Kind::float64;
    case H5T_INTEGER:
      return H5Kind::integer;
    case H5T_ENUM:
      return H5Kind::boolean;
    case H5T_STRING:
      return H5Kind::text;
    default:
      return H5Kind::other;
  }
}

void H5Reader::require_numbers(const std::string& name) const {
  const H5Kind found = kind(name);
  if (found == H5Kind::text || found == H5Kind::other) fail(name, "does not hold numbers");
}

void H5Reader::fail_to_read(hid_t dataset, const std::string& name) const {
  const H5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  const int n_filters = list ? H5Pget_nfilters(list) : 0;
  for (int i = 0; i < n_filters; ++i) {
    unsigned flags = 0;
    std::size_t n_values = 0;
    char text[64] = "";
    const H5Z_filter_t filter = H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &n_values,
                                               nullptr, sizeof text, text, nullptr);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0) {
      fail(name, "is compressed by '" + std::string(text) +
                     "', which this HDF5 lacks (save the file with compression='gzip')");
    }
  }
  fail(name, "cannot be read: the file is damaged");
}

template <class T>
void H5Reader::read_into(const std::string& name, T* out, std::size_t n) const {
  const H5Handle dataset = open_dataset(name);
  if (checked_size(dataset, name) != n) fail(name, "has another size than its neighbours say");
  require_numbers(name);
  if (n == 0) return;
  if (H5Dread(dataset, memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
    fail_to_read(dataset, name);
  }
}

std::size_t H5Reader::item_size(const std::string& name) const {
  const H5Handle dataset = open_dataset(name);
  const H5Handle type(H5Dget_type(dataset), H5Tclose);
  return type ? H5Tget_size(type) : 0;
}

std::optional<std::size_t> H5Reader::offset_in_file(hid_t memory_type, hid_t dataset,
                                                    hid_t creation, std::size_t n_bytes) const {
  if (H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Pget_nfilters(creation) != 0) return {};
  const H5Handle type(H5Dget_type(dataset), H5Tclose);
  if (!type || H5Tequal(type, memory_type) <= 0) return {};
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF || H5Dget_storage_size(dataset) != n_bytes) return {};
  return static_cast<std::size_t>(offset);
}

template <class T>
void H5Reader::read_pieces(const std::string& name,
                           const std::function<void(std::span<const T>)>& take) const {
  const H5Handle dataset = open_dataset(name);
  const hsize_t n = checked_size(dataset, name);
  require_numbers(name);
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  if (H5Sget_simple_extent_ndims(space) != 1) fail(name, "is not one-dimensional");
  const H5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  // What the library would do for such values is mostly copying; pieces this small stay in cache.
  if (const auto place = offset_in_file(memory_type<T>(), dataset, list, n * sizeof(T))) {
    constexpr hsize_t most = std::size_t{1} << 15;
    std::vector<T, UninitializedAllocator<T>> piece(std::min(most, n));
    for (hsize_t from = 0; from < n; from += most) {
      const std::size_t size = std::min(most, n - from);
      bytes_.read_at(*place + from * sizeof(T), piece.data(), size * sizeof(T));
      take({piece.data(), size});
    }
    return;
  }
  // Whole chunks, as a packed one is unpacked anew for every piece that touches it.
  hsize_t chunk = 1;
  if (H5Pget_layout(list) == H5D_CHUNKED) H5Pget_chunk(list, 1, &chunk);
  constexpr hsize_t usual = std::size_t{1} << 17;
  chunk = std::clamp<hsize_t>(chunk, 1, std::max<hsize_t>(n, 1));
  const hsize_t most = std::max<hsize_t>(usual / chunk, 1) * chunk;
  std::vector<T, UninitializedAllocator<T>> piece(std::min(most, n));
  for (hsize_t from = 0; from < n; from += most) {
    const hsize_t size = std::min(most, n - from);
    const H5Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, nullptr, &size, nullptr);
    if (H5Dread(dataset, memory_type<T>(), memory, space, H5P_DEFAULT, piece.data()) < 0) {
      fail_to_read(dataset, name);
    }
    take(std::span<const T>(piece.data(), size));
  }
}

void H5Reader::read_rows(const std::string& name, std::size_t first, MatrixView<double> out) const {
  const H5Handle dataset = open_dataset(name);
  require_numbers(name);
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  hsize_t shape[2] = {};
  if (H5Sget_simple_extent_ndims(space) != 2) fail(name, "is not two-dimensional");
  H5Sget_simple_extent_dims(space, shape, nullptr);
  if (shape[1] != out.cols || first + out.rows > shape[0]) fail(name, "changed while it was read");
  const hsize_t from[2] = {first, 0}, size[2] = {out.rows, out.cols};
  const hsize_t wide[2] = {out.rows, out.stride}, origin[2] = {0, 0};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, size, nullptr);
  const H5Handle memory(H5Screate_simple(2, wide, nullptr), H5Sclose);
  H5Sselect_hyperslab(memory, H5S_SELECT_SET, origin, nullptr, size, nullptr);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out.data) < 0) {
    fail_to_read(dataset, name);
  }
}

template <class T>
void H5Reader::read_slice(const std::string& name, std::size_t first, std::span<T> out) const {
  if (out.empty()) return;
  const H5Handle dataset = open_dataset(name);
  require_numbers(name);
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  hsize_t length = 0;
  if (H5Sget_simple_extent_ndims(space) != 1) fail(name, "is not one-dimensional");
  H5Sget_simple_extent_dims(space, &length, nullptr);
  if (first + out.size() > length) fail(name, "changed while it was read");
  const hsize_t from = first, size = out.size();
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, nullptr, &size, nullptr);
  const H5Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
  if (H5Dread(dataset, memory_type<T>(), memory, space, H5P_DEFAULT, out.data()) < 0) {
    fail_to_read(dataset, name);
  }
}
template void H5Reader::read_slice(const std::string&, std::size_t, std::span<double>) const;
template void H5Reader::read_slice(const std::string&, std::size_t, std::span<std::int64_t>) const;

template <class T>
std::vector<T, UninitializedAllocator<T>> H5Reader::numbers(const std::string& name) const {
  std::size_t n = 0;
  {
    const H5Handle dataset = open_dataset(name);
    n = checked_size(dataset, name);
  }
  if (n > most_bytes_ / sizeof(T)) fail(name, "claims more values than the file can hold");
  std::vector<T, UninitializedAllocator<T>> values(n);
  read_into(name, values.data(), n);
  return values;
}

template void H5Reader::read_into(const std::string&, float*, std::size_t) const;
template void H5Reader::read_into(const std::string&, double*, std::size_t) const;
template void H5Reader::read_into(const std::string&, std::int32_t*, std::size_t) const;
template void H5Reader::read_into(const std::string&, std::int64_t*, std::size_t) const;
template void H5Reader::read_pieces(const std::string&,
                                    const std::function<void(std::span<const float>)>&) const;
template void H5Reader::read_pieces(const std::string&,
                                    const std::function<void(std::span<const double>)>&) const;
template void H5Reader::read_pieces(
    const std::string&, const std::function<void(std::span<const std::int32_t>)>&) const;
template void H5Reader::read_pieces(
    const std::string&, const std::function<void(std::span<const std::int64_t>)>&) const;
template std::vector<float, UninitializedAllocator<float>> H5Reader::numbers(
    const std::string&) const;
template std::vector<double, UninitializedAllocator<double>> H5Reader::numbers(
    const std::string&) const;
template std::vector<std::int32_t, UninitializedAllocator<std::int32_t>> H5Reader::numbers(
    const std::string&) const;
template std::vector<std::int64_t, UninitializedAllocator<std::int64_t>> H5Reader::numbers(
    const std::string&) const;

namespace {

/// `n` texts of the type in the file, by read(memory type, out).
template <class Read>
std::vector<std::string> texts_by(const Read& read, hid_t type, hid_t memory_space, std::size_t n) {
  std::vector<std::string> texts;
  texts.reserve(n);
  if (H5Tis_variable_str(type) > 0) {
    H5Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    std::vector<char*> pointers(n, nullptr);
    read(memory, pointers.data());
    for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(memory, memory_space, H5P_DEFAULT, pointers.data());
  } else {
    const std::size_t width = H5Tget_size(type);
    std::vector<char> bytes(n * width, '\0');
    read(type, bytes.data());
    for (std::size_t i = 0; i < n; ++i) {
      const char* begin = bytes.data() + i * width;
      texts.emplace_back(begin, strnlen(begin, width));
    }
  }
  return texts;
}

}  // namespace

std::vector<std::string> H5Reader::read_texts(hid_t object, hid_t type, hid_t space,
                                              bool is_attribute, const std::string& name) const {
  if (H5Tget_class(type) != H5T_STRING) fail(name, "does not hold text");
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0) fail(name, "is damaged: it has no size");
  const auto n = static_cast<std::size_t>(count);
  // Attributes are stored as they are, neither packed nor filled in.
  if (is_attribute && n > bytes_.size() / std::max<std::size_t>(1, H5Tget_size(type))) {
    fail(name, "claims more text than the file can hold (it is damaged)");
  }
  const auto read = [&](hid_t memory, void* out) {
    const herr_t done = is_attribute ? H5Aread(object, memory, out)
                                     : H5Dread(object, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
    if (done < 0) fail(name, "its text cannot be read: the file is damaged");
  };
  if (n == 0) return {};
  if (H5Tis_variable_str(type) > 0) {
    if (n > most_bytes_ / sizeof(char*)) fail(name, "claims more text than the file can hold");
  } else {
    const std::size_t width = H5Tget_size(type);
    if (width == 0 || n > most_bytes_ / width) fail(name, "claims more text than the file holds");
  }
  return texts_by(read, type, space, n);
}

std::vector<std::string> H5Reader::texts(const std::string& name) const {
  const H5Handle dataset = open_dataset(name);
  const H5Handle type(H5Dget_type(dataset), H5Tclose);
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  if (!type || !space) fail(name, "is damaged");
  checked_size(dataset, name);
  return read_texts(dataset, type, space, false, name);
}

std::vector<std::string> H5Reader::read_text_rows(hid_t dataset, hid_t type, hid_t space,
                                                  hsize_t first, hsize_t n,
                                                  const std::string& name) const {
  const H5Handle memory_space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &n, nullptr) < 0) {
    fail(name, "is damaged");
  }
  const auto read = [&](hid_t memory, void* out) {
    if (H5Dread(dataset, memory, memory_space, space, H5P_DEFAULT, out) < 0) {
      fail(name, "its text cannot be read: the file is damaged");
    }
  };
  return texts_by(read, type, memory_space, n);
}

Texts H5Reader::distinct_texts(const std::string& name) const {
  constexpr std::size_t piece_bytes = std::size_t{1} << 24U;
  const H5Handle dataset = open_dataset(name);
  const H5Handle type(H5Dget_type(dataset), H5Tclose);
  const H5Handle space(H5Dget_space(dataset), H5Sclose);
  if (!type || !space) fail(name, "is damaged");
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_ndims(space) != 1) {
    return texts(name);  // which says what is wrong
  }
  const std::size_t n = checked_size(dataset, name);
  // Texts of any length are counted as long: what a file holds of one is not known before.
  const std::size_t width = H5Tis_variable_str(type) > 0 ? 4096 : H5Tget_size(type);
  const std::size_t n_at_once =
      std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, width));
  TextCollector collector;
  for (std::size_t first = 0; first < n; first += n_at_once) {
    for (const std::string& text :
         read_text_rows(dataset, type, space, first, std::min(n_at_once, n - first), name)) {
      collector.add(text);
    }
  }
  return collector.take();
}

H5Handle H5Reader::attribute(const std::string& object, const std::string& name) const {
  if (H5Aexists_by_name(file_, object.c_str(), name.c_str(), inside_) <= 0) return {};
  return {H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, inside_), H5Aclose};
}

std::vector<std::string> H5Reader::attribute_texts(const std::string& object,
                                                   const std::string& attribute_name) const {
  const H5Handle found = attribute(object, attribute_name);
  if (!found) return {};
  const H5Handle type(H5Aget_type(found), H5Tclose);
  const H5Handle space(H5Aget_space(found), H5Sclose);
  if (!type || !space || H5Tget_class(type) != H5T_STRING) return {};
  return read_texts(found, type, space, true, object + " (" + attribute_name + ")");
}

std::string H5Reader::attribute_text(const std::string& object,
                                     const std::string& attribute) const {
  const std::vector<std::string> texts = attribute_texts(object, attribute);
  return texts.size() == 1 ? texts.front() : std::string();
}

std::vector<std::size_t> H5Reader::attribute_sizes(const std::string& object,
                                                   const std::string& attribute_name) const {
  const H5Handle found = attribute(object, attribute_name);
  if (!found) return {};
  const H5Handle type(H5Aget_type(found), H5Tclose);
  const H5Handle space(H5Aget_space(found), H5Sclose);
  const hssize_t n = space ? H5Sget_simple_extent_npoints(space) : -1;
  if (n < 1 || n > 32 || !type || H5Tget_class(type) != H5T_INTEGER) return {};
  std::vector<std::int64_t> values(static_cast<std::size_t>(n));
  if (H5Aread(found, H5T_NATIVE_INT64, values.data()) < 0) return {};
  std::vector<std::size_t> sizes;
  for (const std::int64_t value : values) {
    if (value < 0) fail(object, "has a negative size");
    sizes.push_back(static_cast<std::size_t>(value));
  }
  return sizes;
}

}  // namespace geotherm::detail
