// Writing HDF5 objects as anndata and h5py keep them, for the writers of .h5ad and 10x files.
#pragma once

#include <string>
#include <vector>

#include "geotherm/observations.hpp"
#include "io/hdf5/handle.hpp"

namespace geotherm::detail {

/// A file open for writing; every failure is an IoError with path and object.
class H5Writer {
 public:
  /// `path` names the file in messages, `file` is the open HDF5 file.
  H5Writer(std::string path, H5Handle file);
  void close();

  /// An empty encoding leaves anndata's attributes out.
  void require_group(const std::string& name, const std::string& encoding = "dict",
                     const std::string& version = "0.1.0");
  void describe_root();
  bool exists(const std::string& name) const;
  void remove(const std::string& name);

  void numbers(const std::string& name, const void* values, std::vector<hsize_t> shape,
               hid_t file_type, hid_t memory_type, bool is_described = true);
  void matrix(const std::string& name, MatrixView<const double> values);
  /// csr, float32.
  void sparse(const std::string& name, const SparseMatrix& values);
  void texts(const std::string& name, const std::vector<std::string>& values);
  void text(const std::string& name, const std::string& value);
  /// Texts of one length, filled up with zeros, as NumPy's 'S' types are kept.
  void fixed_texts(const std::string& name, const std::vector<std::string>& values);
  void frame(const std::string& name, const std::vector<std::string>& names,
             const std::vector<Column>& columns);
  /// In place of the columns of those names in a frame that is there; `order` names its columns.
  void replace_columns(const std::string& frame, const std::vector<Column>& columns,
                       std::vector<std::string> order);

 private:
  [[noreturn]] void fail(const std::string& object, const std::string& what) const;
  void check(std::int64_t result, const std::string& object) const;
  void attribute(hid_t object, const char* name, const std::string& value,
                 const std::string& where);
  void describe(hid_t object, const std::string& encoding, const std::string& version,
                const std::string& where);
  void write_texts(const std::string& name, hid_t space, const std::vector<const char*>& values,
                   const std::string& encoding);
  void write_column(const std::string& name, const Column& column);
  void column_order(const std::string& frame, const std::vector<std::string>& order);

  std::string path_;
  H5Handle file_;
};

}  // namespace geotherm::detail
