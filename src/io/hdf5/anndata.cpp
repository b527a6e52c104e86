// Data frames and sparse matrices of AnnData files, from version 0.7 on.
#include "io/hdf5/anndata.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/large_pages.hpp"
#include "io/compressed.hpp"

namespace geotherm::detail {
namespace {

constexpr const char* kMissing = "NA";

std::string text_of_number(double value) {
  std::string text = std::to_string(static_cast<long long>(value));
  if (static_cast<double>(static_cast<long long>(value)) == value) return text;
  return std::to_string(value);
}

std::vector<std::string> as_text(const Column& column) {
  if (const auto* texts = std::get_if<Texts>(&column.values)) return texts->to_vector();
  std::vector<std::string> texts;
  for (const double value : std::get<std::vector<double>>(column.values)) {
    texts.push_back(std::abs(value) < 1e15 ? text_of_number(value) : std::to_string(value));
  }
  return texts;
}

Column categorical(const H5Reader& file, const std::string& codes_at, const std::string& names_at,
                   const std::string& name) {
  const auto stored = file.numbers<std::int32_t>(codes_at);
  std::vector<std::string> names = as_text(plain_column(file, names_at, name));
  const auto n_names = static_cast<std::int32_t>(names.size());
  std::vector<Index> codes(stored.begin(), stored.end());
  for (Index& code : codes) {
    if (code >= n_names) {
      file.fail(codes_at, "names category " + std::to_string(code) + " of " +
                              std::to_string(n_names) + " (the file is damaged)");
    }
    if (code < 0) code = n_names;
  }
  names.emplace_back(kMissing);
  return {name, Texts(std::move(codes), std::move(names))};
}

// pandas' nullable types: values beside a mask of those that are missing.
Column masked(const H5Reader& file, const std::string& group, const std::string& name) {
  Column column = plain_column(file, group + "/values", name);
  const auto mask = file.numbers<std::int32_t>(group + "/mask");
  if (mask.size() != column.size()) file.fail(group, "its mask has another length than its values");
  if (auto* texts = std::get_if<Texts>(&column.values)) {
    texts->replace(mask, kMissing);
    return column;
  }
  auto& numbers = std::get<std::vector<double>>(column.values);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0) numbers[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return column;
}

// Everything in `dataset`, as the file has it, added to the vector piece by piece.
template <class Stored>
void append_values(const H5Reader& file, const std::string& dataset, std::vector<double>& values) {
  file.read_pieces<Stored>(dataset, [&](std::span<const Stored> piece) {
    values.insert(values.end(), piece.begin(), piece.end());
  });
}

// The same for indices, with what they have to be checked for: a piece is looked at while it is in
// the processor's cache.
template <class Stored>
IndexFacts append_indices(const H5Reader& file, const std::string& dataset,
                          std::vector<Index>& indices) {
  IndexFacts facts;
  file.read_pieces<Stored>(dataset, [&](std::span<const Stored> piece) {
    const std::size_t n_before = indices.size();
    if constexpr (std::is_same_v<Stored, Index>) {
      facts.look_at(piece);
      indices.insert(indices.end(), piece.begin(), piece.end());
    } else {
      // What an Index cannot name becomes -1, and is then refused.
      const auto narrow = [](Stored index) {
        return static_cast<Index>(index == static_cast<Index>(index) ? index : -1);
      };
      indices.resize(n_before + piece.size());
      std::transform(piece.begin(), piece.end(),
                     indices.begin() + static_cast<std::ptrdiff_t>(n_before), narrow);
      facts.look_at(std::span<const Index>(indices).subspan(n_before));
    }
  });
  return facts;
}

}  // namespace

Column plain_column(const H5Reader& file, const std::string& dataset, const std::string& name) {
  switch (file.kind(dataset)) {
    case H5Kind::text:
      return {name, file.distinct_texts(dataset)};
    case H5Kind::boolean: {
      const auto stored = file.numbers<std::int32_t>(dataset);
      std::vector<Index> codes;
      codes.reserve(stored.size());
      for (const std::int32_t value : stored) codes.push_back(value != 0 ? 1 : 0);
      return {name, Texts(std::move(codes), {"False", "True"})};
    }
    case H5Kind::other:
      file.fail(dataset, "holds neither numbers nor text");
    default: {
      const auto values = file.numbers<double>(dataset);
      return {name, std::vector<double>(values.begin(), values.end())};
    }
  }
}

std::vector<std::string> frame_names(const H5Reader& file, const std::string& frame) {
  if (!file.has(frame)) return {};
  if (!file.is_group(frame)) {
    file.fail(frame,
              "is laid out as anndata did before version 0.7 (open the file in Python and"
              " save it again)");
  }
  std::string index = file.attribute_text(frame, "_index");
  if (index.empty()) index = "_index";
  if (!file.has(frame + "/" + index)) return {};
  return as_text(frame_column(file, frame, index));
}

std::vector<std::string> frame_columns(const H5Reader& file, const std::string& frame) {
  if (!file.is_group(frame)) return {};
  std::vector<std::string> columns = file.attribute_texts(frame, "column-order");
  std::erase_if(columns, [&](const std::string& name) { return !file.has(frame + "/" + name); });
  return columns;
}

Column frame_column(const H5Reader& file, const std::string& frame, const std::string& name) {
  const std::string at = frame + "/" + name;
  if (!file.has(at)) {
    std::string known;
    for (const std::string& column : frame_columns(file, frame)) {
      known += (known.empty() ? "" : ", ") + column;
    }
    file.fail(frame, "has no column '" + name + "'; " +
                         (known.empty() ? "it has none" : "it has " + known));
  }
  if (file.is_group(at)) {
    if (file.has(at + "/codes")) return categorical(file, at + "/codes", at + "/categories", name);
    if (file.has(at + "/mask")) return masked(file, at, name);
    file.fail(at, "has an encoding that is not known here");
  }
  const std::string categories = frame + "/__categories/" + name;
  if (file.has(categories)) return categorical(file, at, categories, name);
  return plain_column(file, at, name);
}

SparseMatrix read_compressed(const H5Reader& file, const std::string& group, std::size_t rows,
                             std::size_t cols, bool is_by_column) {
  if (is_by_column) std::swap(rows, cols);
  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  const auto pointers = file.numbers<std::int64_t>(group + "/indptr");
  matrix.offsets.resize(pointers.size());
  // A negative pointer becomes a huge one, which is refused.
  std::transform(pointers.begin(), pointers.end(), matrix.offsets.begin(),
                 [](std::int64_t pointer) { return static_cast<std::size_t>(pointer); });
  const std::string indices = group + "/indices", data = group + "/data";
  for (const std::string& part : {indices, data}) {
    file.require_size(part);
    if (file.shape(part).size() != 1) file.fail(part, "is not one-dimensional");
  }
  reserve_in_large_pages(matrix.indices, file.shape(indices)[0]);
  reserve_in_large_pages(matrix.values, file.shape(data)[0]);
  const IndexFacts facts = file.item_size(indices) > sizeof(Index)
                               ? append_indices<std::int64_t>(file, indices, matrix.indices)
                               : append_indices<Index>(file, indices, matrix.indices);
  if (file.kind(data) == H5Kind::float32) {
    append_values<float>(file, data, matrix.values);
  } else {
    append_values<double>(file, data, matrix.values);
  }
  matrix = checked_sparse(std::move(matrix), facts, file.path() + ", " + group);
  if (is_by_column) return transpose(matrix);
  return matrix;
}

}  // namespace geotherm::detail
