#include "bootstrap_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "geotherm/stability.hpp"

namespace geotherm::cli {
namespace {

double median_of(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double x) { return std::isnan(x); }),
               values.end());
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::string spread_file(const std::string& output) {
  const std::filesystem::path path(output);
  return (path.parent_path() / (path.stem().string() + "_spread.csv")).string();
}

nlohmann::json run_bootstrap(const std::string& method, const LoadedInput& loaded,
                             const MethodOptions& settings, const Matrix<double>& map,
                             std::size_t n_samples, const std::string& output,
                             RunContext& run_context) {
  const BootstrapOptions how{.n_samples = n_samples};
  // Warnings of the subsamples repeat those of the whole.
  Context quiet = run_context.context();
  quiet.on_log = {};
  const Stability found = bootstrap(*method_named(method), loaded.input(), settings, map,
                                    loaded.colors.categories, how, quiet);
  run_context.clear_bar();
  Matrix<double> column(found.spread.size(), 1);
  // In none or one of the subsamples: no spread is known, and tables hold numbers.
  for (std::size_t i = 0; i < found.spread.size(); ++i) {
    column(i, 0) = std::isnan(found.spread[i]) ? -1 : found.spread[i];
  }
  const std::string file = spread_file(output);
  write_table(file, column, loaded.table.row_names, {"spread"}, "spread");
  const double median = median_of(found.spread);
  nlohmann::json pairs = nlohmann::json::array();
  for (const GroupInterval& pair : found.intervals) {
    pairs.push_back({{"first", pair.first},
                     {"second", pair.second},
                     {"low", pair.low},
                     {"median", pair.median},
                     {"high", pair.high}});
  }
  run_context.say(fmt::format(
      "{} subsamples: points move by {:.3g} (median), {:.1f} % of the map's extent -> {}",
      how.n_samples, median, found.extent > 0 ? 100 * median / found.extent : 0.0, file));
  return {{"n_samples", how.n_samples},
          {"share", how.share},
          {"spread_file", file},
          {"median_spread", median},
          {"extent", found.extent},
          {"disparity", found.disparity},
          {"group_by", loaded.colors.categories.empty() ? "" : loaded.colors.name},
          {"group_distances", std::move(pairs)}};
}

}  // namespace geotherm::cli
