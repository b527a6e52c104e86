#include "geotherm/input.hpp"

#include <algorithm>
#include <cstdio>

#include "core/checksum.hpp"

namespace geotherm {

std::size_t Input::n_points() const {
  if (neighbors() != nullptr) return neighbors()->n_points;
  if (sparse_distances() != nullptr) return sparse_distances()->rows;
  if (affinities() != nullptr) return affinities()->rows;
  return std::max({points().rows, points32().rows, distances().rows});
}

namespace {

template <class T>
void add_table(detail::Checksum& sum, MatrixView<const T> table) {
  sum.mix(table.rows);
  sum.mix(table.cols);
  for (std::size_t i = 0; i < table.rows; ++i) sum.add(&table(i, 0), table.cols * sizeof(T));
}

template <class T>
void add_list(detail::Checksum& sum, const std::vector<T>& list) {
  sum.add(list.data(), list.size() * sizeof(T));
}

}  // namespace

std::string fingerprint(const Input& input) {
  detail::Checksum sum;
  std::string kind = "points";
  if (!input.points().empty()) add_table(sum, input.points());
  if (!input.points32().empty()) add_table(sum, input.points32());
  if (!input.distances().empty()) {
    kind = "distances";
    add_table(sum, input.distances());
  }
  if (input.neighbors() != nullptr) {
    kind = "neighbours";
    add_list(sum, input.neighbors()->offsets);
    add_list(sum, input.neighbors()->indices);
    add_list(sum, input.neighbors()->distances);
  }
  const SparseMatrix* sparse =
      input.affinities() != nullptr ? input.affinities() : input.sparse_distances();
  if (sparse != nullptr) {
    kind = input.affinities() != nullptr ? "affinities" : "sparse distances";
    add_list(sum, sparse->offsets);
    add_list(sum, sparse->indices);
    add_list(sum, sparse->values);
  }
  char digits[24];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum.value()));
  return std::to_string(input.n_points()) + " rows of " + kind + ", checksum " + digits;
}

}  // namespace geotherm
