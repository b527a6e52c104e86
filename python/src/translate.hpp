// Library values on their way between the two languages.
#pragma once

#include <memory>
#include <variant>

#include "arrays.hpp"
#include "geotherm/model.hpp"
#include "run_context.hpp"

namespace geotherm::python {

/// An Input with what it looks at.
struct HeldInput {
  AnyArray array = {};
  std::unique_ptr<SparseMatrix> sparse = {};
  std::unique_ptr<NeighborLists> lists = {};
  /// Points that are nobody else's.
  std::variant<Matrix<double>, Matrix<float>> points = {};
  /// A table in a GPU's memory, in place of an input, and what keeps it there.
  DevicePoints there = {};
  nb::object owner = {};
  Input input = {};

  std::size_t n_points() const { return there.data != nullptr ? there.rows : input.n_points(); }
};

/// A model with the index of its points, once that is needed.
struct HeldModel {
  explicit HeldModel(Model made);
  Matrix<double> place(const AnyArray& rows, RunContext& run);
  Placer& placer_of(RunContext& run);

  std::unique_ptr<Model> model;
  std::unique_ptr<Placer> placer = {};
};

nb::dict to_dict(Graph&& graph);
nb::dict to_dict(DistanceRun&& run);

}  // namespace geotherm::python
