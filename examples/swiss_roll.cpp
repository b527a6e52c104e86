// Points in, map out: a noisy Swiss roll unrolled, and how well its geodesics were kept.
#include <cstdio>
#include <geotherm/geotherm.hpp>

int main() {
  using namespace geotherm;
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 1000, .noise = 0.1});

  ThreadPool threads;
  const Context context{.executor = &threads, .seed = 7};
  const EmbeddingRun run = heat_geo(roll.X, {.neighbors = {.knn = 10}}, context);

  const DistanceScores map = score_embedding(roll.geodesic, run.embedding.coordinates, context);
  std::printf("time %.3g, stress %.3g, pearson to the true geodesics %.3f\n",
              run.distances.kernel.time, run.embedding.stress, map.pearson);
  return map.pearson > 0.9 ? 0 : 1;
}
