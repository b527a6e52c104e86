// The version of these headers; geotherm::version() is that of the library linked.
#pragma once

#define GEOTHERM_VERSION_MAJOR 0
#define GEOTHERM_VERSION_MINOR 1
#define GEOTHERM_VERSION_PATCH 0
/// For comparisons: #if GEOTHERM_VERSION_NUMBER >= 200 (0.2.0)
#define GEOTHERM_VERSION_NUMBER \
  (GEOTHERM_VERSION_MAJOR * 10000 + GEOTHERM_VERSION_MINOR * 100 + GEOTHERM_VERSION_PATCH)
