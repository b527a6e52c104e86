"""Pictures: static ones with matplotlib in scanpy's manner, and the interactive page."""

from __future__ import annotations

import html as _html
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _native
from ._input import as_matrix, csr_parts
from ._run import Run
from ._trajectory_plots import trajectory, trends

__all__ = ["Page", "embedding", "page", "scatter", "trajectory", "trends"]

#: Twenty colours that stay apart for people with colour-blindness, then repeat.
_PALETTE = [
    "#1f77b4",
    "#ff7f0e",
    "#2ca02c",
    "#d62728",
    "#9467bd",
    "#8c564b",
    "#e377c2",
    "#17becf",
    "#bcbd22",
    "#7f7f7f",
    "#aec7e8",
    "#ffbb78",
    "#98df8a",
    "#ff9896",
    "#c5b0d5",
    "#c49c94",
    "#f7b6d2",
    "#9edae5",
    "#dbdb8d",
    "#c7c7c7",
]


#: Whole numbers of more kinds are measurements, not groups.
_MOST_GROUPS = 40


def _is_groups(values: Any) -> bool:
    dtype = getattr(values, "dtype", None)
    if dtype is not None and not isinstance(dtype, np.dtype):
        return dtype.name in ("category", "object", "string", "str", "boolean")
    array = np.asarray(values)
    if array.dtype.kind in "iu":  # whole numbers of few kinds are names of clusters
        return len(np.unique(array)) <= _MOST_GROUPS
    return array.dtype.kind in "OUSb"


def _draw_groups(axes: Any, y: np.ndarray, values: Any, size: float, palette: Any, legend: bool) -> None:
    categories = getattr(getattr(values, "cat", values), "categories", None)
    text = np.asarray(values).astype(str)
    plain = np.asarray(values)
    kinds = np.unique(plain) if plain.dtype.kind in "iu" else sorted(set(text))
    names = [str(c) for c in (categories if categories is not None else kinds)]
    colors = list(palette) if palette is not None else _PALETTE
    color_of = {name: colors[i % len(colors)] for i, name in enumerate(names)}
    # In the order of the rows, so that no group lies on all others; missing ones in grey.
    axes.scatter(*y.T, s=size, c=[color_of.get(word, "#d3d3d3") for word in text], linewidths=0)
    for name in names:
        axes.scatter([], [], s=size, color=color_of[name], label=name, linewidths=0)
    if legend:
        columns = 1 if len(names) <= 14 else 2 if len(names) <= 30 else 3
        axes.legend(
            frameon=False,
            loc="center left",
            bbox_to_anchor=(1, 0.5),
            ncols=columns,
            markerscale=min(6, (60 / size) ** 0.5),
        )


def scatter(
    coordinates: Any,
    color: Any = None,
    *,
    title: str | None = None,
    size: float | None = None,
    palette: Any = None,
    cmap: str = "viridis",
    legend: bool = True,
    names: str = "map",
    ax: Any = None,
) -> Any:
    """A scatter plot of the first two columns, both axes in the same scale.

    Parameters
    ----------
    coordinates : array (n x 2 or more)
    color : sequence, optional
        One value per point: numbers are shaded with a colour bar, words are groups with a legend.
    title : str, optional
    size : float, optional
        Area of a point; 30,000 / n, at most 16, where not given.
    palette : list of colours, optional
        For groups.
    cmap : str
        For numbers.
    legend : bool
    names : str
        Prefix of the axes' labels.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    import matplotlib.pyplot as plt

    y = as_matrix(coordinates, "coordinates")
    if y.shape[1] < 2:
        y = np.column_stack([y[:, 0], np.zeros(len(y))])
    y = y[:, :2]
    if color is not None and len(color) != len(y):
        raise ValueError(f"color has {len(color)} values but the map has {len(y)} points")
    axes = ax if ax is not None else plt.subplots(figsize=(5, 4.4), constrained_layout=True)[1]
    size = size if size is not None else min(16.0, 30000 / max(1, len(y)))
    if color is None:
        axes.scatter(*y.T, s=size, color="#7f7f7f", linewidths=0)
    elif _is_groups(color):
        _draw_groups(axes, y, color, size, palette, legend)
    else:
        values = np.asarray(color, dtype=float)
        order = np.argsort(values, kind="stable")  # the largest on top, as scanpy has it
        shown = axes.scatter(*y[order].T, s=size, c=values[order], cmap=cmap, linewidths=0)
        axes.figure.colorbar(shown, ax=axes, pad=0.01, fraction=0.08, aspect=30)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xticks=[], yticks=[], xlabel=f"{names}1", ylabel=f"{names}2")
    if title:
        axes.set_title(title)
    return axes


def _column(adata: Any, key: str) -> Any:
    """A column of obs, or a gene: from raw where it is there, as the program and scanpy take it."""
    if key in adata.obs:
        return adata.obs[key]
    raw = getattr(adata, "raw", None)
    for source in (raw, adata):
        if source is not None and key in source.var_names:
            values = source[:, key].X
            return np.asarray(values.todense() if hasattr(values, "todense") else values).ravel()
    known = [*adata.obs.columns, *(adata.var_names if raw is None else raw.var_names)]
    near = _native.did_you_mean(key, [str(name) for name in known])
    raise KeyError(f"{key!r} is neither a column of adata.obs nor a gene{near}")


def embedding(
    adata: Any,
    basis: str = "heatgeo",
    *,
    color: Any = None,
    ncols: int = 4,
    show: bool | None = None,
    save: Any = None,
    **options: Any,
) -> Any:
    """Draw a map of ``adata.obsm``, one panel a colour.

    Parameters
    ----------
    adata : AnnData
    basis : str
        ``'heatgeo'`` for ``obsm['X_heatgeo']``; the full key works too.
    color : str or list of str, optional
        Columns of ``adata.obs``, or genes. Colours left by scanpy in ``uns['<column>_colors']`` are used.
    ncols : int
        Panels in a row.
    show : bool, optional
        Show the figure now and return nothing; otherwise the Axes are returned.
    save : path, optional
        Write the figure.
    **options
        Of :func:`scatter`.

    Returns
    -------
    Axes, or a list of them where several colours are given
    """
    import matplotlib.pyplot as plt

    key = f"X_{basis}" if f"X_{basis}" in adata.obsm else basis
    if key not in adata.obsm:
        raise KeyError(f"no 'X_{basis}' in adata.obsm: run geotherm.tl.{basis}(adata) first")
    keys = [color] if color is None or isinstance(color, str) else list(color)
    n_columns = max(1, min(ncols, len(keys)))
    n_rows = -(-len(keys) // n_columns)
    if "ax" in options:
        if len(keys) > 1:
            raise ValueError("ax takes one colour")
        panels = [options.pop("ax")]
    else:
        _, grid = plt.subplots(
            n_rows, n_columns, figsize=(5.2 * n_columns, 4.4 * n_rows), squeeze=False, constrained_layout=True
        )
        panels = list(grid.ravel())
        for unused in panels[len(keys) :]:
            unused.set_visible(False)
    for panel, name in zip(panels, keys):
        values = None if name is None else _column(adata, name)
        palette = adata.uns.get(f"{name}_colors") if name is not None else None
        more = {"title": name, "palette": palette, **options} if name is not None else options
        scatter(adata.obsm[key], values, names=key.removeprefix("X_"), ax=panel, **more)
    if save is not None:
        panels[0].figure.savefig(save, dpi=150)
    if show:
        plt.show()
        return None
    return panels[0] if len(keys) == 1 else panels[: len(keys)]


class Page:
    """The interactive page as text; Jupyter shows it inline."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text
        self.height = height

    def save(self, path: Any) -> None:
        """Write the page, one file that needs nothing but a browser."""
        pathlib.Path(os.fspath(path)).write_text(self.text, encoding="utf-8")

    def _repr_html_(self) -> str:
        # srcdoc keeps the page's own styles and scripts to itself.
        source = _html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{source}" style="width:100%;height:{self.height}px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"Page({len(self.text) / 1e6:.1f} MB of HTML)"


def _page_column(name: str, values: Any) -> tuple[str, Any]:
    if _is_groups(values):
        return name, [str(v) for v in np.asarray(values)]
    return name, np.ascontiguousarray(values, dtype=np.float64)


def _doubles(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float64)


def _points_of_adata(adata: Any, key: str) -> Any:
    """What the map was made from, where true neighbours can be found in it; else None."""
    used = (adata.uns.get(key, {}).get("params") or {}).get("use") or ""
    table = adata.X if used == "X" else adata.obsm.get(used.removeprefix("obsm:")) if used.startswith("obsm:") else None
    if table is None or hasattr(table, "tocsr"):
        return None
    return _native.points_input(as_matrix(table, used))


def _page_of_adata(adata: Any, color: Any, basis: Any, title: str, names: Any, run: Run) -> str:
    """Maps of obsm, columns of obs and the genes asked for; heat where export_graph left the graph, and the tree that
    pseudotime left."""
    from ._trajectory_plots import page_trajectory

    bases = [basis] if isinstance(basis, str) else list(basis or [])
    if not bases:
        found = [key for key in adata.obsm if key in adata.uns or key.removeprefix("X_") in adata.uns]
        bases = [key for key in found if "methods_text" in adata.uns.get(key.removeprefix("X_"), {})] or [
            key for key in ("X_heatgeo", "X_umap", "X_tsne", "X_phate") if key in adata.obsm
        ]
    keys = [f"X_{name}" if f"X_{name}" in adata.obsm else name for name in bases]
    missing = [key for key in keys if key not in adata.obsm]
    if missing or not keys:
        raise KeyError(
            f"no map {missing[0]!r} in adata.obsm"
            if missing
            else "no map in adata.obsm: run geotherm.tl.heatgeo(adata)"
        )
    maps = [(key.removeprefix("X_"), np.ascontiguousarray(np.asarray(adata.obsm[key])[:, :2], float)) for key in keys]
    wanted = [color] if isinstance(color, str) else list(color or [])
    columns = [_page_column(str(name), _column(adata, name)) for name in wanted]
    columns += [_page_column(str(name), adata.obs[name]) for name in adata.obs if name not in wanted]
    trajectory, of_trajectory = page_trajectory(adata)
    columns = [c for c in columns if c[0] not in {name for name, _ in of_trajectory}] + [
        _page_column(name, values) for name, values in of_trajectory
    ]
    graph, first = None, keys[0].removeprefix("X_")
    time = adata.uns.get(first, {}).get("resolved", {}).get("time")
    if time is not None and f"{first}_connectivities" in adata.obsp:
        laplacian = adata.uns[first]["resolved"].get("laplacian", "combinatorial")
        places = np.arange(adata.n_obs, dtype=np.int32)
        weights = adata.obsp[f"{first}_connectivities"]
        lengths = adata.obsp.get(f"{first}_distances")
        # Lengths belong to the entries of the weights, where both have the same ones.
        known = lengths is not None and lengths.nnz == weights.nnz and (lengths.indices == weights.indices).all()
        graph = (*csr_parts(weights), places, laplacian, float(time), _doubles(lengths.data) if known else None)
    shown = [str(name) for name in (adata.obs_names if names is None else names)]
    manifest = {key: adata.uns.get(key, {}).get("methods_text", "") for key in [m[0] for m in maps]}
    return _native.page(
        title or first,
        maps,
        columns,
        shown,
        str(wanted[0]) if wanted else trajectory[0] if trajectory else columns[0][0] if columns else "",
        graph,
        None,
        json.dumps(manifest),
        run.native,
        trajectory,
        _points_of_adata(adata, first),
    )


def page(
    estimator: Any,
    color: Any = None,
    path: Any = None,
    *,
    basis: Any = None,
    title: str = "",
    names: Any = None,
    height: int = 640,
) -> Any:
    """The interactive page of a fitted estimator or of an AnnData: maps, colours, heat that spreads from a point, trust.

    Distortion and true neighbours are there for maps over a graph; neighbours are those of the space in which the map's own were
    found. Above 50,000 points heat is shown on landmarks and neighbours are those of a sample, as the page notes.

    Parameters
    ----------
    estimator : fitted estimator, or AnnData with a map in obsm
        Of an AnnData every column of ``obs`` is offered; heat spreads where :func:`geotherm.tl.export_graph` left the graph.
        After :func:`geotherm.tl.pseudotime` the tree is drawn over the maps, with fates and the flow from the root.
    color : sequence, or dict of sequences, optional
        One value per point; of a dict or data frame each column is offered. For an AnnData the name of a column of
        ``obs`` or of a gene, or a list of names: the first is shown first.
    basis : str or list of str, optional
        AnnData: maps of ``obsm``; without it those of geotherm, else the usual ones.
    path : path, optional
        Write the page there and return nothing.
    title : str
    names : sequence of str, optional
        Names of the points.
    height : int
        Of the frame in Jupyter, in pixels.

    Returns
    -------
    Page, which Jupyter shows inline; None where `path` is given
    """
    if not _native.has_page():
        raise RuntimeError(
            "this build has no page: 'make page' in the sources (with Node.js 18 or later and npm), "
            "then 'pip install .', builds one that has"
        )
    from ._model import manifest_of

    if hasattr(estimator, "obsm"):
        with Run(0) as run:
            made = Page(_page_of_adata(estimator, color, basis, title, names, run), height)
        return made if path is None else made.save(path)
    if color is None:
        columns = []
    elif isinstance(color, Mapping) or hasattr(color, "columns"):
        columns = [_page_column(str(name), color[name]) for name in color]
    else:
        columns = [_page_column("color", color)]
    for name, values in columns:
        if len(values) != len(estimator.embedding_):
            raise ValueError(f"{name} has {len(values)} values but the map has {len(estimator.embedding_)} points")
    graph = None
    if hasattr(estimator, "graph_") and hasattr(estimator, "laplacian"):
        places = np.ascontiguousarray(estimator.unique_inverse_, dtype=np.int32)
        lengths = getattr(estimator, "_edge_lengths", None)
        graph = (
            *csr_parts(estimator.graph_),
            places,
            estimator.laplacian,
            float(estimator.time_),
            None if lengths is None else _doubles(lengths),
        )
    choice = estimator.report_.get("time_choice")
    entropy = None
    if choice and len(choice["times"]):
        entropy = (choice["times"], choice["entropies"], float(choice["time"]), choice["how"])
    method = type(estimator).__name__
    with Run(0, estimator.n_jobs) as run:
        text = _native.page(
            title or method,
            [(method, np.ascontiguousarray(estimator.embedding_))],
            columns,
            [] if names is None else [str(name) for name in names],
            columns[0][0] if columns else "",
            graph,
            entropy,
            json.dumps(manifest_of(estimator.report_)),
            run.native,
            None,
            estimator._model.points() if graph is not None and hasattr(estimator, "_model") else None,
        )
    made = Page(text, height)
    if path is None:
        return made
    made.save(path)
    return None
