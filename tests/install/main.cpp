// Uses the installed library as a stranger would: points in, map out.
#include <cstdio>
#include <geotherm/geotherm.hpp>

int main() {
  const geotherm::Dataset roll =
      geotherm::synthesize(geotherm::Shape::swiss_roll, {.n = 300, .noise = 0.0});
  const auto run = geotherm::heat_geo(
      roll.X, {.neighbors = {.knn = 8}, .heat = {.time = 5.0}, .time_choice = {}});
  const auto score = geotherm::score_distances(roll.geodesic, run.distances.dissimilarity.values);
  std::printf("geotherm %s: pearson %.3f\n", geotherm::version(), score.pearson);
  return score.pearson > 0.9 ? 0 : 1;
}
