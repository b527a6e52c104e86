// One row of the noise table: a data set, options of the method, several seeds -> mean correlations of
// distances and of the 2-D map with the true geodesics. Driven by bench/noise/compare.py.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "geotherm/geotherm.hpp"

namespace {

using namespace geotherm;
using Arguments = std::map<std::string, std::string>;

double number(const Arguments& a, const std::string& name, double otherwise) {
  const auto found = a.find(name);
  return found == a.end() ? otherwise : std::atof(found->second.c_str());
}

double median_degree(const Graph& graph) {
  std::vector<double> d;
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    double sum = 0;
    for (const double w : graph.weights.row_values(i)) sum += w;
    d.push_back(sum);
  }
  std::nth_element(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(d.size() / 2), d.end());
  return d[d.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const char* split = std::strchr(argv[i], '=');
    if (split != nullptr) a[std::string(static_cast<const char*>(argv[i]), split)] = split + 1;
  }
  ThreadPool pool(static_cast<std::size_t>(number(a, "threads", 1)));
  const Shape shape = *shape_named(a.count("shape") ? a["shape"] : "swiss-roll");
  SynthOptions synth;
  synth.n = static_cast<std::size_t>(number(a, "n", shape == Shape::tree ? 2500 : 2000));
  synth.noise = number(a, "noise", 1);
  if (a.count("dim")) synth.dim = static_cast<std::size_t>(number(a, "dim", 3));
  synth.width = number(a, "width", 5);
  RecipeOptions o;
  if (number(a, "pca", 1) > 0) o.pca = PcaOptions{};
  o.neighbors.knn = static_cast<std::size_t>(number(a, "knn", 10));
  if (number(a, "share", 0.15) > 0) {
    o.shortcuts = ShortcutOptions{.share = number(a, "share", 0.15),
                                  .window = static_cast<std::size_t>(number(a, "window", 80)),
                                  .spread = number(a, "spread", 4),
                                  .detour = number(a, "detour", 6),
                                  .n_subsamples = static_cast<std::size_t>(number(a, "sub", 0)),
                                  .max_loss = number(a, "maxloss", 1)};
  }
  o.rates = number(a, "lengths", 1) > 0 ? Rates::lengths : Rates::hops;
  o.time_choice.reset();
  o.heat.time = number(a, "t", 5);
  o.dissimilarity.harnack = number(a, "sigma", 1);
  if (a.count("weights")) o.mds.weights = *mds_weights_named(a["weights"]);
  const bool map = number(a, "map", 1) > 0;
  double sum[4] = {0, 0, 0, 0};
  int n_seeds = 0;
  double removed = 0;
  double degree = 0;
  for (int seed = static_cast<int>(number(a, "from", 42)); seed <= static_cast<int>(number(a, "to", 46)); ++seed) {
    const Context context{.executor = &pool, .seed = static_cast<std::uint64_t>(seed)};
    const Dataset data = synthesize(shape, synth, context);
    EmbeddingRun run;
    if (map) {
      run = heat_geo(data.X, o, context);
    } else {
      run.distances = heat_geo_distances({.points = data.X.view()}, o, context);
    }
    const DistanceScores d = score_distances(data.geodesic, run.distances.dissimilarity.values, context);
    sum[0] += d.pearson;
    sum[1] += d.spearman;
    if (map) {
      const DistanceScores e = score_embedding(data.geodesic, run.embedding.coordinates, context);
      sum[2] += e.pearson;
      sum[3] += e.spearman;
    }
    removed += run.distances.shortcuts.removed_share();
    degree += median_degree(run.distances.graph);
    ++n_seeds;
  }
  std::printf("%.4f %.4f %.4f %.4f removed %.5f degree %.2f\n", sum[0] / n_seeds, sum[1] / n_seeds,
              sum[2] / n_seeds, sum[3] / n_seeds, removed / n_seeds, degree / n_seeds);
}
