// What is cited for the steps around a method; its own references are in the table of methods.
#pragma once

namespace geotherm::detail {

inline constexpr const char* de_leeuw =
    "de Leeuw, J.: Applications of convex analysis to multidimensional scaling. In: Recent "
    "Developments in Statistics, 133-145 (1977).";
inline constexpr const char* zheng =
    "Zheng, J. X., Pawar, S., Goodman, D. F. M.: Graph drawing by stochastic gradient descent. "
    "IEEE "
    "TVCG 25, 2738-2748 (2019).";
inline constexpr const char* torgerson =
    "Torgerson, W. S.: Multidimensional scaling: I. Theory and method. Psychometrika 17, 401-419 "
    "(1952).";
inline constexpr const char* wolf =
    "Wolf, F. A., Angerer, P., Theis, F. J.: SCANPY: large-scale single-cell gene expression data "
    "analysis. Genome Biology 19, 15 (2018).";

}  // namespace geotherm::detail
