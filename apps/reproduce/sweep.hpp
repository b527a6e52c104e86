// Points -> distances of every method at every point of the paper's grid of hyper-parameters, with
// neighbours, graph and kernels made once and shared; and the choice of the best point from scores.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "geotherm/metrics.hpp"
#include "geotherm/methods.hpp"
#include "experiment.hpp"
#include "methods/stages.hpp"
#include "summary.hpp"

namespace geotherm::cli {

/// Of the potential, as in the method `heat-phate`: PHATE's 1e-7 hides the heat of far pairs.
inline constexpr double heat_phate_offset = detail::heat_potential_offset;

/// Which methods a sweep of distances walks through.
enum class Walks { all, as_clustered };

/// The paper's grid, or a part of it. An empty time or number of steps: chosen from the data.
struct Sweep {
  Walks walks = Walks::all;
  std::vector<std::size_t> knn = {5, 10, 15};
  std::vector<std::optional<double>> times = {0.1, 1.0, 10.0, 50.0, std::nullopt};
  std::vector<double> sigmas = {0.0, 0.25, 0.5, 0.75, 1.0, 1.5};
  /// Backward Euler is taken at every knn, Chebyshev (of order 30 too) at 10 alone.
  bool has_chebyshev = true;
  /// Whether "Heat-Geo, not floored" is taken too, which costs a kernel a time.
  bool has_not_floored = true;
  bool has_shortest_path = true;
  std::vector<std::optional<int>> steps = {1, 5, 10, 20, std::nullopt};
  /// Rand-Geo takes these steps as well: the paper gives it the times of Heat-Geo.
  std::vector<int> more_walk_steps = {50};
  /// Pairs that no walk joins are floored at each of these, and filled at the last.
  std::vector<double> walk_sigmas = {0.0, 1.0};
  std::vector<int> map_steps = {1, 5, 10, 20};  ///< diffusion maps
  /// Diffusion maps of one component beside the constant, too.
  bool has_one_component = false;
  std::vector<double> perplexities = {10, 30, 100};
  std::vector<double> min_dists = {0.1, 0.5, 0.99};
};
nlohmann::json key_of(const Sweep&);
/// A smaller grid for maps, each of which has to be laid out; of a quick run smaller still.
Sweep map_sweep(bool is_quick);
/// To choose, a sweep goes without the methods that it takes at one point alone.
Sweep for_purpose(Sweep, Purpose);

/// Receives the distances, or the map, of a method (as the paper's tables name it) at a point of
/// the grid ("knn 10, t 50, Euler, sigma 1").
using DistanceVisitor =
    std::function<void(const std::string& method, const std::string& options, Matrix<double>)>;

/// Heat-Geo (plain: as published, kernel floored at 1e-16) and PHATE; with Walks::all Heat-PHATE,
/// Rand-Geo (pairs that the walk does not reach floored in the same way, or filled by shortest
/// paths), Shortest Path, and at knn 10 and sigma 1 "Heat-Geo, not floored": the same method with a
/// kernel that is right in every entry.
void sweep_distances(MatrixView<const double> points, const Sweep&, const DistanceVisitor& visit,
                     const Context&);
/// Diffusion Map, of two components; and "Diffusion Map, one component" where asked for, whose
/// steps change the scale alone.
void sweep_diffusion_maps(MatrixView<const double> points, const Sweep&,
                          const DistanceVisitor& visit, const Context&);
/// TSNE and UMAP.
void sweep_layouts(MatrixView<const double> points, const Sweep&, const DistanceVisitor& visit,
                   const Context&);

/// Pearson, Spearman, Frobenius and "maximum" between true distances and others. The last is what
/// the paper's numbers turn out to be: the largest row sum of |D - E|, over N² (the matrix norm
/// that goes by the name of infinity), not the largest entry.
class PaperScorer {
 public:
  /// The truth has to outlive the scorer. Options are chosen by Pearson: where nothing is reported
  /// the other three are left out (null).
  PaperScorer(MatrixView<const double> truth, Purpose purpose, const Context& context);
  nlohmann::json operator()(MatrixView<const double> estimate, const Context&) const;

 private:
  MatrixView<const double> truth_;
  std::optional<DistanceScorer> score_;
};

/// Choices within our own method; what is not here is at its defaults.
struct OwnGrid {
  std::vector<std::size_t> knn = {5, 10, 15};
  std::vector<Rates> rates = {Rates::lengths};
  std::vector<double> rhos = {0.0, 1.0};
  std::vector<MdsWeights> weights = {MdsWeights::none, MdsWeights::inverse};
};
nlohmann::json key_of(const OwnGrid&);
/// What our method does by itself, for the key of a job that runs it: other defaults, another key.
nlohmann::json key_of_defaults();
/// Maps of our own method, as "geotherm": graph and kernel are made once for all rho and weights.
void sweep_own_maps(MatrixView<const double> points, const OwnGrid&, const DistanceVisitor& visit,
                    const Context&);

/// Scores of jobs: each has some of the methods, {method: {options: [metric, ...]}}.
class GridScores {
 public:
  /// All jobs that measure one data set of a seed.
  using JobsOfSeed = std::function<std::vector<Job>(std::uint64_t seed)>;
  /// `metric` below counts within the lists. Jobs that were not run are left out.
  GridScores(const Results& results, std::vector<nlohmann::json> validation,
             std::vector<nlohmann::json> report)
      : results_(results),
        validation_(std::move(validation)),
        report_(std::move(report)),
        n_to_choose_(validation_.size()),
        n_to_report_(report_.size()) {}
  /// The same by seed.
  GridScores(const Results& results, const ReproduceSettings& settings, const JobsOfSeed& jobs_of);
  /// Options are chosen on other data than they are reported on.
  GridScores(const Results& results, const ReproduceSettings& settings,
             const JobsOfSeed& validation_jobs_of, const JobsOfSeed& report_jobs_of);
  /// Options with the best mean of the metric over the validation jobs (ties: the first by name),
  /// or the only ones; empty where there is a choice and no validation job was run.
  std::string best(const std::string& method, std::size_t metric) const;
  /// The metric over the report jobs at these options.
  Measured reported(const std::string& method, const std::string& options,
                    std::size_t metric) const;
  /// The best mean that any options have over the report jobs.
  Measured best_reported(const std::string& method, std::size_t metric) const;
  /// " (seeds: 1 of 5 to choose, 2 of 5 to report)" where there are fewer than all, else empty.
  std::string fewer_seeds(const std::string& method, bool is_tuned) const;
  /// Why there is no number: a job that failed, or that some were not run.
  std::string reason() const;

 private:
  /// Scores of the method in the first report job that has it, or null.
  const nlohmann::json* first_report_of(const std::string& method) const;
  std::string only_options(const std::string& method) const;

  std::size_t n_with(const std::vector<nlohmann::json>& keys, const std::string& method) const;

  const Results& results_;
  std::vector<nlohmann::json> validation_;
  std::vector<nlohmann::json> report_;
  std::size_t n_to_choose_ = 0, n_to_report_ = 0;  ///< seeds
};

}  // namespace geotherm::cli
