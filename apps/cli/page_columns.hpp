// Columns for the page: in, files and tables that users have; out, one value per point under a
// name.
#pragma once

#include <string>
#include <vector>

#include "geotherm/page.hpp"
#include "input.hpp"

namespace geotherm::cli {

/// What lies beside the data with a value for each row: one-dimensional arrays of an .npz, `obs` of
/// an .h5ad, else the labels that were read. `loaded` (may be null) says which cells were kept.
std::vector<PageColumn> columns_beside(const std::string& path, std::size_t n_rows,
                                       const LoadedInput* loaded);

/// All columns of a .csv or .tsv with a header, or of an .npz. Whole numbers of few kinds and text
/// are groups, other numbers are numbers; an empty cell, NA or nan among numbers is missing. A
/// first column of names that are all different, or without a title, is left out; where it holds
/// names of the points, rows are matched by them: points that it lacks are missing, others left
/// out. Where it has the title of one of the `known` columns, rows are matched by the groups of
/// that.
std::vector<PageColumn> read_columns(const std::string& path, std::size_t n_rows,
                                     const std::vector<std::string>& row_names,
                                     const std::vector<PageColumn>& known = {});

/// Columns of the data by name, as features: of preprocessed cells the logged values, of an .h5ad
/// what `source` says ("raw", "X", "layer:NAME"; empty: raw where there is one), else of the table.
/// `option` is what a refusal names.
std::vector<PageColumn> features_of(const std::string& path, const LoadedInput& loaded,
                                    const std::vector<std::string>& names,
                                    const std::string& source,
                                    const std::string& option = "--features");
/// Whether there is one of this name, as far as what was read tells.
bool has_feature(const LoadedInput& loaded, const std::string& name);
/// All of them; columns without names go by their numbers.
std::vector<PageColumn> all_features(const std::string& path, const LoadedInput& loaded,
                                     const std::string& source);

}  // namespace geotherm::cli
