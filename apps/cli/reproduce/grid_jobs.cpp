#include "reproduce/grid_jobs.hpp"

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
  nlohmann::json key = {{"label", subject.experiment + ": " + subject.name + ", our recipe"},
                        {"experiment", subject.experiment + " by our recipe"},
                        {"data", subject.data},
                        {"defaults", key_of_defaults()}};
  if (!options.is_null()) key.update(options);
  return {std::move(key), cost, with_seed(subject.seed, measure)};
}

}  // namespace geotherm::cli
