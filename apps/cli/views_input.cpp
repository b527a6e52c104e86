#include "views_input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "geotherm/views.hpp"

namespace geotherm::cli {
namespace {

/// The rows of a view in the order of `names`; refuses a view that lacks one.
Matrix<double> in_order(const LoadedInput& view, const std::vector<std::string>& names,
                        const std::string& shown) {
  const Matrix<double> points = view.table.to_double();
  const std::vector<std::string>& own = view.table.row_names;
  if (names.empty() || own.empty() || own == names) {
    if (!names.empty() && points.rows() != names.size()) {
      throw InvalidData(fmt::format("--view {}: has {} rows, the first view has {}", shown,
                                    points.rows(), names.size()));
    }
    return points;
  }
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < own.size(); ++i) row_of.emplace(own[i], i);
  Matrix<double> ordered(names.size(), points.cols());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = row_of.find(names[i]);
    if (found == row_of.end()) {
      throw InvalidData(
          fmt::format("--view {}: lacks the row '{}' of the first view; give the same "
                      "rows in every view",
                      shown, names[i]));
    }
    std::ranges::copy(points.row(found->second), ordered.row(i).begin());
  }
  return ordered;
}

Matrix<double> reduced(Matrix<double> points, const MethodOptions& settings,
                       const Context& context) {
  const PcaOptions options = settings.pca.value_or(PcaOptions{});
  if (options.rank == 0 || needs_raw_columns(settings.neighbors.metric) ||
      (!options.rank && is_principal_components(std::as_const(points).view(), context))) {
    return points;
  }
  Pca found =
      pca(std::as_const(points).view(), {.rank = options.rank, .leaves_out_uncut = true}, context);
  return found.was_reduced ? std::move(found.scores) : std::move(points);
}

nlohmann::json weights_in_short(const std::vector<ViewPlace>& views,
                                const Matrix<double>& weights) {
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t m = 0; m < views.size(); ++m) {
    std::vector<double> column(weights.rows());
    double mean = 0;
    for (std::size_t i = 0; i < weights.rows(); ++i) {
      column[i] = weights(i, m);
      mean += column[i] / static_cast<double>(weights.rows());
    }
    std::ranges::sort(column);
    json.push_back({{"view", views[m].name},
                    {"mean_weight", mean},
                    {"lower_quartile", column[column.size() / 4]},
                    {"upper_quartile", column[3 * column.size() / 4]}});
  }
  return json;
}

}  // namespace

std::vector<ViewPlace> places_of_views(const std::string& input,
                                       const std::vector<std::string>& views) {
  std::vector<ViewPlace> places;
  if (input.ends_with(".h5mu")) {
    const std::vector<std::string> wanted = views.empty() ? list_modalities(input) : views;
    for (const std::string& name : wanted) places.push_back({input + ":" + name, "", name});
    return places;
  }
  if (views.empty()) return places;
  bool has_input = false;
  for (const std::string& view : views) {
    std::error_code ignored;
    const bool is_file = std::filesystem::exists(split_key(view).first, ignored);
    if (!is_file && input.ends_with(".h5ad")) {
      places.push_back({input, view, view});
      has_input = true;
    } else {
      places.push_back({view, "", view});
      has_input = has_input || view == input;
    }
  }
  if (!has_input && !input.empty()) places.insert(places.begin(), {input, "", input});
  if (places.size() < 2) {
    throw InvalidArgument(
        "--view is given once: several views are needed, e.g. geotherm embed rna.csv --view "
        "protein.csv");
  }
  return places;
}

NeighborOptions neighbors_for_lists(const MethodFlags& method, std::size_t n_points) {
  NeighborOptions neighbors = method.settings.neighbors;
  neighbors.reach = std::max(neighbors.reach, reach_of(method.settings.affinity));
  if (n_points < 2) return neighbors;
  if (method.row().has(parts::tsne)) {
    neighbors.knn = neighbors_for(method.settings.tsne, n_points);
  } else if (method.row().has(parts::umap)) {
    neighbors.knn = std::min<std::size_t>(neighbors.knn.value_or(15), n_points - 1);
  }
  return neighbors;
}

LoadedInput load_views(const std::vector<ViewPlace>& views, const MethodFlags& method,
                       const InputOptions& options, const Context& context) {
  LoadedInput first;
  std::vector<Matrix<double>> points;
  for (const ViewPlace& view : views) {
    InputOptions how = options;
    if (!view.use.empty()) how.read.use = view.use;
    if (!points.empty()) how.read.label_column.clear();
    LoadedInput loaded = load_input(view.path, false, how, context);
    if (loaded.holds != Holds::points) {
      throw InvalidArgument(
          fmt::format("--view {}: is a graph; views are tables of points", view.name));
    }
    const std::vector<std::string>& names =
        points.empty() ? loaded.table.row_names : first.table.row_names;
    points.push_back(reduced(in_order(loaded, names, view.name), method.settings, context));
    if (points.size() > 1 && points.back().rows() != points.front().rows()) {
      throw InvalidData(fmt::format("--view {}: has {} rows, the first view has {}", view.name,
                                    points.back().rows(), points.front().rows()));
    }
    if (points.size() == 1) {
      first = std::move(loaded);
    } else {
      first.table.assumed += fmt::format("; view {}: {} columns", view.name, points.back().cols());
    }
  }
  std::vector<MatrixView<const double>> all;
  for (const Matrix<double>& view : points) all.push_back(view.view());
  JoinedViews joined = join_views(all, neighbors_for_lists(method, points.front().rows()), context);
  first.joined = std::move(joined.lists);
  first.views = weights_in_short(views, joined.weights);
  return first;
}

}  // namespace geotherm::cli
