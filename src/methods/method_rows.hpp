// What rows of the table of methods share: citations, and the parts that methods have in common.
#pragma once

#include "geotherm/methods.hpp"

namespace geotherm::detail {

inline constexpr std::string_view huguet =
    "Huguet, G., Tong, A., De Brouwer, E., Zhang, Y., Wolf, G., Adelstein, I., Krishnaswamy, S.: A "
    "heat diffusion perspective on geodesic preserving dimensionality reduction. NeurIPS 36 "
    "(2023), arXiv:2305.19043.";
inline constexpr std::string_view moon =
    "Moon, K. R. et al.: Visualizing structure and transitions in high-dimensional biological "
    "data. Nature Biotechnology 37, 1482-1492 (2019).";
inline constexpr std::string_view coifman =
    "Coifman, R. R., Lafon, S.: Diffusion maps. Applied and Computational Harmonic Analysis 21, "
    "5-30 (2006).";
inline constexpr std::string_view belkin =
    "Belkin, M., Niyogi, P.: Laplacian eigenmaps for dimensionality reduction and data "
    "representation. Neural Computation 15, 1373-1396 (2003).";
inline constexpr std::string_view tenenbaum =
    "Tenenbaum, J. B., de Silva, V., Langford, J. C.: A global geometric framework for nonlinear "
    "dimensionality reduction. Science 290, 2319-2323 (2000).";
inline constexpr std::string_view maaten =
    "van der Maaten, L., Hinton, G.: Visualizing data using t-SNE. Journal of Machine Learning "
    "Research 9, 2579-2605 (2008).";
inline constexpr std::string_view mcinnes =
    "McInnes, L., Healy, J., Melville, J.: UMAP: uniform manifold approximation and projection for "
    "dimension reduction. arXiv:1802.03426 (2018).";

// What methods have in common, from the points on.
inline constexpr Parts neighbor_parts =
    parts::map | parts::reduction | parts::metric | parts::search;
inline constexpr Parts path_parts = neighbor_parts | parts::knn | parts::graph | parts::refine;
inline constexpr Parts graph_parts = path_parts | parts::affinity;
inline constexpr Parts walk_parts = graph_parts | parts::time;
inline constexpr Parts heat_parts = walk_parts | parts::heat;
inline constexpr Parts scaling_parts = parts::landmarks | parts::mds;
inline constexpr Parts heat_geo_parts =
    heat_parts | parts::geodesic | scaling_parts | parts::pivots | parts::heat_pivots;

}  // namespace geotherm::detail
