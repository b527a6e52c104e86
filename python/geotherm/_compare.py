"""Comparison of two maps, and of batches within one map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._input import as_matrix
from ._run import Run


@dataclass
class Comparison:
    """Two maps of the same points.

    Attributes
    ----------
    aligned : ndarray
        The second map after the rotation, reflection, scale and shift that bring it nearest to the first.
    disparity : float
        Residual sum of squares over that of the centred first map; 0: the same shape.
    scale : float
        The factor on the second map.
    displacement : ndarray
        Displacement of each point from the first map, in its units.
    kept_neighbors : ndarray
        For each point the share of its nearest in the first map that are nearest in the second.
    rms, extent : float
        Root mean square of `displacement`, and of the distances of the first map's points from their centre.
    distance_correlation, distance_rank_correlation : float
        Pearson and Spearman correlation of distances over pairs (among 2000 points where there are more).
    """

    aligned: np.ndarray
    disparity: float
    scale: float
    displacement: np.ndarray
    kept_neighbors: np.ndarray
    rms: float
    extent: float
    distance_correlation: float
    distance_rank_correlation: float

    def __repr__(self) -> str:
        kept = float(np.mean(self.kept_neighbors))
        return f"Comparison({len(self.aligned)} points, disparity {self.disparity:.4g}, neighbours kept {kept:.3f})"


def _map_of(run: Any) -> np.ndarray:
    return as_matrix(getattr(run, "embedding_", run), "map")


def compare(run1: Any, run2: Any, *, knn: int = 10) -> Comparison:
    """Align two maps of the same points by Procrustes, and say where they differ.

    Parameters
    ----------
    run1, run2 : fitted estimator or array (n x dimensions)
        Maps of the same points in the same order; one of fewer dimensions is filled with zeros.
    knn : int
        Neighbours that count for `kept_neighbors`.

    Examples
    --------
    >>> import geotherm, numpy as np
    >>> y = geotherm.datasets.swiss_roll(n=100).X[:, :2]
    >>> found = geotherm.compare(y, 3 * y[:, ::-1] + 1)
    >>> bool(found.disparity < 1e-12), bool(np.allclose(found.aligned, y)), float(found.kept_neighbors.min())
    (True, True, 1.0)
    """
    first, second = _map_of(run1), _map_of(run2)
    if len(first) != len(second):
        raise ValueError(f"the maps are {first.shape} and {second.shape}: give two maps of the same points")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a map contains NaN or infinity")
    with Run(0) as run:
        return Comparison(**_native.compare_maps(first, second, int(knn), run.native))


def batch_mixing(graph: Any, batches: Any) -> np.ndarray:
    """How mixed the batches are around each point: a diagnostic, nothing is corrected.

    Parameters
    ----------
    graph : fitted estimator or sparse matrix (n x n)
        Edge weights between points.
    batches : sequence
        The batch of each point.

    Returns
    -------
    ndarray
        For each point the entropy of the batches among its neighbours (by edge weight), over that of the batches as
        a whole: 0 where all neighbours are of one batch, about 1 where they are mixed as all are. NaN without
        neighbours, and where there is one batch only.

    Examples
    --------
    >>> import geotherm, numpy as np
    >>> g = geotherm.graph(geotherm.datasets.swiss_roll(n=200).X)
    >>> mixed = geotherm.batch_mixing(g.weights, np.arange(200) % 2)
    >>> apart = geotherm.batch_mixing(g.weights, np.arange(200) < 100)
    >>> bool(mixed.mean() > 0.8)
    True
    """
    weights = sp.csr_matrix(graph.connectivities() if hasattr(graph, "connectivities") else graph)
    _, codes = np.unique(np.asarray(batches).astype(str), return_inverse=True)
    if len(codes) != weights.shape[0]:
        raise ValueError(f"batches has {len(codes)} entries but the graph has {weights.shape[0]} points")
    n_batches = int(codes.max()) + 1 if len(codes) else 0
    if n_batches < 2:
        return np.full(len(codes), np.nan)
    is_of = sp.csr_matrix((np.ones(len(codes)), (np.arange(len(codes)), codes)), shape=(len(codes), n_batches))
    around = np.asarray((weights @ is_of).todense())
    total = around.sum(axis=1, keepdims=True)
    shares = np.divide(around, total, out=np.zeros_like(around), where=total > 0)
    entropy = -np.sum(shares * np.log(np.where(shares > 0, shares, 1)), axis=1)
    overall = np.bincount(codes) / len(codes)
    entropy /= -np.sum(overall * np.log(overall))
    entropy[total[:, 0] == 0] = np.nan
    return entropy
