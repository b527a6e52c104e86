"""Estimators with a graph or a heat kernel: distances and kernels after the fit.

In: a fitted estimator. Out: distances from chosen points and the kernel, without n x n unless requested.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._base import GeothermEstimator
from ._functions import Graph, HeatKernel, heat_geodesic_from, heat_kernel
from ._input import csr_arrays
from ._run import Run


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
        if np.array_equal(self.unique_inverse_, np.arange(self.graph_.shape[0])):
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

        They come from the graph, the times and the units of the fit, so they cost little beside it; a map made by
        landmarks has them from its landmarks. With ``keep_dissimilarity=True`` they are rows of what the fit computed.

        Parameters
        ----------
        rows : int, str or sequence of them
            Rows of the fitted data, counted from 0, or by their names in the index of the data frame.

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
        wanted = np.asarray(self._numbers_of(rows))
        if wanted.dtype.kind not in "iu" or wanted.ndim > 1:
            raise TypeError(f"rows is {rows!r}: give a row number or a list of them")
        n = len(self.unique_inverse_)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= n):
            raise IndexError(f"rows must be 0 to {n - 1}, got {rows!r}")
        if hasattr(self, "dissimilarity_"):  # of the fit, all pairs
            found = np.asarray(self.dissimilarity_)[wanted]
            return found.copy()
        if getattr(self, "_heat", None) is not None:
            return self._fitted_distances(wanted)
        harnack = getattr(self, "harnack", 1.0)
        options = {name: getattr(self, name) for name in ("kernel_floor", "max_distance") if hasattr(self, name)}
        places = self.unique_inverse_[np.atleast_1d(wanted)]
        found = heat_geodesic_from(self.heat_kernel(), places, harnack=harnack, n_jobs=self.n_jobs, **options)
        found = found * self._length_scale
        found = found[:, self.unique_inverse_]
        return found[0] if wanted.ndim == 0 else found

    def _numbers_of(self, rows: Any) -> Any:
        """Rows that go by their names, by number."""
        if isinstance(rows, str):
            return self._numbers_of([rows])[0]
        if not isinstance(rows, (list, tuple)) or not any(isinstance(row, str) for row in rows):
            return rows
        names = getattr(self, "_row_names", None)
        if names is None:
            raise TypeError(f"rows is {rows!r}, but the rows have no names: give numbers, counted from 0")
        place = {name: number for number, name in reversed(list(enumerate(names)))}
        for row in rows:
            if isinstance(row, str) and row not in place:
                raise KeyError(f"no row named {row!r}{_native.did_you_mean(row, names)}")
        return [place[row] if isinstance(row, str) else row for row in rows]

    def _fitted_distances(self, rows: np.ndarray) -> np.ndarray:
        weights = csr_arrays(self.graph_, "graph_")
        options = self._native_options(None)
        options.pop("init", None)  # of the layout
        with Run(self.report_["seed"], self.n_jobs) as run:
            found = _native.fitted_distances_from(
                self._heat, weights, self._edge_lengths, self.unique_inverse_, np.atleast_1d(rows).tolist(), options, run.native
            )
        return found[0] if rows.ndim == 0 else found
