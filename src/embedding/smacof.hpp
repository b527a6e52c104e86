// SMACOF behind its door: works on a problem that has been checked.
#pragma once

#include <deque>

#include "embedding/pair_pass.hpp"

namespace geotherm::detail {

class SmacofRun {
 public:
  SmacofRun(Problem problem, const Matrix<double>& start, const MdsOptions&, const Context&);
  SmacofRun(const SmacofRun&) = delete;  // pass_ looks at problem_ and context_
  SmacofRun& operator=(const SmacofRun&) = delete;
  void run_to(std::size_t sweep);
  Embedding embedding() const;

 private:
  /// A step and the change of the pull along it.
  struct Bend {
    Layout step, change;
    double curvature = 0;  ///< step . change, > 0
  };
  void sweep();
  Layout quasi_newton_step() const;
  Layout majorised_step() const;
  bool try_step(const Layout& step, bool or_equal);

  Problem problem_;
  Context context_;
  double tolerance_;
  WeightTotals totals_;
  PairPass pass_;
  Layout x_, pull_;
  Layout next_x_, next_pull_;
  std::deque<Bend> bends_;
  double raw_ = 0;  // stress of x_, in the problem's units
  std::size_t n_slow_ = 0;
  Outcome outcome_ = Outcome::iteration_limit;
  std::vector<double> history_;
};

}  // namespace geotherm::detail
