#include "paper_data.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "geotherm/dissimilarity.hpp"
#include "papers_tree.hpp"

namespace geotherm::cli {
namespace {

std::size_t n_points_of(const PaperData& data, const ReproduceSettings& settings) {
  return (data.shape == Shape::tree ? 2500 : 2000) / settings.shrink;
}

/// Truth: shortest paths on the 10-NN graph of the tree without noise.
Dataset dataset_of(PapersTree tree, const Context& context) {
  Graph graph = build_graph(find_neighbors(tree.clean.view(), {.knn = 10}, context),
                            {.kind = Affinity::knn}, context);
  graph = connect_components(std::move(graph), ComponentPolicy::bridge, tree.clean, context);
  Dataset data;
  data.geodesic = shortest_paths(graph, context);
  data.X = std::move(tree.points);
  data.coordinates = std::move(tree.clean);
  data.label = std::move(tree.branch);
  return data;
}

}  // namespace

std::vector<PaperData> paper_rolls(const std::vector<double>& noises, bool clustered) {
  std::vector<PaperData> all;
  for (const auto& [name, dim] :
       {std::pair{"Swiss roll", 3}, {"Swiss roll high", 10}, {"Swiss roll very high", 50}}) {
    for (const double noise : noises) {
      all.push_back(
          {name, Shape::swiss_roll, static_cast<std::size_t>(dim), noise, noise, clustered});
    }
  }
  return all;
}

std::vector<PaperData> paper_trees(double unit, bool is_low_alone) {
  std::vector<PaperData> all;
  for (const auto& [name, dim] : {std::pair{"Tree", 10}, {"Tree high", 30}}) {
    if (is_low_alone && dim > 10) continue;
    for (const double noise : {1.0, 5.0, 10.0}) {
      all.push_back({name, Shape::tree, static_cast<std::size_t>(dim), noise, noise * unit});
    }
  }
  return all;
}

std::string title_of(const PaperData& data) {
  return fmt::format("{}{}, noise {:g}", data.name, data.clustered ? " (clustered)" : "",
                     data.noise);
}

nlohmann::json key_of(const PaperData& data, std::uint64_t seed,
                      const ReproduceSettings& settings) {
  return {{"shape", data.shape == Shape::tree ? "tree" : "swiss-roll"},
          {"n", n_points_of(data, settings)},
          {"dim", data.dim},
          {"noise", data.noise},
          {"clustered", data.clustered},
          {"seed", seed}};
}

Purpose purpose_of(std::uint64_t seed, const ReproduceSettings& settings) {
  const auto& reported = settings.report_seeds;
  return std::count(reported.begin(), reported.end(), seed) > 0 ? Purpose::report : Purpose::choice;
}

std::vector<Job> jobs_by_pair(const std::vector<PaperData>& rows, const ReproduceSettings& settings,
                             JobsOfData jobs_of) {
  std::vector<Job> all;
  for (const std::vector<std::uint64_t>& pair : seed_pairs(settings)) {
    for (const PaperData& data : rows) {
      for (const std::uint64_t seed : pair) {
        for (Job& job : jobs_of(data, seed, settings)) {
          if (data.shape == Shape::tree) job.cost *= 1.5;
          all.push_back(std::move(job));
        }
      }
    }
  }
  return all;
}

Dataset make_data(const PaperData& data, const ReproduceSettings& settings,
                  const Context& context) {
  const std::size_t n = n_points_of(data, settings);
  if (data.shape == Shape::tree) {
    const auto seed = static_cast<std::uint32_t>(context.seed);
    return dataset_of(papers_tree(seed, n / 5, data.dim, data.noise), context);
  }
  return synthesize(data.shape,
                    {.n = n, .noise = data.noise, .dim = data.dim, .clustered = data.clustered},
                    context);
}

}  // namespace geotherm::cli
