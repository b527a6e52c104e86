#include "grid_jobs.hpp"

#include <fmt/core.h>

namespace geotherm::cli {
namespace {

Measure with_seed(std::uint64_t seed, const Measure& measure) {
  return [=](Context context) {
    context.seed = seed;
    return measure(context);
  };
}

}  // namespace

GridSubject subject_of(const std::string& experiment, const PaperData& data, std::uint64_t seed,
                       const ReproduceSettings& settings) {
  return {experiment, fmt::format("{}, seed {}", title_of(data), seed),
          key_of(data, seed, settings), seed};
}

Job published_job(const GridSubject& subject, const Sweep& sweep, double cost,
                  const Measure& measure) {
  return {{{"label", subject.experiment + ": " + subject.name},
           {"experiment", subject.experiment},
           {"data", subject.data},
           {"sweep", key_of(sweep)}},
          cost,
          with_seed(subject.seed, measure)};
}

Job own_job(const GridSubject& subject, const nlohmann::json& options, double cost,
            const Measure& measure) {
  nlohmann::json key = {{"label", subject.experiment + ": " + subject.name + ", our method"},
                        {"experiment", subject.experiment + " by our method"},
                        {"data", subject.data},
                        {"defaults", key_of_defaults()}};
  key.update(options);
  return {std::move(key), cost, with_seed(subject.seed, measure)};
}

std::vector<Job> jobs_against_truth(const TruthExperiment& experiment, const PaperData& data,
                                    std::uint64_t seed, const ReproduceSettings& settings) {
  const GridSubject subject = subject_of(experiment.name, data, seed, settings);
  const Purpose purpose = purpose_of(seed, settings);
  const Sweep sweep = for_purpose(experiment.sweep, purpose);
  std::vector<Job> all = {published_job(
      subject, sweep, experiment.cost, [=, measure = experiment.measure](const Context& context) {
        return measure(make_data(data, settings, context), sweep, purpose, context);
      })};
  if (purpose == Purpose::report) {
    all.push_back(own_job(subject, nlohmann::json::object(), experiment.own_cost,
                          [=, measure = experiment.measure_own](const Context& context) {
                            return measure(make_data(data, settings, context), context);
                          }));
  }
  return all;
}

}  // namespace geotherm::cli
