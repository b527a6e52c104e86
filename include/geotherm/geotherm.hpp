// Everything geotherm offers.
#pragma once

#include "geotherm/core.hpp"
#include "geotherm/dissimilarity.hpp"
#include "geotherm/embedding.hpp"
#include "geotherm/graph.hpp"
#include "geotherm/heat.hpp"
#include "geotherm/io.hpp"
#include "geotherm/laplacian.hpp"
#include "geotherm/layouts.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/neighbors.hpp"
#include "geotherm/points.hpp"
#include "geotherm/recipes.hpp"
#include "geotherm/report.hpp"
#include "geotherm/shortcuts.hpp"
#include "geotherm/spectral.hpp"
