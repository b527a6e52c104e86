"""A Methods paragraph from the report of a run: what was done, with the values that were used."""

from __future__ import annotations

from typing import Any

from ._options import method_named


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
        f"{method_named(method)['title']} (geotherm {report['version']})."
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
    if method == "tsne":
        words.append(
            f"Perplexity was {options['perplexity']:g}, with {report['iterations']} iterations from the principal components."
        )
    if method == "umap":
        words.append(f"min_dist was {options['min_dist']:g}, with {report['iterations']} epochs.")
    words.append(f"The random seed was {report['seed']}.")
    text = " ".join(words)
    if citations:
        text += "\n\n" + "\n".join(method_named(method)["citations"])
    return text
