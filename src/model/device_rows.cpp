// A table in a GPU's memory -> what the methods and the model of a map need of it on the host.
#include <chrono>
#include <cmath>
#include <unordered_map>

#include "core/device.hpp"
#include "core/take_rows.hpp"
#include "geotherm/model.hpp"
#include "geotherm/moments.hpp"
#include "methods/stages.hpp"
#include "points/checks.hpp"
#include "points/device_table.hpp"

namespace geotherm {

#ifdef GEOTHERM_WITH_CUDA
namespace {

detail::Device& device_for(const Context& context) {
  detail::Device* const device = detail::device_of(context);
  if (device == nullptr) {
    throw InvalidArgument("the table lies in a GPU's memory: give a context with the device");
  }
  return *device;
}

void refuse_unusable(const detail::DeviceTable& table) {
  if (table.rows() < 2 || table.cols() == 0) {
    throw InvalidData("the table has " + std::to_string(table.rows()) + " rows and " +
                      std::to_string(table.cols()) +
                      " columns: give at least two rows and one column");
  }
}

struct KeyHash {
  std::size_t operator()(const RowKey& key) const { return static_cast<std::size_t>(key[0]); }
};

/// By their keys.
UniqueRows unique_rows_of(const std::vector<RowKey>& keys) {
  UniqueRows unique;
  std::unordered_map<RowKey, Index, KeyHash> places;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [found, is_new] =
        places.try_emplace(keys[i], static_cast<Index>(unique.first.size()));
    if (is_new) unique.first.push_back(static_cast<Index>(i));
    unique.unique_inverse.push_back(found->second);
  }
  return unique;
}

/// A power of two that brings the largest entry near 1: squares neither overflow nor vanish.
double scale_for(double largest) { return largest > 0 ? std::exp2(-std::ilogb(largest)) : 1.0; }

}  // namespace

ReducedRows reduce_rows(const DevicePoints& points, const PcaOptions& options,
                        const Context& context) {
  detail::DeviceTable table(device_for(context), points);
  refuse_unusable(table);
  refuse_if_any(issues_with(options, points.rows, points.cols));
  const detail::DeviceTable::Entries entries = table.look();
  if (entries.bad_row) {
    detail::refuse_entry(*entries.bad_row, entries.bad_col, entries.bad_value);
  }
  const std::vector<double> largest(points.cols, entries.largest);
  detail::require_measurable({largest.data(), 1, points.cols, points.cols});
  ReducedRows result;
  std::vector<RowKey> keys;  // copied once it is known that they are needed
  std::vector<Index> unique_inverse;
  if (table.may_have_equal_rows()) {
    keys = table.keys();
    UniqueRows unique = unique_rows_of(keys);
    result.n_equal = points.rows - unique.first.size();
    if (result.n_equal > 0) {
      table.keep(unique.first);
      unique_inverse = std::move(unique.unique_inverse);
    }
  }
  const double scale = scale_for(entries.largest);
  const Moments moments = table.moments(scale, context);
  result.pca.was_reduced = false;
  if (!options.rank && is_principal_components(moments)) {
    result.pca.choice = "the columns are principal components already: nothing is cut";
    return result;
  }
  PcaOptions within = options;
  within.leaves_out_uncut = true;
  result.pca = pca(moments, within, context);
  if (!result.pca.was_reduced) return result;
  for (double& mean : result.pca.mean) mean /= scale;
  for (double& value : result.pca.singular_values) value /= scale;
  result.pca.scores = table.scores(result.pca.mean, result.pca.components, context);
  if (!unique_inverse.empty()) {
    result.pca.scores = detail::take_rows<double>(result.pca.scores.view(), unique_inverse);
  }
  result.keys = keys.empty() ? table.keys() : std::move(keys);
  result.steps.n_columns = points.cols;
  result.steps.shift = result.pca.mean;
  result.steps.rotation = result.pca.components;
  return result;
}

namespace {

template <class T>
Matrix<T> on_host(const DevicePoints& points, const Context& context) {
  auto rows = Matrix<T>::uninitialized(points.rows, points.cols);
  copy_to_host(device_for(context), points, rows.view());
  return rows;
}

}  // namespace

RowsFromDevice rows_from_device(const DevicePoints& points, const Method& method,
                                MethodOptions& options, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t before = bytes_to_host(device_for(context));
  RowsFromDevice result;
  const MethodOptions chosen =
      method.choices != nullptr ? method.choices(options, points.rows) : options;
  const bool reduces = method.has(parts::reduction) && chosen.pca && chosen.pca->rank != 0 &&
                       streams_into_pca(points.cols);
  if (reduces) result.reduced = reduce_rows(points, *chosen.pca, context);
  if (result.is_reduced()) {
    result.points = std::move(result.reduced.pca.scores);
    options.pca = PcaOptions{.rank = 0};
  } else if (points.is_single) {
    result.points = on_host<float>(points, context);
  } else {
    result.points = on_host<double>(points, context);
  }
  result.bytes_copied = bytes_to_host(device_for(context)) - before;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  result.seconds = taken.count();
  return result;
}

#else

ReducedRows reduce_rows(const DevicePoints&, const PcaOptions&, const Context&) {
  throw InvalidArgument(why_no_cuda_device());
}

RowsFromDevice rows_from_device(const DevicePoints&, const Method&, MethodOptions&,
                                const Context&) {
  throw InvalidArgument(why_no_cuda_device());
}

#endif

Input RowsFromDevice::input() const {
  return std::visit([](const auto& rows) { return Input(rows); }, points);
}

Model RowsFromDevice::finished(Model model, const std::vector<Index>& unique_inverse) const {
  if (!is_reduced()) return model;
  return with_steps_before(std::move(model), reduced.steps, reduced.keys, unique_inverse);
}

void RowsFromDevice::note(RunReport& report) const {
  report.resolved["input_bytes_copied"] = static_cast<double>(bytes_copied);
  if (!is_reduced()) return;
  report.resolved["pca_rank"] = static_cast<double>(reduced.steps.rotation.rows());
  report.resolved["pca_choice"] = reduced.pca.choice + ", where the table lies";
  report.timings_s["pca"] += seconds;
}

}  // namespace geotherm
