#include "model/given_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/median.hpp"
#include "neighbors/lists.hpp"

namespace geotherm::detail {
namespace {

void require_training_columns(const Model& model, std::size_t n_columns, const char* what) {
  if (model.is_linear) {
    throw InvalidArgument("a linear map (" + model.method +
                          ") places rows by their columns: give points, not " + what);
  }
  if (n_columns == model.n_rows()) return;
  throw InvalidData(std::string("the new rows have ") + what + " to " + std::to_string(n_columns) +
                    " training rows, but the map was made from " + std::to_string(model.n_rows()) +
                    ": give one column a training row, in the order of its table");
}

[[noreturn]] void refuse_entry(const char* what, double value, std::size_t row, std::size_t column) {
  throw InvalidData(std::string(what) + ": the value in row " + std::to_string(row) + ", column " +
                    std::to_string(column) + " is " + std::to_string(value) +
                    "; give finite numbers that are not negative");
}

Index map_row_of(const Model& model, std::size_t row) {
  return model.unique_inverse.empty() ? static_cast<Index>(row) : model.unique_inverse[row];
}

/// Of equal training rows the nearest entry counts. Leaves `candidates` in order of the places.
void keep_nearest_of_each_place(std::vector<Candidate>& candidates) {
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  });
  const auto last = std::ranges::unique(candidates, {}, &Candidate::second);
  candidates.erase(last.begin(), last.end());
}

/// Entries of a sparse row as candidates; refuses rows without any.
template <class Distance>
NeighborLists lists_of(const Model& model, const SparseMatrix& rows, std::size_t most,
                       const char* what, const Distance& distance) {
  require_training_columns(model, rows.cols, what);
  ListPart part;
  std::size_t fewest = most;
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    candidates.clear();
    const auto columns = rows.row_indices(i);
    const auto values = rows.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto column = static_cast<std::size_t>(columns[k]);
      if (columns[k] < 0 || column >= rows.cols) {
        throw InvalidData(std::string(what) + ": row " + std::to_string(i) +
                          " names training row " + std::to_string(columns[k]) +
                          ", which does not exist (0 to " + std::to_string(rows.cols - 1) + ")");
      }
      if (!std::isfinite(values[k]) || values[k] < 0) refuse_entry(what, values[k], i, column);
      const double d = distance(values[k]);
      if (std::isfinite(d)) candidates.push_back({d, map_row_of(model, column)});
    }
    if (candidates.empty()) {
      throw InvalidData(std::string(what) + ": row " + std::to_string(i) +
                        " has none to any training row, so it has no place; give at least one");
    }
    keep_nearest_of_each_place(candidates);
    fewest = std::min(fewest, candidates.size());
    part.add(static_cast<Index>(i), candidates, {std::min(most, candidates.size()), 1});
  }
  std::vector<ListPart> parts;
  parts.push_back(std::move(part));
  return assemble(rows.rows, {rows.rows == 0 ? 0 : fewest, 1}, std::move(parts));
}

}  // namespace

NeighborLists nearest_by_distances(const Model& model, MatrixView<const double> distances,
                                   std::size_t most, const Context& context) {
  require_training_columns(model, distances.cols, "distances");
  constexpr std::size_t block = 64;
  const std::size_t n = distances.rows;
  const Cut cut{std::min(most, model.n_unique()), 1};
  std::vector<ListPart> parts((n + block - 1) / block);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    std::vector<Candidate> candidates;
    for (std::size_t i = begin; i < end; ++i) {
      candidates.clear();
      for (std::size_t j = 0; j < distances.cols; ++j) {
        const double d = distances(i, j);
        if (!std::isfinite(d) || d < 0) refuse_entry("distances", d, i, j);
        candidates.push_back({d, map_row_of(model, j)});
      }
      if (!model.unique_inverse.empty()) keep_nearest_of_each_place(candidates);
      parts[begin / block].add(static_cast<Index>(i), candidates, cut);
    }
  });
  return assemble(n, cut, std::move(parts));
}

NeighborLists nearest_by_distances(const Model& model, const SparseMatrix& distances,
                                   std::size_t most) {
  return lists_of(model, distances, most, "distances", [](double d) { return d; });
}

NeighborLists nearest_by_affinities(const Model& model, const SparseMatrix& weights) {
  if (model.input != ModelInput::affinities && model.extension.eigenvalues.empty()) {
    throw InvalidArgument("the map was made from " + std::string(to_string(model.input)) +
                          ": give the new rows as " +
                          (model.input == ModelInput::points ? "points, or as their distances"
                                                             : "distances") +
                          " to the training rows; affinities fit maps that were made from affinities");
  }
  return lists_of(model, weights, weights.cols, "affinities", [](double w) {
    return w > 0 ? 1 / w : std::numeric_limits<double>::infinity();
  });
}

std::vector<double> local_scales(const NeighborLists& lists, std::size_t most) {
  std::vector<double> scales(lists.n_points);
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const std::size_t n = std::min(most, lists.lengths(i).size());
    double sum = 0;
    for (const double d : lists.lengths(i).first(n)) sum += 1 / d;
    scales[i] = n > 0 ? static_cast<double>(n) / sum : 0;
  }
  return scales;
}

std::vector<double> novelty_of(const NeighborLists& lists, std::size_t most,
                               const std::vector<double>& scales, double typical) {
  if (scales.empty()) return {};
  std::vector<double> novelty = local_scales(lists, most);
  std::vector<double> around;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    if (!(novelty[i] > 0)) continue;
    around.clear();
    for (const Index j : lists.neighbors(i).first(std::min(most, lists.neighbors(i).size()))) {
      around.push_back(scales[static_cast<std::size_t>(j)]);
    }
    const double local = median(around);
    const double unit = typical > 0 ? std::sqrt(local) * std::sqrt(typical) : local;
    novelty[i] = unit > 0 ? novelty[i] / unit : std::numeric_limits<double>::quiet_NaN();
  }
  return novelty;
}

}  // namespace geotherm::detail
