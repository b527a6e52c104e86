// The readers and writers behind the table of formats (format_*.cpp).
#pragma once

#include <string>
#include <vector>

#include "geotherm/formats.hpp"

namespace geotherm::detail {

/// "the ending '.x' is unknown; supported are ...", for what a verb ("read", "written") can do.
[[noreturn]] void refuse_ending(const FileName&, const std::string& verb);
/// ".csv, .tsv, .txt and .mtx".
std::string packed_in_words();

/// `ending` (".csv", ".tsv", ".txt") is only a hint for the separator.
Observations read_csv(const std::string& path, const std::string& ending, const ReadOptions&);
/// Names must already match the matrix in number. Packed where the name ends in .gz.
void write_csv_table(const std::string& path, char separator, MatrixView<const double> values,
                     const std::vector<std::string>& row_names,
                     const std::vector<std::string>& column_names,
                     const std::vector<Column>& extras = {});

/// Null where the text is packed.
std::unique_ptr<ObservationRows> open_csv_rows(const std::string& path, const std::string& ending,
                                               const ReadOptions&);

/// An empty key: the only two-dimensional numeric array.
Table read_npz_table(const std::string& path, const std::string& key);
std::unique_ptr<ObservationRows> open_npz_rows(const std::string& path, const std::string& key);
void write_npz_table(const std::string& path, const std::string& key,
                     MatrixView<const double> values);

/// MatrixMarket: `array` gives points, `coordinate` a sparse matrix, as the file has them.
Observations read_mtx(const std::string& path);
void write_mtx(const std::string& path, MatrixView<const double> values);
Observations read_tenx_folder(const std::string& folder);
/// Names are already one per cell and one per gene, as for write_tenx_h5.
void write_tenx_folder(const std::string& folder, const TenxCounts& content);
/// Keeps the columns of type "Gene Expression" where there are others too, and says so.
void keep_gene_expression(const std::vector<std::string>& types, Observations& observations);

/// Flow cytometry, FCS 2.0 to 3.1: one row per event, values as stored.
Observations read_fcs(const std::string& path);
/// FCS 3.1, float32.
void write_fcs(const std::string& path, MatrixView<const double> values,
               const std::vector<std::string>& column_names);

/// All throw IoError with the reason in builds without HDF5.
Observations read_h5ad(const std::string& path, const ReadOptions& options);
/// One table of a MuData file.
Observations read_h5mu(const std::string& path, const std::string& modality,
                       const ReadOptions& options);
/// Null where it is no dense matrix.
std::unique_ptr<ObservationRows> open_h5ad_rows(const std::string& path, const ReadOptions&);
Observations read_tenx_h5(const std::string& path);
void write_tenx_h5(const std::string& path, const TenxCounts& content);

}  // namespace geotherm::detail
