// Stochastic MDS behind its door: works on a problem that has been checked.
#pragma once

#include "embedding/pair_pass.hpp"

namespace geotherm::detail {

/// Sweeps of SgdMds where the options leave it open.
inline constexpr std::size_t default_sgd_sweeps = 30;

class SgdRun {
 public:
  SgdRun(Problem problem, const Matrix<double>& start, const MdsOptions&, const Context&);
  SgdRun(const SgdRun&) = delete;
  SgdRun& operator=(const SgdRun&) = delete;
  void run_to(std::size_t sweep);
  Embedding embedding() const;

 private:
  void sweep();
  double raw_stress() const;

  Problem problem_;
  Context context_;
  WeightTotals totals_;
  std::vector<double> steps_;  // eta of each sweep
  Layout x_;
  std::size_t n_done_ = 0;
  Outcome outcome_ = Outcome::iteration_limit;
};

}  // namespace geotherm::detail
