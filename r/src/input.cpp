#include "input.hpp"

namespace geotherm::r {
namespace {

/// Of the rows as they would be dense, one at a time.
std::vector<RowKey> keys_of(const SparseMatrix& table) {
  std::vector<RowKey> keys;
  keys.reserve(table.rows);
  Matrix<double> row(1, table.cols);
  for (std::size_t i = 0; i < table.rows; ++i) {
    const auto first = table.offsets[i], end = table.offsets[i + 1];
    for (auto e = first; e < end; ++e)
      row(0, static_cast<std::size_t>(table.indices[e])) = table.values[e];
    keys.push_back(row_keys(row.view()).front());
    for (auto e = first; e < end; ++e) row(0, static_cast<std::size_t>(table.indices[e])) = 0;
  }
  return keys;
}

}  // namespace

HeldInput::HeldInput(const cpp11::list& given) : kind(cpp11::as_cpp<std::string>(given["kind"])) {
  if (kind == "points" || kind == "distances") {
    values = rows_of(cpp11::doubles_matrix<>(given["values"]));
  } else if (kind == "neighbors") {
    values = rows_of(cpp11::doubles_matrix<>(given["distances"]));
    const cpp11::integers_matrix<> from(given["indices"]);
    indices = Matrix<Index>(values.rows(), values.cols());
    for (std::size_t i = 0; i < indices.rows(); ++i) {
      for (std::size_t j = 0; j < indices.cols(); ++j) {
        // NA and 0 mark what a search did not find.
        const int at = from(static_cast<int>(i), static_cast<int>(j));
        indices(i, j) = at == NA_INTEGER || at < 1 ? -1 : at - 1;
      }
    }
  } else {
    sparse = sparse_of(given);
    if (kind == "sparse_points") {
      rank = static_cast<std::size_t>(cpp11::as_cpp<int>(given["rank"]));
    }
  }
  const SEXP names = given["columns"];
  if (!Rf_isNull(names)) columns = cpp11::as_cpp<std::vector<std::string>>(names);
}

void HeldInput::prepare(const Context& context) {
  if (kind == "sparse_points") {
    keys = keys_of(sparse);
    Pca reduced = pca(sparse, {.rank = rank}, context);
    values = std::move(reduced.scores);
    steps.n_columns = sparse.cols;
    steps.shift = std::move(reduced.mean);
    steps.rotation = std::move(reduced.components);
    sparse = {};
  }
  if (kind == "points" || kind == "sparse_points") {
    input = values.view();
  } else if (kind == "distances") {
    input = DistanceMatrix{values.view()};
  } else if (kind == "neighbors") {
    lists = neighbors_from_tables(indices.view(), values.view(), context);
    input = &lists;
  } else if (kind == "affinities") {
    input = Affinities{&sparse};
  } else {
    input = SparseDistances{&sparse};
  }
}

Model HeldInput::of_rows(Model model, const EmbeddingRun& run) const {
  if (kind == "sparse_points") {
    model = with_steps_before(std::move(model), steps, keys, run.distances.unique_inverse);
  }
  model.column_names = columns;
  return model;
}

}  // namespace geotherm::r
