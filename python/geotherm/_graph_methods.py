"""Estimators that leave a graph, and those that leave heat on it: questions asked after the map.

In: a fitted estimator. Out: distances from chosen points and the kernel, without n x n where not asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ._base import GeothermEstimator
from ._functions import Graph, HeatKernel, heat_geodesic_from, heat_kernel


class GraphEstimator(GeothermEstimator):
    """A method that walks through the graph."""

    def to_graph(self) -> Graph:
        """The fitted graph for the function layer (:func:`geotherm.heat_kernel` and others)."""
        self._require_fitted("graph_")
        return Graph(self.graph_, self._edge_lengths, self.unique_inverse_)

    def connectivities(self) -> sp.csr_matrix:
        """Edge weights between all rows (n x n, sparse), as Leiden and CellRank read them.

        Rows that are equal have the same neighbours.
        """
        self._require_fitted("graph_")
        if len(self.unique_inverse_) == self.graph_.shape[0]:
            return self.graph_.copy()
        return self.graph_[self.unique_inverse_][:, self.unique_inverse_].tocsr()


class HeatEstimator(GraphEstimator):
    """A method whose kernel is heat."""

    def heat_kernel(self) -> HeatKernel:
        """The kernel exp(-tL) that the map was made from, as an operator on distinct points."""
        self._require_fitted("graph_")
        options = {name: getattr(self, name) for name in ("laplacian", "kernel", "order")}
        return heat_kernel(self.to_graph(), self.time_, n_jobs=self.n_jobs, **options)

    def distances_from(self, rows: Any) -> np.ndarray:
        """Heat-geodesic distances from chosen rows to all, without forming n x n.

        They come from the fitted graph; with ``keep_dissimilarity=True`` they are rows of what the fit computed, at no cost.

        Parameters
        ----------
        rows : int or sequence of int
            Rows of the fitted data, counted from 0.

        Notes
        -----
        With ``keep_dissimilarity=True`` these are rows of the fit. Else they are read off the kernel of the fitted
        time alone: where ``time='auto'`` combined it with a second, short time, near pairs differ by a few per cent.

        Returns
        -------
        ndarray of shape (n_samples,) for one row, else (len(rows), n_samples)

        Examples
        --------
        >>> import geotherm
        >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
        >>> geotherm.HeatGeo().fit(roll.X).distances_from(0).shape
        (200,)
        """
        self._require_fitted("graph_")
        wanted = np.asarray(rows)
        if wanted.dtype.kind not in "iu" or wanted.ndim > 1:
            raise TypeError(f"rows is {rows!r}: give a row number or a list of them")
        n = len(self.unique_inverse_)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= n):
            raise IndexError(f"rows must be 0 to {n - 1}, got {rows!r}")
        if hasattr(self, "dissimilarity_"):  # of the fit, all pairs
            found = np.asarray(self.dissimilarity_)[wanted]
            return found.copy()
        harnack = getattr(self, "harnack", 1.0)
        options = {name: getattr(self, name) for name in ("kernel_floor", "max_distance") if hasattr(self, name)}
        places = self.unique_inverse_[np.atleast_1d(wanted)]
        found = heat_geodesic_from(self.heat_kernel(), places, harnack=harnack, n_jobs=self.n_jobs, **options)
        found = found * self._length_scale
        found = found[:, self.unique_inverse_] if len(self.unique_inverse_) != found.shape[1] else found
        return found[0] if wanted.ndim == 0 else found
