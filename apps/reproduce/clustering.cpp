// Experiment 3: k-means on z-scored maps against known groups: clustered rolls, trees, PBMC. One
// job is one data set of one seed, by the published methods or by our own method.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "experiments.hpp"
#include "geotherm/io.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/observations.hpp"
#include "grid_jobs.hpp"
#include "grid_table.hpp"
#include "unrefined.hpp"

namespace geotherm::cli {
namespace of_clustering {

enum MetricAt : std::size_t { homogeneity_at, ari_at, ami_at };
const std::vector<GridMetric>& metrics() {
  static const std::vector<GridMetric> all = {{homogeneity_at, "homogeneity", "homogeneity"},
                                              {ari_at, "adjusted Rand", "ari"},
                                              {ami_at, "adjusted MI", "ami"}};
  return all;
}

OwnGrid own_grid_for(const ReproduceSettings& settings) {
  OwnGrid grid;
  if (settings.quick) grid.knn = {10};
  return grid;
}

/// Points with groups to be found again.
struct Labelled {
  Matrix<double> points;
  std::vector<Index> label;
};

nlohmann::json score(const Matrix<double>& map, const Labelled& data, const Context& context) {
  const ClusteringScores found = clustering_scores(map, data.label, {}, context);
  return {found.homogeneity, found.ari, found.ami};
}

nlohmann::json measure(const Labelled& data, const Sweep& sweep, const Context& context) {
  nlohmann::json scores;
  const auto keep = [&](const std::string& method, const std::string& options,
                        const Matrix<double>& map) {
    scores[method][options] = score(map, data, context);
  };
  sweep_distances(
      data.points, sweep,
      [&](const std::string& method, const std::string& options, const Matrix<double>& distances) {
        keep(method, options, mds(distances, {}, {}, context).coordinates);
      },
      context);
  sweep_diffusion_maps(data.points, sweep, keep, context);
  sweep_layouts(data.points, sweep, keep, context);
  return scores;
}

nlohmann::json measure_own(const Labelled& data, const OwnGrid& grid, Purpose purpose,
                           const Context& context) {
  nlohmann::json scores;
  sweep_own_maps(
      data.points, grid,
      [&](const std::string& method, const std::string& options, const Matrix<double>& map) {
        scores[method][options] = score(map, data, context);
      },
      context);
  if (purpose == Purpose::report) {
    scores["geotherm defaults"]["defaults"] = score(
        heat_geo(data.points, without_refinement(), context).embedding.coordinates, data, context);
  }
  return scores;
}

std::vector<Job> jobs_for(const GridSubject& subject, Purpose purpose, const OwnGrid& grid,
                          double cost, const ReproduceSettings& settings,
                          const std::function<Labelled(const Context&)>& make) {
  Sweep sweep = for_purpose(map_sweep(settings.quick), purpose);
  sweep.walks = Walks::as_clustered;
  return {
      published_job(subject, sweep, cost,
                    [=](const Context& context) { return measure(make(context), sweep, context); }),
      own_job(subject, {{"grid", key_of(grid)}, {"reported", purpose == Purpose::report}}, cost / 2,
              [=](const Context& context) {
                return measure_own(make(context), grid, purpose, context);
              })};
}

// ---------------------------------------------------------------------------------------------
// Made data.

std::vector<PaperData> data_sets() {
  std::vector<PaperData> all = paper_rolls({0.1, 0.5, 1.0}, true);
  for (PaperData& tree : paper_trees(0.1, true)) all.push_back(std::move(tree));
  return all;
}

std::vector<Job> jobs_for_made(const PaperData& data, std::uint64_t seed,
                               const ReproduceSettings& settings) {
  return jobs_for(subject_of("clustering", data, seed, settings), purpose_of(seed, settings),
                  own_grid_for(settings), settings.quick ? 4 : 25, settings,
                  [=](const Context& context) -> Labelled {
                    Dataset made = make_data(data, settings, context);
                    return {std::move(made.X), std::move(made.label)};
                  });
}

// ---------------------------------------------------------------------------------------------
// PBMC: cells are split once into a half for choosing and a half for reporting.

constexpr const char* pbmc_table = "pbmc3k_processed_pca50_small.npz";
constexpr const char* pbmc_cells = "pbmc3k_processed.h5ad";

enum class Cells { validation_half, report_half, all };
const char* name_of(Cells cells) {
  if (cells == Cells::validation_half) return "validation half";
  return cells == Cells::report_half ? "report half" : "all cells";
}

Purpose purpose_of(Cells cells) {
  return cells == Cells::validation_half ? Purpose::choice : Purpose::report;
}

std::filesystem::path pbmc_file(const ReproduceSettings& settings) {
  const std::filesystem::path table = data_file(settings, pbmc_table);
  return table.empty() && has_hdf5() ? data_file(settings, pbmc_cells) : table;
}

std::vector<Index> numbered(const Texts& labels) {
  std::map<std::string, Index> number;
  std::vector<Index> found;
  found.reserve(labels.size());
  for (const std::string& label : labels) {
    found.push_back(number.emplace(label, static_cast<Index>(number.size())).first->second);
  }
  return found;
}

/// The 50 principal components and louvain groups, from either file.
Labelled read_pbmc(const std::filesystem::path& path) {
  const std::string file = path.string();
  if (path.extension() == ".npz") {
    const NamedArray labels = read_npz_array(file, "louvain");
    return {read_table(file + ":X_pca").to_double(),
            numbered(std::get<std::vector<std::string>>(labels.values))};
  }
  const Column labels = read_h5ad_column(file, "louvain");
  return {read_observations(file, {.use = "obsm:X_pca"}).table.to_double(),
          numbered(std::get<Texts>(labels.values))};
}

Labelled part_of(const Labelled& data, Cells cells, std::size_t shrink) {
  std::vector<Index> order(data.label.size());
  std::iota(order.begin(), order.end(), Index{0});
  Rng(0, "reproduce.pbmc.halves").shuffle(std::span<Index>(order));
  const std::size_t half = order.size() / 2;
  std::size_t begin = 0, end = order.size();
  if (cells == Cells::validation_half) end = half;
  if (cells == Cells::report_half) begin = half;
  end = begin + (end - begin) / shrink;
  Labelled part{Matrix<double>::uninitialized(end - begin, data.points.cols()), {}};
  for (std::size_t i = begin; i < end; ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    std::copy_n(data.points.row(from).begin(), data.points.cols(),
                part.points.row(i - begin).begin());
    part.label.push_back(data.label[from]);
  }
  return part;
}

OwnGrid pbmc_grid(const ReproduceSettings& settings) {
  OwnGrid grid;
  grid.rates = {Rates::lengths, Rates::hops};
  if (settings.quick) grid.knn = {5, 10};
  return grid;
}

std::vector<Job> jobs_for_pbmc(Cells cells, std::uint64_t seed, const ReproduceSettings& settings) {
  const GridSubject subject = {"clustering",
                               fmt::format("PBMC, {}, seed {}", name_of(cells), seed),
                               {{"name", "PBMC 3k, 50 PCs, louvain"},
                                {"cells", name_of(cells)},
                                {"seed", seed},
                                {"shrink", settings.shrink}},
                               seed};
  const double cost = (settings.quick ? 5 : 25) * (cells == Cells::all ? 3 : 1);
  return jobs_for(subject, purpose_of(cells), pbmc_grid(settings), cost, settings,
                  [=](const Context&) {
                    return part_of(read_pbmc(pbmc_file(settings)), cells, settings.shrink);
                  });
}

// ---------------------------------------------------------------------------------------------

std::vector<Job> jobs(const ReproduceSettings& settings) {
  std::vector<Job> all;
  const auto add = [&](std::vector<Job> jobs) {
    for (Job& job : jobs) all.push_back(std::move(job));
  };
  if (!pbmc_file(settings).empty()) {
    for (const auto& pair : seed_pairs(settings)) {
      for (const std::uint64_t seed : pair) {
        if (purpose_of(seed, settings) == Purpose::choice) {
          add(jobs_for_pbmc(Cells::validation_half, seed, settings));
        } else {
          add(jobs_for_pbmc(Cells::report_half, seed, settings));
          add(jobs_for_pbmc(Cells::all, seed, settings));
        }
      }
    }
  }
  add(jobs_by_pair(data_sets(), settings, jobs_for_made));
  return all;
}

/// The two tables that print clusterings have names of their own for the methods.
std::vector<GridLine> lines(bool is_appendix) {
  return {{"Heat-Geo, plain", "Heat-Geo", "Heat-Geo"},
          {"**Heat-Geo, our defaults**", "geotherm defaults", "Heat-Geo", false},
          {"**Heat-Geo, ours, tuned**", "geotherm", "Heat-Geo"},
          {"PHATE", "PHATE", is_appendix ? "Phate" : "PHATE"},
          {"Diffusion Map", "Diffusion Map", "Diffusion Maps"},
          {"t-SNE", "TSNE", is_appendix ? "TSNE" : "t-SNE"},
          {"UMAP", "UMAP", "UMAP"}};
}

Table made_table(const ReproduceSettings& settings, const Results& results) {
  Table table = empty_grid_table(
      "k-means on z-scored maps of made data, as many clusters as groups, against the paper's "
      "tables of clusterings.",
      metrics());
  for (const PaperData& data : data_sets()) {
    const GridScores scores(
        results, settings, [&](std::uint64_t seed) { return jobs_for_made(data, seed, settings); });
    add_grid_rows(table, title_of(data), {"app_clustering", data.name, data.printed_noise},
                  lines(true), metrics(), ami_at, scores);
  }
  return table;
}

Table pbmc_results(const ReproduceSettings& settings, const Results& results) {
  Table table = empty_grid_table(
      "PBMC 3k: k-means with 8 clusters on z-scored maps of the 50 principal components, against "
      "louvain groups. Options are chosen on one half of the cells and reported on the other, and "
      "on all of them.",
      metrics());
  for (const Cells cells : {Cells::report_half, Cells::all}) {
    const GridScores scores(
        results, settings,
        [&](std::uint64_t seed) { return jobs_for_pbmc(Cells::validation_half, seed, settings); },
        [&](std::uint64_t seed) { return jobs_for_pbmc(cells, seed, settings); });
    add_grid_rows(table, fmt::format("PBMC, {}", name_of(cells)), {"tab2_clustering", "PBMC", 0},
                  lines(false), metrics(), ami_at, scores);
  }
  return table;
}

Section present(const ReproduceSettings& settings, const Results& results) {
  Section section{"3. Clustering", {}, {}, {}};
  section.paragraphs = {
      "Groups found again by k-means on the z-scored map. Rolls: points of two Gaussians on the "
      "sheet, labelled by five bins of t; trees: the branches. Options are those of the best "
      "adjusted mutual information on the validation seeds; “ours, tuned” chooses knn, rates, the "
      "share rho of denoising and the weights of the scaling within our own method.",
      "PBMC's louvain groups were themselves found from the same principal components: the row "
      "reproduces the paper's, it is no evidence for a biology."};
  if (pbmc_file(settings).empty()) {
    Table table{"PBMC 3k", {"data", "method", "ours"}, {}};
    for (const GridLine& line : lines(false)) {
      table.rows.push_back({"PBMC", line.shown, data_is_missing(settings, pbmc_table)});
    }
    section.tables.push_back(std::move(table));
  } else {
    section.tables.push_back(pbmc_results(settings, results));
  }
  section.tables.push_back(made_table(settings, results));
  return section;
}

}  // namespace of_clustering

const Experiment clustering_experiment = {
    "clustering", "k-means on maps against known groups: clustered rolls, trees, PBMC",
    of_clustering::jobs, of_clustering::present};

}  // namespace geotherm::cli
