// SMACOF behind its public function: works on a problem that has been checked.
#pragma once

#include <functional>
#include <vector>

#include "core/state.hpp"
#include "embedding/pair_pass.hpp"

namespace geotherm::detail {

/// A step and the change of the pull along it.
struct Bend {
  Layout step, change;
  double curvature = 0;  ///< step . change, > 0
};

/// What changes from sweep to sweep, and all that the next one depends on.
struct SmacofState {
  Layout x, pull;
  std::vector<Bend> bends;  ///< the last ones, oldest first
  double raw = 0;           ///< stress of x, in the problem's units
  std::size_t n_slow = 0;
  Outcome outcome = Outcome::iteration_limit;
  std::vector<double> history;
};

template <class Archive>
void fields(Archive& a, Bend& bend) {
  put(a, bend.step, bend.change, bend.curvature);
}
template <class Archive>
void fields(Archive& a, SmacofState& s) {
  put(a, s.x, s.pull, s.bends, s.raw, s.n_slow, s.outcome, s.history);
}

class SmacofRun {
 public:
  using State = SmacofState;
  SmacofRun(const Problem& problem, const Matrix<double>& start, const MdsOptions&, const Context&);
  SmacofRun(const SmacofRun&) = delete;  // pass_ looks at problem_ and context_
  SmacofRun& operator=(const SmacofRun&) = delete;
  /// `after_sweep` is called when the state is whole.
  void run_to(std::size_t sweep, const std::function<void()>& after_sweep = {});
  Embedding embedding() const;
  SmacofState& state() { return s_; }
  /// False, and nothing changes, where the state is of another number of points or components.
  bool restore(SmacofState);

 private:
  void sweep();
  Layout quasi_newton_step() const;
  Layout majorised_step() const;
  bool try_step(const Layout& step, bool or_equal);

  Problem problem_;
  Context context_;
  double tolerance_;
  WeightTotals totals_;
  PairPass pass_;
  SmacofState s_;
  Layout next_x_, next_pull_;
};

}  // namespace geotherm::detail
