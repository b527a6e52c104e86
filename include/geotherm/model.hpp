// A map that can be kept: training points and their places -> a file, and places for new points.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "geotherm/methods.hpp"

namespace geotherm {

/// What is done to a row before its neighbours are looked for, in this order; each step only where
/// it is filled in. Row by row and in a fixed order of sums: a row's result depends on it alone.
struct Preparation {
  /// Columns of a row as it is given.
  std::size_t n_columns = 0;
  /// x -> asinh(x / asinh_by); > 0.
  std::optional<double> asinh_by = std::nullopt;
  /// Counts: x -> log(1 + x / (sum of the row) * target_sum); > 0.
  std::optional<double> target_sum = std::nullopt;
  /// Columns whose sum that is; empty: all.
  std::vector<Index> counted = {};
  /// Columns that are kept.
  std::vector<Index> columns = {};
  /// Subtracted, then multiplied: mean and 1 / deviation of standardised columns, the mean of a
  /// PCA.
  std::vector<double> shift = {};
  std::vector<double> scale = {};
  /// What is larger in magnitude is cut to this; > 0.
  std::optional<double> clip = std::nullopt;
  /// k x columns, applied to the row: the components of a PCA.
  Matrix<double> rotation = {};
  /// k: subtracted from the rotated row.
  std::vector<double> offset = {};

  /// Columns after the steps.
  std::size_t n_out() const;
  /// Nothing but rows as they are given.
  bool is_empty() const;
};
Matrix<double> prepare(const Preparation&, MatrixView<const double> rows, const Context& = {});

/// 128 bits that tell rows apart (both zeros are one); the same for float32 and float64 rows of
/// equal numbers.
using RowKey = std::array<std::uint64_t, 2>;
std::vector<RowKey> row_keys(MatrixView<const double> rows);
std::vector<RowKey> row_keys(MatrixView<const float> rows);

/// Points of a table that is read in blocks of rows, and reduced on the way.
struct ReducedRows {
  Pca pca;                   ///< of the distinct rows; the scores of all rows
  std::size_t n_equal = 0;   ///< rows that equal an earlier one
  std::vector<RowKey> keys;  ///< of the rows as they are in the table
  Preparation steps;         ///< what was done to each
};
/// What the methods do to points they are given whole, with the same result: `Input::points` are
/// then the scores, and `MethodOptions::pca` has rank 0. Refuses what they refuse.
ReducedRows reduce_rows(RowBlocks&, const PcaOptions&, const Context& = {});

/// All that is needed to place a new point; nothing in it changes when points are placed.
struct Model {
  std::string method;   ///< name of the method that made the map
  std::string version;  ///< of the library that made it
  Metric metric = Metric::euclidean;
  /// Neighbours that a new point is placed by; >= 1.
  std::size_t n_neighbors = 10;
  /// The map is the prepared row itself (PCA): no neighbours are looked for.
  bool is_linear = false;
  Preparation preparation;
  /// Of the columns of a row as it is given; empty: they had no names.
  std::vector<std::string> column_names = {};
  /// Distinct training points after preparation, float32 where they were; empty for linear maps.
  std::variant<Matrix<double>, Matrix<float>> points;
  /// Of the rows as they were given, one a place.
  std::vector<RowKey> keys;
  Matrix<double> coordinates;             ///< one row a place
  std::map<std::string, Value> resolved;  ///< what the run chose and saw (RunReport)
  std::string description;                ///< free text, such as the manifest of the run

  std::size_t n_places() const { return coordinates.rows(); }
};
std::vector<std::string> issues_with(const Model&);

/// From a finished run and what it was made from. Refuses (InvalidArgument) inputs without points:
/// a new point could not be compared with them.
Model make_model(std::string_view method, const Input&, const MethodOptions&, const EmbeddingRun&,
                 const Context& = {});

/// The model of rows before they were treated by `before`, whose output is what the model was made
/// from. `keys`: of the rows before, one each; `unique_inverse`: their places (DistanceRun).
Model with_steps_before(Model, Preparation before, const std::vector<RowKey>& keys,
                        const std::vector<Index>& unique_inverse);

/// Where the columns of a model are among those of other rows.
struct ColumnMatch {
  /// One a column of the model; -1: not there.
  std::vector<Index> places = {};
  /// Columns that the model reads and the rows lack, by name.
  std::vector<std::string> absent = {};
  std::size_t n_extra = 0;    ///< columns of the rows that the model does not know
  bool is_reordered = false;  ///< those that are there come in another order
};
/// By name; of names that occur more than once each is made unique as anndata does ("A", "A-1").
/// Columns that the model leaves out itself need not be there. Both sides must have names.
ColumnMatch match_columns(const Model&, const std::vector<std::string>& names);
/// The second "A" becomes "A-1", unless that is taken.
std::vector<std::string> made_unique(std::vector<std::string> names);

/// A file as docs/model_file.md describes it; written by atomic rename.
void save_model(const std::string& path, const Model&);
/// Throws IoError that says what is wrong: no model, cut short, altered, of a newer format.
Model load_model(const std::string& path);

/// Places of new points, and how far these are from the training points.
struct Placement {
  Matrix<double> coordinates;
  /// Distance to the nearest training point, in units of the distance within which 19 of 20
  /// training points have their own nearest one. Empty for linear maps and where that is 0.
  std::vector<double> remoteness = {};
};
/// A warning where more than a tenth of the points are farther than 2 units; else empty.
std::string remoteness_in_words(const std::vector<double>& remoteness);

/// Places new points by a model; the index of the training points is prepared once.
///
/// A row equal to a training row falls on that row's place, to the bit. Any other is put where its
/// nearest training points gather in the map (docs/methods/new_points.md): its place depends on it
/// alone, not on the batch, its order or threads, and nears a training point's place as the row
/// nears that point.
class Placer {
 public:
  /// The model must outlive it.
  explicit Placer(const Model&);
  explicit Placer(const Model&&) = delete;
  Placer(Placer&&) noexcept;
  Placer& operator=(Placer&&) noexcept;
  ~Placer();
  Matrix<double> place(MatrixView<const double> rows, const Context& = {}) const;
  Matrix<double> place(MatrixView<const float> rows, const Context& = {}) const;
  /// The same places, and how far from the training points the rows are.
  Placement place_and_measure(MatrixView<const double> rows, const Context& = {}) const;
  Placement place_and_measure(MatrixView<const float> rows, const Context& = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Matrix<double> place(const Model&, MatrixView<const double> rows, const Context& = {});
Matrix<double> place(const Model&, MatrixView<const float> rows, const Context& = {});

}  // namespace geotherm
