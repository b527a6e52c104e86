// The two kinds of jobs that measure a data set over a grid of options: published methods over a
// sweep, and our own method. They are kept apart, so that new defaults of ours leave what was
// measured of the others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiment.hpp"
#include "paper_data.hpp"
#include "sweep.hpp"

namespace geotherm::cli {

/// A data set of one seed in an experiment.
struct GridSubject {
  std::string experiment = {};
  std::string name = {};     ///< for labels
  nlohmann::json data = {};  ///< decides the points
  std::uint64_t seed = 0;    ///< of the methods
};
GridSubject subject_of(const std::string& experiment, const PaperData&, std::uint64_t seed,
                       const ReproduceSettings&);

using Measure = std::function<nlohmann::json(const Context&)>;

Job published_job(const GridSubject&, const Sweep&, double cost, const Measure&);
/// `options`: an object with what decides the result besides the data and our defaults.
Job own_job(const GridSubject&, const nlohmann::json& options, double cost, const Measure&);

/// An experiment that holds made data against its true geodesics.
struct TruthExperiment {
  std::string name = {};
  Sweep sweep = {};
  double cost = 1;  ///< of published methods
  double own_cost = 1;
  nlohmann::json (*measure)(const Dataset&, const Sweep&, Purpose, const Context&) = nullptr;
  nlohmann::json (*measure_own)(const Dataset&, const Context&) = nullptr;
};
/// Our own method has nothing to choose: it is measured where it is reported.
std::vector<Job> jobs_against_truth(const TruthExperiment&, const PaperData&, std::uint64_t seed,
                                    const ReproduceSettings&);

}  // namespace geotherm::cli
