// The steps of a table in blocks (geotherm.distributed): arrays in, arrays out, so that every
// result can travel between machines.
#include "geotherm/blocks.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "geotherm/coarse.hpp"
#include "geotherm/moments.hpp"
#include "options.hpp"
#include "run_context.hpp"
#include "translate.hpp"

namespace geotherm::python {
namespace {

/// What heat_geo takes for a table of so many rows.
MethodOptions settings_for(const nb::dict& options, std::size_t n_rows) {
  return with_heat_geo_choices(method_options(options, method_named("heatgeo")), n_rows);
}

template <class To, class From>
std::vector<To> converted(std::span<const From> values) {
  return std::vector<To>(values.begin(), values.end());
}
template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
  return std::vector<To>(values.begin(), values.end());
}

Matrix<double> matrix_copy(const AnyArray& array, const std::string& what) {
  const auto copy = [](auto view) {
    auto made = Matrix<double>::uninitialized(view.rows, view.cols);
    for (std::size_t i = 0; i < view.rows; ++i) {
      std::copy(view.row(i).begin(), view.row(i).end(), made.row(i).begin());
    }
    return made;
  };
  return holds<float>(array) ? copy(matrix_of<float>(array, what))
                             : copy(matrix_of<double>(array, what));
}

nb::tuple to_tuple(Moments&& moments) {
  return nb::make_tuple(moments.n_rows, owned(std::move(moments.mean)),
                        owned(std::move(moments.scatter)));
}

MomentsView moments_from(const nb::handle& part) {
  const auto [n_rows, mean, scatter] = nb::cast<std::tuple<double, AnyArray, AnyArray>>(part);
  return {n_rows, vector_of<double>(mean, "mean"), matrix_of<double>(scatter, "scatter")};
}

nb::tuple block_moments(const AnyArray& rows, RunContext& run) {
  if (holds<float>(rows)) {
    const auto view = matrix_of<float>(rows, "X");
    return to_tuple(run.call([&](const Context& c) { return moments_of(view, c); }));
  }
  const auto view = matrix_of<double>(rows, "X");
  return to_tuple(run.call([&](const Context& c) { return moments_of(view, c); }));
}

nb::dict pca_of_moments(const nb::tuple& table, std::optional<std::size_t> rank, RunContext& run) {
  const MomentsView moments = moments_from(table);
  Pca found = run.call([&](const Context& context) {
    return pca(moments, {.rank = rank, .leaves_out_uncut = true}, context);
  });
  nb::dict all;
  all["was_reduced"] = found.was_reduced;
  all["choice"] = found.choice;
  all["mean"] = owned(std::move(found.mean));
  all["singular_values"] = owned(std::move(found.singular_values));
  all["components"] =
      found.was_reduced ? nb::object(nb::cast(owned(std::move(found.components)))) : nb::none();
  return all;
}

nb::dict cells_of_block(const AnyArray& points, const AnyArray& is_own, const AnyArray& landmarks,
                        const nb::dict& options, std::size_t n_rows, RunContext& run) {
  const auto view = matrix_of<float>(points, "points");
  const auto own = vector_of<std::uint8_t>(is_own, "is_own");
  const auto chosen = vector_of<Index>(landmarks, "landmarks");
  MethodOptions settings = settings_for(options, n_rows);
  settings.neighbors.knn = resolve_knn(settings.neighbors.knn, n_rows, {});
  BlockCells block = run.call([&](const Context& context) {
    return block_cells(view, own, chosen, settings.neighbors, settings.affinity, context);
  });
  nb::dict all;
  const SparseMatrix& w = block.graph.weights;
  all["offsets"] = owned(converted<std::int64_t>(w.offsets));
  all["indices"] = owned(converted<Index>(w.indices));
  all["weights"] = owned(converted<float>(w.values));
  all["lengths"] = owned(converted<float>(block.graph.lengths));
  all["unique_inverse"] = owned(std::move(block.unique_inverse));
  all["landmark_places"] = owned(std::move(block.cells.landmarks));
  all["cell_of"] = owned(std::move(block.cells.cell_of));
  all["to_landmark"] = owned(converted<float>(block.cells.to_landmark));
  all["n_points"] = owned(converted<std::int64_t>(block.cells.n_points));
  all["crossings"] = edge_arrays(block.crossings, &Triplet::row, &Triplet::col, &Triplet::value);
  all["cell_edges"] = owned(converted<std::int64_t>(block.edges.count));
  all["cell_length"] = owned(std::move(block.edges.total_length));
  all["n_edges"] = block.n_edges;
  all["edge_length"] = block.edge_length;
  return all;
}

nb::dict coarse(const AnyArray& points, const AnyArray& from, const AnyArray& to,
                const AnyArray& lengths, const AnyArray& n_points, const AnyArray& cell_length,
                const AnyArray& cell_edges, double edge_length, const nb::dict& options,
                std::size_t n_rows, RunContext& run) {
  const auto view = matrix_of<float>(points, "points");
  const auto a = vector_of<Index>(from, "from"), b = vector_of<Index>(to, "to");
  const auto l = vector_of<double>(lengths, "lengths");
  const auto counts = converted<std::size_t>(vector_of<std::int64_t>(n_points, "n_points"));
  const CellEdges edges{converted<double>(vector_of<double>(cell_length, "cell_length")),
                        converted<std::size_t>(vector_of<std::int64_t>(cell_edges, "cell_edges"))};
  std::vector<Triplet> crossings;
  for (std::size_t k = 0; k < a.size(); ++k) crossings.push_back({a[k], b[k], l[k]});
  MethodOptions settings = settings_for(options, n_rows);
  settings.neighbors.knn = resolve_knn(settings.neighbors.knn, n_rows, {});
  CoarseMap map = run.call([&](const Context& context) {
    return heat_geo_coarse(view, crossings, counts, edges, edge_length, settings, context);
  });
  if (map.outcome == Outcome::stopped) run.raise_pending();
  nb::dict all, resolved, timings;
  for (const auto& [name, value] : map.report.resolved) {
    std::visit([&](const auto& v) { resolved[name.c_str()] = v; }, value);
  }
  for (const auto& [stage, seconds] : map.report.timings_s) timings[stage.c_str()] = seconds;
  all["resolved"] = resolved;
  all["timings_s"] = timings;
  auto single = Matrix<float>::uninitialized(map.distances.rows(), map.distances.cols());
  std::copy(map.distances.data(), map.distances.data() + map.distances.size(), single.data());
  map.distances = {};
  all["distances"] = owned(std::move(single));
  all["coordinates"] = owned(std::move(map.coordinates));
  all["scale"] = map.scale;
  all["pivots"] = owned(std::move(map.pivots.landmarks));
  all["pivot_weight"] = owned(std::move(map.pivots.weight));
  all["pivot_places"] = owned(std::move(map.pivots.coordinates));
  all["pivot_median"] = map.pivots.median;
  return all;
}

AnyArray array(const nb::dict& from, const char* name) { return nb::cast<AnyArray>(from[name]); }

Graph graph_of(const nb::dict& block) {
  Graph graph;
  graph.weights.offsets =
      converted<std::size_t>(vector_of<std::int64_t>(array(block, "offsets"), "offsets"));
  graph.weights.rows = graph.weights.cols = graph.weights.offsets.size() - 1;
  graph.weights.indices = converted<Index>(vector_of<Index>(array(block, "indices"), "indices"));
  graph.weights.values = converted<double>(vector_of<float>(array(block, "weights"), "weights"));
  graph.lengths = converted<double>(vector_of<float>(array(block, "lengths"), "lengths"));
  return graph;
}

nb::object layout(const nb::dict& block, const nb::dict& targets, const nb::dict& options,
                  std::size_t n_rows, RunContext& run) {
  const Graph graph = graph_of(block);
  Cells cells;
  cells.landmarks =
      converted<Index>(vector_of<Index>(array(block, "landmark_places"), "landmark_places"));
  cells.cell_of = converted<Index>(vector_of<Index>(array(block, "cell_of"), "cell_of"));
  cells.to_landmark =
      converted<double>(vector_of<float>(array(block, "to_landmark"), "to_landmark"));
  BlockTargets wanted;
  wanted.distances = matrix_copy(array(targets, "distances"), "distances");
  wanted.to_pivots = matrix_copy(array(targets, "to_pivots"), "to_pivots");
  wanted.landmark_map = matrix_copy(array(targets, "landmark_map"), "landmark_map");
  wanted.pivots.weight =
      converted<double>(vector_of<double>(array(targets, "pivot_weight"), "pivot_weight"));
  wanted.pivots.coordinates = matrix_copy(array(targets, "pivot_places"), "pivot_places");
  wanted.pivots.median = nb::cast<double>(targets["pivot_median"]);
  wanted.scale = nb::cast<double>(targets["scale"]);
  wanted.mean_degree = nb::cast<double>(targets["mean_degree"]);
  const MethodOptions settings = settings_for(options, n_rows);
  return nb::cast(owned(run.call([&](const Context& context) {
    return block_layout(graph, cells, std::move(wanted),
                        settings.landmarks.value_or(LandmarkOptions{}), settings.mds, context);
  })));
}

// -- refinement ----------------------------------------------------------------------------------

/// Empty where nobody asked for refinement; else what it takes for a map of so many points.
nb::dict plan_of_refinement(const nb::dict& options, std::size_t n_points,
                              std::size_t dimensions) {
  const MethodOptions settings = method_options(options, method_named("heatgeo"));
  nb::dict all;
  if (!settings.refine) return all;
  RefinePlan plan = refine_plan(*settings.refine, n_points, dimensions);
  all["epochs"] = plan.epochs;
  all["is_of_balance"] = !settings.refine->epochs.has_value();
  all["rounds"] = plan.rounds;
  all["knn"] = settings.refine->knn;
  all["spacing"] = settings.refine->spacing;
  all["attraction"] = owned(std::move(plan.attraction));
  all["widest"] = plan.widest;
  all["reach"] = plan.reach;
  return all;
}

/// Rows of the memberships of the block's own points; columns are all of its points.
nb::tuple block_memberships(const nb::dict& block, const AnyArray& is_own, std::size_t knn,
                            RunContext& run) {
  const auto own = vector_of<std::uint8_t>(is_own, "is_own");
  const Graph graph = graph_of(block);
  if (own.size() != graph.n_points()) throw nb::value_error("is_own: one for each point");
  const SparseMatrix all =
      run.call([&](const Context& context) { return refine_memberships(graph, knn, context); });
  std::vector<std::int64_t> offsets{0};
  std::vector<Index> to;
  std::vector<float> weights;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == 0) continue;
    const auto others = all.row_indices(i);
    const auto values = all.row_values(i);
    to.insert(to.end(), others.begin(), others.end());
    for (const double value : values) weights.push_back(static_cast<float>(value));
    offsets.push_back(static_cast<std::int64_t>(to.size()));
  }
  return nb::make_tuple(owned(std::move(offsets)), owned(std::move(to)),
                        owned(std::move(weights)));
}

/// One epoch: (places, sum of nearness, longest move).
nb::tuple moves_of_block(const nb::dict& block, std::size_t epoch, double attraction, double unit,
                         std::optional<double> near, const AnyArray& low, RunContext& run) {
  RefineBlock points{
      .ids = vector_of<std::int64_t>(array(block, "ids"), "ids"),
      .by_id = vector_of<Index>(array(block, "by_id"), "by_id"),
      .coordinates = matrix_of<float>(array(block, "places"), "places"),
      .offsets = vector_of<std::int64_t>(array(block, "offsets"), "offsets"),
      .to = vector_of<Index>(array(block, "to"), "to"),
      .weights = vector_of<float>(array(block, "weights"), "weights"),
      .linked = matrix_of<float>(array(block, "linked"), "linked"),
  };
  for (const nb::handle& part : nb::cast<nb::list>(block["others"])) {
    const auto [ids, places] = nb::cast<std::tuple<AnyArray, AnyArray>>(part);
    points.others.push_back(
        {vector_of<std::int64_t>(ids, "other ids"), matrix_of<float>(places, "others")});
  }
  RefineStep step{.epoch = epoch, .attraction = attraction, .unit = unit, .near = near};
  const auto lowest = vector_of<float>(low, "low");
  std::copy_n(lowest.begin(), std::min(lowest.size(), step.low.size()), step.low.begin());
  RefineMoves moves =
      run.call([&](const Context& context) { return refine_block(points, step, context); });
  return nb::make_tuple(owned(std::move(moves.coordinates)), moves.near, moves.longest_move);
}

HeldModel model_of_sample(const AnyArray& rows, const AnyArray& coordinates,
                          const std::optional<AnyArray>& mean,
                          const std::optional<AnyArray>& components, std::size_t knn,
                          const nb::dict& resolved, double refined_unit, RunContext& run) {
  Matrix<double> map = matrix_copy(coordinates, "coordinates");
  EmbeddingRun made;
  if (mean && components) {
    made.distances.reduction.mean = converted<double>(vector_of<double>(*mean, "mean"));
    made.distances.reduction.components = matrix_copy(*components, "components");
  }
  for (const auto& [name, value] : resolved) {
    const auto key = nb::cast<std::string>(name);
    if (nb::isinstance<nb::str>(value)) {
      made.distances.report.resolved[key] = nb::cast<std::string>(value);
    } else if (nb::isinstance<nb::bool_>(value)) {
      made.distances.report.resolved[key] = nb::cast<bool>(value);
    } else {
      made.distances.report.resolved[key] = nb::cast<double>(value);
    }
  }
  made.distances.knn = knn;
  made.refined_unit = refined_unit;
  Input input;
  if (holds<float>(rows)) {
    input = matrix_of<float>(rows, "rows");
  } else {
    input = matrix_of<double>(rows, "rows");
  }
  if (input.n_points() != map.rows()) {
    throw nb::value_error("rows and coordinates are not of the same number");
  }
  return HeldModel(run.call([&](const Context& context) {
    const UniqueRows unique = input.points().empty() ? find_unique_rows(input.points32())
                                                     : find_unique_rows(input.points());
    made.distances.unique_inverse = unique.unique_inverse;
    made.embedding.coordinates = std::move(map);
    return make_model("heatgeo", input, {}, made, context);
  }));
}

}  // namespace

void bind_blocks(nb::module_& m) {
  m.def("block_moments", &block_moments, nb::arg("X"), nb::arg("run"));
  m.def(
      "merge_moments",
      [](const nb::list& parts) {
        std::vector<MomentsView> all;
        for (const auto& part : parts) all.push_back(moments_from(part));
        return to_tuple(merged(all));
      },
      nb::arg("parts"));
  m.def("pca_of_moments", &pca_of_moments, nb::arg("table"), nb::arg("rank") = nb::none(),
        nb::arg("run"));
  m.def(
      "is_principal_components",
      [](const nb::tuple& table) { return is_principal_components(moments_from(table)); },
      nb::arg("table"));
  m.def(
      "project",
      [](const AnyArray& rows, const AnyArray& mean, const AnyArray& components, RunContext& run) {
        Pca pca;
        pca.mean = converted<double>(vector_of<double>(mean, "mean"));
        pca.components = matrix_copy(components, "components");
        const Matrix<double> wide = matrix_copy(rows, "rows");
        return owned(
            run.call([&](const Context& context) { return project(pca, wide.view(), context); }));
      },
      nb::arg("rows"), nb::arg("mean"), nb::arg("components"), nb::arg("run"));
  m.def(
      "cell_centers",
      [](const AnyArray& sample, std::size_t count, RunContext& run) {
        const auto view = matrix_of<float>(sample, "sample");
        return owned(
            run.call([&](const Context& context) { return cell_centers(view, count, context); }));
      },
      nb::arg("sample"), nb::arg("count"), nb::arg("run"));
  m.def(
      "near_centers",
      [](const AnyArray& rows, const AnyArray& centers, std::size_t count, RunContext& run) {
        const auto view = matrix_of<float>(rows, "rows");
        const auto against = matrix_of<float>(centers, "centers");
        NearCenters near = run.call(
            [&](const Context& context) { return near_centers(view, against, count, context); });
        return nb::make_tuple(owned(std::move(near.cells)), owned(std::move(near.distance)));
      },
      nb::arg("rows"), nb::arg("centers"), nb::arg("count"), nb::arg("run"));
  m.def("default_landmarks", [](std::size_t n) { return default_landmarks(n); }, nb::arg("n"));
  m.def("block_cells", &cells_of_block, nb::arg("points"), nb::arg("is_own"), nb::arg("landmarks"),
        nb::arg("options"), nb::arg("n_rows"), nb::arg("run"));
  m.def("heat_geo_coarse", &coarse, nb::arg("points"), nb::arg("from"), nb::arg("to"),
        nb::arg("lengths"), nb::arg("n_points"), nb::arg("cell_length"), nb::arg("cell_edges"),
        nb::arg("edge_length"), nb::arg("options"), nb::arg("n_rows"), nb::arg("run"));
  m.def("block_layout", &layout, nb::arg("block"), nb::arg("targets"), nb::arg("options"),
        nb::arg("n_rows"), nb::arg("run"));
  m.def("refine_plan", &plan_of_refinement, nb::arg("options"), nb::arg("n_points"),
        nb::arg("n_components"));
  m.def("block_memberships", &block_memberships, nb::arg("block"), nb::arg("is_own"),
        nb::arg("knn"), nb::arg("run"));
  m.def("refine_block", &moves_of_block, nb::arg("block"), nb::arg("epoch"),
        nb::arg("attraction"), nb::arg("unit"), nb::arg("near") = nb::none(), nb::arg("low"),
        nb::arg("run"));
  m.def("model_of_sample", &model_of_sample, nb::arg("rows"), nb::arg("coordinates"),
        nb::arg("mean") = nb::none(), nb::arg("components") = nb::none(), nb::arg("knn"),
        nb::arg("resolved"), nb::arg("refined_unit"), nb::arg("run"));
}

}  // namespace geotherm::python
