// Laplacian -> heat kernel exp(-tL), and random-walk powers: operators on blocks of vectors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geotherm/laplacian.hpp"

namespace geotherm {

enum class KernelMethod { automatic, uniformization, exact, chebyshev, euler, walk_power };
std::string_view to_string(KernelMethod);
std::optional<KernelMethod> kernel_method_named(std::string_view);

struct HeatKernelOptions {
  /// Diffusion time, in units of the inverse spectrum of the Laplacian; > 0. Larger sees farther.
  double time = 1.0;
  /// automatic: uniformization, which is accurate in every entry.
  KernelMethod method = KernelMethod::automatic;
  /// Chebyshev: bound on the discarded tail; in (0, 1).
  double tolerance = 1e-12;
  /// Chebyshev: degree; Euler: steps; uniformization: ignored. >= 1. Empty: from time, tolerance
  /// and the spectral bound (Chebyshev), 30 (Euler).
  std::optional<int> order = std::nullopt;
};
std::vector<std::string> issues_with(const HeatKernelOptions&);

struct KernelReport {
  KernelMethod method = KernelMethod::uniformization;  ///< the one that runs
  double time = 0;
  /// Chebyshev degree, Euler steps, walk steps; uniformization: terms before squaring (of the dense
  /// form; apply and rows stop when every entry has converged). 0 for exact.
  int order = 0;
  int squarings = 0;  ///< uniformization: how often the dense form is squared
  /// Entries below this are not resolved: rounding of the method (1e-15) or its truncation. 0 for
  /// the kernels that add non-negative numbers only and so have a small relative error in every
  /// entry: uniformization, Euler (as the kernel it defines), walk powers. There only an entry
  /// that is returned as 0 (uniformization: below 1e-290) is unresolved.
  double resolution = 0;
};

/// A diffusion kernel K (n x n, non-negative up to rounding) as a linear operator.
class DiffusionKernel {
 public:
  virtual ~DiffusionKernel() = default;
  virtual std::size_t size() const = 0;
  virtual bool is_symmetric() const = 0;
  virtual const KernelReport& report() const = 0;
  /// K * block for an n x r block; O(order * edges * r), memory O(n r). Uniformization: relative
  /// accuracy in every entry for blocks without negative entries, absolute for others.
  virtual Matrix<double> apply(MatrixView<const double> block, const Context& = {}) const = 0;
  /// K as an n x n array. Costs n^2 doubles; uniformization half as much again temporarily.
  /// Symmetric to the bit where is_symmetric().
  virtual Matrix<double> dense(const Context& = {}) const;
  /// The rows of K for the given points (r x n), without forming n x n.
  virtual Matrix<double> rows(std::span<const Index> points, const Context& = {}) const;
  /// K_ii for all i without forming n x n.
  virtual std::vector<double> diagonal(const Context& = {}) const;
};

/// exp(-tL). The Laplacian is copied. Limits: uniformization 1e9 expected jumps of the uniformized
/// chain (time x largest diagonal), exact 20,000 points.
std::unique_ptr<DiffusionKernel> heat_kernel(const Laplacian&, const HeatKernelOptions& = {},
                                             const Context& = {});
/// P^steps of a non-negative matrix with unit row sums; entries beyond `steps` hops are exactly 0.
std::unique_ptr<DiffusionKernel> walk_power(const SparseMatrix& walk, int steps,
                                            const Context& = {});

/// exp(-tL) * block for many times from one Chebyshev recurrence: one n x r result per time.
std::vector<Matrix<double>> heat_apply_times(const Laplacian&, MatrixView<const double> block,
                                             std::span<const double> times,
                                             double tolerance = 1e-12, const Context& = {});

// ---------------------------------------------------------------------------------------------
// Choice of the diffusion time from the entropy of the kernel.

enum class TimeRule {
  reach,  ///< the perplexity of the kernel's rows reaches a share of n, within bounds on expected
          ///< jumps
  knee    ///< the knee of the entropy curve, as published
};

struct TimeOptions {
  TimeRule rule = TimeRule::reach;
  /// Reach: perplexity exp(entropy) of the kernel's rows (geometric mean) at the chosen time, as a
  /// share of n; in (0, 1). More: smoother distances, but on closed shapes and with strong noise
  /// heat then takes shortcuts.
  double share = 0.5;
  /// Reach: expected jumps of the uniformized chain from a typical point, kept between these; 0 <
  /// fewest <= most. Fewer measure sampling (taken only where the perplexity would reach 0.95 n
  /// sooner), more gain little. A jump takes 1 / the median diagonal of L (the median degree for
  /// the combinatorial form).
  double fewest_jumps = 28;
  double most_jumps = 200;
  /// Reach: on graphs of 100 to 1,000 hops from end to end `most_jumps` grows, with the square of the
  /// length up to so many jumps a hop: heat that has fewer does not see along a curve, and draws it
  /// bent. Longer graphs would cost too much. 0: it does not grow.
  double jumps_a_hop = 2.5;
  /// Reach: expected jumps of the second, short time, given where the chosen one is at least twice
  /// that; 0: none.
  double short_jumps = 20;
  /// Candidate times, ascending. Empty: equally spaced in the logarithm; reach: 20 times of 0.1 to
  /// `most_jumps` jumps; knee: 30 of 0.1 to 500 jumps (the knee follows the upper end; with 500 it
  /// lies near 50 jumps).
  std::vector<double> candidates = {};
  /// Kneedle's sensitivity; > 0. Larger: a later, more certain knee.
  double sensitivity = 0.5;
  /// Rows of the kernel whose entropy is measured; all of them up to this many, else a sample.
  /// Empty: 128; as few as 16 where the graph has many edges.
  std::optional<std::size_t> max_rows = std::nullopt;
};
std::vector<std::string> issues_with(const TimeOptions&);
struct TimeChoice {
  double time = 0;
  /// A second time, for distances within clusters; where the chosen one is long.
  std::optional<double> short_time = std::nullopt;
  /// Those that were looked at: long ones that cannot be chosen are left out.
  std::vector<double> times;
  /// choose_time: -sum H log(H + 1e-10), scaled up to all rows; choose_walk_steps: of the spectrum.
  std::vector<double> entropies;
  std::string how;  ///< in words
  /// Reach: false where the longest time that may be chosen has fewer jumps than the graph has hops
  /// from end to end: far pairs have distances that are too short.
  bool sees_all = true;
};
TimeChoice choose_time(const Laplacian&, const TimeOptions& = {}, const Context& = {});

struct StepOptions {
  /// Steps 1 ... max_steps are considered; in [3, 1000].
  int max_steps = 100;
  /// Up to this many points every eigenvalue is computed, O(n^3); above, sums over the spectrum are
  /// estimated by random vectors (stochastic Lanczos quadrature), O(edges) per step.
  std::size_t max_dense = 800;
};
std::vector<std::string> issues_with(const StepOptions&);
/// Number of steps of the random walk of the graph: the knee, by the best fit of two lines, of
/// von Neumann's entropy -sum e log e, e_i = |lambda_i|^t / sum_j |lambda_j|^t, over t.
TimeChoice choose_walk_steps(const Graph&, const StepOptions& = {}, const Context& = {});

/// Kneedle for a concave increasing curve: index of the knee, or empty where there is none.
std::optional<std::size_t> find_knee(std::span<const double> x, std::span<const double> y,
                                     double sensitivity);

}  // namespace geotherm
