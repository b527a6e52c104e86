"""A Methods paragraph from the report of a run: what was done, with the values that were used."""

from __future__ import annotations

from typing import Any

HUGUET = (
    "Huguet G, Tong A, De Brouwer E, Zhang Y, Wolf G, Adelstein I, Krishnaswamy S. A heat diffusion perspective on "
    "geodesic preserving dimensionality reduction. NeurIPS 2023."
)
MOON = (
    "Moon KR, van Dijk D, Wang Z, et al. Visualizing structure and transitions in high-dimensional biological data. "
    "Nature Biotechnology 37:1482-1492, 2019."
)
CITATIONS: dict[str, list[str]] = {
    "heatgeo": [HUGUET],
    "heat-phate": [HUGUET, MOON],
    "rand-geo": [HUGUET],
    "phate": [MOON],
    "shortest-path": [
        "Tenenbaum JB, de Silva V, Langford JC. A global geometric framework for nonlinear dimensionality reduction. "
        "Science 290:2319-2323, 2000."
    ],
    "diffusion-map": ["Coifman RR, Lafon S. Diffusion maps. Appl. Comput. Harmon. Anal. 21:5-30, 2006."],
    "laplacian-eigenmaps": [
        "Belkin M, Niyogi P. Laplacian eigenmaps for dimensionality reduction and data representation. Neural "
        "Computation 15:1373-1396, 2003."
    ],
    "tsne": ["van der Maaten L. Accelerating t-SNE using tree-based algorithms. JMLR 15:3221-3245, 2014."],
    "umap": [
        "McInnes L, Healy J, Melville J. UMAP: uniform manifold approximation and projection for dimension reduction. "
        "arXiv:1802.03426, 2018."
    ],
}
NAMES = {
    "heatgeo": "Heat Geodesic Embedding",
    "heat-phate": "Heat-PHATE",
    "rand-geo": "Rand-Geo",
    "phate": "PHATE",
    "shortest-path": "shortest-path (Isomap) distances with metric MDS",
    "diffusion-map": "a diffusion map",
    "laplacian-eigenmaps": "Laplacian eigenmaps",
    "tsne": "t-SNE",
    "umap": "UMAP",
}


def _graph_words(options: dict[str, Any], resolved: dict[str, Any]) -> list[str]:
    words = []
    if "pca_rank" in resolved:
        words.append(f"The data were reduced to {int(resolved['pca_rank'])} principal components.")
    if str(options.get("metric", "")).startswith("precomputed"):
        words.append("Distances or affinities computed beforehand were used.")
    if "knn" in resolved:
        sentence = f"Neighbourhoods were of {int(resolved['knn'])} nearest neighbours"
        metric = options.get("metric", "euclidean")
        if not str(metric).startswith("precomputed"):
            sentence += f" ({str(metric).capitalize()} distance)"
        if resolved.get("graph") == "alpha-decay":
            sentence += f", with alpha-decay affinities (decay {options.get('decay', 40.0):g})"
        elif "graph" in resolved:
            sentence += f", with {resolved['graph']} affinities"
        words.append(sentence + ".")
    if resolved.get("components", 1) > 1:
        words.append(
            f"The graph had {int(resolved['components'])} components; distances between them are not measured."
        )
    if "edges_removed" in resolved:
        words.append(f"Short-circuit edges were looked for, and {int(resolved['edges_removed'])} were removed.")
    return words


def methods_text(report: dict[str, Any], citations: bool = True) -> str:
    """Sentences for the Methods section, from a run's `report_`."""
    options, resolved, method = report["options"], report["resolved"], report["method"]
    n_components = options.get("n_components", 2)
    words = [
        f"A {n_components}-dimensional map of {report['n_samples']:,} observations was computed with "
        f"{NAMES.get(method, method)} (geotherm {report['version']})."
    ]
    words += _graph_words(options, resolved)
    if "time" in resolved:
        kind = "steps of the random walk" if method in ("phate", "rand-geo", "diffusion-map") else "diffusion time"
        how = "" if options.get("time", "auto") != "auto" else ", chosen from the entropy curve"
        if method == "diffusion-map" and options.get("time", "auto") == "auto":
            how = ""
        if "steps" in kind:
            words.append(f"The random walk made {resolved['time']:g} step{'s' if resolved['time'] != 1 else ''}{how}.")
        else:
            words.append(
                f"Heat diffused on the {resolved.get('laplacian', 'combinatorial')} Laplacian for time "
                f"{resolved['time']:.4g}{how} ({resolved.get('kernel', 'uniformization')} kernel)."
            )
    if "mds" in resolved:
        words.append(
            f"Distances were laid out by metric MDS ({resolved['mds']}; normalised stress {resolved['stress']:.3g})."
        )
    if resolved.get("refine_epochs", 0) > 0:
        words.append(
            f"The map was then refined by the attraction of neighbours and sampled repulsion (UMAP's objective) in "
            f"{int(resolved['refine_epochs'])} epochs of bounded steps."
        )
    if method == "tsne":
        words.append(
            f"Perplexity was {options['perplexity']:g}, with {report['iterations']} iterations from the principal components."
        )
    if method == "umap":
        words.append(f"min_dist was {options['min_dist']:g}, with {report['iterations']} epochs.")
    words.append(f"The random seed was {report['seed']}.")
    text = " ".join(words)
    if citations:
        cited = CITATIONS.get(method, []) + (CITATIONS["umap"] if resolved.get("refine_epochs", 0) > 0 else [])
        text += "\n\n" + "\n".join(cited)
    return text
