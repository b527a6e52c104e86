// What a run will take: memory and time, before it starts.
#pragma once

#include <optional>
#include <string>

#include "geotherm/observations.hpp"
#include "method_flags.hpp"

namespace geotherm::cli {

struct RunEstimate {
  double device_bytes = 0;  ///< of GPU memory; 0 where no device is used
  double bytes = 0;         ///< at the peak
  double seconds = 0;       ///< within a factor of two or three, on a quiet machine of today
  SolverChoice solver = {};
  bool knows_landmarks = false;  ///< the method chooses between all pairs and landmarks
  std::optional<std::size_t> n_pivots = std::nullopt;  ///< in place of landmarks
};
/// What an estimate needs to know of the input.
struct InputShape {
  double rows = 0;
  double cols = 0;          ///< as the method gets them
  double number_bytes = 8;  ///< of one value
  bool is_distances = false;
  double read_cols = 0;  ///< of the file, where rows are reduced while they are read
};
InputShape shape_of(const Input&);
InputShape shape_of(const ObservationRows&, const PcaOptions&);
RunEstimate estimate_run(const MethodFlags&, const InputShape&, std::size_t n_threads);

/// "about 0.3 GB and 6 s; distances by 2000 landmarks (more than 20000 points)".
std::string in_words(const RunEstimate&);

/// Throws InvalidArgument, naming the remedies, where more memory is needed than there is.
void refuse_if_too_large(const RunEstimate&);

/// Before the work starts: prints the estimate where that is all that is wanted (true: nothing is
/// left to do), else refuses what is too large.
bool only_estimates(bool is_wanted, const MethodFlags&, const InputShape&, const Context&);

}  // namespace geotherm::cli
