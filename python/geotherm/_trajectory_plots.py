"""Pictures of trajectories with matplotlib: order and tree over a map, trends of genes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._trajectory import tree_of


def trajectory(
    adata: Any, *, basis: str = "heatgeo", key: str = "heatgeo", color: str | None = None, ax: Any = None, **options: Any
) -> Any:
    """The map coloured by pseudotime, with the network of milestones drawn over it.

    Parameters
    ----------
    adata : AnnData
        After :func:`geotherm.tl.pseudotime`, with a map in ``obsm['X_<basis>']``.
    basis, key : str
        Name of the map, and prefix under which the trajectory was written.
    color : str, optional
        Another column of ``obs`` to colour by.
    ax : matplotlib axes, optional
    **options
        As in :func:`geotherm.pl.scatter`.
    """
    from .pl import scatter

    tree = tree_of(adata, key)
    if f"X_{basis}" not in adata.obsm:
        raise KeyError(f"no 'X_{basis}' in adata.obsm: run geotherm.tl.{basis} first")
    y = np.asarray(adata.obsm[f"X_{basis}"])[:, :2]
    axes = scatter(y, adata.obs[color or f"{key}_pseudotime"], ax=ax, **options)
    edge_of, fraction = np.asarray(tree["edge_of"]), np.asarray(tree["fraction"])
    centres = {}
    for e, (start, end) in enumerate(zip(tree["from"], tree["to"], strict=True)):
        on = edge_of == e
        # Medians of stretches of the edge: the curve goes where its cells are in this map.
        bins = np.clip((fraction * 8).astype(int), 0, 7)
        line = [np.median(y[on & (bins == b)], axis=0) for b in range(8) if np.any(on & (bins == b))]
        if not line:
            continue
        centres.setdefault(start, []).append(line[0])
        centres.setdefault(end, []).append(line[-1])
        axes.plot(*np.array(line).T, color="black", linewidth=1.5)
    for name, places in centres.items():
        at = np.mean(places, axis=0)
        for place in places:
            axes.plot(*np.array([at, place]).T, color="black", linewidth=1.5)
        is_end = name in list(tree["ends"])
        axes.plot(*at, "o", color="white" if not is_end else "black", markeredgecolor="black", markersize=7)
        axes.annotate(name, at, xytext=(4, 4), textcoords="offset points")
    return axes


def trends(fitted: dict[str, dict[str, Any]], gene: str, *, ax: Any = None) -> Any:
    """The trend of a gene towards each end, with its band.

    Parameters
    ----------
    fitted : dict
        From :func:`geotherm.tl.trends`.
    gene : str
    ax : matplotlib axes, optional
    """
    import matplotlib.pyplot as plt

    from .pl import _PALETTE

    if ax is None:
        _, ax = plt.subplots()
    for (end, curve), color in zip(fitted.items(), _PALETTE, strict=False):
        if gene not in curve["mean"].index:
            raise KeyError(f"no trend of {gene!r}: it was not among the genes of geotherm.tl.trends")
        ax.plot(curve["pseudotime"], curve["mean"].loc[gene], color=color, label=end)
        ax.fill_between(curve["pseudotime"], curve["low"].loc[gene], curve["high"].loc[gene], color=color, alpha=0.2, lw=0)
    ax.set_xlabel("pseudotime")
    ax.set_ylabel(gene)
    ax.legend(frameon=False)
    return ax


def page_trajectory(adata: Any, key: str = "heatgeo") -> tuple[Any, list[tuple[str, Any]]]:
    """What the page draws of ``uns['<key>_tree']``, and the columns of order, branches and fates; (None, []) without one."""
    if f"{key}_tree" not in adata.uns or f"{key}_pseudotime" not in adata.obs:
        return None, []
    tree = tree_of(adata, key)
    names = [str(name) for name in tree["milestones"]]
    ends = [str(name) for name in tree["ends"]]
    columns = [(f"{key}_pseudotime", adata.obs[f"{key}_pseudotime"])]
    if f"{key}_branch" in adata.obs:
        columns.append((f"{key}_branch", adata.obs[f"{key}_branch"].astype(str)))
    fates = np.asarray(adata.obsm[f"{key}_fate"], dtype=float) if f"{key}_fate" in adata.obsm else np.empty((0, 0))
    columns += [(f"fate {end}", fates[:, k]) for k, end in enumerate(ends) if k < fates.shape[1]]
    edges = [(names.index(a), names.index(b)) for a, b in zip(map(str, tree["from"]), map(str, tree["to"]), strict=True)]
    return (
        columns[0][0],
        [name for name, _ in columns[1:]],
        names,
        edges,
        [names.index(end) for end in ends],
        np.ascontiguousarray(tree["edge_of"], dtype=np.int32),
        np.ascontiguousarray(tree["fraction"], dtype=np.float64),
    ), columns
