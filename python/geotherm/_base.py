"""What every estimator shares: parameters, fitting, attributes, scikit-learn's manners.

scikit-learn is used where it is installed; without it a small stand-in keeps the same calls working.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._docs import document
from ._input import PRECOMPUTED, as_given, as_matrix, as_points, csr_arrays, make_input, on_host, points_there
from ._options import OPTIONS, make_init, signature_of
from ._run import Run
from ._tables import as_table, columns_of_text, names_of_rows

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import validate_data

    HAS_SKLEARN = True
except ImportError:  # the package works without scikit-learn
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """Raised where an estimator is used before fit."""

    class BaseEstimator:  # type: ignore[no-redef]
        """get_params and set_params as scikit-learn has them."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            return sorted(p for p in inspect.signature(cls.__init__).parameters if p != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> BaseEstimator:
            for name, value in params.items():
                if name not in self._get_param_names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self).__init__).parameters
            shown = [
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if value is not defaults[name].default and value != defaults[name].default
            ]
            return f"{type(self).__name__}({', '.join(shown)})"

    class TransformerMixin:  # type: ignore[no-redef]
        pass

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
            prefix = type(self).__name__.lower()
            return np.asarray([f"{prefix}{i}" for i in range(self._n_features_out)], dtype=object)


class GeothermEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the estimators: fit, fit_transform and the attributes that they leave."""

    #: The library's name of the method. A class that has one gets an __init__ with the options that the method reads.
    _method: str = ""
    #: Keywords of __init__ that are options of the library under the same name.
    _options: tuple[str, ...] = ()
    #: Keywords that may be given without their name, in this order.
    _first: tuple[str, ...] = ("n_components",)
    #: Additional keywords of the class with their defaults and documentation.
    _own: dict[str, Any] = {}
    _own_docs: dict[str, str] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_method" not in cls.__dict__:
            return
        signature = signature_of(cls._method, cls._first, cls._own)
        cls.__init__ = make_init(cls, signature)  # type: ignore[method-assign]
        cls._options = tuple(name for name in signature.parameters if name in OPTIONS)
        document(cls, cls._own_docs)

    # -- parameters ------------------------------------------------------------------------------

    def _translated(self) -> dict[str, Any]:
        """Parameters in the library's words; PHATE's own names are translated there."""
        return {name: getattr(self, name) for name in self._options}

    def _native_options(self, X: Any) -> dict[str, Any]:
        options = self._translated()
        if isinstance(options.get("metric"), str) and options["metric"] in PRECOMPUTED:
            del options["metric"]
        return options

    def _metric(self) -> str:
        return self._translated().get("metric", "euclidean")

    def _make_run(self) -> Run:
        return Run(self.random_state, self.n_jobs, self.verbose, self.callbacks)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._metric() in PRECOMPUTED
        # Maps are float64 whatever comes in.
        tags.transformer_tags.preserves_dtype = []
        return tags

    # -- fitting ---------------------------------------------------------------------------------

    def _validated(self, X: Any, reset: bool) -> Any:
        X = as_table(on_host(X))
        if getattr(getattr(X, "dtype", None), "kind", "") in ("M", "m"):
            raise TypeError(f"X is an array of {X.dtype}: give numbers")
        if not HAS_SKLEARN:
            checked = X if sp.issparse(X) else as_points(X)
            if reset:
                self.n_features_in_ = checked.shape[1]
            elif checked.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {checked.shape[1]} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
            return checked
        try:
            return validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                order="C",
                ensure_min_samples=2 if reset else 1,
            )
        except ValueError as error:
            text = columns_of_text(X) if "could not convert string" in str(error) else []
            if not text:
                raise
            raise ValueError(f"X has text in {', '.join(text)}: leave such columns out, X.drop(columns={text})") from error

    def _points_there(self, X: Any) -> Any:
        """The native Input of points that are read in the GPU's memory, where they lie; else None."""
        if isinstance(X, np.ndarray) or getattr(self, "device", "cpu") not in ("cuda", "auto"):
            return None
        if self._metric() in PRECOMPUTED or getattr(self, "precomputed_knn", None) is not None:
            return None
        return points_there(X) if _native.has_cuda_device() else None

    def fit(self, X: Any, y: Any = None) -> GeothermEstimator:
        """Make the map of X.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n_samples, n_features)
            One row per point (or the name of a Parquet or Feather file, read by pyarrow); with ``metric="precomputed"`` distances between all pairs (n x n; sparse:
            those that are known), with ``"precomputed_affinity"`` edge weights.
        y : ignored

        Returns
        -------
        self
        """
        self._row_names = names_of_rows(X)
        there = self._points_there(X)
        if there is None:
            X = self._validated(X, reset=True)
        else:
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        options = self._native_options(X)
        with self._make_run() as run:
            held = there or make_input(X, self._metric(), getattr(self, "precomputed_knn", None), run)
            keep = bool(getattr(self, "keep_dissimilarity", False))
            start = options.pop("init", None)
            if isinstance(start, str) or start is None:
                options.update({} if start is None else {"init": start})
                start = None
            else:
                start = as_matrix(start, "init")
            found = _native.embed(self._method, held, options, run.native, keep, start)
            self._take(found, run)
            # Ctrl-C during the layout: the map so far is kept, and the interrupt is raised.
            run.native.raise_pending()
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Make the map of X and return it, one row per point: as an array of CuPy or torch where X is one on a GPU."""
        return as_given(self.fit(X, y).embedding_, X)

    def transform(self, X: Any = None, *, distances: Any = None, affinities: Any = None) -> np.ndarray:
        """Coordinates of new points in the fitted map.

        A row equal to a training row gets the coordinates of that row, to the bit; any other is placed where its nearest
        training points gather in the map, whatever else is in the batch.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_new, n_features)
            New points; for a map of distances or affinities, theirs to the training rows (n_new, n_samples).
        distances : array or sparse matrix of shape (n_new, n_samples), optional
            Instead of X: distances to the training rows; sparse: those that are known.
        affinities : sparse matrix of shape (n_new, n_samples), optional
            Instead of X: edge weights to the training rows.

        Returns
        -------
        ndarray of shape (n_new, n_components)
        """
        self._require_fitted()
        if distances is not None or affinities is not None or self._model.input != "points":
            return self.query(X, distances=distances, affinities=affinities)["embedding"]
        given, X = X, self._validated(X, reset=False)
        with Run(0, self.n_jobs) as run:
            return as_given(self._model.place(as_points(X), run.native), given)

    def query(
        self, X: Any = None, *, labels: Any = None, distances: Any = None, affinities: Any = None
    ) -> dict[str, Any]:
        """Coordinates and novelty of new rows, and labels from their neighbours.

        Parameters
        ----------
        X, distances, affinities
            As for :meth:`transform`; one of them.
        labels : sequence of str of length n_samples, optional
            Labels of the training rows, which go to the new ones by the votes of their neighbours.

        Returns
        -------
        dict
            ``embedding`` (n_new, n_components); ``novelty`` (n_new,), the distance to the training data in units of
            its local scale: about 1 within it, 0 for a training row; with `labels`, ``label`` and ``probability``.
        """
        self._require_fitted()
        given = {"points": X, "distances": distances, "affinities": affinities}
        chosen = [name for name, value in given.items() if value is not None]
        if len(chosen) != 1:
            raise ValueError(f"give X, distances or affinities, one of them; got {', '.join(chosen) or 'none'}")
        given_as, rows = chosen[0], given[chosen[0]]
        if given_as == "points":
            given_as = self._model.input
            rows = self._validated(rows, reset=False)
        if given_as == "points":
            rows = as_points(rows)
        elif given_as == "affinities" or sp.issparse(rows):
            sparse = sp.csr_matrix(rows)
            rows = (*csr_arrays(sparse, given_as), sparse.shape[0], sparse.shape[1])
        else:
            rows = as_matrix(rows, given_as)
        names = None if labels is None else ["" if v is None or v != v else str(v) for v in labels]
        with Run(0, self.n_jobs) as run:
            return self._model.query(given_as, rows, names, run.native)

    def update(self, X: Any, hold: float = 1.0) -> GeothermEstimator:
        """Add rows to the fitted map, in place.

        Old points keep their coordinates for ``hold=1``; with less, all are laid out again, and the map moves by
        ``1 - hold`` of the way to that layout. `embedding_` then has the old rows and the new ones below them; `movement_` says how far old
        points moved (mean, median, largest; shares of the map's extent), `novelty_` how novel the new rows are.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_new, n_features)
        hold : float in [0, 1]

        Returns
        -------
        self
        """
        self._require_fitted()
        if self._model.input != "points":
            raise ValueError("update needs a map made from points: fit distances or affinities of all rows anew")
        X = self._validated(X, reset=False)
        options = self._native_options(X)
        if not isinstance(options.get("init"), str):
            options.pop("init", None)
        with self._make_run() as run:
            found = self._model.grow(as_points(X), float(hold), options, run.native)
        self._model = found["model"]
        self.embedding_ = found["embedding"]
        self.unique_inverse_ = found["unique_inverse"]
        self.movement_, self.novelty_ = found["movement"], found["novelty"]
        self.report_["n_samples"] = int(self.embedding_.shape[0])
        for name in ("graph_", "dissimilarity_", "component_labels_", "_heat"):
            if hasattr(self, name):
                delattr(self, name)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> GeothermEstimator:
        """Fit X the first time; later add its rows to the map, old points staying where they are."""
        if not hasattr(self, "embedding_"):
            return self.fit(X)
        return self.update(X)

    def _take(self, found: dict[str, Any], run: Run) -> None:
        self._model = found["model"]
        self.embedding_ = found["embedding"]
        self._n_features_out = self.embedding_.shape[1]
        self.n_iter_ = found["iterations"]
        self.unique_inverse_ = found["unique_inverse"]
        self._length_scale = found["length_scale"]
        self._heat = found["heat"]
        for name in ("graph_", "time_", "stress_", "dissimilarity_", "component_labels_"):
            if hasattr(self, name):
                delattr(self, name)
        if found["graph"] is not None:
            self._keep_graph(found["graph"])
        if "time" in found["resolved"]:
            self.time_ = found["resolved"]["time"]
        if "stress" in found["resolved"]:
            self.stress_ = found["stress"]
        if "dissimilarity" in found:
            self.dissimilarity_ = found["dissimilarity"]
        self.report_ = {
            "method": self._method,
            "version": _native.__version__,
            "options": self._translated(),
            "resolved": found["resolved"],
            "seed": run.seed,
            "threads": run.native.n_threads,
            "outcome": found["outcome"],
            "iterations": found["iterations"],
            "unresolved_share": found["unresolved_share"],
            "unresolved_treatment": found["unresolved_treatment"],
            "time_choice": found["time_choice"],
            "stress_history": found["stress_history"],
            "shortcuts_removed": found["shortcuts_removed"],
            "bridges": [] if found["graph"] is None else found["graph"]["bridges"],
            "timings_s": found["timings_s"],
            "seconds": found["seconds"],
            "warnings": list(run.native.warnings),
            "n_samples": int(self.embedding_.shape[0]),
            "n_features": int(self.n_features_in_),
        }

    def _keep_graph(self, graph: dict[str, Any]) -> None:
        n = graph["n_points"]
        indptr, indices, data = graph["weights"]
        self.graph_ = sp.csr_matrix((data, indices, indptr), shape=(n, n), copy=False)
        self._edge_lengths = graph["lengths"] if len(graph["lengths"]) == len(data) else None
        self.component_labels_ = graph["component"][self.unique_inverse_]

    # -- afterwards ------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Write the fitted map as a model file (.gtm), which :func:`geotherm.load` and the program read."""
        from ._model import save

        save(self, path)

    def methods_text(self, citations: bool = True) -> str:
        """A Methods paragraph for the run, with the values used and references."""
        from ._methods_text import methods_text

        self._require_fitted()
        return methods_text(self.report_, citations)

    def plot(self, color: Any = None, **options: Any) -> Any:
        """Draw the map with matplotlib; see :func:`geotherm.pl.scatter` for the options."""
        from .pl import scatter

        self._require_fitted()
        options.setdefault("title", type(self).__name__)
        return scatter(self.embedding_, color, **options)

    def view(self, color: Any = None, path: Any = None, **options: Any) -> Any:
        """The interactive page: shown inline in Jupyter, or written to `path`; see :func:`geotherm.pl.page`."""
        from .pl import page

        self._require_fitted()
        return page(self, color, path, **options)

    def _require_fitted(self, attribute: str = "embedding_") -> None:
        if not hasattr(self, attribute):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this estimator."
            )


_transform_points = GeothermEstimator.transform


@functools.wraps(_transform_points)
def _transform(self: GeothermEstimator, X: Any = None, **given: Any) -> np.ndarray:
    # scikit-learn's wrapper, which names the columns of the result, insists on X.
    return _transform_points(self, X, **given)


GeothermEstimator.transform = _transform  # type: ignore[method-assign]
