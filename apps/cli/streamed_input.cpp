#include "streamed_input.hpp"

#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "estimate.hpp"
#include "run_context.hpp"
#include "table_options.hpp"

namespace geotherm::cli {
namespace {

/// Smaller tables are read whole: once is faster than four times.
constexpr std::size_t large_table = std::size_t{1} << 26;

/// The rows of the input where they are to be reduced while they are read. Null: read it whole.
std::unique_ptr<ObservationRows> rows_to_reduce(const std::string& path, const MethodFlags& method,
                                                const InputOptions& options, bool needs_table) {
  const std::optional<PcaOptions>& pca = method.settings.pca;
  const bool has_rank = pca && pca->rank && *pca->rank > 0;
  if (!has_rank || needs_table || method.is_precomputed() || !method.row().has(parts::reduction) ||
      options.preprocess != "none" || options.scale != "none") {
    return nullptr;
  }
  std::unique_ptr<ObservationRows> rows = open_rows(path, read_options_of(options));
  if (!rows || rows->n_bytes() < large_table || !streams_into_pca(rows->cols())) return nullptr;
  return rows;
}

LoadedInput load_reduced(const std::string& path, ObservationRows& rows, MethodFlags& method,
                         const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  LoadedInput loaded;
  ReducedRows reduced;
  try {
    reduced = reduce_rows(rows, *method.settings.pca, context);
  } catch (const InvalidData& e) {
    throw InvalidData(path + ": " + e.what());
  }
  if (rows.holds_counts()) warn_of_counts(path, context);
  Observations about = rows.about();
  loaded.n_rows_in_file = reduced.pca.scores.rows();
  loaded.table = std::move(about.table);
  loaded.file_columns = std::move(loaded.table.column_names);
  loaded.table.column_names.clear();
  loaded.table.values = std::move(reduced.pca.scores);
  loaded.colors =
      about.labels.empty() ? colors_beside(path, loaded.n_rows_in_file) : colors_of(about.labels);
  loaded.steps = std::move(reduced.steps);
  loaded.keys_before = std::move(reduced.keys);
  loaded.reduction = std::move(reduced.pca.choice);
  require_usable(path, loaded);
  method.settings.pca = PcaOptions{.rank = 0};
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  loaded.reduction_s = taken.count();
  return loaded;
}

}  // namespace

std::optional<LoadedInput> load_or_reduce(const std::string& path, MethodFlags& method,
                                          const InputOptions& options, bool needs_table,
                                          bool only_estimate, const Context& context) {
  const SignalsEndAtOnce nothing_is_written_yet;
  const std::unique_ptr<ObservationRows> rows = rows_to_reduce(path, method, options, needs_table);
  if (!rows) return load_input(path, method.is_precomputed(), options, context);
  if (only_estimates(only_estimate, method, shape_of(*rows, *method.settings.pca), context)) {
    return std::nullopt;
  }
  return load_reduced(path, *rows, method, context);
}

void note_reduction(const LoadedInput& loaded, RunReport& report) {
  if (!loaded.is_reduced()) return;
  report.resolved["pca_rank"] = static_cast<double>(loaded.table.cols());
  report.resolved["pca_choice"] = loaded.reduction + ", read in blocks of rows";
  report.timings_s["pca"] += loaded.reduction_s;
}

}  // namespace geotherm::cli
