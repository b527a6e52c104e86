// Memory that runs out when told to: every `new` of the program, and every malloc of what is linked
// into it (Eigen's), is counted, and the chosen one fails.
#pragma once

#include <cstddef>

namespace geotherm::testing {

enum class Failing {
  once,    ///< that one allocation
  from_on  ///< that one and all that follow
};

/// From now on the n-th allocation of any thread fails (n >= 1).
void let_allocation_fail(std::size_t n, Failing);
/// Memory is plentiful again. Returns how many allocations were asked for since.
std::size_t stop_failing();
/// Blocks that `new` gave and nobody gave back.
long n_blocks_held();

}  // namespace geotherm::testing
