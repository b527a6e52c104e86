// R's named values <-> MethodOptions, by the library's table of options.
#pragma once

#include <cpp11.hpp>

#include "geotherm/geotherm.hpp"

namespace geotherm::r {

/// Throws InvalidArgument that names the methods there are.
const Method& method_of(const std::string& name);
/// From a named list; throws InvalidArgument for unknown names, for options that the method does
/// not read, and for values that do not fit. Names may be aliases or carry dots for underscores.
MethodOptions method_options(const Method& method, const cpp11::list& given);

}  // namespace geotherm::r
