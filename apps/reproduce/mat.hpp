// MATLAB files.
#pragma once

#include "geotherm/io.hpp"

namespace geotherm {

/// One real numeric matrix of a MATLAB file (versions 5 to 7, packed or not), as doubles.
NamedArray read_mat_array(const std::string& path, const std::string& name);

}  // namespace geotherm
