// AnnData's .h5ad. In: a path and what to use of it. Out: points, a sparse matrix or a graph, with
// names of cells and genes and a column of labels; every choice made here is put into words.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/large_pages.hpp"
#include "io/formats.hpp"
#include "io/hdf5/anndata.hpp"

namespace geotherm {
namespace detail {
namespace {

struct Choice {
  std::string path;   // in the file
  std::string words;  // "obsm['X_pca']"
  std::string why;    // where the user did not say
  bool is_graph = false;
};

std::string choices_in(const H5Reader& file) {
  std::string text;
  if (file.has("X")) text += " X,";
  if (file.has("raw/X")) text += " raw,";
  for (const char* group : {"layers", "obsm", "obsp"}) {
    if (!file.is_group(group)) continue;
    const std::string prefix = std::string(group) == "layers" ? "layer" : group;
    for (const std::string& name : file.names_in(group)) text += " " + prefix + ":" + name + ",";
  }
  if (text.empty()) return " nothing";
  text.pop_back();
  return text;
}

Choice named(const std::string& group, const std::string& name) {
  return {group + "/" + name, group + "['" + name + "']", "", group == "obsp"};
}

Choice choose(const H5Reader& file, const std::string& use) {
  if (use.empty()) {
    if (file.has("obsm/X_pca")) {
      Choice choice = named("obsm", "X_pca");
      choice.why = " (the default; `use` takes another)";
      return choice;
    }
    if (file.has("X")) return {"X", "X", " (there is no obsm['X_pca'])", false};
    throw IoError(file.path() +
                  ": has neither obsm['X_pca'] nor X; give `use`, one of:" + choices_in(file));
  }
  Choice choice;
  const std::size_t colon = use.find(':');
  const std::string kind = use.substr(0, colon);
  const std::string name = colon == std::string::npos ? "" : use.substr(colon + 1);
  if (use == "X") {
    choice = {"X", "X", "", false};
  } else if (use == "raw") {
    choice = {"raw/X", "raw.X", "", false};
  } else if (kind == "layer" || kind == "layers") {
    choice = named("layers", name);
  } else if (kind == "obsm" || kind == "obsp") {
    choice = named(kind, name);
  } else {
    choice = named("obsm", use);  // "X_scVI" alone
  }
  const bool is_plain = colon == std::string::npos || !name.empty();
  if (!is_plain || !file.has(choice.path)) {
    throw IoError(file.path() + ": `use` is '" + use + "', which the file does not hold; it has" +
                  choices_in(file));
  }
  return choice;
}

void read_dense(const H5Reader& file, const std::string& at, Observations& result) {
  const std::vector<std::size_t> shape = file.shape(at);
  if (shape.empty() || shape.size() > 2) {
    file.fail(at, "has " + std::to_string(shape.size()) + " dimensions, a matrix is needed");
  }
  const std::size_t rows = shape[0], cols = shape.size() == 2 ? shape[1] : 1;
  file.require_size(at);
  const auto fill = [&](auto matrix) {
    ask_for_large_pages(matrix);
    file.read_into(at, matrix.data(), matrix.size());
    result.table.values = std::move(matrix);
  };
  if (file.kind(at) == H5Kind::float32) {
    fill(Matrix<float>::uninitialized(rows, cols));
  } else {
    fill(Matrix<double>::uninitialized(rows, cols));
  }
}

struct SparseShape {
  std::size_t rows = 0;
  std::size_t cols = 0;
  bool is_by_column = false;
};

SparseShape sparse_shape(const H5Reader& file, const Choice& choice) {
  std::string encoding = file.attribute_text(choice.path, "encoding-type");
  if (encoding.empty()) {
    encoding = file.attribute_text(choice.path, "h5sparse_format");
    if (encoding == "csr" || encoding == "csc") encoding += "_matrix";
  }
  std::vector<std::size_t> shape = file.attribute_sizes(choice.path, "shape");
  if (shape.empty()) shape = file.attribute_sizes(choice.path, "h5sparse_shape");
  if (encoding != "csr_matrix" && encoding != "csc_matrix") {
    file.fail(choice.path, "is kept as '" + encoding + "'; matrices and csr or csc are read");
  }
  if (shape.size() != 2) file.fail(choice.path, "does not say its shape");
  return {shape[0], shape[1], encoding == "csc_matrix"};
}

void read_matrix(const H5Reader& file, const Choice& choice, Observations& result) {
  if (!file.is_group(choice.path)) {
    read_dense(file, choice.path, result);
    return;
  }
  const SparseShape shape = sparse_shape(file, choice);
  result.holds = Holds::sparse_points;
  result.sparse = read_compressed(file, choice.path, shape.rows, shape.cols, shape.is_by_column);
}

bool is_label(const Column& column) {
  const auto* texts = std::get_if<Texts>(&column.values);
  if (texts == nullptr) return false;
  const std::set<std::string_view> distinct(texts->begin(), texts->end());
  return distinct.size() >= 2 && distinct.size() <= 60 && 2 * distinct.size() <= texts->size();
}

// The column most likely meant: one of the usual names, else the first of few categories.
std::string guess_label(const H5Reader& file) {
  constexpr std::array usual = {"cell_type", "celltype",    "cell_types", "cell_ontology_class",
                                "cell.type", "annotation",  "label",      "labels",
                                "leiden",    "bulk_labels", "louvain",    "cluster",
                                "clusters",  "state_info"};
  const std::vector<std::string> columns = frame_columns(file, "obs");
  for (const char* name : usual) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) continue;
    if (is_label(frame_column(file, "obs", name))) return name;
  }
  for (const std::string& name : columns) {
    if (file.is_group("obs/" + name) || file.has("obs/__categories/" + name)) {
      if (is_label(frame_column(file, "obs", name))) return name;
    }
  }
  return "";
}

void read_names(const H5Reader& file, const Choice& choice, std::size_t rows, std::size_t cols,
                Table& table) {
  table.row_names = frame_names(file, "obs");
  if (!table.row_names.empty() && table.row_names.size() != rows) {
    file.fail(choice.path, "has " + std::to_string(rows) + " rows, but obs has " +
                               std::to_string(table.row_names.size()));
  }
  if (choice.path == "X" || choice.path.starts_with("layers/")) {
    table.column_names = frame_names(file, "var");
  } else if (choice.path == "raw/X") {
    table.column_names = frame_names(file, "raw/var");
  }
  if (table.column_names.size() != cols) table.column_names.clear();
  table.source = file.path();
  table.assumed = choice.words + choice.why;
}

Column read_labels(const H5Reader& file, const std::string& asked, std::size_t rows) {
  const std::string label = asked.empty() ? guess_label(file) : asked;
  if (label.empty()) return {};
  Column labels = frame_column(file, "obs", label);
  if (labels.size() != rows) {
    file.fail("obs/" + label, "has " + std::to_string(labels.size()) + " values for " +
                                  std::to_string(rows) + " rows");
  }
  return labels;
}

Choice choose_checked(const H5Reader& file, const std::string& use) {
  if (!file.has("obs") && !file.has("X")) {
    throw IoError(file.path() + ": is HDF5, but not an AnnData file (it has neither obs nor X)");
  }
  return choose(file, use);
}

class H5adRows final : public ObservationRows {
 public:
  H5adRows(std::unique_ptr<H5Reader> file, const Choice& choice, const ReadOptions& options)
      : file_(std::move(file)), at_(choice.path), shape_(file_->shape(choice.path)) {
    file_->require_size(at_);
    read_names(*file_, choice, rows(), cols(), about_.table);
    about_.labels = read_labels(*file_, options.label_column, rows());
  }
  std::size_t rows() const override { return shape_[0]; }
  std::size_t cols() const override { return shape_[1]; }
  std::size_t n_bytes() const override {
    const bool is_single = file_->kind(at_) == H5Kind::float32;
    return rows() * cols() * (is_single ? sizeof(float) : sizeof(double));
  }
  void rewind() override { next_ = 0; }
  std::size_t next(MatrixView<double> out) override {
    const std::size_t n = std::min(out.rows, rows() - next_);
    if (n > 0) file_->read_rows(at_, next_, {out.data, n, out.cols, out.stride});
    next_ += n;
    return n;
  }
  Observations about() const override { return about_; }

 private:
  std::unique_ptr<H5Reader> file_;
  std::string at_;
  std::vector<std::size_t> shape_;
  Observations about_;
  std::size_t next_ = 0;
};

/// A matrix in compressed sparse rows, made dense a block at a time.
class SparseH5adRows final : public ObservationRows {
 public:
  SparseH5adRows(std::unique_ptr<H5Reader> file, const Choice& choice, const SparseShape& shape,
                 const ReadOptions& options)
      : file_(std::move(file)),
        indices_(choice.path + "/indices"),
        data_(choice.path + "/data"),
        rows_(shape.rows),
        cols_(shape.cols) {
    for (const std::string& part : {indices_, data_}) {
      file_->require_size(part);
      if (file_->shape(part).size() != 1) file_->fail(part, "is not one-dimensional");
    }
    const auto pointers = file_->numbers<std::int64_t>(choice.path + "/indptr");
    const auto n_entries = static_cast<std::int64_t>(file_->shape(data_)[0]);
    if (pointers.size() != rows_ + 1 || pointers.front() != 0 || pointers.back() != n_entries ||
        !std::is_sorted(pointers.begin(), pointers.end()) ||
        file_->shape(indices_)[0] != file_->shape(data_)[0]) {
      file_->fail(choice.path, "its offsets do not fit its values (the file is damaged)");
    }
    offsets_.assign(pointers.begin(), pointers.end());
    read_names(*file_, choice, rows_, cols_, about_.table);
    about_.labels = read_labels(*file_, options.label_column, rows_);
  }
  std::size_t rows() const override { return rows_; }
  std::size_t cols() const override { return cols_; }
  std::size_t n_bytes() const override { return rows_ * cols_ * sizeof(float); }
  void rewind() override { next_ = 0; }
  std::size_t next(MatrixView<double> out) override {
    const std::size_t n = std::min(out.rows, rows_ - next_);
    const std::size_t first = offsets_[next_], count = offsets_[next_ + n] - first;
    columns_.resize(count);
    values_.resize(count);
    file_->read_slice<std::int64_t>(indices_, first, columns_);
    file_->read_slice<double>(data_, first, values_);
    for (std::size_t r = 0; r < n; ++r) {
      const auto row = out.row(r);
      std::fill(row.begin(), row.end(), 0.0);
      for (std::size_t k = offsets_[next_ + r] - first; k < offsets_[next_ + r + 1] - first; ++k) {
        const auto column = static_cast<std::size_t>(columns_[k]);
        if (column >= cols_) file_->fail(indices_, "names a column that there is not");
        row[column] += values_[k];
        holds_counts_ = holds_counts_ && values_[k] >= 0 && values_[k] == std::floor(values_[k]);
      }
    }
    next_ += n;
    return n;
  }
  Observations about() const override { return about_; }
  bool holds_counts() const override { return holds_counts_; }

 private:
  std::unique_ptr<H5Reader> file_;
  std::string indices_, data_;
  std::size_t rows_, cols_;
  std::vector<std::size_t> offsets_;
  std::vector<std::int64_t> columns_;
  std::vector<double> values_;
  Observations about_;
  std::size_t next_ = 0;
  bool holds_counts_ = true;
};

Observations read_anndata(const H5Reader& file, const ReadOptions& options) {
  const Choice choice = choose_checked(file, options.use);
  Observations result;
  read_matrix(file, choice, result);
  if (choice.is_graph) {
    if (result.holds != Holds::sparse_points) file.fail(choice.path, "is not a sparse graph");
    const bool is_distance = choice.path.find("distance") != std::string::npos;
    result.holds = is_distance ? Holds::sparse_distances : Holds::affinities;
  }
  read_names(file, choice, result.rows(), result.cols(), result.table);
  result.labels = read_labels(file, options.label_column, result.rows());
  return result;
}

}  // namespace

std::unique_ptr<ObservationRows> open_h5ad_rows(const std::string& path,
                                                const ReadOptions& options) {
  auto file = std::make_unique<H5Reader>(path);
  const Choice choice = choose_checked(*file, options.use);
  if (choice.is_graph) return nullptr;
  if (file->is_group(choice.path)) {
    const SparseShape shape = sparse_shape(*file, choice);
    if (shape.is_by_column) return nullptr;
    return std::make_unique<SparseH5adRows>(std::move(file), choice, shape, options);
  }
  if (file->shape(choice.path).size() != 2) return nullptr;
  return std::make_unique<H5adRows>(std::move(file), choice, options);
}

Observations read_h5mu(const std::string& path, const std::string& modality,
                       const ReadOptions& options) {
  const std::vector<std::string> known = list_modalities(path);
  if (std::find(known.begin(), known.end(), modality) == known.end()) {
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    throw IoError(path +
                  (modality.empty() ? ": several tables in one file; give one of them as " + path +
                                          ":NAME, or several as views"
                                    : ": has no modality '" + modality + "'") +
                  " (it has " + (all.empty() ? "none" : all) + ")");
  }
  return read_anndata(H5Reader(path, "mod/" + modality), options);
}

Observations read_h5ad(const std::string& path, const ReadOptions& options) {
  return read_anndata(H5Reader(path), options);
}

}  // namespace detail

std::vector<std::string> list_modalities(const std::string& path) {
  const detail::H5Reader file(path);
  if (!file.has("mod") || !file.is_group("mod")) {
    throw IoError(path + ": is HDF5, but not a MuData file (it has no group mod)");
  }
  // In the file's own order, where it is one of these names.
  std::vector<std::string> names = file.names_in("mod");
  std::vector<std::string> order = file.attribute_texts("mod", "mod-order");
  return std::is_permutation(order.begin(), order.end(), names.begin(), names.end()) ? order
                                                                                     : names;
}

std::vector<std::string> list_h5ad_columns(const std::string& path) {
  return detail::frame_columns(detail::H5Reader(path), "obs");
}

Column read_h5ad_column(const std::string& path, const std::string& name) {
  return detail::frame_column(detail::H5Reader(path), "obs", name);
}

std::vector<std::string> read_h5ad_names(const std::string& path) {
  return detail::frame_names(detail::H5Reader(path), "obs");
}

bool has_hdf5() noexcept { return true; }

}  // namespace geotherm
