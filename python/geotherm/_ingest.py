"""Query cells onto a reference's map, in the manner of scanpy's ingest."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._input import as_matrix
from ._options import METHODS
from ._run import Run


def _matched(adata: Any, adata_ref: Any) -> Any:
    """The query's values with the genes of the reference, by name and in their order; further genes are left out."""
    if list(adata.var_names) == list(adata_ref.var_names):
        return adata.X
    missing = adata_ref.var_names.difference(adata.var_names, sort=False)
    if len(missing):
        named = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise ValueError(f"the query lacks {len(missing)} of the reference's {adata_ref.n_vars} genes: {named}")
    if not adata.var_names.is_unique:
        raise ValueError("names of the query's genes occur more than once: run adata.var_names_make_unique()")
    return adata[:, adata_ref.var_names].X


def _projected(adata: Any, adata_ref: Any) -> np.ndarray:
    """Query cells in the reference's principal components, as scanpy's ingest projects them."""
    if "PCs" not in adata_ref.varm:
        raise KeyError(
            "the reference's map was made from obsm['X_pca'], which the query lacks, and there are no varm['PCs'] to "
            "project it by: run scanpy.pp.pca on the reference, or give use_rep, a space that both have"
        )
    X = _matched(adata, adata_ref)
    loadings = np.asarray(adata_ref.varm["PCs"])
    mean = np.asarray(adata_ref.X.mean(axis=0)).ravel()
    return np.asarray((X @ loadings) if sp.issparse(X) else np.asarray(X) @ loadings) - mean @ loadings


def _rows(adata: Any, adata_ref: Any, used: str) -> tuple[np.ndarray, np.ndarray]:
    """The space of the map for reference and query."""
    if used == "X":
        return as_matrix(adata_ref.X, "reference"), as_matrix(_matched(adata, adata_ref), "query")
    key = used.removeprefix("obsm:")
    if key not in adata_ref.obsm:
        raise KeyError(f"no {key!r} in the reference's obsm: it has {', '.join(adata_ref.obsm) or 'nothing'}")
    of_ref = as_matrix(np.asarray(adata_ref.obsm[key]), "reference")
    if key in adata.obsm:
        of_new = as_matrix(np.asarray(adata.obsm[key]), "query")
    elif key == "X_pca":
        of_new = as_matrix(_projected(adata, adata_ref), "query")
    else:
        raise KeyError(f"no {key!r} in the query's obsm: map the query into the same space first")
    if of_ref.shape[1] != of_new.shape[1]:
        raise ValueError(f"{used}: the reference has {of_ref.shape[1]} columns, the query {of_new.shape[1]}")
    return of_ref, of_new


def ingest(
    adata: Any,
    adata_ref: Any,
    obs: Any = None,
    *,
    key: str = "heatgeo",
    use_rep: str | None = None,
    copy: bool = False,
    n_jobs: int = -1,
) -> Any:
    """Put query cells on the map of a reference, with labels from their neighbours.

    Parameters
    ----------
    adata : AnnData
        The query. It needs the space of the reference's map: the same key of obsm, the same genes (matched by name; further ones are left out), or, where the map
        was made from ``obsm['X_pca']``, genes that ``adata_ref.varm['PCs']`` projects.
    adata_ref : AnnData
        The reference with a map in ``obsm['X_<key>']``, made by a tool of :mod:`geotherm.tl` or by any other.
    obs : str or list of str, optional
        Columns of ``adata_ref.obs`` whose labels go to the query.
    key : str
        Name of the map: ``'heatgeo'``, ``'umap'``, ...
    use_rep : str, optional
        The space in which cells are compared: a key of obsm, or ``'X'``. Without it what the map was made from, else
        ``'X_pca'``.
    copy : bool
        Return a copy instead of writing into `adata`.

    Returns
    -------
    None, or the copy. Sets ``obsm['X_<key>']``, ``obs['novelty']`` and for each label ``obs[<name>]`` and
    ``obs[<name> + '_probability']``.
    """
    key = key.removeprefix("X_")
    if f"X_{key}" not in adata_ref.obsm:
        raise KeyError(f"no 'X_{key}' in the reference's obsm: make the map first, e.g. geotherm.tl.heatgeo(adata_ref)")
    names = [obs] if isinstance(obs, str) else list(obs or ())
    for name in names:
        if name not in adata_ref.obs:
            raise KeyError(f"no {name!r} in the reference's obs: it has {', '.join(adata_ref.obs) or 'nothing'}")
    made_from = adata_ref.uns.get(key, {}) if hasattr(adata_ref.uns.get(key, {}), "get") else {}
    used = use_rep or (made_from.get("params") or {}).get("use") or "obsm:X_pca"
    if used.startswith("obsp:"):
        raise ValueError("the reference's map was made from a graph: give use_rep, a space that both have")
    if used != "X" and not used.startswith("obsm:"):
        used = f"obsm:{used}"
    of_ref, of_new = _rows(adata, adata_ref, used)
    adata = adata.copy() if copy else adata
    method = key.replace("_", "-")
    method = method if method in METHODS else "heatgeo"
    with Run(0, n_jobs) as run:
        placed = np.asarray(adata_ref.obsm[f"X_{key}"], dtype=np.float64)
        model = _native.model_from_map(method, of_ref, np.ascontiguousarray(placed), {}, run.native)
        found = model.query("points", of_new, None, run.native)
        adata.obsm[f"X_{key}"] = found["embedding"]
        if found["novelty"] is not None:
            adata.obs["novelty"] = found["novelty"]
        for name in names:
            labels = ["" if v is None or v != v else str(v) for v in adata_ref.obs[name]]
            told = model.query("points", of_new, labels, run.native)
            adata.obs[name] = np.asarray(["" if v is None else v for v in told["label"]], dtype=object)
            adata.obs[name] = adata.obs[name].astype("category")
            adata.obs[f"{name}_probability"] = told["probability"]
    return adata if copy else None
