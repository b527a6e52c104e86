// The parts of AnnData's layout that reader, column reader and 10x files share.
#pragma once

#include <string>
#include <vector>

#include "geotherm/observations.hpp"
#include "io/hdf5/handle.hpp"

namespace geotherm::detail {

/// Names of the rows of a data frame (`obs`, `var`), or none.
std::vector<std::string> frame_names(const H5Reader& file, const std::string& frame);
/// Columns of a data frame in the file's order.
std::vector<std::string> frame_columns(const H5Reader& file, const std::string& frame);
/// One of them, whatever its encoding.
Column frame_column(const H5Reader& file, const std::string& frame, const std::string& name);
/// Numbers, text or booleans of a dataset of one dimension.
Column plain_column(const H5Reader& file, const std::string& dataset, const std::string& name);

/// A sparse matrix from arrays `data`, `indices`, `indptr` in `group`; `is_by_column`: csc.
SparseMatrix read_compressed(const H5Reader& file, const std::string& group, std::size_t rows,
                             std::size_t cols, bool is_by_column);

}  // namespace geotherm::detail
