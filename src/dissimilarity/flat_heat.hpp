// Heat that has reached its equilibrium says nothing of distances any more: which rows have.
#pragma once

#include <span>
#include <vector>

#include "geotherm/dissimilarity.hpp"

namespace geotherm::detail {

/// What rows of a kernel say of flatness. At equilibrium K_ij K_ji = K_ii K_jj for every pair,
/// whatever the Laplacian; a row is flat where this holds, up to rounding, for all points that its
/// heat reaches, at least 3 of them.
class FlatHeat {
 public:
  explicit FlatHeat(const KernelReport& report) : report_(report) {}

  /// Whether the row of one point is flat: K_ij, K_ji (null where K is symmetric; `stride` apart)
  /// and K_jj for n values of j. Entries that the kernel does not resolve are left out.
  bool is_flat(const double* k_ij, const double* k_ji, double k_ii, const double* k_jj,
               std::size_t n, std::size_t stride = 1) const;

  /// Warns, with what to do, where so many of the rows are flat that distances mean nothing.
  void warn_of(double flat_share, const Context&) const;

 private:
  KernelReport report_;
};

/// Share of the points whose row of the dense kernel is flat.
double flat_share(const Matrix<double>& kernel, bool is_symmetric, const KernelReport&,
                  const Context&);

}  // namespace geotherm::detail
