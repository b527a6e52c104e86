// What a model has to fulfil before anything is placed by it.
#include <algorithm>
#include <cmath>
#include <string>

#include "geotherm/model.hpp"

namespace geotherm {
namespace {

bool all_finite(const double* values, std::size_t n) {
  return std::all_of(values, values + n, [](double x) { return std::isfinite(x); });
}

std::vector<std::string> issues_with_steps(const Preparation& steps) {
  std::vector<std::string> issues;
  if (steps.n_columns == 0) issues.emplace_back("n_columns is 0: a row has at least one column");
  if (steps.target_sum && !(*steps.target_sum > 0 && std::isfinite(*steps.target_sum))) {
    issues.push_back("target_sum is " + std::to_string(*steps.target_sum) +
                     ": give a positive number");
  }
  if (steps.asinh_by && !(*steps.asinh_by > 0 && std::isfinite(*steps.asinh_by))) {
    issues.push_back("asinh_by is " + std::to_string(*steps.asinh_by) + ": give a positive number");
  }
  if (steps.clip && !(*steps.clip > 0)) {
    issues.push_back("clip is " + std::to_string(*steps.clip) + ": give a positive number");
  }
  for (const Index c : steps.counted) {
    if (c >= 0 && static_cast<std::size_t>(c) < steps.n_columns) continue;
    issues.push_back("counted has " + std::to_string(c) + ": rows have columns 0 to " +
                     std::to_string(steps.n_columns - 1));
    break;
  }
  const std::size_t kept = steps.columns.empty() ? steps.n_columns : steps.columns.size();
  for (const Index c : steps.columns) {
    if (c >= 0 && static_cast<std::size_t>(c) < steps.n_columns) continue;
    issues.push_back("columns has " + std::to_string(c) + ": rows have columns 0 to " +
                     std::to_string(steps.n_columns - 1));
    break;
  }
  const auto compare = [&](const char* name, const std::vector<double>& values) {
    if (values.empty()) return;
    if (values.size() != kept) {
      issues.push_back(std::string(name) + " has " + std::to_string(values.size()) +
                       " entries for " + std::to_string(kept) + " columns");
    } else if (!all_finite(values.data(), values.size())) {
      issues.push_back(std::string(name) + " has entries that are not finite");
    }
  };
  compare("shift", steps.shift);
  compare("scale", steps.scale);
  if (!steps.rotation.empty() && steps.rotation.cols() != kept) {
    issues.push_back("rotation has " + std::to_string(steps.rotation.cols()) + " columns for " +
                     std::to_string(kept));
  }
  if (!steps.offset.empty() && (steps.offset.size() != steps.rotation.rows() ||
                                !all_finite(steps.offset.data(), steps.offset.size()))) {
    issues.push_back("offset has " + std::to_string(steps.offset.size()) + " entries for " +
                     std::to_string(steps.rotation.rows()) + " rows of the rotation, or some are " +
                     "not finite");
  }
  if (!all_finite(steps.rotation.data(), steps.rotation.size())) {
    issues.emplace_back("rotation has entries that are not finite");
  }
  return issues;
}

/// Neighbours, labels and eigenvalues, each where they are there.
void add_issues_with_lists(const Model& model, std::vector<std::string>& issues) {
  const std::size_t n = model.n_unique();
  const NeighborLists& lists = model.neighbors;
  const auto is_place = [n](Index j) { return j >= 0 && static_cast<std::size_t>(j) < n; };
  if (lists.n_points != 0 &&
      (lists.n_points != n || lists.offsets.size() != n + 1 || lists.offsets.front() != 0 ||
       lists.offsets.back() != lists.indices.size() ||
       lists.indices.size() != lists.distances.size() ||
       !std::is_sorted(lists.offsets.begin(), lists.offsets.end()) ||
       !std::all_of(lists.indices.begin(), lists.indices.end(), is_place))) {
    issues.emplace_back("neighbors does not fit the places");
  } else if (!std::all_of(lists.distances.begin(), lists.distances.end(),
                          [](double d) { return d >= 0; })) {
    issues.emplace_back("neighbors has distances that are negative or no numbers");
  }
  for (const UniqueRowLabels& labels : model.labels) {
    const auto is_label = [&](Index code) {
      return code >= -1 && code < static_cast<Index>(labels.names.size());
    };
    if (labels.codes.size() != n || !std::ranges::all_of(labels.codes, is_label)) {
      issues.push_back("labels '" + labels.name + "' do not fit the places");
    }
  }
  const auto& values = model.extension.eigenvalues;
  if (values.empty()) return;
  if (values.size() > model.coordinates.cols() ||
      !std::ranges::all_of(values, [](double value) { return value > 0 && value <= 1 + 1e-6; })) {
    issues.emplace_back("eigenvalues do not fit the map");
  }
}

}  // namespace

std::vector<std::string> issues_with(const Model& model) {
  std::vector<std::string> issues = issues_with_steps(model.preparation);
  const std::size_t n = model.n_unique();
  const std::size_t n_out = model.preparation.n_out();
  const std::size_t n_names = model.column_names.size();
  if (n_names != 0 && n_names != model.preparation.n_columns) {
    issues.push_back("column_names has " + std::to_string(n_names) + " names for " +
                     std::to_string(model.preparation.n_columns) + " columns");
  }
  if (!model.row_names.empty() && model.row_names.size() != model.n_rows()) {
    issues.push_back("row_names has " + std::to_string(model.row_names.size()) + " names for " +
                     std::to_string(model.n_rows()) + " rows");
  }
  for (const Index place : model.unique_inverse) {
    if (place >= 0 && static_cast<std::size_t>(place) < n) continue;
    issues.push_back("unique_inverse names point " + std::to_string(place) + " of " +
                     std::to_string(n));
    break;
  }
  add_issues_with_lists(model, issues);
  if (model.coordinates.empty()) issues.emplace_back("coordinates is empty: a map has places");
  if (!all_finite(model.coordinates.data(), model.coordinates.size())) {
    issues.emplace_back("coordinates has entries that are not finite");
  }
  if (!(model.refined_unit >= 0 && std::isfinite(model.refined_unit))) {
    issues.emplace_back("refined_unit is not a finite number of 0 or more");
  }
  if (model.input != ModelInput::points) {
    if (model.is_linear || !model.keys.empty()) {
      issues.emplace_back("a map of distances or affinities has no columns, so it is not linear "
                          "and has no keys");
    }
    if (model.n_neighbors < 1 || model.n_neighbors > n) {
      issues.push_back("n_neighbors is " + std::to_string(model.n_neighbors) + ": give 1 to " +
                       std::to_string(n));
    }
    return issues;
  }
  if (model.keys.size() != n) {
    issues.push_back("keys has " + std::to_string(model.keys.size()) + " entries for " +
                     std::to_string(n) + " places");
  }
  if (model.is_linear) {
    if (n_out > model.coordinates.cols()) {
      issues.push_back("a linear map of " + std::to_string(n_out) + " columns has only " +
                       std::to_string(model.coordinates.cols()) + " coordinates");
    }
    return issues;
  }
  std::visit(
      [&](const auto& points) {
        if (points.rows() != n || points.cols() != n_out) {
          issues.push_back("points is " + std::to_string(points.rows()) + " x " +
                           std::to_string(points.cols()) + " for " + std::to_string(n) +
                           " places and " + std::to_string(n_out) + " columns");
        }
        if (!std::all_of(points.data(), points.data() + points.size(),
                         [](auto x) { return std::isfinite(x); })) {
          issues.emplace_back("points has entries that are not finite");
        }
      },
      model.points);
  const bool is_single = std::holds_alternative<Matrix<float>>(model.points);
  if (is_single && !model.preparation.is_empty()) {
    issues.emplace_back("points is float32, though prepared points are float64");
  }
  if (model.n_neighbors < 1 || model.n_neighbors > n) {
    issues.push_back("n_neighbors is " + std::to_string(model.n_neighbors) + ": give 1 to " +
                     std::to_string(n));
  }
  return issues;
}

}  // namespace geotherm
