// HDF5 objects with anndata's encodings, version 0.7 and later.
#include "io/hdf5/writer.hpp"

#include <algorithm>
#include <map>

namespace geotherm::detail {
namespace {

H5Handle text_type() {
  H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

// As h5py keeps NumPy's bool.
H5Handle boolean_type() {
  H5Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  const std::int8_t no = 0, yes = 1;
  H5Tenum_insert(type, "FALSE", &no);
  H5Tenum_insert(type, "TRUE", &yes);
  return type;
}

}  // namespace

H5Writer::H5Writer(std::string path, H5Handle file)
    : path_(std::move(path)), file_(std::move(file)) {
  if (!file_) fail("the file", "cannot be opened for writing");
}

void H5Writer::close() {
  H5Fflush(file_, H5F_SCOPE_GLOBAL);
  const hid_t id = file_;
  if (H5Iget_ref(id) > 0 && H5Fget_obj_count(id, H5F_OBJ_ALL) > 1) {
    fail("the file", "has objects left open");
  }
  file_ = H5Handle();
}

void H5Writer::require_group(const std::string& name, const std::string& encoding,
                             const std::string& version) {
  if (exists(name)) {
    // Through a link the results could end up in another file.
    H5L_info_t info = {};
    check(H5Lget_info(file_, name.c_str(), &info, H5P_DEFAULT), name);
    if (info.type != H5L_TYPE_HARD) fail(name, "is a link, which is not written through");
    return;
  }
  const H5Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Gclose);
  check(group, name);
  if (!encoding.empty()) describe(group, encoding, version, name);
}

void H5Writer::describe_root() {
  const H5Handle root(H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose);
  check(root, "/");
  describe(root, "anndata", "0.1.0", "/");
}

bool H5Writer::exists(const std::string& name) const {
  return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
}

void H5Writer::remove(const std::string& name) {
  if (exists(name)) check(H5Ldelete(file_, name.c_str(), H5P_DEFAULT), name);
}

void H5Writer::numbers(const std::string& name, const void* values, std::vector<hsize_t> shape,
                       hid_t file_type, hid_t memory_type, bool is_described) {
  const H5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                       H5Sclose);
  check(space, name);
  const H5Handle dataset(
      H5Dcreate2(file_, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  check(dataset, name);
  const bool is_empty = std::find(shape.begin(), shape.end(), hsize_t{0}) != shape.end();
  if (!is_empty) {
    check(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
  }
  if (is_described) describe(dataset, "array", "0.2.0", name);
}

void H5Writer::matrix(const std::string& name, MatrixView<const double> values) {
  std::vector<double> packed;
  const double* data = values.data;
  if (values.stride != values.cols) {
    for (std::size_t i = 0; i < values.rows; ++i) {
      packed.insert(packed.end(), values.row(i).begin(), values.row(i).end());
    }
    data = packed.data();
  }
  numbers(name, data, {values.rows, values.cols}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
}

void H5Writer::sparse(const std::string& name, const SparseMatrix& values) {
  require_group(name, "csr_matrix", "0.1.0");
  {
    const H5Handle group(H5Gopen2(file_, name.c_str(), H5P_DEFAULT), H5Gclose);
    const hsize_t two = 2;
    const H5Handle space(H5Screate_simple(1, &two, nullptr), H5Sclose);
    const H5Handle attribute(
        H5Acreate2(group, "shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute, name);
    const std::int64_t shape[2] = {static_cast<std::int64_t>(values.rows),
                                   static_cast<std::int64_t>(values.cols)};
    check(H5Awrite(attribute, H5T_NATIVE_INT64, shape), name);
  }
  const std::vector<float> data(values.values.begin(), values.values.end());
  numbers(name + "/data", data.data(), {data.size()}, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, false);
  numbers(name + "/indices", values.indices.data(), {values.indices.size()}, H5T_STD_I32LE,
          H5T_NATIVE_INT32, false);
  const std::vector<std::int64_t> pointers(values.offsets.begin(), values.offsets.end());
  const bool is_small = values.n_entries() < (std::size_t{1} << 31);
  numbers(name + "/indptr", pointers.data(), {pointers.size()},
          is_small ? H5T_STD_I32LE : H5T_STD_I64LE, H5T_NATIVE_INT64, false);
}

void H5Writer::texts(const std::string& name, const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  pointers.reserve(values.size());
  for (const std::string& value : values) pointers.push_back(value.c_str());
  const hsize_t n = values.size();
  const H5Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  write_texts(name, space, pointers, "string-array");
}

void H5Writer::text(const std::string& name, const std::string& value) {
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write_texts(name, space, {value.c_str()}, "string");
}

void H5Writer::frame(const std::string& name, const std::vector<std::string>& names,
                     const std::vector<Column>& columns) {
  require_group(name, "dataframe", "0.2.0");
  {
    const H5Handle group(H5Gopen2(file_, name.c_str(), H5P_DEFAULT), H5Gclose);
    attribute(group, "_index", "_index", name);
  }
  std::vector<std::string> order;
  order.reserve(columns.size());
  for (const Column& column : columns) order.push_back(column.name);
  column_order(name, order);
  texts(name + "/_index", names);
  for (const Column& column : columns) write_column(name + "/" + column.name, column);
}

void H5Writer::replace_columns(const std::string& frame, const std::vector<Column>& columns,
                               std::vector<std::string> order) {
  for (const Column& column : columns) {
    remove(frame + "/" + column.name);
    write_column(frame + "/" + column.name, column);
    if (std::find(order.begin(), order.end(), column.name) == order.end()) {
      order.push_back(column.name);
    }
  }
  column_order(frame, order);
}

void H5Writer::column_order(const std::string& frame, const std::vector<std::string>& order) {
  const H5Handle group(H5Gopen2(file_, frame.c_str(), H5P_DEFAULT), H5Gclose);
  check(group, frame);
  if (H5Aexists(group, "column-order") > 0) check(H5Adelete(group, "column-order"), frame);
  std::vector<const char*> names;
  names.reserve(order.size());
  for (const std::string& name : order) names.push_back(name.c_str());
  const hsize_t n = names.size();
  const H5Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const H5Handle type = text_type();
  const H5Handle at(H5Acreate2(group, "column-order", type, space, H5P_DEFAULT, H5P_DEFAULT),
                    H5Aclose);
  check(at, frame);
  if (n > 0) check(H5Awrite(at, type, names.data()), frame);
}

void H5Writer::fail(const std::string& object, const std::string& what) const {
  throw IoError(path_ + ", " + object + ": " + what);
}

void H5Writer::check(std::int64_t result, const std::string& object) const {
  if (result < 0) fail(object, "cannot be written (is the disk full?)");
}

void H5Writer::attribute(hid_t object, const char* name, const std::string& value,
                         const std::string& where) {
  const H5Handle type = text_type();
  const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const H5Handle at(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(at, where);
  const char* pointer = value.c_str();
  check(H5Awrite(at, type, &pointer), where);
}

void H5Writer::describe(hid_t object, const std::string& encoding, const std::string& version,
                        const std::string& where) {
  attribute(object, "encoding-type", encoding, where);
  attribute(object, "encoding-version", version, where);
}

void H5Writer::write_texts(const std::string& name, hid_t space,
                           const std::vector<const char*>& values, const std::string& encoding) {
  const H5Handle type = text_type();
  const H5Handle dataset(
      H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  check(dataset, name);
  if (!values.empty()) {
    check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
  }
  describe(dataset, encoding, "0.2.0", name);
}

void H5Writer::write_column(const std::string& name, const Column& column) {
  if (const auto* values = std::get_if<std::vector<double>>(&column.values)) {
    numbers(name, values->data(), {values->size()}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
    return;
  }
  const auto& values = std::get<Texts>(column.values);
  if (std::all_of(values.begin(), values.end(),
                  [](const std::string& v) { return v == "True" || v == "False"; })) {
    std::vector<std::int8_t> flags;
    flags.reserve(values.size());
    for (const std::string& value : values) flags.push_back(value == "True" ? 1 : 0);
    const H5Handle type = boolean_type();
    numbers(name, flags.data(), {flags.size()}, type, type);
    return;
  }
  // Categories in the order of their names, as pandas has them.
  std::map<std::string, std::int32_t> code_of;
  for (const std::string& value : values) code_of[value];
  std::vector<std::string> categories;
  for (auto& [category, code] : code_of) {
    code = static_cast<std::int32_t>(categories.size());
    categories.push_back(category);
  }
  if (2 * categories.size() > values.size()) {
    texts(name, values.to_vector());
    return;
  }
  std::vector<std::int32_t> codes;
  codes.reserve(values.size());
  for (const std::string& value : values) codes.push_back(code_of[value]);
  require_group(name, "categorical", "0.2.0");
  {
    const H5Handle group(H5Gopen2(file_, name.c_str(), H5P_DEFAULT), H5Gclose);
    const H5Handle type = boolean_type();
    const std::int8_t no = 0;
    const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const H5Handle at(H5Acreate2(group, "ordered", type, space, H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    check(at, name);
    check(H5Awrite(at, type, &no), name);
  }
  numbers(name + "/codes", codes.data(), {codes.size()},
          categories.size() <= 127 ? H5T_STD_I8LE : H5T_STD_I32LE, H5T_NATIVE_INT32);
  texts(name + "/categories", categories);
}

void H5Writer::fixed_texts(const std::string& name, const std::vector<std::string>& values) {
  std::size_t length = 1;
  for (const std::string& value : values) length = std::max(length, value.size());
  std::string packed(length * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(&packed[i * length], length);
  const H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, length);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  numbers(name, packed.data(), {values.size()}, type, type, false);
}

}  // namespace geotherm::detail
