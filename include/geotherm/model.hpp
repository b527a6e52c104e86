// A fitted map: training points and their coordinates -> a file, and coordinates for new points.
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

/// The steps applied to a row before the neighbour search, in this order; each only where it is
/// set. Row by row and in a fixed order of sums: a row's result depends on that row alone.
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

/// A 128-bit key of a row (0 and -0 are equal); the same for float32 and float64 rows of
/// equal numbers.
using RowKey = std::array<std::uint64_t, 2>;
std::vector<RowKey> row_keys(MatrixView<const double> rows);
std::vector<RowKey> row_keys(MatrixView<const float> rows);

/// Points of a table that is read in blocks of rows and reduced while it is read.
struct ReducedRows {
  Pca pca;                   ///< of the distinct rows; the scores of all rows
  std::size_t n_equal = 0;   ///< rows that equal an earlier one
  std::vector<RowKey> keys;  ///< of the rows as they are in the table
  Preparation steps;         ///< what was done to each
};
/// What the methods do to points they are given whole, with the same result: `Input::points` are
/// then the scores, and `MethodOptions::pca` has rank 0. Refuses what they refuse.
ReducedRows reduce_rows(RowBlocks&, const PcaOptions&, const Context& = {});
/// The same of a table in a GPU's memory, read where it lies: keys and scores alone are copied to
/// the host, 16 and 8 rank bytes a row. Where nothing is to be cut, `pca.was_reduced` is false and
/// there are neither. Up to 3,000 columns; the context has to have the device (`on_device`).
ReducedRows reduce_rows(const DevicePoints&, const PcaOptions&, const Context&);

/// What a map was made from, and so how new rows are given: as points, as distances to the training
/// rows, or as edge weights to them.
enum class ModelInput { points, distances, affinities };
std::string_view to_string(ModelInput);
std::optional<ModelInput> model_input_named(std::string_view);

/// One label per distinct training point: names[codes[point]]; code -1: unknown.
struct UniqueRowLabels {
  std::string name;
  std::vector<std::string> names = {};
  std::vector<Index> codes = {};
};

/// How spectral maps are extended (docs/methods/new_points.md): y = sum_j w_j y_j over its degree
/// and eigenvalue, with the kernel of the run's graph. Empty eigenvalues: not a spectral map.
struct SpectralExtension {
  std::vector<double> eigenvalues = {};  ///< of the random walk, one per axis; in (0, 1]
  double self_weight = 0;                ///< of a point to itself in that walk
  AffinityOptions affinity = {};  ///< kernel of points and distances; weights are taken as given
  std::size_t knn = 10;           ///< its neighbours
};

/// All that is needed to place a new point; nothing in it changes when points are placed.
struct Model {
  std::string method;   ///< name of the method that made the map
  std::string version;  ///< of the library that made it
  Metric metric = Metric::euclidean;
  /// Neighbours that a new point is placed by; >= 1.
  std::size_t n_neighbors = 10;
  /// The map is the prepared row itself (PCA): no neighbours are looked for.
  bool is_linear = false;
  ModelInput input = ModelInput::points;
  Preparation preparation;
  /// Of the columns of a row as it is given; empty: they had no names.
  std::vector<std::string> column_names = {};
  /// Of the training rows; empty: they had no names, or those of rows that were added are unknown.
  std::vector<std::string> row_names = {};
  /// Distinct training points after preparation, float32 where they were; empty for linear maps and
  /// for maps of distances and affinities.
  std::variant<Matrix<double>, Matrix<float>> points;
  /// Of the rows as they were given, one per distinct point; empty where there are no points.
  std::vector<RowKey> keys;
  Matrix<double> coordinates;  ///< one row per distinct point
  /// Training row -> distinct point; empty: all rows are distinct, in order.
  std::vector<Index> unique_inverse = {};
  /// The nearest other points of each distinct point, used for novelty, the calibration of labels
  /// and updates; of affinities the largest, at distance 1 / weight. Empty: not kept.
  NeighborLists neighbors = {};
  SpectralExtension extension = {};
  /// EmbeddingRun::refined_unit: in a refined map new points go where their neighbours gather.
  double refined_unit = 0;
  std::vector<UniqueRowLabels> labels = {};
  std::map<std::string, Value> resolved;  ///< what the run chose and saw (RunReport)
  std::string description;                ///< free text, such as the manifest of the run

  std::size_t n_unique() const { return coordinates.rows(); }
  /// Training rows, equal ones counted.
  std::size_t n_rows() const { return unique_inverse.empty() ? n_unique() : unique_inverse.size(); }
  /// Neighbours that novelty and updates look at, at most: lists of graphs may be shorter.
  std::size_t n_compared() const {
    return neighbors.knn > n_neighbors ? neighbors.knn : n_neighbors;
  }
  /// Null where no labels of that name were kept.
  const UniqueRowLabels* labels_named(std::string_view name) const;
};
std::vector<std::string> issues_with(const Model&);

/// Minimal number of neighbours per point that a model keeps: labels and novelty need more of them
/// than placing does. As MethodOptions::keep_neighbors they are not searched for again.
inline constexpr std::size_t model_neighbors = 15;

/// From a finished run and what it was made from.
Model make_model(std::string_view method, const Input&, const MethodOptions&, const EmbeddingRun&,
                 const Context& = {});

/// The model of rows before they were treated by `before`, whose output is what the model was made
/// from. `keys`: of the rows before, one each; `unique_inverse`: as in DistanceRun.
Model with_steps_before(Model, Preparation before, const std::vector<RowKey>& keys,
                        const std::vector<Index>& unique_inverse);

/// What a method needs of a table in a GPU's memory on the host.
struct RowsFromDevice {
  ReducedRows reduced;  ///< without scores; empty where the rows themselves were copied
  std::variant<Matrix<double>, Matrix<float>> points = {};  ///< the scores, or the rows
  double seconds = 0;
  std::size_t bytes_copied = 0;  ///< from the device to the host, all in all

  bool is_reduced() const { return !reduced.keys.empty(); }
  Input input() const;
  /// Of a model of `points`, one of the table's rows.
  Model finished(Model, const std::vector<Index>& unique_inverse) const;
  void note(RunReport&) const;
};
/// The scores where the method with these options reduces points (`options.pca` then has rank 0),
/// and else, where neighbours are measured in the columns as they are, one copy of the rows.
RowsFromDevice rows_from_device(const DevicePoints&, const Method&, MethodOptions& options,
                                const Context&);

/// Positions of the columns of a model among those of other rows.
struct ColumnMatch {
  /// One per column of the model; -1: not there.
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
/// Throws IoError with the reason: not a model, truncated, altered, of a newer format.
Model load_model(const std::string& path);

/// Labels of the training rows (one each; empty, "NA" and "nan" are none) for the distinct points
/// of a model: where equal rows differ, the most frequent label, and among those the first.
UniqueRowLabels unique_row_labels(const Model&, std::string name,
                                  const std::vector<std::string>& of_rows);

/// Coordinates of new points, and how far these are from the training points.
struct Placement {
  Matrix<double> coordinates;
  /// Harmonic mean of the distances to the nearest training points, in units of the data's scale
  /// there (geometric mean of the medians of the same quantity, of those points and of all): about
  /// 1 within the training data, 0 for a training row, larger outside. Empty for linear maps and
  /// models that keep no neighbours. NaN where the points' own median is 0.
  std::vector<double> novelty = {};
  /// The nearest training points of each row, nearest first; empty for linear maps.
  NeighborLists neighbors = {};
  /// Distance to the nearest training point, in units of the distance within which 19 of 20
  /// training points have their own nearest one. Empty for linear maps and where that is 0.
  std::vector<double> remoteness = {};
};
/// A warning where more than a tenth of the points are farther than 2 units; else empty.
std::string remoteness_in_words(const std::vector<double>& remoteness);

/// Places new points by a model; the index of the training points is prepared once.
///
/// A row equal to a training row gets the coordinates of that row, to the bit. Any other row is put
/// where its nearest training points concentrate in the map (docs/methods/new_points.md): its
/// coordinates depend on that row alone, not on the batch, its order or threads, and converge to
/// those of a training point as the row does.
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
  /// The same coordinates, and how far from the training points the rows are.
  Placement place_and_measure(MatrixView<const double> rows, const Context& = {}) const;
  Placement place_and_measure(MatrixView<const float> rows, const Context& = {}) const;
  /// New rows by their distances to all training rows: one column each, in the order of the
  /// training table. For every model but linear ones. Distance 0: the coordinates of that row.
  Placement place_by_distances(MatrixView<const double> distances, const Context& = {}) const;
  /// The same where only distances to the nearest training rows are known (stored entries).
  Placement place_by_distances(const SparseMatrix& distances, const Context& = {}) const;
  /// By edge weights to training rows; at least one per row. For models of affinities, and for
  /// spectral maps of any input.
  Placement place_by_affinities(const SparseMatrix& weights, const Context& = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Matrix<double> place(const Model&, MatrixView<const double> rows, const Context& = {});
Matrix<double> place(const Model&, MatrixView<const float> rows, const Context& = {});

/// A model with further rows: their coordinates, and the neighbours of all, old lists being
/// completed rather than searched for again. Old points keep their coordinates, to the bit, and
/// their numbers; a row that equals an old one or an earlier new one is the same point. Labels of
/// new points are unknown. Rows of a model of distances or weights are compared with training rows
/// alone.
struct GrownModel {
  Model model;
  std::vector<Index> new_inverse;  ///< of each new row
  std::vector<double> novelty;     ///< of each new row, as Placement has it
};
GrownModel grow_model(const Model&, MatrixView<const double> rows, const Context& = {});
GrownModel grow_model(const Model&, MatrixView<const float> rows, const Context& = {});
/// From a placement of rows that were given as distances or weights.
GrownModel grow_model(const Model&, const Placement&);

/// How far a map has moved from an earlier one of the same points (n x k both): lengths over the
/// larger side of the earlier map's box.
struct Movement {
  double mean = 0;
  double median = 0;
  double largest = 0;
};
Movement movement_between(MatrixView<const double> before, MatrixView<const double> after);

/// A map between an earlier one and one made anew, which is turned and moved (not scaled) onto the
/// first rows of the earlier one. From hold .5 on it is the earlier one, moved by (1 - hold) of the
/// displacements to the new one; below, the new one moved back by `hold` of them: averaged over
/// points nearby, so that neighbours stay neighbours. `start` has a row for each row of `made`.
Matrix<double> held_map(MatrixView<const double> start, MatrixView<const double> made,
                        std::size_t n_old, double hold, const Context& = {});

/// A new layout of all points of a grown model by its method, from where they are, held near the
/// old map (held_map). `options`: those that the map was made with. For models of points by methods
/// that are not linear.
Outcome lay_out_again(Model& grown, std::size_t n_old, double hold, MethodOptions options = {},
                      const Context& = {});

/// Labels of new rows from those of their neighbours.
struct LabelTransfer {
  std::vector<Index> codes;  ///< into UniqueRowLabels::names; -1 where no neighbour has a label
  std::vector<double> probabilities;  ///< of that label; 0 where there is none
};
/// How votes become probabilities, fitted by leaving training points out
/// (docs/methods/new_points.md).
struct LabelRule {
  std::size_t n_neighbors = 10;
  /// Heat at time `time` r^2 / 4, r the distance of the last neighbour: votes count exp(-d^2 /
  /// (time r^2)). Infinite: all alike. Not used for affinities, which are the votes themselves.
  double time = 1;
  double floor = 0.01;  ///< share that every label has without votes
  double exponent = 1;  ///< of the shares, before they are made to sum to 1
  double log_loss = 0;  ///< of the answers being right, on training points that were left out
};
LabelRule fit_label_rule(const Model&, const UniqueRowLabels&);
/// Row by row, from the neighbours of a placement.
LabelTransfer transfer_labels(const Model&, const UniqueRowLabels&, const LabelRule&,
                              const Placement&);

}  // namespace geotherm
