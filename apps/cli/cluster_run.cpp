#include "cluster_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "geotherm/trust.hpp"

namespace geotherm::cli {
namespace {

constexpr std::size_t markers_per_cluster = 5;

/// Sum and sum of squares of each gene in each cluster.
struct GeneSums {
  Matrix<double> sum, squares;  // clusters x genes
  std::vector<double> size;
};

GeneSums sums_of(const SparseMatrix& values, const std::vector<Index>& labels, std::size_t n) {
  GeneSums sums{Matrix<double>(n, values.cols), Matrix<double>(n, values.cols),
                std::vector<double>(n, 0.0)};
  for (std::size_t i = 0; i < values.rows; ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    ++sums.size[c];
    const auto genes = values.row_indices(i);
    const auto entries = values.row_values(i);
    for (std::size_t k = 0; k < genes.size(); ++k) {
      const auto g = static_cast<std::size_t>(genes[k]);
      sums.sum(c, g) += entries[k];
      sums.squares(c, g) += entries[k] * entries[k];
    }
  }
  return sums;
}

/// Welch's t of a cluster against all other cells, as scanpy's rank_genes_groups does by default.
std::vector<double> scores_of(const GeneSums& sums, std::size_t cluster) {
  const std::size_t n_genes = sums.sum.cols();
  std::vector<double> scores(n_genes, 0.0);
  double n_other = 0;
  for (std::size_t c = 0; c < sums.size.size(); ++c) n_other += c == cluster ? 0 : sums.size[c];
  const double n = sums.size[cluster];
  if (n < 2 || n_other < 2) return scores;
  for (std::size_t g = 0; g < n_genes; ++g) {
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < sums.size.size(); ++c) {
      if (c == cluster) continue;
      sum += sums.sum(c, g);
      squares += sums.squares(c, g);
    }
    const double mean = sums.sum(cluster, g) / n, other = sum / n_other;
    const double variance = std::max(0.0, (sums.squares(cluster, g) - n * mean * mean) / (n - 1));
    const double other_variance =
        std::max(0.0, (squares - n_other * other * other) / (n_other - 1));
    const double error = std::sqrt(variance / n + other_variance / n_other);
    scores[g] = error > 0 ? (mean - other) / error : 0.0;
  }
  return scores;
}

void find_markers(const LoadedInput& loaded, const std::vector<Index>& labels, std::size_t n,
                  ClusterRun& found) {
  const SingleCellRun& cells = *loaded.cells;
  if (loaded.gene_names.empty()) return;
  const GeneSums sums = sums_of(cells.normalized, labels, n);
  std::set<std::string> seen;
  for (std::size_t c = 0; c < n; ++c) {
    const std::vector<double> scores = scores_of(sums, c);
    std::vector<std::size_t> order(scores.size());
    for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    nlohmann::json names = nlohmann::json::array();
    for (std::size_t k = 0; k < std::min(markers_per_cluster, order.size()); ++k) {
      if (!(scores[order[k]] > 0)) break;
      const auto gene = static_cast<std::size_t>(cells.genes[order[k]]);
      names.push_back(loaded.gene_names[gene]);
      if (seen.insert(loaded.gene_names[gene]).second) {
        found.marker_genes.push_back(loaded.gene_names[gene]);
      }
    }
    found.manifest["markers"].push_back({{"cluster", std::to_string(c)}, {"genes", names}});
  }
}

/// What a reader names the clusters by: their sizes and the genes that mark them.
void say_markers(const nlohmann::json& manifest, RunContext& run_context) {
  for (std::size_t c = 0; c < manifest["markers"].size(); ++c) {
    std::string genes;
    for (const auto& gene : manifest["markers"][c]["genes"]) {
      genes += (genes.empty() ? "" : ", ") + gene.get<std::string>();
    }
    run_context.say(fmt::format("  {:>2}: {} cells, {}", c, manifest["sizes"][c].get<std::size_t>(),
                                genes.empty() ? "no marker" : genes));
  }
}

}  // namespace

void add_cluster_options(CLI::App& command, ClusterCliOptions& options) {
  CLI::Option* wanted =
      command.add_flag("--cluster", options.is_wanted,
                       "Also group the points on the graph (Leiden): a column of .h5ad and\n"
                       ".npz, else OUTPUT_clusters.csv; page and picture are coloured by it,\n"
                       "and the page has the marker genes of counts");
  wanted->group("Clusters");
  command
      .add_option("--resolution", options.how.resolution,
                  "Resolution of the clustering; larger: more and smaller clusters")
      ->type_name("X")
      ->capture_default_str()
      ->needs(wanted)
      ->group("Clusters");
}

ClusterRun run_clusters(const ClusterCliOptions& options, const LoadedInput& loaded,
                        const DistanceRun& run, const MethodOptions& settings,
                        RunContext& run_context) {
  ClusterRun found;
  if (!options.is_wanted) return found;
  const Input input = loaded.input();
  const auto last = std::max_element(run.unique_inverse.begin(), run.unique_inverse.end());
  const bool is_whole = last != run.unique_inverse.end() &&
                        run.graph.n_points() == static_cast<std::size_t>(*last) + 1;
  DistanceRun anew;
  if (!is_whole) anew = heat_graph(input, settings, run_context.context());
  const DistanceRun& source = is_whole ? run : anew;
  const Clusters clusters = cluster_graph(source.graph.weights, options.how, run_context.context());
  std::vector<Index> labels;
  for (const Index place : source.unique_inverse) {
    labels.push_back(clusters.labels[static_cast<std::size_t>(place)]);
  }
  std::vector<std::size_t> sizes(clusters.n_clusters, 0);
  for (const Index label : labels) {
    ++sizes[static_cast<std::size_t>(label)];
    found.labels.push_back(std::to_string(label));
  }
  found.manifest = {{"n_clusters", clusters.n_clusters},
                    {"resolution", options.how.resolution},
                    {"modularity", clusters.modularity},
                    {"sizes", sizes}};
  if (loaded.cells) find_markers(loaded, labels, clusters.n_clusters, found);
  run_context.clear_bar();
  run_context.say(fmt::format("{} clusters (resolution {:g}, modularity {:.3f})",
                              clusters.n_clusters, options.how.resolution, clusters.modularity));
  if (found.manifest.contains("markers")) say_markers(found.manifest, run_context);
  return found;
}

}  // namespace geotherm::cli
