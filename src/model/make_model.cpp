// A finished run -> what is needed to place new points beside its own.
#include <algorithm>
#include <cmath>

#include "core/take_rows.hpp"
#include "geotherm/model.hpp"
#include "model/refined.hpp"

namespace geotherm {
namespace {

// Measured on held-out digits and rolls: more neighbours blur places, fewer follow the noise.
constexpr std::size_t usual_neighbors = 10;

Matrix<double> in_double(const Matrix<float>& points) {
  auto wide = Matrix<double>::uninitialized(points.rows(), points.cols());
  std::copy(points.data(), points.data() + points.size(), wide.data());
  return wide;
}
Matrix<double> in_double(const Matrix<double>& points) { return points; }

template <class T>
void take_points(Model& model, Matrix<T> distinct, const Context& context) {
  model.keys = row_keys(distinct.view());
  if (model.is_linear) return;
  if (model.preparation.is_empty()) {
    model.points = std::move(distinct);
  } else {
    model.points = prepare(model.preparation, in_double(distinct), context);
  }
}

std::size_t chosen_neighbors(const DistanceRun& run, std::size_t n_places) {
  std::size_t knn = usual_neighbors;
  if (run.knn) knn = std::min(knn, std::max<std::size_t>(3, *run.knn));
  if (detail::is_refined(run.report.resolved)) knn = std::max(knn, detail::refined_neighbors);
  return std::clamp<std::size_t>(knn, 1, n_places);
}

}  // namespace

Model make_model(std::string_view method, const Input& input, const MethodOptions& options,
                 const EmbeddingRun& run, const Context& context) {
  if (!input.has_points()) {
    throw InvalidArgument(
        "a model needs points as its input: a new point has no place among distances, neighbours "
        "or affinities that were given");
  }
  const bool is_single = input.points().empty();
  const std::vector<Index> rows = detail::first_rows(run.distances.unique_inverse);
  Model model;
  model.method = method;
  model.version = version();
  model.metric = options.neighbors.metric;
  model.resolved = run.distances.report.resolved;
  model.preparation.n_columns = is_single ? input.points32().cols : input.points().cols;
  const Pca& reduction = run.distances.reduction;
  model.preparation.shift = reduction.mean;
  model.preparation.rotation = reduction.components;
  // PCA's map is linear, unless it was refined: its own mean and components place any row.
  const Method* known = method_named(method);
  model.is_linear = known != nullptr && known->is_linear &&
                    !run.distances.reduction.components.empty();
  model.coordinates = detail::take_rows<double>(run.embedding.coordinates.view(), rows);
  model.n_neighbors = chosen_neighbors(run.distances, rows.size());
  if (is_single) {
    take_points(model, detail::take_rows<float>(input.points32(), rows), context);
  } else {
    take_points(model, detail::take_rows<double>(input.points(), rows), context);
  }
  return model;
}

Model with_steps_before(Model model, Preparation before, const std::vector<RowKey>& keys,
                        const std::vector<Index>& unique_inverse) {
  const std::vector<Index> rows = detail::first_rows(unique_inverse);
  const Preparation& after = model.preparation;
  if (before.n_out() != after.n_columns || keys.size() != unique_inverse.size() ||
      rows.size() != model.n_places() || after.target_sum || after.asinh_by || after.clip ||
      !after.columns.empty() || !after.scale.empty()) {
    throw InvalidArgument(
        "the model's own steps cannot follow others: only a PCA of as many columns as those leave");
  }
  if (!after.rotation.empty() && before.rotation.empty()) {
    // Nothing is between: (x - s) c - m = (x - (s + m / c)) c, with the PCA's mean m.
    if (before.clip) {
      throw InvalidArgument("the model's PCA cannot follow columns that were cut");
    }
    for (std::size_t c = 0; c < after.shift.size(); ++c) {
      if (before.shift.empty()) before.shift.assign(after.shift.size(), 0.0);
      before.shift[c] += before.scale.empty() ? after.shift[c] : after.shift[c] / before.scale[c];
    }
    before.rotation = after.rotation;
  } else if (!after.rotation.empty()) {
    // after (before x - o) - after mean: one rotation, one offset.
    const std::size_t k = after.rotation.rows(), inner = before.rotation.rows();
    Matrix<double> both(k, before.rotation.cols());
    std::vector<double> offset(k, 0.0);
    for (std::size_t r = 0; r < k; ++r) {
      for (std::size_t j = 0; j < inner; ++j) {
        const double share = after.rotation(r, j);
        for (std::size_t c = 0; c < both.cols(); ++c) both(r, c) += share * before.rotation(j, c);
        offset[r] += share * ((before.offset.empty() ? 0.0 : before.offset[j]) +
                              (after.shift.empty() ? 0.0 : after.shift[j]));
      }
    }
    before.rotation = std::move(both);
    before.offset = std::move(offset);
  }
  model.preparation = std::move(before);
  model.column_names.clear();
  model.keys.clear();
  for (const Index row : rows) model.keys.push_back(keys[static_cast<std::size_t>(row)]);
  if (const auto* single = std::get_if<Matrix<float>>(&model.points)) {
    if (!model.is_linear) model.points = in_double(*single);
  }
  return model;
}

}  // namespace geotherm
