// What a MatrixMarket file holds, for the readers of single files and of 10x folders.
#pragma once

#include <string>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct MtxContent {
  bool is_sparse = false;
  SparseMatrix sparse;
  Matrix<double> dense;
};
/// `is_turned`: a sparse matrix is handed out transposed, at no cost.
MtxContent read_mtx_content(const std::string& path, bool is_turned);

}  // namespace geotherm::detail
