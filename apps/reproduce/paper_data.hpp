// The paper's made data sets, by the names its tables have for them.
#pragma once

#include <string>
#include <vector>

#include "geotherm/points.hpp"
#include "experiment.hpp"

namespace geotherm::cli {

struct PaperData {
  std::string name;  ///< "Swiss roll high", as printed
  Shape shape = Shape::swiss_roll;
  std::size_t dim = 3;
  double noise = 0;          ///< standard deviation
  double printed_noise = 0;  ///< trees: the 2-D tables print a tenth of it
  bool clustered = false;
};

/// Rolls of 3, 10 and 50 dimensions at noise .1, .5, 1.
std::vector<PaperData> paper_rolls(const std::vector<double>& noises, bool clustered = false);
/// Trees of 10 and (unless `is_low_alone`) 30 dimensions at noise 1, 5, 10, printed times `unit`.
std::vector<PaperData> paper_trees(double unit, bool is_low_alone = false);

/// "Swiss roll, noise 0.5"
std::string title_of(const PaperData&);
/// What decides the data set, for the key of a job.
nlohmann::json key_of(const PaperData&, std::uint64_t seed, const ReproduceSettings&);
/// What numbers of this seed are for.
Purpose purpose_of(std::uint64_t seed, const ReproduceSettings&);
using JobsOfData = std::vector<Job> (*)(const PaperData&, std::uint64_t seed,
                                        const ReproduceSettings&);
/// The jobs of every data set by pairs of seeds: a run that is stopped has all rows, from fewer
/// seeds. Costs are for a roll: a tree, which has more points, takes half as long again.
std::vector<Job> jobs_by_pair(const std::vector<PaperData>& rows, const ReproduceSettings&,
                              JobsOfData jobs_of);
/// 2,000 points of a roll, 5 x 500 of a tree, less where the settings shrink.
Dataset make_data(const PaperData&, const ReproduceSettings&, const Context&);

}  // namespace geotherm::cli
