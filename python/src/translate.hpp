// Library values on their way between the two languages.
#pragma once

#include <memory>

#include "arrays.hpp"

namespace geotherm::python {

/// An Input with what it looks at.
struct HeldInput {
  AnyArray array = {};
  std::unique_ptr<SparseMatrix> sparse = {};
  std::unique_ptr<NeighborLists> lists = {};
  Input input = {};
};

nb::dict to_dict(Graph&& graph);
nb::dict to_dict(DistanceRun&& run);

}  // namespace geotherm::python
