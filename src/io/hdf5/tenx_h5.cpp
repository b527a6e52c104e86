// 10x Genomics' .h5 (Cell Ranger 3 and later: group `matrix`; before: one group a genome). In: a
// path. Out: cells x genes; and the way back. Files hold genes by cell already, so nothing is
// turned.
#include <algorithm>
#include <cmath>

#include "io/atomic_file.hpp"
#include "io/compressed.hpp"
#include "io/formats.hpp"
#include "io/hdf5/anndata.hpp"
#include "io/hdf5/writer.hpp"

namespace geotherm::detail {
namespace {

std::string group_of(const H5Reader& file) {
  if (file.has("matrix/barcodes")) return "matrix";
  std::vector<std::string> found;
  for (const std::string& name : file.names_in("/")) {
    if (file.has(name + "/barcodes") && file.has(name + "/indptr")) found.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw IoError(file.path() +
                  ": is HDF5, but not a matrix of 10x (for AnnData files use the ending .h5ad)");
  }
  throw IoError(file.path() + ": holds " + std::to_string(found.size()) +
                " genomes; split it with Cell Ranger or scanpy first");
}

}  // namespace

Observations read_tenx_h5(const std::string& path) {
  const H5Reader file(path);
  const std::string group = group_of(file);
  const bool is_new = file.has(group + "/features");
  const auto shape = file.numbers<std::int64_t>(group + "/shape");
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) file.fail(group + "/shape", "is damaged");
  const auto n_genes = static_cast<std::size_t>(shape[0]);
  const auto n_cells = static_cast<std::size_t>(shape[1]);
  Observations result;
  result.holds = Holds::sparse_points;
  result.sparse = read_compressed(file, group, n_cells, n_genes, false);
  Table& table = result.table;
  table.row_names = file.texts(group + "/barcodes");
  table.column_names = file.texts(group + (is_new ? "/features/name" : "/gene_names"));
  result.column_ids = file.texts(group + (is_new ? "/features/id" : "/genes"));
  if (table.row_names.size() != n_cells || table.column_names.size() != n_genes ||
      result.column_ids.size() != n_genes) {
    file.fail(group, "its names do not fit its shape (the file is damaged)");
  }
  table.source = path;
  table.assumed = "counts of 10x, one row per cell";
  if (is_new && file.has(group + "/features/feature_type")) {
    keep_gene_expression(file.texts(group + "/features/feature_type"), result);
  }
  return result;
}

void write_tenx_h5(const std::string& path, const TenxCounts& content) {
  silence_hdf5();
  const SparseMatrix& counts = content.counts;
  AtomicFile file(path);
  const std::string temporary = file.path_to_finish();
  H5Writer writer(
      path,
      H5Handle(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose));
  writer.require_group("matrix", "");
  writer.fixed_texts("matrix/barcodes", content.barcodes);
  const bool are_whole = std::ranges::all_of(counts.values, [](double value) {
    return value == std::floor(value) && std::abs(value) <= 2147483647;
  });
  writer.numbers("matrix/data", counts.values.data(), {counts.n_entries()},
                 are_whole ? H5T_STD_I32LE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, false);
  writer.numbers("matrix/indices", counts.indices.data(), {counts.n_entries()}, H5T_STD_I64LE,
                 H5T_NATIVE_INT32, false);
  const std::vector<std::int64_t> pointers(counts.offsets.begin(), counts.offsets.end());
  writer.numbers("matrix/indptr", pointers.data(), {pointers.size()}, H5T_STD_I64LE,
                 H5T_NATIVE_INT64, false);
  const std::int64_t shape[2] = {static_cast<std::int64_t>(counts.cols),
                                 static_cast<std::int64_t>(counts.rows)};
  writer.numbers("matrix/shape", shape, {2}, H5T_STD_I32LE, H5T_NATIVE_INT64, false);
  writer.require_group("matrix/features", "");
  writer.fixed_texts("matrix/features/id", content.gene_ids);
  writer.fixed_texts("matrix/features/name", content.gene_names);
  const std::size_t n_genes = counts.cols;
  writer.fixed_texts("matrix/features/feature_type",
                     std::vector<std::string>(n_genes, "Gene Expression"));
  // Readers expect the column; which genome it was is not known here.
  writer.fixed_texts("matrix/features/genome", std::vector<std::string>(n_genes, "unknown"));
  writer.fixed_texts("matrix/features/_all_tag_keys", {"genome"});
  writer.close();
  file.commit();
}

}  // namespace geotherm::detail
