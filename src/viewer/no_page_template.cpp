// In the place of the page's template where a build goes without it (GEOTHERM_WITH_VIEWER).
#ifndef GEOTHERM_WITH_VIEWER  // set for this file only
#include "viewer/page_template.hpp"

namespace geotherm::detail {

std::string_view page_template() { return {}; }

}  // namespace geotherm::detail
#endif
