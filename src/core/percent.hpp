// Shares as messages show them.
#pragma once

#include <cstdio>
#include <string>

namespace geotherm::detail {

/// In per cent with two significant digits, whole from 10 on.
inline std::string in_percent(double share) {
  const double percent = 100 * share;
  char shown[32];
  std::snprintf(shown, sizeof(shown), percent < 10 ? "%.2g %%" : "%.0f %%", percent);
  return shown;
}

}  // namespace geotherm::detail
