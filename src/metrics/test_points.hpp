// Inputs and threads that the tests of this module share.
#pragma once

#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::testing {

inline Matrix<double> random_points(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed, "metrics.test");
  Matrix<double> points(n, d);
  for (std::size_t e = 0; e < points.size(); ++e) points.data()[e] = rng.normal();
  return points;
}

inline Matrix<double> matrix_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix<double> m(rows.size(), rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) std::copy(row.begin(), row.end(), m.row(i++).begin());
  return m;
}

inline Matrix<double> times(const Matrix<double>& m, double factor) {
  Matrix<double> result = m;
  for (std::size_t e = 0; e < m.size(); ++e) result.data()[e] *= factor;
  return result;
}

/// Calls check(context) for 1, 2 and 8 threads and for none.
template <class Check>
void for_numbers_of_threads(const Check& check) {
  check(Context{});
  for (const std::size_t n_threads : {1, 2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    check(context);
  }
}

/// The message of the InvalidArgument that `call` throws, or "nothing was thrown".
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace geotherm::testing
