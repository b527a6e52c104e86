// The experiments, one file each: what experiments.cpp lists.
#pragma once

#include "experiment.hpp"

namespace geotherm::cli {

extern const Experiment distances_experiment;
extern const Experiment embeddings_experiment;
extern const Experiment clustering_experiment;
extern const Experiment interpolation_experiment;
extern const Experiment time_order_experiment;
extern const Experiment studies_experiment;

}  // namespace geotherm::cli
