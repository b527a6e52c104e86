#include "methods/start.hpp"

#include <string>

#include "core/take_rows.hpp"
#include "methods/check_map.hpp"

namespace geotherm::detail {
namespace {

Matrix<double> given_start(const MethodOptions& options, const DistanceRun& run) {
  const Matrix<double>& map = options.start.map;
  if (map.rows() != run.unique_inverse.size()) {
    throw InvalidArgument("init has " + std::to_string(map.rows()) + " rows, the input " +
                          std::to_string(run.unique_inverse.size()) +
                          ": give a map of the same rows");
  }
  if (map.cols() != options.mds.n_components) {
    throw InvalidArgument(
        "init has " + std::to_string(map.cols()) + " columns, but n_components is " +
        std::to_string(options.mds.n_components) + ": give a map of as many dimensions");
  }
  require_finite(map.view());
  return take_rows<double>(map.view(), first_rows(run.unique_inverse));
}

template <class T>
Matrix<double> components_of(MatrixView<const T> points, const MethodOptions& options,
                             const DistanceRun& run, const Context& context) {
  const Matrix<T> distinct = take_rows<T>(points, first_rows(run.unique_inverse));
  return principal_components<T>(std::as_const(distinct).view(), options.mds.n_components, context)
      .scores;
}

[[noreturn]] void refuse_pca() {
  throw InvalidArgument("init is pca, but there are no points: use spectral, or give a map");
}

}  // namespace

MethodOptions with_start(MethodOptions options, const Input& input, const DistanceRun& run,
                         const Context& context) {
  if (options.start.kind == StartKind::own) return options;
  if (options.start.kind == StartKind::map) {
    options.mds.start = given_start(options, run);
  } else if (options.start.kind == StartKind::pca) {
    if (!input.points().empty()) {
      options.mds.start = components_of(input.points(), options, run, context);
    } else if (!input.points32().empty()) {
      options.mds.start = components_of(input.points32(), options, run, context);
    } else {
      refuse_pca();
    }
  } else {
    if (run.graph.n_points() == 0) {
      throw InvalidArgument("init is spectral, but distances alone have no graph: give a map");
    }
    options.mds.start = run.graph.n_points() < 2
                            ? Matrix<double>(run.graph.n_points(), options.mds.n_components)
                            : graph_eigenmaps(run.graph, options.mds.n_components, context);
  }
  return options;
}

void note_start(const MethodOptions& options, RunReport& report) {
  const StartKind kind = options.start.kind;
  if (kind == StartKind::own) return;
  report.resolved["start"] = std::string(kind == StartKind::map   ? "given map"
                                         : kind == StartKind::pca ? "pca"
                                                                  : "spectral");
}

Matrix<double> asked_start(const MethodOptions& options, const Input& input, const DistanceRun& run,
                           const PointNeighbors& found, const Context& context) {
  if (options.start.kind == StartKind::own || found.lists.n_points < 2) return {};
  if (options.start.kind != StartKind::spectral) {
    return with_start(options, input, run, context).mds.start;
  }
  return graph_eigenmaps(start_graph(found, context), options.mds.n_components, context);
}

Graph start_graph(const PointNeighbors& found, const Context& context) {
  return build_graph(found.lists, {.kind = Affinity::fuzzy_union}, context);
}

EmbeddingRun lay_out(NeighborRun neighbors, const NeighborLayout& method, const Input& input,
                     const MethodOptions& options, const Context& context) {
  auto& [found, run] = neighbors;
  Matrix<double> start;
  {
    const StageClock clock(run.report, "start");
    start = asked_start(options, input, run, found, context);
    if (start.empty()) {
      start = method.own_start(found, run.report);
    } else {
      note_start(options, run.report);
    }
  }
  Layout layout;
  {
    const StageClock clock(run.report, "layout");
    layout = method.layout(found.lists, std::move(start), run.report);
  }
  return checked(turned_to_start(finish(std::move(run), std::move(layout.coordinates),
                                        layout.outcome, layout.iterations),
                                 options),
                 input);
}

EmbeddingRun turned_to_start(EmbeddingRun run, const MethodOptions& options) {
  Matrix<double>& map = run.embedding.coordinates;
  if (options.start.kind != StartKind::map || map.empty()) return run;
  const Matrix<double> rotation = procrustes(options.start.map.view(), map.view()).rotation;
  std::vector<double> turned(map.cols());
  for (std::size_t i = 0; i < map.rows(); ++i) {
    for (std::size_t c = 0; c < map.cols(); ++c) {
      turned[c] = 0;
      for (std::size_t k = 0; k < map.cols(); ++k) turned[c] += map(i, k) * rotation(k, c);
    }
    std::copy(turned.begin(), turned.end(), map.row(i).begin());
  }
  return run;
}

}  // namespace geotherm::detail
