// Where the signal of a table ends and white noise begins, read from its eigenvalues.
#pragma once

#include <optional>
#include <span>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Eigenvalues of the scatter matrix of a centred table (squares of its singular values).
struct Spectrum {
  std::span<const double> values;  ///< the largest ones, falling
  double beyond = 0;               ///< sum of those that are not listed
  std::size_t rows = 0;            ///< of the table
  std::size_t cols = 0;
};

struct SignalRank {
  std::size_t rank = 0;
  std::size_t n_discarded = 0;  ///< directions of noise; those of no variance are not counted
  double noise_variance = 0;    ///< per coordinate of the table; 0 where the rest is exactly 0
  double noise_of_scores = 0;   ///< mean variance of scores along discarded directions
};
/// The rule of `choose_rank`; where not all values are listed, the lowest ones are not examined.
std::optional<SignalRank> find_signal(const Spectrum&);

}  // namespace geotherm::detail
