"""Tools for AnnData, in the style of scanpy: each writes a map to obsm and the parameters to uns.

What is mapped: an explicit `use_rep` or `neighbors_key` wins, else ``obsm['X_pca']``, else X. A graph is used only
where `neighbors_key` names it, never because ``sc.pp.neighbors`` happened to be run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._compare import batch_mixing as _batch_mixing
from ._estimators import ESTIMATORS
from ._fits import recall, remember
from ._ingest import ingest
from ._options import METHODS
from ._trajectory import group_flow, pseudotime, root_candidates, transition_kernel, trends

__all__ = [
    "batch_mixing",
    "export_graph",
    "group_flow",
    "heat_distance",
    "ingest",
    "pseudotime",
    "root_candidates",
    "transition_kernel",
    "trends",
]


def _choose(adata: Any, use_rep: str | None, neighbors_key: str | None) -> tuple[Any, str, str]:
    """(matrix, its metric or '', words for uns)"""
    if use_rep is not None and neighbors_key is not None:
        raise ValueError("give use_rep or neighbors_key, not both")
    if neighbors_key is not None:
        if neighbors_key not in adata.uns:
            raise KeyError(
                f"no {neighbors_key!r} in adata.uns: run scanpy.pp.neighbors(key_added={neighbors_key!r}) first"
            )
        key = adata.uns[neighbors_key].get("connectivities_key", "connectivities")
        return adata.obsp[key], "precomputed_affinity", f"obsp:{key}"
    if use_rep is None:
        use_rep = "X_pca" if "X_pca" in adata.obsm else "X"
    if use_rep == "X":
        return adata.X, "", "X"
    if use_rep not in adata.obsm:
        raise KeyError(f"no {use_rep!r} in adata.obsm: it has {', '.join(adata.obsm) or 'nothing'}")
    values = adata.obsm[use_rep]
    return getattr(values, "values", values), "", f"obsm:{use_rep}"


def _run(
    estimator: Any, name: str, adata: Any, use_rep: Any, neighbors_key: Any, key_added: Any, copy: bool, options: Any
) -> Any:
    adata = adata.copy() if copy else adata
    X, metric, used = _choose(adata, use_rep, neighbors_key)
    if metric:
        if options.get("metric") is not None:
            raise ValueError("metric is of points: neighbors_key gives a graph, leave metric out")
        options["metric"] = metric
    fitted = estimator(**options).fit(X)
    if getattr(fitted, "_heat", None) is not None:
        remember(adata, used, X, fitted)
    key = (key_added or name).removeprefix("X_")
    adata.obsm[f"X_{key}"] = fitted.embedding_
    params = {k: v for k, v in fitted.report_["options"].items() if v is not None}
    resolved = {k: v for k, v in fitted.report_["resolved"].items() if v is not None}
    adata.uns[key] = {
        "params": {**params, "method": fitted._method, "use": used, "random_state": fitted.report_["seed"]},
        "resolved": resolved,
        "outcome": fitted.report_["outcome"],
        "version": fitted.report_["version"],
        "methods_text": fitted.methods_text(),
    }
    return adata if copy else None


def _tool(estimator: Any, name: str, title: str) -> Any:
    def tool(
        adata: Any,
        *,
        use_rep: str | None = None,
        neighbors_key: str | None = None,
        key_added: str | None = None,
        copy: bool = False,
        **options: Any,
    ) -> Any:
        return _run(estimator, name, adata, use_rep, neighbors_key, key_added, copy, options)

    tool.__name__ = tool.__qualname__ = name
    tool.__doc__ = f"""{title} of the cells.

    Parameters
    ----------
    adata : AnnData
    use_rep : str, optional
        What is mapped: a key of ``adata.obsm``, or ``'X'``. Without it ``obsm['X_pca']`` where it is there, else X.
    neighbors_key : str, optional
        A key of ``adata.uns`` left by ``scanpy.pp.neighbors``: its connectivities are the graph.
    key_added : str, optional
        Name of the result instead of ``'{name}'``, with or without ``X_``.
    copy : bool
        Return a copy instead of writing into `adata`.
    **options
        Parameters of :class:`geotherm.{estimator.__name__}`.

    Returns
    -------
    None, or the copy. Sets ``obsm['X_{name}']`` and ``uns['{name}']``.
    """
    return tool


# One tool for each estimator, under the name of its method.
for _estimator in ESTIMATORS.values():
    _row = METHODS[_estimator._method]
    _name = _row["name"].replace("-", "_")
    globals()[_name] = _tool(_estimator, _name, _row["title"][0].upper() + _row["title"][1:])
    __all__.append(_name)  # noqa: PYI056


_KERNEL_OPTIONS = ("time", "laplacian", "kernel", "order")


def _fit_graph(
    adata: Any, use_rep: Any, neighbors_key: Any, options: dict[str, Any], of_heatgeo: bool = False
) -> tuple[Any, str]:
    """(graph, words for uns)"""
    from ._functions import graph_of
    from ._run import Run

    X, metric, used = _choose(adata, use_rep, neighbors_key)
    wanted = dict(options)
    with Run(wanted.pop("random_state", 0), wanted.pop("n_jobs", -1)) as run:
        metric = metric or wanted.pop("metric", "euclidean")
        return graph_of(X, metric, wanted.pop("precomputed_knn", None), wanted, run, of_heatgeo), used


def _root_of(adata: Any, root: Any) -> int:
    if isinstance(root, str):
        if root not in adata.obs_names:
            raise KeyError(f"no cell named {root!r}{_native.did_you_mean(root, list(adata.obs_names))}")
        return int(np.flatnonzero(adata.obs_names == root)[0])
    if isinstance(root, bool) or not isinstance(root, (int, np.integer)):
        raise TypeError(f"root is {root!r}: give a cell's name or number")
    if not 0 <= root < adata.n_obs:
        raise IndexError(f"root is {root}: there are {adata.n_obs} cells, counted from 0")
    return int(root)


def heat_distance(
    adata: Any,
    root: Any,
    *,
    use_rep: str | None = None,
    neighbors_key: str | None = None,
    key_added: str = "heat_distance",
    copy: bool = False,
    **options: Any,
) -> Any:
    """Heat-geodesic distance from a root cell to every cell, without forming n x n.

    After :func:`heatgeo` of the same representation its graph and heat are used again, which takes a fraction of the time
    of the map; options that differ from the map's, or changed values, lead to a separate graph.

    Parameters
    ----------
    adata : AnnData
    root : str or int
        A cell's name or number.
    use_rep, neighbors_key, copy
        As in :func:`heatgeo`.
    key_added : str
        Column of ``adata.obs`` that is written.
    **options
        Graph and heat options of :class:`geotherm.HeatGeo`: knn, time, laplacian, kernel, harnack, ...

    Returns
    -------
    None, or the copy. Sets ``obs[key_added]`` and ``uns[key_added]``.
    """
    from ._input import as_points, make_input
    from ._run import Run

    row = _root_of(adata, root)
    X, metric, used = _choose(adata, use_rep, neighbors_key)
    fitted = recall(adata, used, X, options)
    adata = adata.copy() if copy else adata
    if fitted is not None:
        adata.obs[key_added] = fitted.distances_from(row)
        adata.uns[key_added] = {"root": str(adata.obs_names[row]), "time": fitted.time_, "use": used}
        return adata if copy else None
    X = X if hasattr(X, "tocsr") else as_points(X)
    wanted = dict(options)
    settings = {"random_state": wanted.pop("random_state", 0), "n_jobs": wanted.pop("n_jobs", -1)}
    metric = metric or wanted.pop("metric", "euclidean")
    if not metric.startswith("precomputed"):
        wanted["metric"] = metric
    with Run(settings["random_state"], settings["n_jobs"], False) as run:
        found = _native.heat_distances_from(make_input(X, metric, None, run), [row], wanted, run.native)
    adata.obs[key_added] = found["rows"][0]
    adata.uns[key_added] = {"root": str(adata.obs_names[row]), "time": found["resolved"]["time"], "use": used}
    return adata if copy else None


def export_graph(
    adata: Any,
    *,
    use_rep: str | None = None,
    neighbors_key: str | None = None,
    key_added: str = "heatgeo",
    kernel: bool | str = False,
    kernel_steps: float = 2.0,
    copy: bool = False,
    **options: Any,
) -> Any:
    """The graph that :func:`heatgeo` spreads heat on, and on request the heat kernel, in ``obsp``: for Leiden, PAGA, CellRank.

    Writes ``obsp['<key>_connectivities']`` (and ``'<key>_distances'`` where edge lengths are known), an entry of ``uns`` that
    scanpy takes as ``neighbors_key``, and on request a kernel ``obsp['<key>_kernel']``, whose rows sum to one.

    Parameters
    ----------
    adata : AnnData
    use_rep, neighbors_key, copy
        As in :func:`heatgeo`.
    key_added : str
        Prefix of what is written.
    kernel : bool or 'dense'
        True: a sparse kernel at any number of cells, exp(-s (1 - P)) of the graph's random walk P after s =
        `kernel_steps` expected steps, entries below 1e-4 left out (for CellRank's ``PrecomputedKernel``; :func:`transition_kernel` has one that is
        directed along pseudotime). 'dense': the kernel of the map at its own time, n x n, for some thousands of cells.
    kernel_steps : float
        Mean number of steps of the walk in the sparse kernel; in (0, 20].
    **options
        Graph and heat options of :class:`geotherm.HeatGeo`, with the same defaults: shortcut edges are removed unless
        ``shortcuts='off'``.
    """
    from ._functions import heat_kernel
    from ._trajectory import sparse_heat, spread_walk

    adata = adata.copy() if copy else adata
    if kernel not in (True, False, "dense"):
        raise ValueError(f"kernel is {kernel!r}: give True (sparse), 'dense' or False")
    of_kernel = {name: options.pop(name) for name in _KERNEL_OPTIONS if name in options}
    if of_kernel and kernel != "dense":
        raise ValueError(f"{next(iter(of_kernel))} is read by kernel='dense' alone; the sparse kernel has kernel_steps")
    made, used = _fit_graph(adata, use_rep, neighbors_key, options, of_heatgeo=True)
    heat = heat_kernel(made, n_jobs=options.get("n_jobs", -1), **of_kernel) if kernel == "dense" else None
    rows = made.unique_inverse
    is_whole = np.array_equal(rows, np.arange(made.n_points))
    keys = {"connectivities": f"{key_added}_connectivities"}
    adata.obsp[keys["connectivities"]] = made.weights if is_whole else made.weights[rows][:, rows].tocsr()
    if made.lengths is not None:
        lengths = made.weights.copy()
        lengths.data = made.lengths.copy()
        keys["distances"] = f"{key_added}_distances"
        adata.obsp[keys["distances"]] = lengths if is_whole else lengths[rows][:, rows].tocsr()
    if heat is not None:
        dense = heat.dense()
        if not is_whole:  # equal rows share the heat of their unique row
            dense = dense[np.ix_(rows, rows)] / np.bincount(rows)[rows][None, :]
        adata.obsp[f"{key_added}_kernel"] = dense
    elif kernel:
        adata.obsp[f"{key_added}_kernel"] = spread_walk(sparse_heat(made.weights, kernel_steps), rows)
    adata.uns[key_added + "_neighbors"] = {
        "connectivities_key": keys["connectivities"],
        "distances_key": keys.get("distances", keys["connectivities"]),
        "params": {"method": "geotherm", "n_neighbors": int(made.report.get("knn", 0)), "use": used},
    }
    return adata if copy else None


def batch_mixing(
    adata: Any,
    batch_key: str,
    *,
    use_rep: str | None = None,
    neighbors_key: str | None = None,
    key_added: str = "batch_mixing",
    copy: bool = False,
    **options: Any,
) -> Any:
    """How mixed the batches are around each cell, written to obs: a diagnostic, nothing is corrected.

    0 where all neighbours are of one batch, about 1 where they are mixed as the batches are as a whole.

    Parameters
    ----------
    adata : AnnData
    batch_key : str
        Column of ``adata.obs`` with the batches.
    use_rep, neighbors_key, copy
        As in :func:`heatgeo`.
    key_added : str
        Column of ``adata.obs`` that is written.
    **options
        Graph options of :class:`geotherm.HeatGeo`: knn, metric, ...
    """
    adata = adata.copy() if copy else adata
    if batch_key not in adata.obs:
        raise KeyError(f"no column {batch_key!r} in adata.obs")
    made, _ = _fit_graph(adata, use_rep, neighbors_key, options)
    weights = made.weights[made.unique_inverse][:, made.unique_inverse]
    adata.obs[key_added] = _batch_mixing(weights, adata.obs[batch_key].to_numpy())
    return adata if copy else None
