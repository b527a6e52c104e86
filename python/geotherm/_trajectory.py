"""Trajectories of AnnData: order from a root, ends and branches, fates, trends of genes."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._run import Run

__all__ = ["group_flow", "pseudotime", "root_candidates", "transition_kernel", "trends"]

#: Of a group so many cells, evenly through it, are averaged.
_MOST_ROOTS = 10
#: What the order is computed on, where it is not asked for otherwise.
_GRAPH_DEFAULTS = {"rates": "hops", "components": "separate"}


def _graph(adata: Any, use_rep: Any, neighbors_key: Any, options: dict[str, Any]) -> tuple[Any, str]:
    from .tl import _fit_graph

    return _fit_graph(adata, use_rep, neighbors_key, {**_GRAPH_DEFAULTS, **options})


def _marked(adata: Any, marker: str) -> np.ndarray:
    """The hundredth of the cells (5 at least) with the most, or least, of a gene."""
    gene, _, side = str(marker).rpartition(":")
    if side not in ("high", "low"):
        raise ValueError(f"root_marker is {marker!r}: give 'GENE:high' or 'GENE:low'")
    values = _expression(adata, gene, None)[0][:, 0]
    order = np.argsort(-values if side == "high" else values, kind="stable")
    return np.sort(order[: max(5, adata.n_obs // 100)])


def _grouped(adata: Any, root_group: tuple[str, Any]) -> np.ndarray:
    column, label = root_group
    if column not in adata.obs:
        raise KeyError(f"no column {column!r} in adata.obs")
    rows = np.flatnonzero(adata.obs[column].astype(str).to_numpy() == str(label))
    if len(rows) == 0:
        known = ", ".join(sorted(set(adata.obs[column].astype(str)))[:20])
        raise KeyError(f"no group {label!r} in obs[{column!r}]: it has {known}")
    return rows


def _count(name: str, value: Any) -> int:
    if int(value) != value or value < 0:
        raise ValueError(f"{name} has {value!r}: give a whole number of 0 or more")
    return int(value)


def _candidates(adata: Any, graph: Any, n: int, options: dict[str, Any]) -> list[str]:
    with Run(options.get("random_state", 0), options.get("n_jobs", -1)) as run:
        places = _native.root_candidates(graph._native(run), n, run.native)
    return [str(adata.obs_names[int(np.flatnonzero(graph.unique_inverse == place)[0])]) for place in places]


def _rows_of(
    adata: Any, root: Any, root_group: Any, root_marker: Any, graph: Any, options: dict[str, Any]
) -> np.ndarray:
    """Rows to begin at: those named, or of a group or a marker those in the component that holds most of them."""
    from .tl import _root_of

    n_given = sum(given is not None for given in (root, root_group, root_marker))
    if n_given > 1:
        raise ValueError("root, root_group and root_marker exclude each other: give one")
    if n_given == 0:
        raise ValueError(
            "give root (a cell, or several), root_group=(column, label) or root_marker='GENE:high': a distance cannot tell a "
            "beginning from an end. Extremes of the geometry, where a trajectory may begin: "
            + ", ".join(_candidates(adata, graph, 4, options))
        )
    if root is not None:
        many = root if isinstance(root, (list, tuple, np.ndarray)) else [root]
        return np.array([_root_of(adata, one) for one in many])
    rows = _marked(adata, root_marker) if root_group is None else _grouped(adata, root_group)
    component = sp.csgraph.connected_components(graph.weights, directed=False)[1][graph.unique_inverse[rows]]
    rows = rows[component == np.bincount(component).argmax()]
    return rows[:: -(-len(rows) // _MOST_ROOTS)]


def pseudotime(
    adata: Any,
    root: Any = None,
    *,
    root_group: tuple[str, Any] | None = None,
    root_marker: str | None = None,
    bootstrap: int = 0,
    level: float = 0.95,
    resolutions: list[int] | None = None,
    even_ends: float = 0.4,
    min_branch: float = 0.1,
    min_explained: float = 0.8,
    backward: float = 0.1,
    use_rep: str | None = None,
    neighbors_key: str | None = None,
    key_added: str = "heatgeo",
    copy: bool = False,
    **options: Any,
) -> Any:
    """Order of the cells from a root, with ends, branches and the probability of each end.

    Parameters
    ----------
    adata : AnnData
    root : str, int or list of those
        A cell's name or number; several are averaged.
    root_group : (column, label)
        Instead: up to ten cells of this group of ``adata.obs``.
    root_marker : str
        Instead: where a gene is highest or lowest, ``'GENE:high'`` or ``'GENE:low'``.
    bootstrap : int
        Replicates for an interval of each cell; 0: none.
    level : float
        Coverage of the interval.
    resolutions : list of int, optional
        Numbers of slow modes of heat; the order is the mean over these.
    even_ends : float
        How far the ends of branches are brought to one pseudotime; 0: as long as distances say, 1: every branch ends at 1.
    min_branch : float
        Branches shorter than this share of the longest path are left out.
    min_explained : float
        Share of the variance of distances that branches must explain; below, a warning says that no trajectory is
        supported.
    backward : float
        Weight of a step back by the median step, against one that goes on, in the walk behind the fates.
    use_rep, neighbors_key, copy
        As in :func:`heatgeo`.
    key_added : str
        Prefix of what is written.
    **options
        Graph options of :class:`geotherm.HeatGeo`: knn, metric, graph, random_state, n_jobs, ...

    Returns
    -------
    None, or the copy. Sets ``obs['heatgeo_pseudotime']`` (0 to 1; NaN for cells that no path joins to the root), with
    `bootstrap` also ``obs['heatgeo_pseudotime_low']`` and ``'..._high'``, ``obs['heatgeo_branch']``,
    ``obsm['heatgeo_fate']`` (cells x ends) and ``uns['heatgeo_tree']`` (milestones, network, percentages).
    """
    adata = adata.copy() if copy else adata
    graph, used = _graph(adata, use_rep, neighbors_key, options)
    rows = _rows_of(adata, root, root_group, root_marker, graph, options)
    places = np.ascontiguousarray(graph.unique_inverse[rows], dtype=np.int32)
    with Run(options.get("random_state", 0), options.get("n_jobs", -1)) as run:
        found = _native.trajectory(
            graph._native(run),
            places,
            None if resolutions is None else [_count("resolutions", m) for m in resolutions],
            even_ends,
            _count("bootstrap", bootstrap),
            level,
            min_branch,
            min_explained,
            backward,
            run.native,
        )
    if not found["is_supported"]:
        warnings.warn(
            f"no trajectory is supported: curves through the cells explain {found['explained']:.2f} of the variance of "
            f"their distances, and {min_explained:.2f} are needed; look at the map before you read the order",
            stacklevel=2,
        )
    at = graph.unique_inverse
    first = np.full(graph.n_points, -1)
    first[at[::-1]] = np.arange(len(at))[::-1]
    names = [f"M{m}" for m in range(len(found["milestones"]))]
    adata.obs[f"{key_added}_pseudotime"] = found["pseudotime"][at]
    for side in ("low", "high"):
        if side in found:
            adata.obs[f"{key_added}_pseudotime_{side}"] = found[side][at]
    edges = found["edges"]
    edge_of = found["edge_of"][at]
    words = np.array([f"{names[a]}-{names[b]}" for a, b, _ in edges] + [""], dtype=object)
    adata.obs[f"{key_added}_branch"] = words[edge_of]
    adata.obsm[f"{key_added}_fate"] = found["fates"][at]
    adata.uns[f"{key_added}_tree"] = {
        "milestones": names,
        "milestone_cells": first[np.asarray(found["milestones"], dtype=int)],
        "from": [names[a] for a, _, _ in edges],
        "to": [names[b] for _, b, _ in edges],
        "length": np.array([length for _, _, length in edges]),
        "edge_of": edge_of,
        "fraction": found["fraction"][at],
        "ends": [names[m] for m in found["ends"]],
        "branchings": [names[m] for m in found["branchings"]],
        "n_loops": found["n_loops"],
        "explained": found["explained"],
        "roots": [str(name) for name in adata.obs_names[rows]],
        "use": used,
    }
    return adata if copy else None


def tree_of(adata: Any, key: str = "heatgeo") -> dict[str, Any]:
    """``uns['<key>_tree']`` as :func:`pseudotime` writes it; that of a file of the program, which is JSON text, is decoded."""
    if f"{key}_tree" not in adata.uns:
        raise KeyError(f"no '{key}_tree' in adata.uns: run geotherm.tl.pseudotime first")
    tree = adata.uns[f"{key}_tree"]
    if "edge_of" in tree:
        return tree
    found = json.loads(str(tree["tree"]))
    edges = {(e["from"], e["to"]): k for k, e in enumerate(found["milestone_network"])}
    row = {name: i for i, name in enumerate(adata.obs_names)}
    edge_of, fraction = np.full(adata.n_obs, -1), np.zeros(adata.n_obs)
    for place in found["progressions"]:
        # Cells without names go by their numbers.
        i = row.get(place["cell_id"])
        i = int(place["cell_id"]) if i is None else i
        edge_of[i] = edges[place["from"], place["to"]]
        fraction[i] = place["percentage"]
    of_kind = {kind: [m["id"] for m in found["milestones"] if m["kind"] == kind] for kind in ("end", "branching")}
    return {
        "milestones": [m["id"] for m in found["milestones"]],
        "milestone_cells": np.array([m["row"] for m in found["milestones"]]),
        "from": [e["from"] for e in found["milestone_network"]],
        "to": [e["to"] for e in found["milestone_network"]],
        "length": np.array([e["length"] for e in found["milestone_network"]]),
        "edge_of": edge_of,
        "fraction": fraction,
        "ends": of_kind["end"],
        "branchings": of_kind["branching"],
        "n_loops": found["n_loops"],
        "explained": found["explained"],
    }


def root_candidates(
    adata: Any, n: int = 4, *, use_rep: str | None = None, neighbors_key: str | None = None, **options: Any
) -> list[str]:
    """Names of cells at the extremes of the geometry, where a trajectory may begin; the most extreme first."""
    graph, _ = _graph(adata, use_rep, neighbors_key, options)
    return _candidates(adata, graph, n, options)


def spread_walk(walk: sp.csr_matrix, at: np.ndarray) -> sp.csr_matrix:
    """From places to rows: equal rows get the same values."""
    if len(at) == walk.shape[0]:
        return walk
    return (walk[at][:, at] @ sp.diags(1.0 / np.bincount(at)[at])).tocsr()


def sparse_heat(weights: sp.csr_matrix, steps: float, least: float = 1e-4) -> sp.csr_matrix:
    """exp(-steps (1 - P)) of the random walk P, by its Poisson series of powers; entries below `least` are left out and rows
    scaled to sum to one. Points without an edge stay put."""
    if not 0 < steps <= 20:
        raise ValueError(f"kernel_steps is {steps!r}: give a number in (0, 20]")
    degree = np.asarray(weights.sum(axis=1)).ravel()
    walk = sp.diags(1.0 / np.where(degree > 0, degree, 1)) @ weights + sp.diags((degree == 0).astype(float))
    walk = walk.tocsr()
    share = np.exp(-steps)
    term = sp.identity(walk.shape[0], format="csr")
    kernel = share * term
    left, k = 1 - share, 0
    while left > least:
        k += 1
        term = (term @ walk).tocsr()
        term.data[term.data < least] = 0
        term.eliminate_zeros()
        share *= steps / k
        left -= share
        kernel = kernel + share * term
    kernel.data[kernel.data < least] = 0
    kernel.eliminate_zeros()
    return (sp.diags(1.0 / np.asarray(kernel.sum(axis=1)).ravel()) @ kernel).tocsr()


def transition_kernel(
    adata: Any,
    *,
    pseudotime_key: str = "heatgeo_pseudotime",
    backward: float = 0.1,
    use_rep: str | None = None,
    neighbors_key: str | None = None,
    key_added: str = "heatgeo_transitions",
    copy: bool = False,
    **options: Any,
) -> Any:
    """The walk directed along pseudotime, sparse, in ``obsp[key_added]``: for CellRank's ``PrecomputedKernel``.

    Rows sum to one. As sparse as the graph, so it serves any number of cells.
    """
    adata = adata.copy() if copy else adata
    if pseudotime_key not in adata.obs:
        raise KeyError(f"no {pseudotime_key!r} in adata.obs: run geotherm.tl.pseudotime first")
    graph, _ = _graph(adata, use_rep, neighbors_key, options)
    at = graph.unique_inverse
    time = np.full(graph.n_points, np.nan)
    time[at] = adata.obs[pseudotime_key].to_numpy(float)
    with Run(options.get("random_state", 0), options.get("n_jobs", -1)) as run:
        indptr, indices, data = _native.directed_walk(graph._native(run), time, backward, run.native)
    walk = sp.csr_matrix((data, indices, indptr), shape=(graph.n_points, graph.n_points))
    adata.obsp[key_added] = spread_walk(walk, at)
    return adata if copy else None


def group_flow(
    adata: Any, groups: str, *, use_rep: str | None = None, neighbors_key: str | None = None, **options: Any
) -> Any:
    """Heat that flows between groups over what chance would give, as a table: an abstraction of the graph like PAGA's."""
    import pandas as pd

    if groups not in adata.obs:
        raise KeyError(f"no column {groups!r} in adata.obs")
    graph, _ = _graph(adata, use_rep, neighbors_key, options)
    names, codes = np.unique(adata.obs[groups].astype(str).to_numpy(), return_inverse=True)
    of_place = np.zeros(graph.n_points, dtype=np.int32)
    of_place[graph.unique_inverse] = codes
    with Run(options.get("random_state", 0), options.get("n_jobs", -1)) as run:
        flow = _native.group_flow(graph._native(run), of_place, len(names))
    return pd.DataFrame(flow, index=names, columns=names)


def _expression(adata: Any, genes: Any, layer: str | None) -> tuple[np.ndarray, list[str]]:
    names = list(adata.var_names) if genes is None else [genes] if isinstance(genes, str) else list(genes)
    missing = [name for name in names if name not in adata.var_names]
    if missing:
        raise KeyError(f"no gene named {', '.join(map(repr, missing[:5]))} in adata.var_names")
    values = adata[:, names].X if layer is None else adata[:, names].layers[layer]
    values = values.toarray() if sp.issparse(values) else np.asarray(values)
    return np.ascontiguousarray(values, dtype=float), names


def trends(
    adata: Any,
    genes: Any = None,
    *,
    layer: str | None = None,
    key: str = "heatgeo",
    n_splines: int = 15,
    n_points: int = 100,
    width: float = 1.96,
    n_jobs: int | None = -1,
) -> dict[str, dict[str, Any]]:
    """Smooth trends of genes towards each end of a trajectory, with bands.

    Parameters
    ----------
    adata : AnnData
        After :func:`pseudotime`.
    genes : str or list, optional
        Names; without them all genes.
    layer : str, optional
        Values in place of ``X``.
    key : str
        Prefix under which :func:`pseudotime` wrote.
    n_splines, n_points, width
        Splines of the curve, points along it, and half the band's width in standard errors.

    Returns
    -------
    dict
        For each end: ``pseudotime``, ``mean``, ``low``, ``high`` (tables, genes x points) and ``genes``, a table
        with ``explained`` (share of a gene's variance), ``change`` (last less first value of the curve) and ``freedom``,
        the best explained gene first. Cells weigh as much as their probability of the end.
    """
    import pandas as pd

    if f"{key}_pseudotime" not in adata.obs:
        raise KeyError(f"no '{key}_pseudotime' in adata.obs: run geotherm.tl.pseudotime first")
    values, names = _expression(adata, genes, layer)
    time = np.ascontiguousarray(adata.obs[f"{key}_pseudotime"].to_numpy(float))
    fates = np.asarray(adata.obsm.get(f"{key}_fate", np.empty((adata.n_obs, 0))), dtype=float)
    ends = list(tree_of(adata, key)["ends"]) or ["all"]
    if fates.shape[1] == 0:
        fates = np.isfinite(time).astype(float)[:, None]
    result = {}
    for k, end in enumerate(ends):
        weights = np.ascontiguousarray(np.nan_to_num(fates[:, k]))
        with Run(0, n_jobs) as run:
            found = _native.trends(time, weights, values, n_splines, n_points, width, run.native)
        table = pd.DataFrame(
            {
                "explained": found["explained"],
                "change": found["mean"][:, -1] - found["mean"][:, 0],
                "freedom": found["freedom"],
            },
            index=names,
        )
        result[str(end)] = {
            "pseudotime": found["pseudotime"],
            **{part: pd.DataFrame(found[part], index=names) for part in ("mean", "low", "high")},
            "genes": table.sort_values("explained", ascending=False, kind="stable"),
        }
    return result
