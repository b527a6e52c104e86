// Files of observations by their ending, and what all of them share: choice of columns, the dense
// form, sizes.
#include "geotherm/observations.hpp"

#include <algorithm>
#include <unordered_map>

#include "geotherm/formats.hpp"
#include "geotherm/spelling.hpp"
#include "io/compressed.hpp"
#include "io/formats.hpp"
#include "io/input_file.hpp"

namespace geotherm {
namespace {

std::vector<Index> places_of(const std::vector<std::string>& wanted,
                             const std::vector<std::string>& names, const std::string& option,
                             const std::string& path) {
  if (names.empty()) {
    throw IoError(path + ": " + option + " is given, but its columns have no names");
  }
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t j = names.size(); j-- > 0;) place[names[j]] = j;
  std::vector<Index> places;
  for (const std::string& name : wanted) {
    const auto found = place.find(name);
    if (found == place.end()) {
      std::string known;
      for (std::size_t j = 0; j < std::min<std::size_t>(names.size(), 30); ++j) {
        known += (j == 0 ? "" : ", ") + names[j];
      }
      throw IoError(path + ": " + option + " names '" + name +
                    "', which is no column of it; it has " + known +
                    (names.size() > 30 ? ", ..." : "") + did_you_mean(name, names));
    }
    places.push_back(static_cast<Index>(found->second));
  }
  return places;
}

// Keeps these columns, whatever the kind of matrix.
void keep_places(const std::vector<Index>& places, Observations& observations) {
  Table& table = observations.table;
  if (observations.holds == Holds::points) {
    std::visit(
        [&](auto& values) {
          using T = std::remove_cvref_t<decltype(values(0, 0))>;
          auto kept = Matrix<T>::uninitialized(values.rows(), places.size());
          for (std::size_t i = 0; i < kept.rows(); ++i) {
            for (std::size_t j = 0; j < places.size(); ++j) {
              kept(i, j) = values(i, static_cast<std::size_t>(places[j]));
            }
          }
          values = std::move(kept);
        },
        table.values);
  } else if (observations.holds == Holds::sparse_points) {
    std::vector<Index> rows(observations.rows());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
    observations.sparse = detail::taken(observations.sparse, rows, places);
  } else {
    throw IoError(table.source + ": `columns` and `drop` do not go with a graph");
  }
  std::vector<std::string> names;
  for (const Index place : places) {
    names.push_back(std::move(table.column_names[static_cast<std::size_t>(place)]));
  }
  table.column_names = std::move(names);
  observations.column_ids.clear();
}

void keep_columns(const std::vector<std::string>& wanted, const std::string& option,
                  Observations& observations) {
  const Table& table = observations.table;
  keep_places(places_of(wanted, table.column_names, option, table.source), observations);
}

void drop_columns(const std::vector<std::string>& unwanted, Observations& observations) {
  const Table& table = observations.table;
  std::vector<bool> is_kept(table.column_names.size(), true);
  for (const Index place : places_of(unwanted, table.column_names, "`drop`", table.source)) {
    is_kept[static_cast<std::size_t>(place)] = false;
  }
  std::vector<Index> places;
  for (std::size_t j = 0; j < is_kept.size(); ++j) {
    if (is_kept[j]) places.push_back(static_cast<Index>(j));
  }
  if (places.empty()) throw IoError(table.source + ": `drop` leaves no column");
  keep_places(places, observations);
}

}  // namespace

std::size_t Column::size() const {
  return std::visit([](const auto& list) { return list.size(); }, values);
}

std::size_t Observations::rows() const {
  return holds == Holds::points ? table.rows() : sparse.rows;
}

std::size_t Observations::cols() const {
  return holds == Holds::points ? table.cols() : sparse.cols;
}

Observations read_observations(const std::string& path, const ReadOptions& options) {
  const FileName file = file_name(path);
  const Format* format = format_of(file);
  if (format == nullptr || format->read == nullptr) {
    // A missing file is the better complaint, so it comes first.
    const detail::InputFile exists(file.path);
    if (file.is_packed && !file.ending.empty()) {
      throw IoError(file.path + ": of packed files " + detail::packed_in_words() +
                    " are read (gunzip it first)");
    }
    detail::refuse_ending(file, "read");
  }
  if (!options.columns.empty() && !options.drop.empty()) {
    throw InvalidArgument(
        "`columns` and `drop` are given: name the columns to take, or those not to");
  }
  Observations result = format->read(file, options);
  if (!format->selects_columns) {
    if (!options.columns.empty()) keep_columns(options.columns, "`columns`", result);
    if (!options.drop.empty()) drop_columns(options.drop, result);
  }
  if (!options.use.empty() && !format->has_uses) {
    throw InvalidArgument("`use` is '" + options.use + "', but " + path +
                          " holds a single matrix (it is for .h5ad and .npz)");
  }
  if (!options.label_column.empty() && !format->has_label_columns && result.labels.empty()) {
    throw InvalidArgument("`label_column` is '" + options.label_column + "', but " + path +
                          " has no columns beside its matrix (it is for .h5ad and text tables)");
  }
  return result;
}

std::unique_ptr<ObservationRows> open_rows(const std::string& path, const ReadOptions& options) {
  const FileName file = file_name(path);
  const Format* format = format_of(file);
  if (format == nullptr || format->open_rows == nullptr) return nullptr;
  const bool are_all_columns = options.columns.empty() && options.drop.empty();
  if (!format->selects_columns && !are_all_columns) return nullptr;
  return format->open_rows(file, options);
}

Table densified(const Observations& observations, std::size_t most_bytes) {
  if (observations.holds == Holds::points) return observations.table;
  const SparseMatrix& sparse = observations.sparse;
  const bool fits_single = std::all_of(
      sparse.values.begin(), sparse.values.end(),
      [](double value) { return static_cast<double>(static_cast<float>(value)) == value; });
  const std::size_t item = fits_single ? sizeof(float) : sizeof(double);
  if (sparse.cols != 0 && sparse.rows > most_bytes / item / sparse.cols) {
    throw InvalidData(observations.table.source + ": the dense form of " +
                      detail::with_commas(sparse.rows) + " x " + detail::with_commas(sparse.cols) +
                      " values would take more than " +
                      std::to_string(most_bytes / (std::size_t{1} << 30)) +
                      " GiB (reduce it first: `preprocess` single-cell, or `use` obsm:X_pca)");
  }
  Table table = observations.table;
  const auto fill = [&](auto values) {
    using T = std::remove_cvref_t<decltype(values(0, 0))>;
    for (std::size_t i = 0; i < sparse.rows; ++i) {
      const auto columns = sparse.row_indices(i);
      const auto entries = sparse.row_values(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        values(i, static_cast<std::size_t>(columns[k])) = static_cast<T>(entries[k]);
      }
    }
    table.values = std::move(values);
  };
  if (fits_single) {
    fill(Matrix<float>(sparse.rows, sparse.cols));
  } else {
    fill(Matrix<double>(sparse.rows, sparse.cols));
  }
  return table;
}

void write_tenx(const std::string& path, const TenxCounts& given) {
  TenxCounts content = given;
  const auto complete = [&](std::vector<std::string>& names, std::size_t n, const char* what) {
    if (names.empty()) {
      for (std::size_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
    }
    if (names.size() == n) return;
    refuse_if_any({std::string(what) + " has " + std::to_string(names.size()) + " names for " +
                   std::to_string(n) + " (give one each, or none)"});
  };
  complete(content.barcodes, content.counts.rows, "barcodes");
  complete(content.gene_names, content.counts.cols, "gene_names");
  if (content.gene_ids.empty()) content.gene_ids = content.gene_names;
  complete(content.gene_ids, content.counts.cols, "gene_ids");
  const bool is_file = file_name(path).ending == ".h5";
  return is_file ? detail::write_tenx_h5(path, content) : detail::write_tenx_folder(path, content);
}

}  // namespace geotherm
