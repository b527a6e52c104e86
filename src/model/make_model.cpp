// A finished run -> what is needed to place new points beside its own.
#include <algorithm>
#include <cmath>

#include "core/take_rows.hpp"
#include "geotherm/model.hpp"

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

std::size_t chosen_neighbors(const EmbeddingRun& run, std::size_t n_unique) {
  std::size_t knn = usual_neighbors;
  if (run.distances.knn) knn = std::min(knn, std::max<std::size_t>(3, *run.distances.knn));
  return std::clamp<std::size_t>(knn, 1, n_unique);
}

std::size_t knn_of(const DistanceRun& run) { return run.knn.value_or(usual_neighbors); }

/// Of affinities the largest of each row, at distance 1 / weight.
NeighborLists strongest(const SparseMatrix& weights, std::size_t most) {
  NeighborLists lists;
  lists.n_points = weights.rows;
  lists.knn = most;
  std::vector<std::pair<double, Index>> row;
  for (std::size_t i = 0; i < weights.rows; ++i) {
    row.clear();
    const auto columns = weights.row_indices(i);
    const auto values = weights.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (values[k] > 0 && static_cast<std::size_t>(columns[k]) != i) {
        row.emplace_back(1 / values[k], columns[k]);
      }
    }
    std::sort(row.begin(), row.end());
    row.resize(std::min(most, row.size()));
    lists.knn = std::min(lists.knn, row.size());
    for (const auto& [distance, j] : row) {
      lists.distances.push_back(distance);
      lists.indices.push_back(j);
    }
    lists.offsets.push_back(lists.indices.size());
  }
  return lists;
}

void keep_neighbors(Model& model, const Input& input, const MethodOptions& options,
                    const DistanceRun& run, const Context& context) {
  const std::size_t n = model.n_unique();
  if (model.is_linear || n < 2) return;
  const std::size_t most = std::min(n - 1, std::max(knn_of(run), model_neighbors));
  if (run.neighbors.n_points == n && run.neighbors.knn >= most) {
    model.neighbors = first_neighbors(run.neighbors, most);
    return;
  }
  // What is odd about the input was said when the map was made.
  Context quiet = context;
  quiet.on_log = {};
  NeighborOptions wanted{.knn = most, .metric = model.metric, .search = options.neighbors.search};
  if (model.input == ModelInput::points) {
    model.neighbors = std::visit(
        [&](const auto& points) { return find_neighbors(points.view(), wanted, quiet); },
        model.points);
  } else if (input.affinities() != nullptr) {
    model.neighbors = strongest(*input.affinities(), most);
  } else if (input.neighbors() != nullptr) {
    model.neighbors = first_neighbors(*input.neighbors(), most);
  } else if (input.sparse_distances() != nullptr) {
    model.neighbors = neighbors_from_sparse(*input.sparse_distances(), wanted, quiet);
  } else {
    model.neighbors = neighbors_from_distances(input.distances(), wanted, quiet);
  }
}

/// Eigenvalues of the walk, where the map is made of its eigenvectors and of nothing else.
SpectralExtension extension_of(std::string_view method, const MethodOptions& options,
                               const EmbeddingRun& run) {
  SpectralExtension extension;
  const Method* row = method_named(method);
  if (row == nullptr || !row->spectral || !run.unrefined.empty() || options.smooth ||
      options.affinity.anisotropy > 0) {
    return extension;
  }
  const bool is_walk = row->spectral == SpectralForm::diffusion_map;
  for (const double value : run.eigenvalues) {
    extension.eigenvalues.push_back(is_walk ? value : 1 - value);
    if (!(extension.eigenvalues.back() > 0)) return {};
  }
  extension.self_weight = is_walk ? 1 : 0;
  extension.affinity = options.affinity;
  extension.knn = knn_of(run.distances);
  return extension;
}

/// The rest of a model of distances, neighbours or affinities: rows are known by their number.
Model model_without_points(Model model, const Input& input, const MethodOptions& options,
                           const EmbeddingRun& run, const Context& context) {
  model.input = input.affinities() != nullptr ? ModelInput::affinities : ModelInput::distances;
  model.preparation.n_columns = input.n_points();
  model.coordinates = run.embedding.coordinates;
  model.n_neighbors = chosen_neighbors(run, model.n_unique());
  keep_neighbors(model, input, options, run.distances, context);
  return model;
}

}  // namespace

Model make_model(std::string_view method, const Input& input, const MethodOptions& options,
                 const EmbeddingRun& run, const Context& given) {
  // A run that was stopped has a map, and its model is made to the end.
  Context context = given;
  if (run.embedding.outcome == Outcome::stopped) {
    context.stop = nullptr;
    context.on_progress = {};
  }
  const bool is_single = input.points().empty();
  const std::vector<Index> rows = detail::first_rows(run.distances.unique_inverse);
  Model model;
  model.method = method;
  model.version = version();
  model.metric = options.neighbors.metric;
  model.resolved = run.distances.report.resolved;
  model.extension = extension_of(method, options, run);
  model.refined_unit = run.refined_unit;
  if (!input.has_points()) {
    return model_without_points(std::move(model), input, options, run, context);
  }
  model.preparation.n_columns = is_single ? input.points32().cols : input.points().cols;
  const Pca& reduction = run.distances.reduction;
  model.preparation.shift = reduction.mean;
  model.preparation.rotation = reduction.components;
  // PCA's map is linear, unless it was refined: its own mean and components place any row.
  const Method* known = method_named(method);
  model.is_linear = known != nullptr && known->is_linear &&
                    !run.distances.reduction.components.empty();
  model.coordinates = detail::take_rows<double>(run.embedding.coordinates.view(), rows);
  model.n_neighbors = chosen_neighbors(run, rows.size());
  if (is_single) {
    take_points(model, detail::take_rows<float>(input.points32(), rows), context);
  } else {
    take_points(model, detail::take_rows<double>(input.points(), rows), context);
  }
  if (!detail::are_points(run.distances.unique_inverse)) {
    model.unique_inverse = run.distances.unique_inverse;
  }
  keep_neighbors(model, input, options, run.distances, context);
  return model;
}

Model with_steps_before(Model model, Preparation before, const std::vector<RowKey>& keys,
                        const std::vector<Index>& unique_inverse) {
  const std::vector<Index> rows = detail::first_rows(unique_inverse);
  const Preparation& after = model.preparation;
  if (before.n_out() != after.n_columns || keys.size() != unique_inverse.size() ||
      rows.size() != model.n_unique() || after.target_sum || after.asinh_by || after.clip ||
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
