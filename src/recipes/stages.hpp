// The first half that graph methods share: input -> distinct points -> neighbours -> graph, with
// a clock for each stage and a note of every choice.
#pragma once

#include <chrono>
#include <string>

#include "geotherm/recipes.hpp"

namespace geotherm::detail {

/// Adds the time from its birth to its end to report.timings_s[stage].
class StageClock {
 public:
  StageClock(RunReport& report, std::string stage)
      : report_(report), stage_(std::move(stage)), start_(std::chrono::steady_clock::now()) {}
  ~StageClock() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    report_.timings_s[stage_] += taken.count();
  }
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

 private:
  RunReport& report_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_;
};

/// Refuses bad options and bad data, collapses equal rows, reduces by PCA where asked, finds the
/// neighbours, builds the graph and treats its components.
DistanceRun graph_of(const Input&, const RecipeOptions&, const Context&);

/// Chooses the time where it is left open (noted in the run), and makes the kernel.
std::unique_ptr<DiffusionKernel> kernel_of(DistanceRun&, const RecipeOptions&, const Context&);

/// The same for the random walk: chooses whole steps, and makes P^steps.
std::unique_ptr<DiffusionKernel> walk_of(DistanceRun&, const RecipeOptions&, const Context&);

/// Takes the distances in, notes what became of unresolved pairs, and keeps the kernel (averaged
/// with its transpose) where MDS weighs by it.
void note_distances(DistanceRun&, Dissimilarity, const DiffusionKernel&, const RecipeOptions&,
                    const Context&);

/// From distinct points back to the rows of the input.
void spread_to_rows(Dissimilarity&, const std::vector<Index>& place_of, const Context&);
void spread_to_rows(Embedding&, const std::vector<Index>& place_of);

/// Embeds run.dissimilarity (of distinct points) and spreads everything to the rows of the input.
EmbeddingRun lay_out(DistanceRun, const RecipeOptions&, const Context&);

}  // namespace geotherm::detail
