// Results into .h5ad as anndata 0.7 and later read it. In: a file to copy, or matrices and names.
// Out: the file, whole or not at all: HDF5 works on the temporary one that is then renamed.
#include <algorithm>
#include <map>

#include "geotherm/observations.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5/anndata.hpp"
#include "io/hdf5/handle.hpp"
#include "io/input_file.hpp"

namespace geotherm {
namespace detail {
namespace {

class H5Writer {
 public:
  /// `path` names the file in messages, `file` is the open HDF5 file.
  H5Writer(std::string path, H5Handle file) : path_(std::move(path)), file_(std::move(file)) {
    if (!file_) fail("the file", "cannot be opened for writing");
  }

  void close() {
    H5Fflush(file_, H5F_SCOPE_GLOBAL);
    const hid_t id = file_;
    if (H5Iget_ref(id) > 0 && H5Fget_obj_count(id, H5F_OBJ_ALL) > 1) {
      fail("the file", "has objects left open");
    }
    file_ = H5Handle();
  }

  void require_group(const std::string& name, const std::string& encoding = "dict",
                     const std::string& version = "0.1.0") {
    if (exists(name)) return;
    const H5Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Gclose);
    check(group, name);
    describe(group, encoding, version, name);
  }
  void describe_root() {
    const H5Handle root(H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose);
    check(root, "/");
    describe(root, "anndata", "0.1.0", "/");
  }
  bool exists(const std::string& name) const {
    return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
  }
  void remove(const std::string& name) {
    if (exists(name)) check(H5Ldelete(file_, name.c_str(), H5P_DEFAULT), name);
  }

  template <class T>
  void numbers(const std::string& name, const T* values, std::vector<hsize_t> shape,
               hid_t file_type, hid_t memory_type, bool is_described = true) {
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
  void matrix(const std::string& name, MatrixView<const double> values) {
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
  void sparse(const std::string& name, const SparseMatrix& values) {
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
  void texts(const std::string& name, const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    const hsize_t n = values.size();
    const H5Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    write_texts(name, space, pointers, "string-array");
  }
  void text(const std::string& name, const std::string& value) {
    const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    write_texts(name, space, {value.c_str()}, "string");
  }

  void frame(const std::string& name, const std::vector<std::string>& names,
             const std::vector<Column>& columns) {
    require_group(name, "dataframe", "0.2.0");
    {
      const H5Handle group(H5Gopen2(file_, name.c_str(), H5P_DEFAULT), H5Gclose);
      attribute(group, "_index", "_index", name);
    }
    std::vector<std::string> order;
    for (const Column& column : columns) order.push_back(column.name);
    column_order(name, order);
    texts(name + "/_index", names);
    for (const Column& column : columns) write_column(name + "/" + column.name, column);
  }
  /// In place of the columns of those names in a frame that is there; `order` names its columns.
  void replace_columns(const std::string& frame, const std::vector<Column>& columns,
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

 private:
  [[noreturn]] void fail(const std::string& object, const std::string& what) const {
    throw IoError(path_ + ", " + object + ": " + what);
  }
  template <class Result>
  void check(const Result& result, const std::string& object) const {
    if (static_cast<hid_t>(result) < 0) fail(object, "cannot be written (is the disk full?)");
  }
  static H5Handle text_type() {
    H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
  }
  // As h5py keeps NumPy's bool.
  static H5Handle boolean_type() {
    H5Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
    const std::int8_t no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    return type;
  }
  void attribute(hid_t object, const char* name, const std::string& value,
                 const std::string& where) {
    const H5Handle type = text_type();
    const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const H5Handle at(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(at, where);
    const char* pointer = value.c_str();
    check(H5Awrite(at, type, &pointer), where);
  }
  void describe(hid_t object, const std::string& encoding, const std::string& version,
                const std::string& where) {
    attribute(object, "encoding-type", encoding, where);
    attribute(object, "encoding-version", version, where);
  }
  void column_order(const std::string& frame, const std::vector<std::string>& order) {
    const H5Handle group(H5Gopen2(file_, frame.c_str(), H5P_DEFAULT), H5Gclose);
    check(group, frame);
    if (H5Aexists(group, "column-order") > 0) check(H5Adelete(group, "column-order"), frame);
    std::vector<const char*> names;
    for (const std::string& name : order) names.push_back(name.c_str());
    const hsize_t n = names.size();
    const H5Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    const H5Handle type = text_type();
    const H5Handle at(H5Acreate2(group, "column-order", type, space, H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    check(at, frame);
    if (n > 0) check(H5Awrite(at, type, names.data()), frame);
  }
  void write_texts(const std::string& name, hid_t space, const std::vector<const char*>& values,
                   const std::string& encoding) {
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
  void write_column(const std::string& name, const Column& column) {
    if (const auto* values = std::get_if<std::vector<double>>(&column.values)) {
      numbers(name, values->data(), {values->size()}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
      return;
    }
    const auto& values = std::get<std::vector<std::string>>(column.values);
    if (std::all_of(values.begin(), values.end(),
                    [](const std::string& v) { return v == "True" || v == "False"; })) {
      std::vector<std::int8_t> flags;
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
      texts(name, values);
      return;
    }
    std::vector<std::int32_t> codes;
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

  std::string path_;
  H5Handle file_;
};

void add_results(H5Writer& writer, const H5adResults& results) {
  writer.require_group("obsm");
  for (const auto& [key, values] : results.obsm) {
    writer.remove("obsm/" + key);
    writer.matrix("obsm/" + key, values);
  }
  if (results.uns.empty()) return;
  writer.require_group("uns");
  const std::string at = "uns/" + results.uns_key;
  writer.remove(at);
  writer.require_group(at);
  for (const auto& [name, value] : results.uns) writer.text(at + "/" + name, value);
}

void require_rows(const H5adResults& results, std::size_t rows, const std::string& path) {
  for (const auto& [key, values] : results.obsm) {
    if (values.rows == rows) continue;
    throw InvalidArgument(path + ": obsm['" + key + "'] has " + std::to_string(values.rows) +
                          " rows, the file has " + std::to_string(rows) + " cells");
  }
  for (const Column& column : results.obs) {
    if (column.size() == rows) continue;
    throw InvalidArgument(path + ": obs['" + column.name + "'] has " +
                          std::to_string(column.size()) + " values, the file has " +
                          std::to_string(rows) + " cells");
  }
}

void copy_bytes(const InputFile& from, AtomicFile& to) {
  std::string block;
  for (std::size_t at = 0; at < from.size(); at += block.size()) {
    block.resize(std::min(from.size() - at, std::size_t{4} << 20));
    from.read_at(at, block.data(), block.size());
    to.write(block);
  }
}

std::vector<std::string> numbered(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace
}  // namespace detail

void write_into_h5ad(const std::string& source, const std::string& target,
                     const H5adResults& results) {
  using namespace detail;
  std::vector<std::string> obs_columns;
  {
    const H5Reader reader(source);
    if (!reader.is_group("obs")) reader.fail("obs", "is not there: this is no AnnData file");
    std::string index = reader.attribute_text("obs", "_index");
    if (index.empty()) index = "_index";
    const std::vector<std::size_t> shape = reader.shape("obs/" + index);
    require_rows(results, shape.empty() ? 0 : shape[0], source);
    if (!results.obs.empty()) obs_columns = frame_columns(reader, "obs");
  }
  const InputFile from(source);
  AtomicFile file(target);
  copy_bytes(from, file);
  const std::string temporary = file.path_to_finish();
  H5Writer writer(target,
                  H5Handle(H5Fopen(temporary.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose));
  if (!results.obs.empty()) writer.replace_columns("obs", results.obs, std::move(obs_columns));
  add_results(writer, results);
  writer.close();
  file.commit();
}

void write_new_h5ad(const std::string& path, const NewH5ad& content) {
  using namespace detail;
  silence_hdf5();
  const std::size_t rows = content.X != nullptr ? content.X->rows : content.dense.rows;
  const std::size_t cols = content.X != nullptr ? content.X->cols : content.dense.cols;
  require_rows(content.results, rows, path);
  AtomicFile file(path);
  const std::string temporary = file.path_to_finish();
  H5Writer writer(
      path,
      H5Handle(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose));
  writer.describe_root();
  if (content.X != nullptr) {
    writer.sparse("X", *content.X);
  } else {
    writer.matrix("X", content.dense);
  }
  std::vector<Column> obs = content.obs;
  obs.insert(obs.end(), content.results.obs.begin(), content.results.obs.end());
  writer.frame("obs", content.obs_names.empty() ? numbered(rows) : content.obs_names, obs);
  writer.frame("var", content.var_names.empty() ? numbered(cols) : content.var_names, content.var);
  for (const char* group : {"layers", "obsm", "obsp", "uns", "varm", "varp"}) {
    writer.require_group(group);
  }
  if (content.counts != nullptr) writer.sparse("layers/counts", *content.counts);
  add_results(writer, content.results);
  writer.close();
  file.commit();
}

}  // namespace geotherm
