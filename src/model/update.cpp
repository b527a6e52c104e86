// Maps that grow: new rows take places among those of a model, which completes its neighbours.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/take_rows.hpp"
#include "geotherm/model.hpp"
#include "model/held_map.hpp"
#include "neighbors/lists.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm {
namespace {

using detail::Candidate;

/// Entries of several lists of a place, the nearest `most` of them.
class ListMerger {
 public:
  ListMerger(std::size_t n_unique, std::size_t most) : most_(most), rows_(n_unique) {}

  void add(std::size_t place, Index neighbor, double distance) {
    if (static_cast<std::size_t>(neighbor) != place) rows_[place].push_back({distance, neighbor});
  }
  void add(std::size_t place, const NeighborLists& lists, std::size_t row, Index offset = 0) {
    for (std::size_t k = 0; k < lists.neighbors(row).size(); ++k) {
      add(place, lists.neighbors(row)[k] + offset, lists.lengths(row)[k]);
    }
  }
  NeighborLists merged() {
    detail::ListPart part;
    std::size_t fewest = most_;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::ranges::sort(rows_[i], [](const Candidate& a, const Candidate& b) {
        return a.second != b.second ? a.second < b.second : a.first < b.first;
      });
      const auto last = std::ranges::unique(rows_[i], {}, &Candidate::second);
      rows_[i].erase(last.begin(), last.end());
      const std::size_t n = std::min(most_, rows_[i].size());
      fewest = std::min(fewest, n);
      part.add(static_cast<Index>(i), rows_[i], {n, 1});
    }
    std::vector<detail::ListPart> parts;
    parts.push_back(std::move(part));
    return detail::assemble(rows_.size(), {fewest, 1}, std::move(parts));
  }

 private:
  std::size_t most_;
  std::vector<std::vector<Candidate>> rows_;
};

template <class T>
Matrix<T> stacked(const Matrix<T>& above, const Matrix<T>& below) {
  auto all = Matrix<T>::uninitialized(above.rows() + below.rows(), above.cols());
  std::copy(above.data(), above.data() + above.size(), all.data());
  std::copy(below.data(), below.data() + below.size(), all.data() + above.size());
  return all;
}

/// Places of new rows: known ones, those of equal rows before, or new ones after the old.
struct Numbered {
  std::vector<Index> places;
  std::vector<Index> first_rows;  ///< of the new places
};

template <class T>
Numbered numbered(const Model& model, MatrixView<const T> rows, const std::vector<RowKey>& keys) {
  std::map<RowKey, Index> known;
  for (std::size_t i = 0; i < model.keys.size(); ++i) {
    known.try_emplace(model.keys[i], static_cast<Index>(i));
  }
  Numbered result;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const auto next = static_cast<Index>(model.n_unique() + result.first_rows.size());
    const auto [found, is_new] = known.try_emplace(keys[i], next);
    if (is_new) result.first_rows.push_back(static_cast<Index>(i));
    result.places.push_back(found->second);
  }
  return result;
}

/// What does not depend on how rows were compared: places of rows, coordinates, labels.
GrownModel with_unique_rows(const Model& model, const Placement& placed, const Numbered& numbers) {
  GrownModel grown;
  grown.model = model;
  grown.new_inverse = numbers.places;
  grown.novelty = placed.novelty;
  Model& all = grown.model;
  all.row_names.clear();
  all.coordinates = stacked(model.coordinates, detail::take_rows<double>(placed.coordinates.view(),
                                                                        numbers.first_rows));
  const bool is_identity = model.unique_inverse.empty() &&
                           numbers.first_rows.size() == numbers.places.size();
  if (!is_identity) {
    if (all.unique_inverse.empty()) {
      for (std::size_t i = 0; i < model.n_unique(); ++i) {
        all.unique_inverse.push_back(static_cast<Index>(i));
      }
    }
    all.unique_inverse.insert(all.unique_inverse.end(), numbers.places.begin(), numbers.places.end());
  }
  for (UniqueRowLabels& labels : all.labels) labels.codes.resize(all.n_unique(), -1);
  return grown;
}

template <class T>
void add_points(const Model& model, const Matrix<T>& fresh, const Placement& placed,
                const Numbered& numbers, Model& all, const Context& context) {
  const auto& old = std::get<Matrix<T>>(model.points);
  const std::size_t n_old = old.rows();
  all.points = stacked(old, fresh);
  if (model.neighbors.n_points == 0 || fresh.rows() == 0) return;
  const std::size_t most = model.n_compared();
  ListMerger merger(n_old + fresh.rows(), most);
  const detail::PointIndex<T> index(fresh.view(), model.metric);
  const auto offset = static_cast<Index>(n_old);
  // Old points look among the new ones alone: what they knew of each other still holds.
  const NeighborLists to_new = index.nearest(old.view(), std::min(most, fresh.rows()), context);
  for (std::size_t i = 0; i < n_old; ++i) {
    merger.add(i, model.neighbors, i);
    merger.add(i, to_new, i, offset);
  }
  const NeighborLists among = index.nearest(fresh.view(), std::min(most + 1, fresh.rows()), context);
  for (std::size_t i = 0; i < fresh.rows(); ++i) {
    merger.add(n_old + i, placed.neighbors, static_cast<std::size_t>(numbers.first_rows[i]));
    merger.add(n_old + i, among, i, offset);
  }
  all.neighbors = merger.merged();
}

template <class T>
GrownModel grow(const Model& model, MatrixView<const T> rows, const Context& context) {
  const Placement placed = Placer(model).place_and_measure(rows, context);
  const std::vector<RowKey> keys = row_keys(rows);
  const Numbered numbers = numbered(model, rows, keys);
  GrownModel grown = with_unique_rows(model, placed, numbers);
  for (const Index row : numbers.first_rows) {
    grown.model.keys.push_back(keys[static_cast<std::size_t>(row)]);
  }
  if (model.is_linear) return grown;
  const Matrix<T> fresh = detail::take_rows<T>(rows, numbers.first_rows);
  if (!model.preparation.is_empty() || std::holds_alternative<Matrix<double>>(model.points)) {
    Matrix<double> wide(fresh.rows(), fresh.cols());
    std::copy(fresh.data(), fresh.data() + fresh.size(), wide.data());
    add_points(model, prepare(model.preparation, wide, context), placed, numbers, grown.model,
               context);
  } else {
    Matrix<float> narrow(fresh.rows(), fresh.cols());
    std::transform(fresh.data(), fresh.data() + fresh.size(), narrow.data(),
                   [](T x) { return static_cast<float>(x); });
    add_points(model, narrow, placed, numbers, grown.model, context);
  }
  return grown;
}

}  // namespace

GrownModel grow_model(const Model& model, MatrixView<const double> rows, const Context& context) {
  return grow(model, rows, context);
}
GrownModel grow_model(const Model& model, MatrixView<const float> rows, const Context& context) {
  return grow(model, rows, context);
}

GrownModel grow_model(const Model& model, const Placement& placed) {
  if (model.input == ModelInput::points) {
    throw InvalidArgument(
        "the map was made from points: it can grow by points, since later rows are compared with "
        "them");
  }
  Numbered numbers;
  for (std::size_t i = 0; i < placed.coordinates.rows(); ++i) {
    numbers.places.push_back(static_cast<Index>(model.n_unique() + i));
    numbers.first_rows.push_back(static_cast<Index>(i));
  }
  GrownModel grown = with_unique_rows(model, placed, numbers);
  Model& all = grown.model;
  all.preparation.n_columns = all.n_rows();
  if (model.neighbors.n_points == 0) return grown;
  ListMerger merger(all.n_unique(), model.n_compared());
  for (std::size_t i = 0; i < model.n_unique(); ++i) merger.add(i, model.neighbors, i);
  for (std::size_t i = 0; i < numbers.places.size(); ++i) {
    const auto place = static_cast<std::size_t>(numbers.places[i]);
    merger.add(place, placed.neighbors, i);
    for (std::size_t k = 0; k < placed.neighbors.neighbors(i).size(); ++k) {
      merger.add(static_cast<std::size_t>(placed.neighbors.neighbors(i)[k]), numbers.places[i],
                 placed.neighbors.lengths(i)[k]);
    }
  }
  all.neighbors = merger.merged();
  return grown;
}

Movement movement_between(MatrixView<const double> before, MatrixView<const double> after) {
  if (before.rows != after.rows || before.cols != after.cols) {
    throw InvalidArgument("the maps have " + std::to_string(before.rows) + " and " +
                          std::to_string(after.rows) + " rows: give two maps of the same points");
  }
  Movement movement;
  if (before.empty()) return movement;
  double extent = 0;
  for (std::size_t c = 0; c < before.cols; ++c) {
    double least = before(0, c), most = least;
    for (std::size_t i = 0; i < before.rows; ++i) {
      least = std::min(least, before(i, c));
      most = std::max(most, before(i, c));
    }
    extent = std::max(extent, most - least);
  }
  std::vector<double> lengths(before.rows);
  for (std::size_t i = 0; i < before.rows; ++i) {
    double squared = 0;
    for (std::size_t c = 0; c < before.cols; ++c) {
      squared += (after(i, c) - before(i, c)) * (after(i, c) - before(i, c));
    }
    lengths[i] = extent > 0 ? std::sqrt(squared) / extent : 0;
    movement.mean += lengths[i] / static_cast<double>(before.rows);
  }
  std::ranges::sort(lengths);
  movement.median = lengths[lengths.size() / 2];
  movement.largest = lengths.back();
  return movement;
}

Outcome lay_out_again(Model& grown, std::size_t n_old, double hold, MethodOptions options,
                      const Context& context) {
  if (grown.input != ModelInput::points || grown.is_linear) {
    throw InvalidArgument(
        "the map is laid out again only where it was made from points and by a method that is not "
        "linear; leave hold at 1, where old points stay");
  }
  options.pca = PcaOptions{.rank = 0};  // the model's points are reduced already
  options.neighbors.metric = grown.metric;
  options.mds.n_components = grown.coordinates.cols();
  options.start = {StartKind::map, grown.coordinates};
  const Input points =
      std::visit([](const auto& matrix) { return Input(matrix); }, grown.points);
  const EmbeddingRun run = method_named(grown.method)->embed(points, options, context);
  grown.coordinates =
      held_map(grown.coordinates.view(), run.embedding.coordinates.view(), n_old, hold, context);
  grown.extension = {};  // coordinates are no longer eigenvectors
  // Of the layout whose neighbourhoods were kept.
  if (detail::keeps_new_neighborhoods(hold)) grown.refined_unit = run.refined_unit;
  return run.embedding.outcome;
}

}  // namespace geotherm
