// Points in the form that the searches work on: contiguous rows and a measure that rises with the
// distance and is cheap to compare. All searches get their final numbers from measure_rows alone,
// so that equal pairs have equal bits and ties mean the same everywhere.
#pragma once

#include <vector>

#include "geotherm/neighbors.hpp"

namespace geotherm::detail {

/// arc: squares of chords of the unit sphere. Those from hamming on are measured pair by pair;
/// jensen_shannon: rows are shares p, then p log p.
enum class Measure {
  squared,
  half_squared,
  arc,
  manhattan,
  hamming,
  jaccard,
  braycurtis,
  canberra,
  jensen_shannon
};
/// Sums of squares: products of matrices can rule pairs out.
inline bool is_squared(Measure measure) { return measure <= Measure::arc; }
/// Boxes can be ruled out by their coordinates.
inline bool has_boxes(Measure measure) { return measure <= Measure::manhattan; }

/// T is the caller's precision; rows of unit length (cosine, correlation) are always double.
template <class T>
struct Space {
  Matrix<T> rows;
  Measure measure = Measure::squared;
  /// Rows were divided by this power of two, so that squares neither overflow nor vanish.
  double unit = 1;

  std::size_t n_points() const { return rows.rows(); }
  std::size_t dims() const { return rows.cols(); }
  double distance(double measured) const;
  /// The factor on the measure that multiplies the distance by `reach`.
  double measured_reach(double reach) const {
    // Of arcs a bound: sin(r x) <= r sin(x).
    return measure == Measure::squared || measure == Measure::arc ? reach * reach : reach;
  }
};

/// Throws InvalidArgument naming the first entry that is not finite.
template <class T>
void refuse_non_finite(MatrixView<const T> points, const Context& = {});

/// Whether rows are changed, into double, before they are compared.
bool is_mapped(Metric metric);

/// Metrics that are not mapped: a copy of the points.
template <class T>
Space<T> plain_space(MatrixView<const T> points, Metric metric, const Context& = {});

/// Cosine or correlation: rows scaled to length one, where 1 - cos = |u - v|^2 / 2, which keeps
/// small distances accurate. Rows without direction get a coordinate of their own, orthogonal to
/// the rest: distance 1 to all others, 0 to their like.
template <class T>
Space<double> unit_space(MatrixView<const T> points, Metric metric);

/// Metrics that are mapped. `has_spare`: always with the coordinate for rows without direction, as
/// queries need it that come later.
template <class T>
Space<double> mapped_space(MatrixView<const T> points, Metric metric, bool has_spare = false);

/// Refuses entries that the metric has no meaning for.
template <class T>
void refuse_unfit(MatrixView<const T> points, Metric metric);

/// A Euclidean space in which near pairs of `space` are near as a rule.
template <class T>
Space<float> proxy_space(const Space<T>& space);

/// Means of the columns, and the power of two by which the rows less the means fit into [-1, 1].
struct Frame {
  std::vector<double> means;
  double scale = 1;
};
template <class T>
Frame frame_of(const Matrix<T>& rows, const Context& = {});

/// The measure between `query` and `count` rows: those in `ids`, or the first ones of `rows` where
/// `ids` is null. Rows are dims apart. Symmetric to the bit in query and row.
void measure_rows(Measure, const double* query, const double* rows, std::size_t dims,
                  const Index* ids, std::size_t count, double* out);
void measure_rows(Measure, const float* query, const float* rows, std::size_t dims,
                  const Index* ids, std::size_t count, double* out);

}  // namespace geotherm::detail
