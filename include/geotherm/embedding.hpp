// Dissimilarity -> Embedding: classical, SMACOF and stochastic metric MDS; Procrustes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

enum class MdsMethod { classical, smacof, sgd };
std::string_view to_string(MdsMethod);
std::optional<MdsMethod> mds_method_named(std::string_view);
enum class MdsWeights { none, heat, inverse, gaussian };
std::string_view to_string(MdsWeights);
std::optional<MdsWeights> mds_weights_named(std::string_view);

struct MdsOptions {
  /// Dimensions of the map; >= 1.
  std::size_t n_components = 2;
  MdsMethod method = MdsMethod::smacof;
  /// heat: the kernel's entries (given by the caller); inverse: 1/d, at most 1000/median;
  /// gaussian: exp(-(d/median)^2). The median is that of the positive dissimilarities.
  MdsWeights weights = MdsWeights::none;
  /// Maximal number of sweeps; >= 0. Empty: 300 (smacof), 30 (sgd; more decrease more slowly).
  std::optional<std::size_t> max_iterations = std::nullopt;
  /// SMACOF stops when two consecutive sweeps lower the stress by less than this fraction; >= 0.
  double tolerance = 1e-6;
  /// mds() by SMACOF: further runs, each from the solution perturbed by a few stochastic sweeps;
  /// the layout of lowest stress is kept. Finds better maps of branching data, at about half the
  /// cost of the first run each. 0: the classical start alone.
  std::size_t n_shakes = 1;
  /// Layout that SMACOF and the stochastic method start from, one row per point, in any scale; it
  /// then replaces the classical start and is not perturbed. Empty: classical scaling.
  Matrix<double> start = {};
};
std::vector<std::string> issues_with(const MdsOptions&);

struct Embedding {
  /// n x n_components; centred, along its principal axes by decreasing variance, each axis's
  /// largest entry positive. In the units of the dissimilarity.
  Matrix<double> coordinates;
  Outcome outcome = Outcome::converged;
  std::size_t iterations = 0;
  /// sum_{i<j} w (d - |y_i - y_j|)^2 over sum_{i<j} w d^2; infinite where the latter alone is 0.
  double stress = 0;
  std::vector<double> stress_history;  ///< SMACOF: after each sweep, never increasing
};

// Everywhere below `distances` is n x n, finite, non-negative and symmetric to 1e-6 of its largest
// entry (InvalidArgument otherwise); its diagonal is not read. Units may be of any size. Distances
// that are all zero give one point. No function here holds a further n x n array.

/// Eigenvectors of the doubly centred squares, by block Lanczos: O(n^2) per step.
/// Negative eigenvalues, and components past n - 1, give zeros.
Embedding classical_mds(MatrixView<const double> distances, std::size_t n_components,
                        const Context& = {});

/// Metric MDS by majorisation, accelerated. Weights: n x n symmetric non-negative, which override
/// options.weights; or an empty view for those of options.weights, computed as needed.
/// Distances and weights must outlive it. A sweep is one pass over the pairs, at times two.
class Smacof {
 public:
  Smacof(MatrixView<const double> distances, MatrixView<const double> weights,
         const Matrix<double>& start, const MdsOptions& = {}, const Context& = {});
  /// It keeps views: distances that end with the call are refused.
  Smacof(const Matrix<double>&& distances, MatrixView<const double> weights,
         const Matrix<double>& start, const MdsOptions& = {}, const Context& = {}) = delete;
  Smacof(Smacof&&) noexcept;
  Smacof& operator=(Smacof&&) noexcept;
  ~Smacof();
  /// Sweeps until `sweep` have run in all, or convergence, or the user stops. Stress never
  /// increases.
  void run_to(std::size_t sweep);
  Embedding embedding() const;
  /// Bytes from which a run made with the same distances, weights, start, options and context
  /// resumes to the same bits, in this process or another, on the same type of machine.
  std::string state() const;
  /// Throws InvalidData for a state of another size, or damaged.
  void restore(std::string_view state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Metric MDS by stochastic gradient over pairs in a random order with a decreasing step. Weights
/// and lifetimes as above. options.max_iterations sets the decrease; run_to does not go past it.
class SgdMds {
 public:
  SgdMds(MatrixView<const double> distances, MatrixView<const double> weights,
         const Matrix<double>& start, const MdsOptions& = {}, const Context& = {});
  /// It keeps views: distances that end with the call are refused.
  SgdMds(const Matrix<double>&& distances, MatrixView<const double> weights,
         const Matrix<double>& start, const MdsOptions& = {}, const Context& = {}) = delete;
  SgdMds(SgdMds&&) noexcept;
  SgdMds& operator=(SgdMds&&) noexcept;
  ~SgdMds();
  /// run_to(10); run_to(30) gives the same bits as run_to(30).
  void run_to(std::size_t sweep);
  Embedding embedding() const;
  /// As those of Smacof.
  std::string state() const;
  void restore(std::string_view state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole layout: weights of the named kind, classical start, chosen method, orientation.
/// `heat`: the kernel's n x n entries, needed for MdsWeights::heat alone. Reports "classical
/// scaling" and then "layout" once a sweep, with the stress; stopped, it returns the best so far.
Embedding mds(MatrixView<const double> distances, const MdsOptions& = {},
              MatrixView<const double> heat = {}, const Context& = {});

/// sum_{i<j} w (d - |y_i - y_j|)^2 / sum_{i<j} w d^2; weights may be empty.
double stress(MatrixView<const double> distances, MatrixView<const double> weights,
              MatrixView<const double> coordinates, const Context& = {});

/// The map centred, rotated to principal axes, with fixed signs; pass it by std::move to avoid a
/// copy.
Matrix<double> oriented(Matrix<double> coordinates);

struct Procrustes {
  Matrix<double> aligned;  ///< `moving` after rotation, reflection, scale and shift
  double disparity = 0;    ///< residual sum of squares over that of the centred reference
  double scale = 1;
  /// k x k, orthogonal: aligned rows are scale (row - mean of moving) rotation + mean of reference.
  Matrix<double> rotation = {};
};
/// Least squares. Both n x k.
Procrustes procrustes(MatrixView<const double> reference, MatrixView<const double> moving);

}  // namespace geotherm
