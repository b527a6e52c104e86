// Metric MDS of distances that the caller has already.
#include <cmath>

#include "methods/check_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm {

EmbeddingRun metric_mds(const Input& input, const MethodOptions& options, const Context& context) {
  refuse_if_any(issues_with(options.mds));
  if (input.distances().empty()) {
    throw InvalidArgument("metric MDS needs a full distance matrix as its input");
  }
  EmbeddingRun result;
  RunReport& report = result.distances.report;
  {
    const detail::StageClock clock(report, "layout");
    result.distances.unique_inverse = detail::rows_as_points(input.distances().rows);
    const MethodOptions from_start = detail::with_start(options, input, result.distances, context);
    detail::note_start(options, report);
    result.embedding = mds(input.distances(), from_start.mds, {}, context);
    result = detail::turned_to_start(std::move(result), from_start);
  }
  report.resolved["mds"] = std::string(to_string(options.mds.method));
  report.resolved["stress"] = result.embedding.stress;
  report.resolved["layout_iterations"] = static_cast<double>(result.embedding.iterations);
  return detail::checked(detail::refined(std::move(result), input, options, context), input);
}

namespace detail {

Method mds_method() {
  return {.name = "mds",
          .display = "MDS",
          .title = "metric scaling of the given distances",
          .summary = "metric MDS of a given distance matrix",
          .has_parts = parts::map | parts::metric | parts::mds | parts::mds_weights | parts::refine,
          .needs = Needs::distances,
          .embed = metric_mds};
}

}  // namespace detail
}  // namespace geotherm
