#include "input.hpp"

namespace geotherm::r {

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
}

void HeldInput::prepare(const Context& context) {
  if (kind == "sparse_points") {
    values = std::move(pca(sparse, {.rank = rank}, context).scores);
    sparse = {};
  }
  if (has_points()) {
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

}  // namespace geotherm::r
