// Sections -> results.md, index.html and one .svg a figure, in the output folder.
#pragma once

#include <filesystem>
#include <vector>

#include "experiment.hpp"

namespace geotherm::cli {

struct ReportPart {
  std::string_view experiment;
  Section section;
  std::size_t n_jobs = 0;
  std::size_t n_measured = 0;
};
struct Report {
  /// What was run, in words: seeds, sizes, version.
  std::vector<std::string> remarks = {};
  std::vector<ReportPart> parts = {};
};
/// Files appear whole; the same report gives the same bytes.
void write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace geotherm::cli
