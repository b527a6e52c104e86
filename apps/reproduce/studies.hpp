// The studies of experiment 6, one file each, and what they share.
#pragma once

#include <string>
#include <vector>

#include "geotherm/graph.hpp"
#include "experiment.hpp"
#include "paper_data.hpp"
#include "summary.hpp"

namespace geotherm::cli {

/// A question with its jobs, and what it adds to the section: words, a table, figures.
struct Study {
  std::vector<Job> (*jobs)(const ReproduceSettings&);
  void (*present)(const ReproduceSettings&, const Results&, Section&);
};
extern const Study time_study;
extern const Study sweep_study;
extern const Study graph_study;
extern const Study path_study;
extern const Study denoise_study;
extern const Study sne_study;
extern const Study manifold_study;

/// The made data of the sweeps: a clean roll and a noisy tree.
std::vector<PaperData> study_data();
/// Half as many points in a quick run.
ReproduceSettings study_settings(const ReproduceSettings&);
/// Data of this seed with the published graph of `knn` neighbours.
struct StudyGraph {
  Dataset data;
  Graph graph;
};
StudyGraph make_study_graph(const PaperData&, std::size_t knn, const ReproduceSettings&,
                            const Context&);

/// The key of a job on made data.
nlohmann::json study_key(const std::string& study, const PaperData&, std::uint64_t seed,
                         const ReproduceSettings&, const nlohmann::json& options);

/// One job for each data set and reported seed: `measure` with the data, study_settings and a
/// context of that seed.
std::vector<Job> study_jobs(const std::string& study, const std::vector<PaperData>& rows,
                            const ReproduceSettings&, const nlohmann::json& options, double cost,
                            nlohmann::json (*measure)(const PaperData&, const ReproduceSettings&,
                                                      const Context&));

/// What the jobs of several seeds say: `value` of each result that is there.
struct OverSeeds {
  std::vector<const nlohmann::json*> found = {};
  std::string reason = "not run";  ///< where none is

  Measured of(const std::function<double(const nlohmann::json&)>& value) const;
};
OverSeeds over_seeds(const Results&, const std::vector<nlohmann::json>& keys);

/// Keys of one study over the seeds that are reported.
std::vector<nlohmann::json> study_keys(const std::string& study, const PaperData&,
                                       const ReproduceSettings&, const nlohmann::json& options);

}  // namespace geotherm::cli
