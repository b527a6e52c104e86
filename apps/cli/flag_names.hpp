// The library's names of fields -> the flags of the command line.
#pragma once

#include <string>
#include <string_view>

namespace geotherm::cli {

/// A message of the library in the words of the command line: an option that is named first
/// ("knn is 0: ...") or in backquotes becomes its flag.
std::string in_flags(std::string_view message);

}  // namespace geotherm::cli
