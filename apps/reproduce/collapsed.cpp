#include "collapsed.hpp"

#include <algorithm>
#include <vector>

namespace geotherm::cli {

bool is_collapsed(const Matrix<double>& map) {
  constexpr double least_spread = 1e-3;
  const std::size_t n = map.rows();
  if (n < 2) return false;
  std::vector<double> axis(n);
  for (std::size_t c = 0; c < map.cols(); ++c) {
    for (std::size_t i = 0; i < n; ++i) axis[i] = map(i, c);
    std::sort(axis.begin(), axis.end());
    const double extent = axis.back() - axis.front();
    const double middle = axis[n - 1 - n / 10] - axis[n / 10];
    if (!(middle > least_spread * extent)) return true;
  }
  return false;
}

}  // namespace geotherm::cli
