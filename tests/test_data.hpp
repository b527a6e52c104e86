// Where tests find data that is not part of the project.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace geotherm::testing {

/// Folder of real data sets, or empty. Set by the environment variable GEOTHERM_DATA.
inline std::string data_dir() {
  const char* dir = std::getenv("GEOTHERM_DATA");
  return dir == nullptr ? "" : dir;
}

/// Folder of stage-by-stage reference values (tests/reference/make_golden_values.py).
inline std::string golden_dir() { return GEOTHERM_SOURCE_DIR "/tests/reference/golden"; }

}  // namespace geotherm::testing

/// Skips loudly where the real data sets are not there.
#define GEOTHERM_NEEDS_DATA()                \
  if (geotherm::testing::data_dir().empty()) \
  GTEST_SKIP() << "SKIPPED: no real data sets (set GEOTHERM_DATA)"
