// Observations as other tools keep them: a matrix, dense or sparse, with names, labels and several
// choices of what to use. In: .h5ad, 10x folders and .h5, .mtx, .fcs, and every table of io.hpp.
// Out: maps in the formats that support them; counts as .h5ad and in the format of 10x.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "geotherm/core.hpp"
#include "geotherm/io.hpp"
#include "geotherm/texts.hpp"

namespace geotherm {

/// What to take from a file that holds more than one thing.
struct ReadOptions {
  /// .h5ad: "X", "raw", "layer:NAME", "obsm:NAME" or "obsp:NAME"; .npz: the array's key. Empty:
  /// .h5ad gives obsm:X_pca where there is one, else X.
  std::string use = {};
  /// Only these columns, by name and in this order. Empty: all.
  std::vector<std::string> columns = {};
  /// All columns but these, by name; not together with `columns`.
  std::vector<std::string> drop = {};
  /// Text: how numbers are written, "1.5" or "1,5"; and the thousands separator (0: none).
  char decimal = '.';
  char thousands = '\0';
  /// Text: missing values (empty, NA, NaN, ...) are read as NaN; else they are refused, with their
  /// share. Other formats give NaN in any case.
  bool reads_missing = false;
  /// The column with one label per row: of `obs`, or of a text table, where it is kept out of the
  /// numbers. Empty: recognised where the file leaves no doubt.
  std::string label_column = {};
};

/// One value per row: numbers, or text where the file has categories; truth values are the texts
/// "True" and "False".
struct Column {
  std::string name;
  std::variant<std::vector<double>, Texts> values;

  std::size_t size() const;
  bool empty() const { return size() == 0; }
};

/// What kind of matrix was read. Graphs are square, between the rows.
enum class Holds { points, sparse_points, affinities, sparse_distances };

struct Observations {
  Holds holds = Holds::points;
  /// Names, source and words in any case; the values only where dense points were read.
  Table table;
  SparseMatrix sparse;  ///< where `holds` is anything but points
  Column labels;        ///< empty: none
  /// Of `sparse_points` and single-cell files: identifiers of the columns beside their names.
  std::vector<std::string> column_ids;

  std::size_t rows() const;
  std::size_t cols() const;
};

/// By the ending, a trailing .gz aside: .h5ad .h5 .mtx .fcs and those of read_table; a folder is
/// taken for one of 10x (matrix.mtx, barcodes.tsv, features.tsv or genes.tsv, each plain or .gz).
/// Throws IoError with path and position. Cells are rows: matrices of 10x files are transposed.
Observations read_observations(const std::string& path, const ReadOptions& = {});

/// Dense points that stay in their file and are read in blocks of rows.
class ObservationRows : public RowBlocks {
 public:
  /// Names, labels and words as read_observations gives them, without the values; whole once the
  /// rows have been read to their end.
  virtual Observations about() const = 0;
  /// Bytes that the values would take in memory, as read_observations holds them.
  virtual std::size_t n_bytes() const = 0;
  /// Of sparse matrices: all values read so far are whole numbers and not negative.
  virtual bool holds_counts() const { return false; }
};
/// Null for what is read whole: everything but .npy and .npz in C order, text that is not packed,
/// and matrices of .h5ad that are dense or in compressed sparse rows; and with `columns` in files
/// other than text. Throws IoError as read_observations does, for text also later, at the row
/// concerned.
std::unique_ptr<ObservationRows> open_rows(const std::string& path, const ReadOptions& = {});

/// The dense form, float32 where every value fits; refused above `most_bytes`.
Table densified(const Observations&, std::size_t most_bytes = std::size_t{4} << 30);

/// Columns of `obs` in an .h5ad, in the file's order; one of them; the names of its cells.
std::vector<std::string> list_h5ad_columns(const std::string& path);
Column read_h5ad_column(const std::string& path, const std::string& name);
std::vector<std::string> read_h5ad_names(const std::string& path);

/// Tables of a MuData file (.h5mu) by name; each is read as "file.h5mu:name".
std::vector<std::string> list_modalities(const std::string& path);

/// True where this build reads and writes HDF5 (.h5ad, .h5).
bool has_hdf5() noexcept;

/// Writes as write_table does, with further columns, numbers or text, where the format has a place
/// for them: after the values in .csv, .tsv and .txt, as arrays in .npz, in obs of an .h5ad (the
/// values are then obsm["X_" + key]). Others (.npy, .mtx, .fcs) hold the values alone.
void write_table_with(const std::string& path, MatrixView<const double> values,
                      const std::vector<std::string>& row_names,
                      const std::vector<std::string>& column_names, const std::string& key,
                      const std::vector<Column>& extras);

// ---------------------------------------------------------------------------------------------
// Results into .h5ad, so that scanpy reads them straight back.

struct H5adResults {
  /// obsm[key]; one row per cell. Existing entries of that name are replaced.
  std::vector<std::pair<std::string, MatrixView<const double>>> obsm = {};
  /// Columns of obs, one value per cell. Existing ones of that name are replaced.
  std::vector<Column> obs = {};
  /// uns[uns_key][name] = text.
  std::string uns_key = "heatgeo";
  std::vector<std::pair<std::string, std::string>> uns = {};
};
/// Copies `source` to `target` with the results added; the same path twice changes the file in
/// place. Either way the new file appears whole or not at all.
void write_into_h5ad(const std::string& source, const std::string& target, const H5adResults&);

/// A new .h5ad. Everything but `X` (or `dense`) and the results may be empty.
struct NewH5ad {
  const SparseMatrix* X = nullptr;       ///< stored as float32, csr
  MatrixView<const double> dense = {};   ///< instead of X
  const SparseMatrix* counts = nullptr;  ///< layers["counts"], float32
  std::vector<std::string> obs_names = {};
  std::vector<std::string> var_names = {};
  std::vector<Column> obs = {};
  std::vector<Column> var = {};
  H5adResults results = {};
};
void write_new_h5ad(const std::string& path, const NewH5ad&);

/// Counts, one row per cell, as Cell Ranger 3 keeps them. Names are one per cell and one per gene,
/// or none: cells and genes are then numbered. Ids are one per gene, or none: the names serve.
struct TenxCounts {
  const SparseMatrix& counts;
  std::vector<std::string> barcodes = {};
  std::vector<std::string> gene_names = {};
  std::vector<std::string> gene_ids = {};
};
/// A file where the path ends in .h5, else a new folder of matrix.mtx.gz, barcodes.tsv.gz and
/// features.tsv.gz; whole or not at all. Throws IoError where the folder is there already.
void write_tenx(const std::string& path, const TenxCounts&);

}  // namespace geotherm
