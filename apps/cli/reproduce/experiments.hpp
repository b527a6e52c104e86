// The experiments, one file each: what experiments.cpp lists.
#pragma once

#include "reproduce/experiment.hpp"

namespace geotherm::cli {

extern const Experiment distances_experiment;

}  // namespace geotherm::cli
