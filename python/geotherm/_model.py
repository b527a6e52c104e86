"""Fitted maps in files: the model file (.gtm) that the program reads too, and pickles through it."""

from __future__ import annotations

import copyreg
import json
import os
import pathlib
import tempfile
from typing import Any

import numpy as np

from . import _native
from ._options import DEFAULTS, method_named


def _to_bytes(model: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.gtm")
        model.save(path)
        return pathlib.Path(path).read_bytes()


def _from_bytes(content: bytes) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.gtm")
        pathlib.Path(path).write_bytes(content)
        return _native.load_model(path)


# Pickle, joblib and copy.deepcopy carry a model as the bytes of its file.
copyreg.pickle(_native.Model, lambda model: (_from_bytes, (_to_bytes(model),)))


def _plain(value: Any) -> Any:
    """What JSON can hold; arrays are left to the file's own."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items() if not isinstance(v, np.ndarray)}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value if not isinstance(v, np.ndarray)]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def manifest_of(report: dict[str, Any]) -> dict[str, Any]:
    """A run's report as the program's manifest has it: plain values alone."""
    return {k: _plain(v) for k, v in report.items() if k not in ("stress_history", "time_choice", "shortcuts_removed")}


def save(estimator: Any, path: Any) -> None:
    """Write a fitted estimator's map as a model file."""
    estimator._require_fitted()
    manifest = manifest_of(estimator.report_)
    del manifest["timings_s"], manifest["seconds"], manifest["threads"]
    estimator._model.description = json.dumps(manifest)
    estimator._model.column_names = [str(name) for name in getattr(estimator, "feature_names_in_", ())]
    estimator._model.row_names = getattr(estimator, "_row_names", None) or []
    estimator._model.save(os.fspath(path))


def load(path: Any) -> Any:
    """A fitted estimator from a model file, written here or by ``geotherm embed --model``.

    It has `embedding_` (one row per distinct training point), `transform` and `report_`; the graph is not in the file.

    Examples
    --------
    >>> import geotherm, os, tempfile
    >>> X = geotherm.datasets.swiss_roll(n=100).X
    >>> path = os.path.join(tempfile.mkdtemp(), "map.gtm")
    >>> geotherm.HeatGeo().fit(X).save(path)
    >>> geotherm.load(path).transform(X[:3]).shape
    (3, 2)
    """
    from ._estimators import ESTIMATORS

    model = _native.load_model(os.fspath(path))
    cls = ESTIMATORS.get(method_named(model.method)["estimator"])
    if cls is None:
        raise ValueError(f"{path}: a map of method {model.method!r}, which has no estimator here")
    try:
        manifest = json.loads(model.description) if model.description else {}
    except ValueError:
        manifest = {}
    asked = manifest.get("options", {}) if isinstance(manifest, dict) else {}
    known = {k: v for k, v in asked.items() if k in cls._options and (v is None or isinstance(v, type(DEFAULTS[k])))}
    estimator = cls(**known)
    estimator._model = model
    estimator.embedding_ = model.coordinates()
    estimator.n_features_in_ = model.n_columns
    if model.column_names:
        estimator.feature_names_in_ = np.asarray(model.column_names, dtype=object)
    estimator._n_features_out = estimator.embedding_.shape[1]
    estimator.unique_inverse_ = np.arange(len(estimator.embedding_), dtype=np.int32)
    estimator.n_iter_ = int(manifest.get("iterations", 0)) if isinstance(manifest, dict) else 0
    estimator.report_ = {"method": model.method, **(manifest if isinstance(manifest, dict) else {})}
    return estimator
