// Runs the jobs of experiments and keeps each result in a file, so that a stopped run goes on where
// it was and several processes can share one folder.
#pragma once

#include <filesystem>
#include <vector>

#include "experiment.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

/// Files CACHE/<hash of the key and the format's version>.json, each {"key": ..., "result": ...}.
class JobCache {
 public:
  explicit JobCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path path_of(const nlohmann::json& key) const;
  /// Empty where it is not there; a file that cannot be read, or is another key's, counts as
  /// absent.
  std::optional<nlohmann::json> load(const nlohmann::json& key) const;
  void store(const nlohmann::json& key, const nlohmann::json& result) const;

 private:
  std::filesystem::path folder_;
};

/// A share of the jobs: the `index`-th of `count`, from 1.
struct Part {
  std::size_t index = 1;
  std::size_t count = 1;
};
/// "2/8"; throws InvalidArgument.
Part part_from(const std::string& text);
/// The jobs of one part, in their own order. Costly ones are dealt out first, each to the part with
/// least so far, so that the parts take about the same time.
std::vector<const Job*> jobs_of_part(const std::vector<Job>& jobs, const Part& part);

struct RunSummary {
  std::size_t n_done = 0;    ///< now
  std::size_t n_cached = 0;  ///< before, or meanwhile by another process
  std::size_t n_failed = 0;
  bool was_stopped = false;
};
/// Runs what the cache lacks; one line on stderr a job, with the time left. Ctrl-C ends it after
/// dropping the job under way.
RunSummary run_jobs(const std::vector<const Job*>& jobs, const JobCache& cache, Results& results,
                    RunContext& run);

}  // namespace geotherm::cli
