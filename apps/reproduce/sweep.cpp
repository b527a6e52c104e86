#include "sweep.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "geotherm/spectral.hpp"

namespace geotherm::cli {
namespace {

constexpr int published_order = 30;
constexpr double published_floor = 1e-16;

/// A kernel whose n x n entries are made once, for many distances from it.
class KeptKernel final : public DiffusionKernel {
 public:
  KeptKernel(std::unique_ptr<DiffusionKernel> kernel, const Context& context)
      : kernel_(std::move(kernel)), dense_(kernel_->dense(context)) {}
  std::size_t size() const override { return kernel_->size(); }
  bool is_symmetric() const override { return kernel_->is_symmetric(); }
  const KernelReport& report() const override { return kernel_->report(); }
  Matrix<double> apply(MatrixView<const double> block, const Context& context) const override {
    return kernel_->apply(block, context);
  }
  Matrix<double> dense(const Context&) const override { return dense_; }

 private:
  std::unique_ptr<DiffusionKernel> kernel_;
  Matrix<double> dense_;
};

template <class T>
nlohmann::json with_auto(const std::vector<std::optional<T>>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& value : values) list.push_back(value ? nlohmann::json(*value) : "auto");
  return list;
}

template <class T>
std::string number_or_auto(const std::optional<T>& value) {
  return value ? fmt::format("{:g}", static_cast<double>(*value)) : "auto";
}

/// The published graph, without any of our steps.
Graph plain_graph(MatrixView<const double> points, std::size_t knn, const Context& context) {
  return shared_graph(points, as_published({.neighbors = {.knn = knn}}), context).graph;
}

void sweep_heat(const Graph& graph, std::size_t knn, const Sweep& sweep,
                const DistanceVisitor& visit, const Context& context) {
  const Laplacian laplacian = build_laplacian(graph, LaplacianKind::combinatorial, context);
  for (const auto& time : sweep.times) {
    const double t = time ? *time : choose_time(laplacian, {.rule = TimeRule::knee}, context).time;
    const std::string at = fmt::format("knn {}, t {}", knn, number_or_auto(time));
    if (sweep.has_not_floored && sweep.walks == Walks::all && knn == 10) {
      visit("Heat-Geo, not floored", at,
            heat_geodesic(*heat_kernel(laplacian, {.time = t}, context), {}, context).values);
    }
    for (const KernelMethod method : {KernelMethod::euler, KernelMethod::chebyshev}) {
      const bool is_euler = method == KernelMethod::euler;
      if (!is_euler && !(sweep.has_chebyshev && knn == 10)) continue;
      const KeptKernel kernel(
          heat_kernel(laplacian, {.time = t, .method = method, .order = published_order}, context),
          context);
      for (const double sigma : sweep.sigmas) {
        visit("Heat-Geo",
              fmt::format("{}, {}, sigma {:g}", at, is_euler ? "Euler" : "Chebyshev", sigma),
              heat_geodesic(kernel, {.harnack = sigma, .kernel_floor = published_floor}, context)
                  .values);
      }
      if (is_euler && sweep.walks == Walks::all && knn == 10) {
        visit("Heat-PHATE", at,
              potential_distance(kernel, {.offset = heat_phate_offset}, context).values);
      }
    }
  }
}

void visit_rand_geo(const DiffusionKernel& kernel, const std::string& at, const Sweep& sweep,
                    const DistanceVisitor& visit, const Context& context) {
  for (const double sigma : sweep.walk_sigmas) {
    for (const bool is_filled : {false, true}) {
      if (is_filled && sigma != sweep.walk_sigmas.back()) continue;
      visit(
          "Rand-Geo",
          fmt::format("{}, sigma {:g}, {}", at, sigma, is_filled ? "filled" : "floored"),
          heat_geodesic(kernel, {.harnack = sigma, .kernel_floor = is_filled ? 0 : published_floor},
                        context)
              .values);
    }
  }
}

void sweep_walks(const Graph& graph, const Sweep& sweep, const DistanceVisitor& visit,
                 const Context& context) {
  const SparseMatrix walk = random_walk(graph);
  for (const auto& steps : sweep.steps) {
    const int t = steps ? *steps : static_cast<int>(choose_walk_steps(graph, {}, context).time);
    const KeptKernel kernel(walk_power(walk, t, context), context);
    const std::string at = fmt::format("knn 10, t {}", number_or_auto(steps));
    visit("PHATE", at, potential_distance(kernel, {}, context).values);
    if (sweep.walks == Walks::all) visit_rand_geo(kernel, at, sweep, visit, context);
  }
  if (sweep.walks != Walks::all) return;
  for (const int t : sweep.more_walk_steps) {
    const KeptKernel kernel(walk_power(walk, t, context), context);
    visit_rand_geo(kernel, fmt::format("knn 10, t {}", t), sweep, visit, context);
  }
}

double mean_of(const std::vector<double>& values) { return measured(values).mean; }

}  // namespace

nlohmann::json key_of(const Sweep& sweep) {
  nlohmann::json key = {{"knn", sweep.knn},
                        {"times", with_auto(sweep.times)},
                        {"sigmas", sweep.sigmas},
                        {"chebyshev", sweep.has_chebyshev},
                        {"steps", with_auto(sweep.steps)},
                        {"more_walk_steps", sweep.more_walk_steps},
                        {"walk_sigmas", sweep.walk_sigmas},
                        {"map_steps", sweep.map_steps},
                        {"perplexities", sweep.perplexities},
                        {"min_dists", sweep.min_dists}};
  // Only where it differs from what earlier caches took for granted.
  if (!sweep.has_not_floored) key["not floored"] = false;
  if (!sweep.has_shortest_path) key["shortest path"] = false;
  if (sweep.walks == Walks::all) key["heat_phate_offset"] = heat_phate_offset;
  if (sweep.has_one_component) key["one_component"] = true;
  return key;
}

Sweep map_sweep(bool is_quick) {
  Sweep sweep;
  sweep.times = {10.0, 50.0, std::nullopt};
  sweep.sigmas = {0.0, 1.0};
  sweep.has_chebyshev = false;
  sweep.has_not_floored = false;
  if (is_quick) {
    sweep.knn = {10};
    sweep.times = {50.0, std::nullopt};
    sweep.sigmas = {1.0};
    sweep.steps = {10, std::nullopt};
    sweep.map_steps = {1};
    sweep.perplexities = {30};
    sweep.min_dists = {0.1};
  }
  return sweep;
}

Sweep for_purpose(Sweep sweep, Purpose purpose) {
  if (purpose == Purpose::report) return sweep;
  const auto empty_if_single = [](auto& list) {
    if (list.size() == 1) list.clear();
  };
  empty_if_single(sweep.perplexities);
  if (sweep.knn.size() > 1) return sweep;
  sweep.has_shortest_path = false;
  empty_if_single(sweep.map_steps);
  empty_if_single(sweep.min_dists);
  return sweep;
}

void sweep_distances(MatrixView<const double> points, const Sweep& sweep,
                     const DistanceVisitor& visit, const Context& context) {
  for (const std::size_t knn : sweep.knn) {
    const Graph graph = plain_graph(points, knn, context);
    sweep_heat(graph, knn, sweep, visit, context);
    if (knn == 10) sweep_walks(graph, sweep, visit, context);
    if (sweep.walks != Walks::all || !sweep.has_shortest_path) continue;
    visit("Shortest Path", fmt::format("knn {}", knn),
          shortest_path_distances(points, as_published({.neighbors = {.knn = knn}}),
                                  context)
              .dissimilarity.values);
  }
}

void sweep_diffusion_maps(MatrixView<const double> points, const Sweep& sweep,
                          const DistanceVisitor& visit, const Context& context) {
  for (const std::size_t knn : sweep.knn) {
    if (sweep.map_steps.empty()) continue;
    const SpectralEmbedding found =
        spectral_embedding(plain_graph(points, knn, context),
                           {.form = SpectralForm::diffusion_map, .steps = 0}, context);
    for (const int steps : sweep.map_steps) {
      Matrix<double> map = found.coordinates;
      for (std::size_t i = 0; i < map.rows(); ++i) {
        for (std::size_t c = 0; c < found.eigenvalues.size(); ++c) {
          map(i, c) *= std::pow(found.eigenvalues[c], steps);
        }
      }
      visit("Diffusion Map", fmt::format("knn {}, t {}", knn, steps), std::move(map));
    }
    if (!sweep.has_one_component) continue;
    Matrix<double> first(found.coordinates.rows(), 1);
    for (std::size_t i = 0; i < first.rows(); ++i) first(i, 0) = found.coordinates(i, 0);
    visit("Diffusion Map, one component", fmt::format("knn {}", knn), std::move(first));
  }
}

void sweep_layouts(MatrixView<const double> points, const Sweep& sweep,
                   const DistanceVisitor& visit, const Context& context) {
  for (const double perplexity : sweep.perplexities) {
    const MethodOptions options = {.tsne = {.perplexity = perplexity}};
    visit("TSNE", fmt::format("perplexity {:g}", perplexity),
          tsne(points, options, context).embedding.coordinates);
  }
  for (const std::size_t knn : sweep.knn) {
    for (const double min_dist : sweep.min_dists) {
      const MethodOptions options = {.neighbors = {.knn = knn}, .umap = {.min_dist = min_dist}};
      visit("UMAP", fmt::format("knn {}, min dist {:g}", knn, min_dist),
            umap(points, options, context).embedding.coordinates);
    }
  }
}

PaperScorer::PaperScorer(MatrixView<const double> truth, Purpose purpose, const Context& context)
    : truth_(truth) {
  if (purpose == Purpose::report) score_.emplace(truth, context);
}

nlohmann::json PaperScorer::operator()(MatrixView<const double> estimate,
                                       const Context& context) const {
  std::vector<double> of_row(truth_.rows, 0.0);
  const auto over_rows = [&](const std::function<double(std::size_t)>& value) {
    parallel_for(context, truth_.rows, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) of_row[i] = value(i);
    });
  };
  if (!score_) {
    over_rows([&](std::size_t i) { return pearson(truth_.row(i), estimate.row(i)); });
    return {mean_of(of_row), nullptr, nullptr, nullptr};
  }
  over_rows([&](std::size_t i) {
    double sum = 0;
    for (std::size_t j = 0; j < truth_.cols; ++j) {
      if (i != j) sum += std::abs(truth_(i, j) - estimate(i, j));
    }
    return sum;
  });
  const double n = static_cast<double>(truth_.rows);
  const double largest = *std::max_element(of_row.begin(), of_row.end());
  const DistanceScores scores = (*score_)(estimate, context);
  return {scores.pearson, scores.spearman, scores.frobenius, largest / (n * n)};
}

nlohmann::json key_of(const OwnGrid& grid) {
  nlohmann::json key = {{"knn", grid.knn}, {"rhos", grid.rhos}};
  for (const Rates rates : grid.rates) key["rates"].push_back(to_string(rates));
  for (const MdsWeights weights : grid.weights) key["weights"].push_back(to_string(weights));
  return key;
}

nlohmann::json key_of_defaults() {
  const ShortcutOptions shortcuts;
  const TimeOptions time;
  const MdsOptions mds;
  return {{"version", version()},
          {"shortcuts",
           {shortcuts.share, shortcuts.window, shortcuts.spread, shortcuts.detour,
            shortcuts.least_population, shortcuts.n_subsamples, shortcuts.max_loss}},
          {"time", {time.share, time.fewest_jumps, time.most_jumps}},
          {"mds", {to_string(mds.method), to_string(mds.weights), mds.tolerance, mds.n_shakes}}};
}

void sweep_own_maps(MatrixView<const double> points, const OwnGrid& grid,
                    const DistanceVisitor& visit, const Context& context) {
  for (const std::size_t knn : grid.knn) {
    const MethodOptions options = with_heat_geo_choices({.neighbors = {.knn = knn}}, points.rows);
    const Graph graph = shared_graph(points, options, context).graph;
    for (const Rates rates : grid.rates) {
      const Laplacian laplacian =
          build_laplacian(rates == Rates::lengths ? with_length_rates(graph, context) : graph,
                          options.laplacian, context);
      const double time = choose_time(laplacian, *options.time_choice, context).time;
      const Matrix<double> distances =
          heat_geodesic(*heat_kernel(laplacian, {.time = time}, context), {}, context).values;
      for (const double rho : grid.rhos) {
        Matrix<double> denoised = distances;
        if (rho > 0) denoise_triplets(denoised, rho, context);
        for (const MdsWeights weights : grid.weights) {
          visit("geotherm",
                fmt::format("knn {}, rates {}, rho {:g}, weights {}", knn, to_string(rates), rho,
                            to_string(weights)),
                mds(denoised, {.weights = weights}, {}, context).coordinates);
        }
      }
    }
  }
}

GridScores::GridScores(const Results& results, const ReproduceSettings& settings,
                       const JobsOfSeed& jobs_of)
    : GridScores(results, settings, jobs_of, jobs_of) {}

GridScores::GridScores(const Results& results, const ReproduceSettings& settings,
                       const JobsOfSeed& validation_jobs_of, const JobsOfSeed& report_jobs_of)
    : results_(results),
      n_to_choose_(settings.validation_seeds.size()),
      n_to_report_(settings.report_seeds.size()) {
  const auto add = [](std::vector<nlohmann::json>& keys, std::vector<Job> jobs) {
    for (Job& job : jobs) keys.push_back(std::move(job.key));
  };
  for (const auto seed : settings.validation_seeds) add(validation_, validation_jobs_of(seed));
  for (const auto seed : settings.report_seeds) add(report_, report_jobs_of(seed));
}

std::string GridScores::best(const std::string& method, std::size_t metric) const {
  std::map<std::string, std::vector<double>> scores;
  std::size_t n_jobs = 0;
  for (const nlohmann::json& key : validation_) {
    const nlohmann::json* result = results_.of(key);
    if (result == nullptr || !result->contains(method)) continue;
    ++n_jobs;
    for (const auto& [options, values] : (*result)[method].items()) {
      if (values.at(metric).is_number()) scores[options].push_back(values.at(metric));
    }
  }
  if (scores.empty()) return only_options(method);
  std::string best_options;
  double best_mean = 0;
  for (const auto& [options, values] : scores) {
    if (values.size() < n_jobs) continue;
    if (best_options.empty() || mean_of(values) > best_mean) {
      best_options = options;
      best_mean = mean_of(values);
    }
  }
  return best_options;
}

const nlohmann::json* GridScores::first_report_of(const std::string& method) const {
  for (const nlohmann::json& key : report_) {
    const nlohmann::json* result = results_.of(key);
    if (result != nullptr && result->contains(method)) return &(*result)[method];
  }
  return nullptr;
}

std::string GridScores::only_options(const std::string& method) const {
  const nlohmann::json* const scores = first_report_of(method);
  return scores != nullptr && scores->size() == 1 ? scores->begin().key() : "";
}

Measured GridScores::reported(const std::string& method, const std::string& options,
                              std::size_t metric) const {
  std::vector<double> values;
  for (const nlohmann::json& key : report_) {
    const nlohmann::json* result = results_.of(key);
    if (result == nullptr || !result->contains(method)) continue;
    const nlohmann::json& scores = (*result)[method];
    if (!scores.contains(options)) continue;
    const nlohmann::json& value = scores[options].at(metric);
    if (value.is_number()) values.push_back(value);
  }
  return measured(values);
}

Measured GridScores::best_reported(const std::string& method, std::size_t metric) const {
  Measured best;
  const nlohmann::json* const first = first_report_of(method);
  if (first == nullptr) return best;
  for (const auto& [options, values] : first->items()) {
    const Measured found = reported(method, options, metric);
    if (best.n == 0 || found.mean > best.mean) best = found;
  }
  return best;
}

std::size_t GridScores::n_with(const std::vector<nlohmann::json>& keys,
                               const std::string& method) const {
  return static_cast<std::size_t>(
      std::count_if(keys.begin(), keys.end(), [&](const nlohmann::json& key) {
        const nlohmann::json* result = results_.of(key);
        return result != nullptr && result->contains(method);
      }));
}

std::string GridScores::fewer_seeds(const std::string& method, bool is_tuned) const {
  const std::size_t to_report = n_with(report_, method);
  if (to_report == 0) return "";  // its cells say why
  std::vector<std::string> parts;
  if (is_tuned && only_options(method).empty()) {
    const std::size_t to_choose = n_with(validation_, method);
    if (to_choose < n_to_choose_) {
      parts.push_back(fmt::format("{} of {} to choose", to_choose, n_to_choose_));
    }
  }
  if (to_report < n_to_report_) {
    parts.push_back(fmt::format("{} of {} to report", to_report, n_to_report_));
  }
  return parts.empty() ? "" : fmt::format(" (seeds: {})", fmt::join(parts, ", "));
}

std::string GridScores::reason() const {
  std::string found = "not measured";
  for (const auto* keys : {&report_, &validation_}) {
    for (const nlohmann::json& key : *keys) {
      if (results_.of(key) != nullptr) continue;
      found = results_.reason(key);
      // A failure says more than that other jobs were not run.
      if (results_.has_failed(key)) return found;
    }
  }
  return found;
}

}  // namespace geotherm::cli
