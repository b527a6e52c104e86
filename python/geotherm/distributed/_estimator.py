"""The estimator: scikit-learn's manners for tables on a cluster."""

from __future__ import annotations

import time
from typing import Any

import dask.array as da
import numpy as np

from .. import _native
from .._base import NotFittedError
from .._estimators import ESTIMATORS
from .._input import as_points
from .._options import DEFAULTS
from .._run import GeothermWarning, Run, seed_from
from ._cluster import Stages, client_for, prepare
from ._fit import fit_blocks, layout_for
from ._input import as_dask_array

#: Options that blocks cannot follow; they are refused where they are set.
_ALONE = ("smooth", "precomputed_knn", "keep_dissimilarity", "max_memory", "landmark_choice", "pivot_heat", "denoise")

_OWN_DOCS = {
    "model_rows": "model_rows : int\n    Rows that the model keeps, drawn at random: new points are placed among these.",
    "block_rows": "block_rows : int or None\n    Rows that a task reads at once. None: 64 MB of float32. The map depends on it.",
    "partition_rows": "partition_rows : int or None\n    Rows of a partition, whose graph a worker holds: about 1 kB a row. None: 250,000, or a\n"
    "    thousandth of the table. The map depends on it.",
}


class HeatGeo(ESTIMATORS["HeatGeo"]):
    """Heat Geodesic Embedding of a table in blocks, on a Dask cluster.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : dask.array.Array of shape (n_samples, n_components)
        The map in the order of the rows, chunked as the input was; kept on the cluster.
    report_ : dict
        What was asked for, decided and seen.

    Examples
    --------
    >>> import dask.array as da, geotherm.distributed  # doctest: +SKIP
    >>> X = da.from_zarr("cells.zarr")  # doctest: +SKIP
    >>> geotherm.distributed.HeatGeo().fit(X, client=client).embedding_.to_zarr("map.zarr")  # doctest: +SKIP
    """

    _method = "heatgeo"
    _own = {"model_rows": 50_000, "block_rows": None, "partition_rows": None}
    _own_docs = _OWN_DOCS

    def _refuse_options(self) -> None:
        from .._options import RUN_KEYWORDS

        usual = {**DEFAULTS, **RUN_KEYWORDS}
        set_ones = [name for name in _ALONE if hasattr(self, name) and getattr(self, name) != usual[name]]
        if set_ones:
            raise ValueError(f"{', '.join(set_ones)}: not for a table in blocks; use geotherm.HeatGeo on one machine")
        if self.metric != "euclidean":
            raise ValueError(f"metric is {self.metric!r}: a table in blocks takes 'euclidean' (scale the rows for cosine)")
        for name in ("model_rows", "block_rows", "partition_rows"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 2):
                raise ValueError(f"{name} is {value!r}: give a whole number from 2 on")

    def fit(self, X: Any, y: Any = None, *, client: Any = None, use_rep: str | None = None, layer: str | None = None) -> HeatGeo:
        """Make the map of X.

        Parameters
        ----------
        X : Dask array, AnnData, Zarr array, path or list of ``.npy`` or ``.parquet`` shards
            One row per point. It is read three times, block by block, and never held whole.
        y : ignored
        client : distributed.Client, optional
            By default the client at hand; without one a local cluster is started for the time of the call, and
            ``embedding_`` is brought into this process.
        use_rep, layer : str, optional
            AnnData: which matrix (see :func:`as_dask_array`).

        Returns
        -------
        self
        """
        self._refuse_options()
        array = as_dask_array(X, use_rep, layer)
        n, d = array.shape
        if n < 2 or d < 1:
            raise ValueError(f"X is {n} x {d}: a map needs at least 2 points and 1 column")
        options = {name: value for name, value in self._translated().items() if name not in ("search", "landmarks")}
        seed = seed_from(self.random_state)
        asked = self.landmarks if isinstance(self.landmarks, (int, np.integer)) else None
        cut = layout_for(n, d, asked, self.block_rows, self.partition_rows, self.model_rows)
        knn = min(int(self.knn) if isinstance(self.knn, (int, np.integer)) else 10, n - 1)
        listeners = [self.callbacks] if callable(self.callbacks) else list(self.callbacks or [])
        start = time.perf_counter()
        with client_for(client) as (at, is_ours):
            prepare(at)
            stages = Stages(at, listeners, bool(self.verbose))
            try:
                found = fit_blocks(array, cut, options, seed, self.model_rows, knn, stages)
                self._keep(found, array, cut, seed, knn, stages, is_ours)
            except BaseException:
                stages.cancel()
                raise
            finally:
                stages.close()
        self.report_["seconds"] = time.perf_counter() - start
        for message in self.report_["warnings"]:
            import warnings

            warnings.warn(message, GeothermWarning, stacklevel=2)
        return self

    def _keep(
        self, found: dict[str, Any], array: da.Array, cut: Any, seed: int, knn: int, stages: Stages, is_ours: bool
    ) -> None:
        n_components = found["model_coordinates"].shape[1]
        sizes = np.diff(cut.starts).tolist()
        blocks = stages.client.gather(found["blocks"]) if is_ours else found["blocks"]
        parts = [
            da.from_array(block, chunks=block.shape) if is_ours else da.from_delayed(block, (size, n_components), float)
            for block, size in zip(blocks, sizes, strict=True)
        ]
        self.embedding_ = da.concatenate(parts, axis=0).rechunk((array.chunks[0], (n_components,)))
        self.n_features_in_ = array.shape[1]
        self._n_features_out = n_components
        resolved = {
            **found["resolved"],
            "pca_choice": found["pca_choice"],
            "pca_rank": float(len(found["components"]) if found["components"] is not None else array.shape[1]),
            "block_rows": float(cut.block_rows),
            "partition_rows": float(cut.partition_rows),
            "n_partitions": float(found["n_groups"]),
            "cells_around": float(found["reach"]),
            "neighbor_recall": found["recall"],
            "halo_share": found["halo_share"],
            "model_rows": float(len(found["model_rows"])),
        }
        reduced = found["components"] is not None
        self._sample = (
            as_points(found["model_rows"]),
            np.ascontiguousarray(found["model_coordinates"]),
            found["mean"] if reduced else None,
            found["components"] if reduced else None,
            knn,
            resolved,
            # In the model's rows neighbours are farther apart than in the whole table.
            resolved.get("refine_unit", 0.0) * (len(found["model_rows"]) / array.shape[0]) ** (1 / n_components),
        )
        self.__dict__.pop("_made_model", None)
        self.time_ = resolved.get("time")
        self.n_iter_ = int(resolved.get("landmark_iterations", 0))
        self.sample_index_ = found["model_index"]
        self.sample_embedding_ = found["model_coordinates"]
        self.report_ = {
            "method": self._method,
            "version": _native.__version__,
            "options": self._translated(),
            "resolved": resolved,
            "seed": seed,
            "threads": 1,
            "outcome": "converged",
            "iterations": self.n_iter_,
            "unresolved_share": resolved.get("unresolved_share", 0.0),
            "unresolved_treatment": resolved.get("unresolved_treatment", ""),
            "stages_s": stages.seconds,
            "timings_s": found["coarse_seconds"],
            "seconds": 0.0,
            "warnings": found["warnings"],
            "n_samples": int(array.shape[0]),
            "n_features": int(array.shape[1]),
        }

    @property
    def _model(self) -> Any:
        """The model of the sampled rows, made when it is first asked for."""
        if "_made_model" not in self.__dict__:
            if "_sample" not in self.__dict__:
                raise AttributeError("_model")
            self._made_model = _native.model_of_sample(*self._sample, _native.Run(0, 1))
        return self._made_model

    @_model.setter
    def _model(self, model: Any) -> None:
        self._made_model = model

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> da.Array:
        """Make the map of X and return it as a Dask array."""
        return self.fit(X, y, **fit_params).embedding_

    def transform(self, X: Any) -> Any:
        """Places for new points, row by row: a Dask array for one, else an array.

        Points are placed among the ``model_rows`` rows that the model keeps.
        """
        if getattr(self, "_model", None) is None:
            raise NotFittedError("This HeatGeo instance is not fitted yet. Call 'fit' first.")
        if not isinstance(X, da.Array) and not hasattr(X, "obsm") and not isinstance(X, (str, list)):
            with Run(0, self.n_jobs) as run:
                return self._model.place(as_points(X), run.native)
        array = as_dask_array(X)
        if array.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {array.shape[1]} features, but HeatGeo is expecting {self.n_features_in_} features")
        array = array.rechunk({1: -1})
        model, width = self._model, self._n_features_out
        return array.map_blocks(_place, model=model, dtype=float, chunks=(array.chunks[0], (width,)), meta=np.empty((0, 0)))


def _place(block: np.ndarray, model: Any) -> np.ndarray:
    return model.place(as_points(block), _native.Run(0, 1))
