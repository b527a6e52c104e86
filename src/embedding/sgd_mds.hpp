// Stochastic MDS behind its public function: works on a problem that has been checked.
#pragma once

#include <functional>
#include <utility>

#include "core/state.hpp"
#include "embedding/pair_pass.hpp"

namespace geotherm::detail {

/// Sweeps of SgdMds where the options leave it open.
inline constexpr std::size_t default_sgd_sweeps = 30;

/// Everyone meets everyone in n - 1 rounds (n even), nobody twice in a round: who stands at `place`
/// (of n / 2) meets whom in `round`.
std::pair<std::size_t, std::size_t> meeting(std::size_t n, std::size_t round, std::size_t place);

struct SgdState {
  Layout x;
  std::size_t n_done = 0;
  Outcome outcome = Outcome::iteration_limit;
};
template <class Archive>
void fields(Archive& a, SgdState& s) {
  put(a, s.x, s.n_done, s.outcome);
}

class SgdRun {
 public:
  using State = SgdState;
  SgdRun(const Problem& problem, const Matrix<double>& start, const MdsOptions&, const Context&);
  SgdRun(const SgdRun&) = delete;
  SgdRun& operator=(const SgdRun&) = delete;
  /// `after_sweep` is called when the state is whole.
  void run_to(std::size_t sweep, const std::function<void()>& after_sweep = {});
  Embedding embedding() const;
  SgdState& state() { return s_; }
  /// False, and nothing changes, where the state is of another number of points, components or
  /// sweeps.
  bool restore(SgdState);

 private:
  void sweep();
  double raw_stress() const;

  Problem problem_;
  Context context_;
  WeightTotals totals_;
  std::vector<double> steps_;  // eta of each sweep
  SgdState s_;
};

}  // namespace geotherm::detail
