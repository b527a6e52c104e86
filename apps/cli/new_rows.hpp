// New rows for a model: read as points, distances or affinities, placed, and given labels.
#pragma once

#include <string>
#include <vector>

#include "geotherm/model.hpp"
#include "geotherm/observations.hpp"
#include "run_context.hpp"

namespace geotherm::cli {

/// What `transform` and `update` read.
struct NewRowsOptions {
  std::string model;
  std::string input;
  std::string given_as;  ///< points, distances or affinities; empty: what the model was made from
  std::string absent = "refuse";
  ReadOptions read = {};
};
void add_new_rows_options(CLI::App& command, NewRowsOptions& options);

/// The rows as they were read, with columns in the model's order where they are points.
struct NewRows {
  Observations read;
  ModelInput given_as = ModelInput::points;

  std::size_t n_rows() const { return read.rows(); }
};
NewRows read_new_rows(const Model& model, const NewRowsOptions& options, RunContext& run_context);
/// Refuses rows that do not fit the model, with the file's name.
Placement place_new_rows(const Model& model, const NewRows& rows, const std::string& path,
                         const Context& context);

/// Labels of the training rows: kept in the model under `name`, or one per row in `file` (a column
/// `name` of it where it has several). One of the two is given. Refuses names that are not there
/// with those that are.
UniqueRowLabels labels_for_transfer(const Model& model, const std::string& model_path,
                                    const std::string& name, const std::string& file);

}  // namespace geotherm::cli
