// A model and new rows -> their places (docs/methods/new_points.md).
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "geotherm/model.hpp"
#include "model/extension.hpp"
#include "model/given_rows.hpp"
#include "model/refined.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm {
namespace {

constexpr std::size_t n_sweeps = 30;

/// The neighbours of one new point in the map, and where they gather.
class Gathering {
 public:
  /// `width`: within which neighbours count together, in units of the map; 0: that of their
  /// spacing. `refined`: whose votes count in a refined map, or null.
  Gathering(const Matrix<double>& coordinates, double width, const detail::RefinedVotes* refined)
      : coordinates_(coordinates), dims_(coordinates.cols()), width_(width), refined_(refined) {}

  /// `distances` rise; the last may be infinite. Of affinities they are 1 / weight.
  void place(std::span<const Index> neighbors, std::span<const double> distances,
             bool are_affinities, std::span<double> out) {
    std::size_t k = neighbors.size();
    members_.assign(neighbors.begin(), neighbors.end());
    if (are_affinities) {
      weights_.clear();
      for (const double d : distances) weights_.push_back(distances.front() / d);
    } else if (refined_ != nullptr) {
      k = refined_->take(neighbors, distances, votes_);
      members_.clear();
      weights_.clear();
      for (const detail::Vote& vote : votes_) {
        members_.push_back(vote.point);
        weights_.push_back(vote.weight);
      }
    } else {
      weigh(distances);
    }
    take();
    const double spacing = width_ > 0 ? width_ / unit_ : 0.5 * typical_spacing(k);
    if (!(spacing > 0)) return gather_at_mode(out);
    const auto first = places_.begin();
    // From each neighbour to the mode near it; the best one counts, the first where they are equal.
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t start = 0; start < k; ++start) {
      here_.assign(first + static_cast<std::ptrdiff_t>(start * dims_),
                   first + static_cast<std::ptrdiff_t>((start + 1) * dims_));
      for (std::size_t sweep = 0; sweep < n_sweeps; ++sweep) {
        if (step(spacing) < 1e-9 * spacing) break;
      }
      const double objective = spread(spacing);
      if (objective < best) {
        best = objective;
        for (std::size_t c = 0; c < dims_; ++c) out[c] = origin_[c] + here_[c] * unit_;
      }
    }
  }

 private:
  /// Places relative to the nearest neighbour's and of size about 1, so that maps in any unit keep
  /// clear of over- and underflow.
  void take() {
    const auto nearest = coordinates_.row(static_cast<std::size_t>(members_.front()));
    origin_.assign(nearest.begin(), nearest.end());
    places_.clear();
    double largest = 0;
    for (const Index j : members_) {
      const auto row = coordinates_.row(static_cast<std::size_t>(j));
      for (std::size_t c = 0; c < dims_; ++c) {
        places_.push_back(row[c] - origin_[c]);
        largest = std::max(largest, std::abs(places_.back()));
      }
    }
    unit_ = largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
    for (double& x : places_) x /= unit_;
  }

  /// exp(-2 u^2) / u^2, u the distance over that of the last: near ones count more, and one that is
  /// met exactly counts alone.
  void weigh(std::span<const double> distances) {
    const double last = distances.back();
    weights_.clear();
    for (const double d : distances) {
      const double u = std::isfinite(last) && last > 0 ? d / last : 1.0;
      weights_.push_back(std::exp(-2 * u * u) / std::max(u * u, 1e-30));
    }
  }

  double squared(const double* a, const double* b) const {
    double sum = 0;
    for (std::size_t c = 0; c < dims_; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
  }

  /// The median over the neighbours of the distance to the second nearest other one: the grain of
  /// the map where most of them are, whatever the few elsewhere.
  double typical_spacing(std::size_t k) {
    if (k < 2) return 0;
    const std::size_t second = std::min<std::size_t>(2, k - 1) - 1;
    std::vector<double> grains, others;
    for (std::size_t i = 0; i < k; ++i) {
      others.clear();
      for (std::size_t j = 0; j < k; ++j) {
        if (j != i) others.push_back(squared(&places_[i * dims_], &places_[j * dims_]));
      }
      std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(second),
                       others.end());
      grains.push_back(others[second]);
    }
    return std::sqrt(detail::median(std::move(grains)));
  }

  /// Most neighbours share one place: there it is.
  void gather_at_mode(std::span<double> out) const {
    double best = -1;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < members_.size(); ++j) {
        if (squared(&places_[i * dims_], &places_[j * dims_]) == 0) sum += weights_[j];
      }
      if (sum <= best) continue;
      best = sum;
      const auto place = coordinates_.row(static_cast<std::size_t>(members_[i]));
      std::copy(place.begin(), place.end(), out.begin());
    }
  }

  /// One step of the fixed point of sum_j w_j log(1 + |y - y_j|^2 / s^2); returns its length.
  double step(double spacing) {
    next_.assign(dims_, 0.0);
    double total = 0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      const double* place = &places_[j * dims_];
      const double pull = weights_[j] / (1 + squared(here_.data(), place) / (spacing * spacing));
      total += pull;
      for (std::size_t c = 0; c < dims_; ++c) next_[c] += pull * place[c];
    }
    for (double& x : next_) x /= total;
    const double moved = std::sqrt(squared(next_.data(), here_.data()));
    here_.swap(next_);
    return moved;
  }

  double spread(double spacing) const {
    double sum = 0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      sum += weights_[j] *
             std::log1p(squared(here_.data(), &places_[j * dims_]) / (spacing * spacing));
    }
    return sum;
  }

  const Matrix<double>& coordinates_;
  std::size_t dims_;
  double width_;
  const detail::RefinedVotes* refined_;
  std::vector<Index> members_;  ///< whose places count: the neighbours first
  std::vector<detail::Vote> votes_;
  std::vector<double> places_;
  std::vector<double> weights_;
  std::vector<double> here_, next_;
  std::vector<double> origin_;
  double unit_ = 1;
};

Matrix<double> widened(MatrixView<const float> rows) {
  auto wide = Matrix<double>::uninitialized(rows.rows, rows.cols);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::copy(rows.row(i).begin(), rows.row(i).end(), wide.row(i).begin());
  }
  return wide;
}

Matrix<float> narrowed(MatrixView<const double> rows) {
  auto narrow = Matrix<float>::uninitialized(rows.rows, rows.cols);
  static constexpr double most = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::transform(rows.row(i).begin(), rows.row(i).end(), narrow.row(i).begin(),
                   [](double x) { return static_cast<float>(std::clamp(x, -most, most)); });
  }
  return narrow;
}

}  // namespace

struct Placer::State {
  const Model& model;
  std::vector<std::size_t> by_key;  // places in the order of their keys
  std::unique_ptr<detail::PointIndex<float>> index32;
  std::unique_ptr<detail::PointIndex<double>> index;
  std::vector<double> scales;       // of the places, where their neighbours are known
  double typical_scale;
  detail::SpectralRows spectral;
  std::unique_ptr<detail::RefinedVotes> refined;
  mutable std::once_flag measured;
  mutable double unit_length = 0;

  explicit State(const Model& from)
      : model(from),
        by_key(from.keys.size()),
        scales(detail::local_scales(from.neighbors, from.n_compared())),
        typical_scale(detail::median(scales)),
        spectral(from) {
    std::iota(by_key.begin(), by_key.end(), std::size_t{0});
    std::sort(by_key.begin(), by_key.end(), [&](std::size_t a, std::size_t b) {
      return model.keys[a] != model.keys[b] ? model.keys[a] < model.keys[b] : a < b;
    });
    if (model.refined_unit > 0 && model.neighbors.n_points == model.n_unique()) {
      refined = std::make_unique<detail::RefinedVotes>(model.neighbors);
    }
    if (model.is_linear || model.input != ModelInput::points) return;
    if (const auto* points = std::get_if<Matrix<float>>(&model.points)) {
      index32 = std::make_unique<detail::PointIndex<float>>(points->view(), model.metric);
    } else {
      index = std::make_unique<detail::PointIndex<double>>(
          std::get<Matrix<double>>(model.points).view(), model.metric);
    }
  }

  /// The place of the training row with this key, or n_unique().
  std::size_t known(const RowKey& key) const {
    const auto found = std::lower_bound(
        by_key.begin(), by_key.end(), key,
        [&](std::size_t place, const RowKey& wanted) { return model.keys[place] < wanted; });
    return found != by_key.end() && model.keys[*found] == key ? *found : model.n_unique();
  }

  Matrix<double> linear(MatrixView<const double> rows, const Context& context) const {
    const Matrix<double> prepared = prepare(model.preparation, rows, context);
    Matrix<double> result(rows.rows, model.coordinates.cols());
    for (std::size_t i = 0; i < rows.rows; ++i) {
      std::copy(prepared.row(i).begin(), prepared.row(i).end(), result.row(i).begin());
    }
    return result;
  }

  /// Neighbours that are looked for: those a place needs, and more for labels and kernels.
  std::size_t n_searched() const {
    return std::min(model.n_unique(),
                    std::max({n_placing(), model.neighbors.knn, spectral.n_searched()}));
  }
  /// Neighbours that a place is made from.
  std::size_t n_placing() const {
    return refined != nullptr ? detail::refined_neighbors : model.n_neighbors;
  }

  NeighborLists nearest(MatrixView<const double> rows, const Context& context) const {
    if (!model.preparation.is_empty()) {
      return index->nearest(prepare(model.preparation, rows, context).view(), n_searched(),
                            context);
    }
    if (index32) return index32->nearest(narrowed(rows).view(), n_searched(), context);
    return index->nearest(rows, n_searched(), context);
  }
  NeighborLists nearest(MatrixView<const float> rows, const Context& context) const {
    if (index32) return index32->nearest(rows, n_searched(), context);
    return nearest(widened(rows).view(), context);
  }

  Matrix<double> gathered(const NeighborLists& lists, bool are_affinities,
                          const Context& context) const {
    auto result = Matrix<double>::uninitialized(lists.n_points, model.coordinates.cols());
    parallel_for(context, lists.n_points, 64, [&](std::size_t begin, std::size_t end) {
      Gathering gathering(model.coordinates, detail::gathering_width(model.refined_unit),
                          refined.get());
      for (std::size_t i = begin; i < end; ++i) {
        const auto neighbors = lists.neighbors(i);
        if (!are_affinities && lists.lengths(i).front() == 0) {
          const auto place = model.coordinates.row(static_cast<std::size_t>(neighbors.front()));
          std::copy(place.begin(), place.end(), result.row(i).begin());
        } else if (!spectral.place(lists, i, are_affinities, result.row(i))) {
          const std::size_t k = std::min(neighbors.size(), n_placing());
          gathering.place(neighbors.first(k), lists.lengths(i).first(k), are_affinities,
                          result.row(i));
        }
      }
    });
    return result;
  }

  /// From rows that are given as distances or weights to training rows.
  Placement place_given(NeighborLists lists, bool are_affinities, const Context& context) const {
    Placement placed;
    placed.coordinates = gathered(lists, are_affinities, context);
    placed.novelty = detail::novelty_of(lists, model.n_compared(), scales, typical_scale);
    placed.neighbors = std::move(lists);
    return placed;
  }

  /// The distance within which 19 of 20 training points have their nearest other one, by a sample.
  double unit(const Context& context) const {
    std::call_once(measured, [&] {
      constexpr std::size_t n_most = 256;
      const std::size_t n = model.n_unique(), step = (n + n_most - 1) / n_most;
      if (n < 3) return;
      const auto nearest_of = [&](const auto& all, const auto& searched) {
        using T = std::remove_cvref_t<decltype(all(0, 0))>;
        std::vector<Index> some;
        for (std::size_t i = 0; i < n; i += step) some.push_back(static_cast<Index>(i));
        const Matrix<T> queries = detail::take_rows<T>(all.view(), some);
        const NeighborLists lists = searched->nearest(queries.view(), 2, context);
        std::vector<double> lengths;
        for (std::size_t i = 0; i < lists.n_points; ++i) lengths.push_back(lists.lengths(i)[1]);
        std::sort(lengths.begin(), lengths.end());
        unit_length = lengths[(lengths.size() - 1) * 19 / 20];
      };
      if (index32) {
        nearest_of(std::get<Matrix<float>>(model.points), index32);
      } else {
        nearest_of(std::get<Matrix<double>>(model.points), index);
      }
    });
    return unit_length;
  }

  std::vector<double> remoteness_of(const NeighborLists& lists, const Context& context) const {
    const double one = unit(context);
    std::vector<double> remoteness;
    if (!(one > 0 && std::isfinite(one))) return remoteness;
    for (std::size_t i = 0; i < lists.n_points; ++i) {
      remoteness.push_back(lists.lengths(i).front() / one);
    }
    return remoteness;
  }

  template <class T>
  Placement place(MatrixView<const T> rows, bool measures, const Context& context) const {
    if (model.input != ModelInput::points) {
      throw InvalidArgument(
          "the map was made from " + std::string(to_string(model.input)) +
          ", not from points: give the " + std::string(to_string(model.input)) +
          " of the new rows to the " + std::to_string(model.n_rows()) + " training rows");
    }
    if (rows.cols != model.preparation.n_columns) {
      throw InvalidData("the new points have " + std::to_string(rows.cols) +
                        " columns: the model was made from " +
                        std::to_string(model.preparation.n_columns));
    }
    if (rows.rows == 0) return {Matrix<double>(0, model.coordinates.cols())};
    require_finite(rows);
    Placement placed;
    Matrix<double>& result = placed.coordinates;
    if (!model.is_linear) {
      NeighborLists lists = nearest(rows, context);
      if (measures) {
        placed.remoteness = remoteness_of(lists, context);
        placed.novelty = detail::novelty_of(lists, model.n_compared(), scales, typical_scale);
      }
      result = gathered(lists, false, context);
      if (measures) placed.neighbors = std::move(lists);
    } else if constexpr (std::is_same_v<T, float>) {
      result = linear(widened(rows), context);
    } else {
      result = linear(rows, context);
    }
    const std::vector<RowKey> keys = row_keys(rows);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::size_t same = known(keys[i]);
      if (same == model.n_unique()) continue;
      const auto place = model.coordinates.row(same);
      std::copy(place.begin(), place.end(), result.row(i).begin());
      if (!placed.remoteness.empty()) placed.remoteness[i] = 0;
      if (!placed.novelty.empty()) placed.novelty[i] = 0;
    }
    return placed;
  }
};

Placer::Placer(const Model& model) {
  refuse_if_any(issues_with(model));
  state_ = std::make_unique<State>(model);
}
Placer::Placer(Placer&&) noexcept = default;
Placer& Placer::operator=(Placer&&) noexcept = default;
Placer::~Placer() = default;

Matrix<double> Placer::place(MatrixView<const double> rows, const Context& context) const {
  return state_->place(rows, false, context).coordinates;
}
Matrix<double> Placer::place(MatrixView<const float> rows, const Context& context) const {
  return state_->place(rows, false, context).coordinates;
}
Placement Placer::place_and_measure(MatrixView<const double> rows, const Context& context) const {
  return state_->place(rows, true, context);
}
Placement Placer::place_and_measure(MatrixView<const float> rows, const Context& context) const {
  return state_->place(rows, true, context);
}
Placement Placer::place_by_distances(MatrixView<const double> distances,
                                     const Context& context) const {
  return state_->place_given(
      detail::nearest_by_distances(state_->model, distances, state_->n_searched(), context), false,
      context);
}
Placement Placer::place_by_distances(const SparseMatrix& distances, const Context& context) const {
  return state_->place_given(
      detail::nearest_by_distances(state_->model, distances, state_->n_searched()), false, context);
}
Placement Placer::place_by_affinities(const SparseMatrix& weights, const Context& context) const {
  return state_->place_given(detail::nearest_by_affinities(state_->model, weights), true, context);
}

Matrix<double> place(const Model& model, MatrixView<const double> rows, const Context& context) {
  return Placer(model).place(rows, context);
}
Matrix<double> place(const Model& model, MatrixView<const float> rows, const Context& context) {
  return Placer(model).place(rows, context);
}

}  // namespace geotherm
