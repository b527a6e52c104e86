// Points -> distances of every method at every point of the paper's grid of hyper-parameters, with
// neighbours, graph and kernels made once and shared; and the choice of the best point from scores.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "geotherm/heat.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/summary.hpp"

namespace geotherm::cli {

/// The paper's grid, or a part of it. An empty time or number of steps: chosen from the data.
struct Sweep {
  std::vector<std::size_t> knn = {5, 10, 15};
  std::vector<std::optional<double>> times = {0.1, 1.0, 10.0, 50.0, std::nullopt};
  std::vector<double> sigmas = {0.0, 0.25, 0.5, 0.75, 1.0, 1.5};
  /// Backward Euler is taken at every knn, Chebyshev (of order 30 too) at 10 alone.
  bool has_chebyshev = true;
  std::vector<std::optional<int>> steps = {1, 5, 10, 20, std::nullopt};
  std::vector<double> walk_sigmas = {0.0, 0.5, 1.0};
  std::vector<int> map_steps = {1, 5, 10, 20};  ///< diffusion maps
  std::vector<double> perplexities = {10, 30, 100};
  std::vector<double> min_dists = {0.1, 0.5, 0.99};
};
nlohmann::json key_of(const Sweep&);
/// The methods that a sweep walks through, as the tables name them.
enum class Walks { all, without_walk_variants };

/// Receives the distances, or the map, of a method (as the paper's tables name it) at a point of
/// the grid ("knn 10, t 50, Euler, sigma 1").
using DistanceVisitor =
    std::function<void(const std::string& method, const std::string& options, Matrix<double>)>;

/// Heat-Geo (plain: as published, kernel floored at 1e-16), PHATE and Shortest Path; with
/// Walks::all Heat-PHATE and Rand-Geo too.
void sweep_distances(MatrixView<const double> points, const Sweep&, Walks,
                     const DistanceVisitor& visit, const Context&);
/// Diffusion Map, which the paper's distance tables too take in two dimensions.
void sweep_diffusion_maps(MatrixView<const double> points, const Sweep&,
                          const DistanceVisitor& visit, const Context&);
/// TSNE and UMAP.
void sweep_layouts(MatrixView<const double> points, const Sweep&, const DistanceVisitor& visit,
                   const Context&);

/// Scores of one job: {method: {options: [metric, ...]}}.
class GridScores {
 public:
  /// `metric` counts within the lists. Jobs that were not run are left out.
  GridScores(const Results& results, const std::vector<nlohmann::json>& validation,
             const std::vector<nlohmann::json>& report)
      : results_(results), validation_(validation), report_(report) {}
  /// Options with the best mean of the metric over the validation jobs (ties: the first by name);
  /// empty where none of them was run.
  std::string best(const std::string& method, std::size_t metric) const;
  /// The metric over the report jobs at these options.
  Measured reported(const std::string& method, const std::string& options,
                    std::size_t metric) const;
  /// Why there is no number: the reason of the first job that was not run.
  std::string reason() const;

 private:
  const Results& results_;
  std::vector<nlohmann::json> validation_;
  std::vector<nlohmann::json> report_;
};

}  // namespace geotherm::cli
