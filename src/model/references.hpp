// What methods are called in a sentence, and what is cited for them and for the steps around them.
#pragma once

#include <string_view>
#include <vector>

namespace geotherm::detail {

inline constexpr const char* huguet =
    "Huguet, G., Tong, A., De Brouwer, E., Zhang, Y., Wolf, G., Adelstein, I., Krishnaswamy, S.: A "
    "heat diffusion perspective on geodesic preserving dimensionality reduction. NeurIPS 36 "
    "(2023), arXiv:2305.19043.";
inline constexpr const char* moon =
    "Moon, K. R. et al.: Visualizing structure and transitions in high-dimensional biological "
    "data. Nature Biotechnology 37, 1482-1492 (2019).";
inline constexpr const char* coifman =
    "Coifman, R. R., Lafon, S.: Diffusion maps. Applied and Computational Harmonic Analysis 21, "
    "5-30 (2006).";
inline constexpr const char* belkin =
    "Belkin, M., Niyogi, P.: Laplacian eigenmaps for dimensionality reduction and data "
    "representation. Neural Computation 15, 1373-1396 (2003).";
inline constexpr const char* tenenbaum =
    "Tenenbaum, J. B., de Silva, V., Langford, J. C.: A global geometric framework for nonlinear "
    "dimensionality reduction. Science 290, 2319-2323 (2000).";
inline constexpr const char* maaten =
    "van der Maaten, L., Hinton, G.: Visualizing data using t-SNE. Journal of Machine Learning "
    "Research 9, 2579-2605 (2008).";
inline constexpr const char* mcinnes =
    "McInnes, L., Healy, J., Melville, J.: UMAP: uniform manifold approximation and projection for "
    "dimension reduction. arXiv:1802.03426 (2018).";
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

struct MethodWords {
  const char* text;
  std::vector<const char*> cited;
};
/// Null for a method that has no words.
const MethodWords* words_of_method(std::string_view method);

}  // namespace geotherm::detail
