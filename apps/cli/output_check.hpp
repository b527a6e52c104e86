// Outputs are looked at before the work starts: a run of an hour must not end at a wrong name.
#pragma once

#include <string>
#include <vector>

namespace geotherm::cli {

struct OutputFile {
  enum class Kind { table, model, picture, page, manifest, folder, counts };
  const char* option;
  std::string path;  ///< empty: not asked for
  Kind kind;
};

/// Throws InvalidArgument that lists every output whose format is not known or which another one
/// would replace; else IoError that lists those whose folder is not there or may not be written to.
void require_outputs(const std::vector<OutputFile>& outputs);

}  // namespace geotherm::cli
