#include "geotherm/core.hpp"

namespace geotherm {

const char* version() noexcept { return GEOTHERM_VERSION; }

}  // namespace geotherm
