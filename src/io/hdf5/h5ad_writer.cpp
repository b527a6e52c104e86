// Results into .h5ad as anndata 0.7 and later read it. In: a file to copy, or matrices and names.
// Out: the file, whole or not at all: HDF5 works on the temporary one that is then renamed.
#include <algorithm>

#include "geotherm/observations.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5/anndata.hpp"
#include "io/hdf5/writer.hpp"
#include "io/input_file.hpp"

namespace geotherm {
namespace detail {
namespace {

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
