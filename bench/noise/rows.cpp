// One row of the noise table: a data set, steps of the method switched on or off, several seeds ->
// mean correlations of distances and of the 2-D map with the true geodesics. Driven by
// bench/noise/compare.py.
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

MethodOptions options_from(Arguments a) {
  MethodOptions o;
  if (a["steps"] == "published") o = as_published(o);
  if (a["pca"] == "none") o.pca = PcaOptions{.rank = 0};
  if (a["shortcuts"] == "off") o.shortcuts = ShortcutOptions{.share = 0};
  if (a["rates"] == "hops") o.rates = Rates::hops;
  if (a["smooth"] == "auto") o.smooth = SmoothOptions{};
  if (a["time"] == "knee") o.time_choice = TimeOptions{.rule = TimeRule::knee};
  if (a.count("share")) o.time_choice = TimeOptions{.share = number(a, "share", 0.2)};
  if (a.count("knn")) o.neighbors.knn = static_cast<std::size_t>(number(a, "knn", 10));
  if (a.count("t")) {
    o.time_choice.reset();
    o.heat.time = number(a, "t", 5);
  }
  if (a.count("weights")) o.mds.weights = *mds_weights_named(a["weights"]);
  return o;
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
  const MethodOptions options = options_from(a);
  const bool is_oracle = a["steps"] == "oracle";
  double sum[4] = {0, 0, 0, 0};
  double removed = 0;
  double jumps = 0;
  int n_seeds = 0;
  const int last = static_cast<int>(number(a, "to", 46));
  for (int seed = static_cast<int>(number(a, "from", 42)); seed <= last; ++seed, ++n_seeds) {
    const Context context{.executor = &pool, .seed = static_cast<std::uint64_t>(seed)};
    const Dataset data = synthesize(shape, synth, context);
    EmbeddingRun run;
    if (is_oracle) {
      run.embedding = mds(data.geodesic, {}, {}, context);
      sum[0] += 1;
      sum[1] += 1;
    } else {
      run = heat_geo(data.X, options, context);
      const DistanceScores d =
          score_distances(data.geodesic, run.distances.dissimilarity.values, context);
      sum[0] += d.pearson;
      sum[1] += d.spearman;
      const Laplacian laplacian = build_laplacian(run.distances.graph);
      std::vector<double> degree = laplacian.degree;
      const auto middle = degree.begin() + static_cast<std::ptrdiff_t>(degree.size() / 2);
      std::nth_element(degree.begin(), middle, degree.end());
      jumps += run.distances.kernel.time * *middle;
    }
    const DistanceScores e = score_embedding(data.geodesic, run.embedding.coordinates, context);
    sum[2] += e.pearson;
    sum[3] += e.spearman;
    removed += run.distances.shortcuts.removed_share();
  }
  std::printf("%.4f %.4f %.4f %.4f %.6f %.1f\n", sum[0] / n_seeds, sum[1] / n_seeds,
              sum[2] / n_seeds, sum[3] / n_seeds, removed / n_seeds, jumps / n_seeds);
}
