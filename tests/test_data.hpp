// Where tests find data that is not part of the project.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace geotherm::testing {

/// Folder of real data sets, or empty. Set by the environment variable GEOTHERM_DATA.
inline std::string data_dir() {
  const char* dir = std::getenv("GEOTHERM_DATA");
  return dir == nullptr ? "" : dir;
}

/// Folder of stage-by-stage reference values: GEOTHERM_GOLDEN, or `golden` beside the data.
inline std::string golden_dir() {
  if (const char* dir = std::getenv("GEOTHERM_GOLDEN")) return dir;
  const std::string data = data_dir();
  if (data.empty()) return "";
  const auto beside = std::filesystem::path(data) / ".." / "golden";
  return std::filesystem::exists(beside) ? beside.string() : "";
}

}  // namespace geotherm::testing

/// Skips loudly where the reference values are not there.
#define GEOTHERM_NEEDS_GOLDEN()                                                        \
  if (geotherm::testing::golden_dir().empty())                                         \
  GTEST_SKIP() << "SKIPPED: no reference values (set GEOTHERM_DATA or GEOTHERM_GOLDEN)"
#define GEOTHERM_NEEDS_DATA()                                                          \
  if (geotherm::testing::data_dir().empty())                                           \
  GTEST_SKIP() << "SKIPPED: no real data sets (set GEOTHERM_DATA)"
