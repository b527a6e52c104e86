// A folder as Cell Ranger writes it: matrix.mtx (genes x cells), barcodes.tsv, features.tsv (or
// genes.tsv), each plain or .gz, with or without a prefix before the names. Out: cells x genes; and
// the way back, as Cell Ranger 3 packs it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "core/platform.hpp"
#include "io/compressed.hpp"
#include "io/formats.hpp"
#include "io/gzip.hpp"
#include "io/mtx.hpp"

namespace geotherm::detail {
namespace {

// The file in `folder` whose name ends in one of `names`, plain or packed; empty where none.
std::string find_file(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    for (const std::string& wanted : names) {
      if (name.ends_with(wanted) || name.ends_with(wanted + ".gz")) {
        found.push_back(entry.path().string());
      }
    }
  }
  if (error) throw IoError(folder + ": the folder cannot be listed: " + error.message());
  std::sort(found.begin(), found.end());
  if (found.size() > 1) {
    throw IoError(folder + ": has several of the kind " + names.front() + ": " + found[0] +
                  " and " + found[1] + " (keep one sample a folder)");
  }
  return found.empty() ? "" : found.front();
}

struct Rows {
  std::vector<std::vector<std::string>> cells;  // one list per column of the file
};

// Tab-separated text without quotes; up to three columns are kept.
Rows read_names(const std::string& path) {
  const Bytes bytes = read_unpacked_file(path);
  const std::string_view text(bytes.data(), bytes.size());
  Rows rows;
  rows.cells.resize(3);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() && begin >= text.size()) break;
    for (std::vector<std::string>& column : rows.cells) {
      const std::size_t tab = std::min(line.find('\t'), line.size());
      column.emplace_back(line.substr(0, tab));
      line.remove_prefix(std::min(tab + 1, line.size()));
    }
  }
  return rows;
}

void require_count(const std::string& path, std::size_t n, std::size_t needed, const char* what) {
  if (n == needed) return;
  throw IoError(path + ": has " + with_commas(n) + " lines, but the matrix has " +
                with_commas(needed) + " " + what);
}

// One line per entry: gene, cell (both from 1), count; cell by cell.
void write_entries(const std::string& path, const SparseMatrix& counts) {
  const bool are_whole =
      std::ranges::all_of(counts.values, [](double value) { return value == std::floor(value); });
  write_maybe_packed(path, [&](auto& sink) {
    sink.write(std::string("%%MatrixMarket matrix coordinate ") + (are_whole ? "integer" : "real") +
               " general\n" + std::to_string(counts.cols) + " " + std::to_string(counts.rows) +
               " " + std::to_string(counts.n_entries()) + "\n");
    char line[64];
    for (std::size_t i = 0; i < counts.rows; ++i) {
      for (std::size_t k = counts.offsets[i]; k < counts.offsets[i + 1]; ++k) {
        char* end = std::to_chars(line, line + 20, counts.indices[k] + 1).ptr;
        *end++ = ' ';
        end = std::to_chars(end, end + 20, i + 1).ptr;
        *end++ = ' ';
        end = are_whole
                  ? std::to_chars(end, line + 63, static_cast<long long>(counts.values[k])).ptr
                  : std::to_chars(end, line + 63, counts.values[k]).ptr;
        *end++ = '\n';
        sink.write({line, static_cast<std::size_t>(end - line)});
      }
    }
  });
}

}  // namespace

void keep_gene_expression(const std::vector<std::string>& types, Observations& observations) {
  const std::string wanted = "Gene Expression";
  std::vector<Index> kept;
  if (types.size() != observations.sparse.cols) return;
  for (std::size_t j = 0; j < types.size(); ++j) {
    if (types[j] == wanted) kept.push_back(static_cast<Index>(j));
  }
  if (kept.empty() || kept.size() == types.size()) return;
  std::vector<Index> rows(observations.sparse.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
  observations.sparse = taken(observations.sparse, rows, kept);
  const auto take = [&](std::vector<std::string>& names) {
    if (names.size() != types.size()) return;
    std::vector<std::string> left;
    left.reserve(kept.size());
    for (const Index j : kept) left.push_back(std::move(names[static_cast<std::size_t>(j)]));
    names = std::move(left);
  };
  take(observations.table.column_names);
  take(observations.column_ids);
  observations.table.assumed += ", gene expression only (" +
                                with_commas(types.size() - kept.size()) +
                                " features of other types left out)";
}

Observations read_tenx_folder(const std::string& folder) {
  const std::string matrix = find_file(folder, {"matrix.mtx"});
  if (matrix.empty()) {
    throw IoError(folder +
                  ": is a folder without matrix.mtx or matrix.mtx.gz (give the path of a "
                  "file, or of a folder as Cell Ranger writes it)");
  }
  const std::string barcodes = find_file(folder, {"barcodes.tsv"});
  const std::string features = find_file(folder, {"features.tsv", "genes.tsv"});
  MtxContent content = read_mtx_content(matrix, true);
  if (!content.is_sparse)
    throw IoError(matrix + ": is not sparse ('coordinate'), as 10x writes it");
  Observations result;
  result.holds = Holds::sparse_points;
  result.sparse = std::move(content.sparse);
  result.table.source = folder;
  result.table.assumed = "counts of 10x, one row per cell";
  if (!barcodes.empty()) {
    result.table.row_names = std::move(read_names(barcodes).cells[0]);
    require_count(barcodes, result.table.row_names.size(), result.sparse.rows, "columns (cells)");
  }
  if (!features.empty()) {
    Rows rows = read_names(features);
    require_count(features, rows.cells[0].size(), result.sparse.cols, "rows (genes)");
    result.column_ids = std::move(rows.cells[0]);
    const bool has_names = !rows.cells[1].empty() && !rows.cells[1].front().empty();
    result.table.column_names = has_names ? std::move(rows.cells[1]) : result.column_ids;
    keep_gene_expression(rows.cells[2], result);
  }
  return result;
}

void write_tenx_folder(const std::string& folder, const TenxCounts& content) {
  namespace fs = std::filesystem;
  fs::path target(folder);
  if (!target.has_filename()) target = target.parent_path();  // a slash at its end
  std::error_code error;
  if (fs::exists(target, error)) {
    throw IoError(folder + ": is there already (give the name of a folder to be made)");
  }
  // Written beside it and renamed: half a folder would be read as a whole one.
  const fs::path temporary = target.string() + ".part" + std::to_string(platform::process_id());
  fs::create_directory(temporary, error);
  if (error) throw IoError(folder + ": the folder cannot be made: " + error.message());
  try {
    write_entries((temporary / "matrix.mtx.gz").string(), content.counts);
    write_maybe_packed((temporary / "barcodes.tsv.gz").string(), [&](auto& sink) {
      for (const std::string& name : content.barcodes) sink.write(name + "\n");
    });
    write_maybe_packed((temporary / "features.tsv.gz").string(), [&](auto& sink) {
      for (std::size_t g = 0; g < content.gene_names.size(); ++g) {
        sink.write(content.gene_ids[g] + "\t" + content.gene_names[g] + "\tGene Expression\n");
      }
    });
    fs::rename(temporary, target);
  } catch (const fs::filesystem_error& e) {
    fs::remove_all(temporary, error);
    throw IoError(folder + ": cannot be written: " + e.code().message());
  } catch (...) {
    fs::remove_all(temporary, error);
    throw;
  }
}

}  // namespace geotherm::detail
