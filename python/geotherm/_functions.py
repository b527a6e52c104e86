"""The modules as functions, to be composed by hand: graph, kernel, distances, map, scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._input import PRECOMPUTED, as_matrix, as_points, csr_parts, make_input
from ._options import DEFAULTS, METHODS, OPTIONS, takes_options
from ._run import Run

_GRAPH_OPTIONS = [name for name in METHODS["laplacian-eigenmaps"]["options"] if name != "n_components"]
_KERNEL_OPTIONS = ["time", "laplacian", "kernel", "order"]
_DISTANCE_OPTIONS = [name for name, row in OPTIONS.items() if row["group"] == "distance"]
_MDS_OPTIONS = [name for name in METHODS["mds"]["options"] if name not in ("metric", "n_components")]


def _in_order(weights: sp.csr_matrix, lengths: Any) -> tuple[sp.csr_matrix, np.ndarray]:
    """Entries by ascending column, and one length for each off the diagonal, in the same order."""
    lengths = np.array(lengths, dtype=np.float64).ravel()
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    off_diagonal = weights.indices != rows
    if lengths.size == weights.nnz:
        lengths = lengths[off_diagonal]
    elif lengths.size != np.count_nonzero(off_diagonal):
        raise ValueError(
            f"lengths holds {lengths.size} numbers for {weights.nnz} stored weights: give one for each"
        )
    if weights.has_canonical_format:
        return weights, lengths
    order = np.lexsort((weights.indices, rows))
    at = np.full(weights.nnz, -1)
    at[off_diagonal] = np.arange(lengths.size)
    lengths = lengths[at[order][at[order] >= 0]]
    rows, columns = rows[order], weights.indices[order]
    if np.any((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])):
        raise ValueError("weights holds some edges twice: give each one once where lengths are given")
    return sp.csr_matrix((weights.data[order], columns, weights.indptr), shape=weights.shape), lengths


class Graph:
    """Symmetric edge weights between points.

    Parameters
    ----------
    weights : sparse matrix (n x n)
        Edge weights; the diagonal is not used.
    lengths : ndarray or None
        Length of each stored entry of ``weights`` (with or without those on the diagonal), where
        lengths are known; the same both ways.
    unique_inverse : ndarray or None
        For each row of the data its point of the graph: rows that are equal share one.

    Attributes
    ----------
    weights, lengths, unique_inverse
        As given.
    report : dict
        What :func:`graph` decided and saw.
    """

    def __init__(self, weights: Any, lengths: Any = None, unique_inverse: Any = None) -> None:
        if lengths is not None:
            weights, lengths = _in_order(sp.csr_matrix(weights), lengths)
        parts = csr_parts(weights, "weights")
        self.weights = sp.csr_matrix((parts[2], parts[1], parts[0]), shape=(parts[3], parts[3]))
        self.lengths = lengths
        self.unique_inverse = np.arange(parts[3]) if unique_inverse is None else np.asarray(unique_inverse)
        self.report: dict[str, Any] = {}

    @property
    def n_points(self) -> int:
        """Points of the graph: distinct rows of the data."""
        return int(self.weights.shape[0])

    def _native(self, run: Run) -> Any:
        return _native.graph_from(*csr_parts(self.weights), self.lengths, run.native)

    def __repr__(self) -> str:
        return f"Graph({self.n_points} points, {self.weights.nnz // 2} edges)"


class HeatKernel:
    """A diffusion kernel (n x n), as a linear operator.

    Made by :func:`heat_kernel` and :func:`walk_kernel`.
    """

    def __init__(self, native: Any, n_jobs: int | None) -> None:
        self._held = native
        self._n_jobs = n_jobs

    @property
    def n_points(self) -> int:
        """Rows of the kernel."""
        return int(self._held.size)

    @property
    def time(self) -> float:
        """Diffusion time, or steps of the walk."""
        return float(self._held.report["time"])

    @property
    def report(self) -> dict[str, Any]:
        """Which method runs, its order, and below which size entries are not resolved."""
        return dict(self._held.report)

    def _run(self) -> Run:
        return Run(0, self._n_jobs)

    def __matmul__(self, block: Any) -> np.ndarray:
        """K @ block without forming K."""
        array = np.asarray(block, dtype=np.float64)
        columns = array[:, None] if array.ndim == 1 else array
        with self._run() as run:
            found = self._held.apply(np.ascontiguousarray(columns), run.native)
        return found[:, 0] if array.ndim == 1 else found

    def rows(self, points: Any) -> np.ndarray:
        """Rows of the kernel for the given points, without forming n x n."""
        with self._run() as run:
            return self._held.rows(_places(points), run.native)

    def diagonal(self) -> np.ndarray:
        """Heat that stays: K_ii for every point, without forming n x n."""
        with self._run() as run:
            return self._held.diagonal(run.native)

    def dense(self) -> np.ndarray:
        """The kernel as an n x n array."""
        with self._run() as run:
            return self._held.dense(run.native)

    def __repr__(self) -> str:
        return f"HeatKernel({self.n_points} points, time {self.time:.4g}, {self.report['method']})"


def _places(points: Any) -> np.ndarray:
    array = np.atleast_1d(np.asarray(points))
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise TypeError(f"points is {points!r}: give a point's number or a list of them")
    if array.size and (array.max() >= 2**31 or array.min() < 0):
        raise IndexError("points are numbered from 0")
    return np.ascontiguousarray(array, dtype=np.int32)


def _graph(graph: Any) -> Graph:
    return graph if isinstance(graph, Graph) else Graph(graph)


@takes_options(_GRAPH_OPTIONS)
def graph(
    X: Any,
    *,
    precomputed_knn: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    **options: Any,
) -> Graph:
    """The graph of neighbours that the methods share.

    Parameters
    ----------
    X : array or sparse matrix
        Points, or with ``metric="precomputed"`` distances, with ``"precomputed_affinity"`` weights.
    precomputed_knn, **options
        Options of the graph, as in :class:`LaplacianEigenmaps`: knn, metric, pca, graph, shortcuts, ...
    random_state, n_jobs, verbose
        As in :class:`HeatGeo`.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> g = geotherm.graph(roll.X, knn=5)
    >>> g.weights.shape
    (200, 200)
    """
    metric = options.pop("metric")
    with Run(random_state, n_jobs, verbose) as run:
        return graph_of(X, metric, precomputed_knn, options, run)


def graph_of(
    X: Any, metric: str, precomputed_knn: Any, options: dict[str, Any], run: Run, of_heatgeo: bool = False
) -> Graph:
    """The graph of `options`; what they leave open is as HeatGeo chooses it where that is asked for."""
    if metric not in PRECOMPUTED:
        options = {**options, "metric": metric}
    if not sp.issparse(X):
        X = as_points(X)
    found = _native.graph_of(make_input(X, metric, precomputed_knn, run), options, run.native, of_heatgeo)
    n = found["graph"]["n_points"]
    indptr, indices, data = found["graph"]["weights"]
    lengths = found["graph"]["lengths"]
    made = Graph(
        sp.csr_matrix((data, indices, indptr), shape=(n, n)),
        lengths if len(lengths) == len(data) else None,
        found["unique_inverse"],
    )
    made.report = {**found["resolved"], "bridges": found["graph"]["bridges"]}
    return made


@takes_options(_KERNEL_OPTIONS)
def heat_kernel(
    graph: Any, time: float | str = OPTIONS["time"]["default"], *, n_jobs: int | None = -1, **options: Any
) -> HeatKernel:
    """exp(-tL) of a graph, an operator on blocks of vectors.

    Parameters
    ----------
    graph : Graph or sparse matrix (n x n) of edge weights
    time : 'auto' or float
        Diffusion time; 'auto' reads it off the entropy curve.
    laplacian, kernel, order, n_jobs
        As in :class:`HeatGeo`.

    Examples
    --------
    >>> import geotherm, numpy as np
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> K = geotherm.heat_kernel(geotherm.graph(roll.X), 5.0)
    >>> bool(np.allclose(K @ np.ones(200), 1))
    True
    """
    options["time"] = time
    with Run(0, n_jobs) as run:
        return HeatKernel(_native.heat_kernel(_graph(graph)._native(run), options, run.native), n_jobs)


def walk_kernel(graph: Any, steps: int | str = "auto", *, n_jobs: int | None = -1) -> HeatKernel:
    """P^steps of the graph's random walk, as PHATE has it; 'auto': the knee of the spectral entropy."""
    n_steps = 0 if steps == "auto" else steps
    if isinstance(n_steps, bool) or not isinstance(n_steps, (int, np.integer)) or (steps != "auto" and n_steps < 1):
        raise ValueError(f"steps is {steps!r}: give 'auto' or a whole number from 1")
    if n_steps > 2**31 - 1:
        raise ValueError(f"steps is {steps!r}: give a number below 2^31")
    with Run(0, n_jobs) as run:
        return HeatKernel(_native.walk_power(_graph(graph)._native(run), int(n_steps), run.native), n_jobs)


def _kernel_of(kernel: Any) -> HeatKernel:
    if not isinstance(kernel, HeatKernel):
        raise TypeError(f"kernel is {type(kernel).__name__}: give what heat_kernel or walk_kernel returned")
    return kernel


@takes_options(_DISTANCE_OPTIONS)
def heat_geodesic(
    kernel: HeatKernel, *, n_jobs: int | None = -1, **options: Any
) -> np.ndarray:
    """Distances between all points read off the heat between them: n x n.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> D = geotherm.heat_geodesic(geotherm.heat_kernel(geotherm.graph(roll.X), 5.0))
    >>> D.shape, float(abs(D - D.T).max())
    ((200, 200), 0.0)
    """
    with Run(0, n_jobs) as run:
        return _native.heat_geodesic(_kernel_of(kernel)._held, options, run.native)[0]


@takes_options(name for name in _DISTANCE_OPTIONS if name != "denoise")
def heat_geodesic_from(
    kernel: HeatKernel, points: Any, *, n_jobs: int | None = -1, **options: Any
) -> np.ndarray:
    """The same from chosen points only, one row each, without forming n x n."""
    with Run(0, n_jobs) as run:
        return _native.heat_geodesic_from(_kernel_of(kernel)._held, _places(points), options, run.native)


def potential_distance(kernel: HeatKernel, *, n_jobs: int | None = -1) -> np.ndarray:
    """PHATE's potential distance between all points: n x n."""
    with Run(0, n_jobs) as run:
        return _native.potential_distance(_kernel_of(kernel)._held, run=run.native)


def shortest_paths(graph: Any, points: Any, *, n_jobs: int | None = -1) -> np.ndarray:
    """Shortest paths along edge lengths from chosen points, one row each; infinite where unreachable."""
    with Run(0, n_jobs) as run:
        return _native.shortest_paths(_graph(graph)._native(run), _places(points), run.native)


@takes_options(_MDS_OPTIONS)
def mds(
    distances: Any,
    n_components: int = OPTIONS["n_components"]["default"],
    *,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    callbacks: Any = None,
    **options: Any,
) -> np.ndarray:
    """Metric scaling of a distance matrix: n x n in, coordinates (n x n_components) out.

    Examples
    --------
    >>> import geotherm, numpy as np
    >>> x = np.array([0.0, 1.0, 3.0])
    >>> y = geotherm.mds(np.abs(x[:, None] - x[None, :]), 1)
    >>> bool(np.allclose(np.abs(y - y.T), np.abs(x[:, None] - x[None, :]), atol=1e-3))
    True
    """
    options["n_components"] = n_components
    with Run(random_state, n_jobs, verbose, callbacks) as run:
        found = _native.mds(as_matrix(distances, "distances"), options, run.native)
        run.native.raise_pending()
    return found["embedding"]


def refine(
    X: Any,
    embedding: Any,
    *,
    refine: int | None = None,
    balance: float | None = None,
    metric: str = DEFAULTS["metric"],
    search: str = DEFAULTS["search"],
    n_neighbors: int | None = None,
    spacing: float | None = None,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    callbacks: Any = None,
) -> np.ndarray:
    """A map made elsewhere, refined: neighbours find each other while its large shape stays.

    Parameters
    ----------
    X : array, sparse matrix, or a pair (indices, distances)
        The points of the map, or with ``metric="precomputed"`` their distances, with ``"precomputed_affinity"``
        edge weights; or neighbour tables (n x k) found elsewhere.
    embedding : array (n x 1, 2 or 3)
        The map to start from.
    refine : int or None
        Epochs; None: as `balance` says.
    balance : float or None
        0 leaves the map as it is, 1 puts neighbours first; None: 0.5.
    metric, search, random_state, n_jobs, verbose, callbacks
        As in :class:`HeatGeo`.
    n_neighbors : int or None
        Neighbours of each point that attract it; None: 15.
    spacing : number or None
        Median distance to the 15th nearest point at the start, in units of the objective; None: 1.4
        (docs/methods/refinement.md).

    Returns
    -------
    ndarray of shape (n, dimensions), in the units of the map

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> start = geotherm.HeatGeo(refine="off").fit_transform(roll.X)
    >>> geotherm.refine(roll.X, start, balance=0.5).shape
    (200, 2)
    """
    is_pair = isinstance(X, tuple)
    options: dict[str, Any] = {"refine": refine, "balance": balance, "search": search}
    if metric not in PRECOMPUTED:
        options["metric"] = metric
    if not is_pair and not sp.issparse(X):
        X = as_points(X)
    with Run(random_state, n_jobs, verbose, callbacks) as run:
        held = make_input(None if is_pair else X, metric, X if is_pair else None, run)
        start = as_matrix(embedding, "embedding")
        found = _native.refine(held, start, options, spacing, n_neighbors, run.native)
        run.native.raise_pending()
    return found["embedding"]


def score(
    estimate: Any,
    *,
    truth: Any = None,
    points: Any = None,
    labels: Any = None,
    times: Any = None,
    other: Any = None,
    knn: int = _native.default_score_knn,
    precision: int | None = None,
    demap: bool = False,
    stress: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    **others: Any,
) -> dict[str, float]:
    """How well distances or a map agree with known data; names as in ``geotherm score``.

    Parameters
    ----------
    estimate : array
        A map (n x dimensions), or distances (n x n).
    truth : array (n x n), optional
        True distances. Gives pearson, spearman, frobenius, max; with `precision`, `demap` and `stress` those.
    points : array (n x d), optional
        The points that were mapped. Gives trustworthiness, continuity.
    labels : sequence, optional
        A group for each point. Gives knn_accuracy, and clustering scores of a map.
    times : sequence, optional
        A time for each point. Gives interpolation (where the build has exact transport).
    other : array, optional
        Another set of points. Gives w1, w2 (where the build has exact transport).
    knn : int
        Neighbours that count for `labels` and `points`.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> sorted(geotherm.score(roll.X, truth=roll.geodesic))
    ['frobenius', 'max', 'pearson', 'spearman']
    """
    y = as_matrix(estimate, "estimate")
    if all(known is None for known in (truth, points, labels, times, other)):
        raise ValueError("nothing to compare the estimate with: give truth, points, labels, times or other")
    asked = {"precision": precision, "demap": demap, "stress": stress, **others}
    known_scores = _native.score_options()
    for name in others:
        if name not in known_scores:
            raise TypeError(f"score() got an unexpected keyword argument {name!r}")
    asked = {name: int(value) for name, value in asked.items() if value is not None and value is not False}

    def same_rows(values: Any, name: str) -> Any:
        if len(values) != len(y):
            raise ValueError(f"{name} has {len(values)} rows but estimate has {len(y)}: both are of the same points")
        return values

    if truth is not None:
        truth = same_rows(as_matrix(truth, "truth"), "truth")
        if truth.shape[0] != truth.shape[1]:
            raise ValueError(f"truth should be a square matrix of distances, got {truth.shape}")
    if labels is not None:
        _, groups = np.unique(np.asarray(same_rows(labels, "labels")).astype(str), return_inverse=True)
        labels = groups.astype(np.int32)
    if points is not None:
        points = same_rows(as_matrix(points, "points"), "points")
    if times is not None:
        times = np.ascontiguousarray(same_rows(times, "times"), dtype=np.float64)
    if other is not None:
        other = as_matrix(other, "other")
    are_distances = y.shape[0] == y.shape[1]
    with Run(random_state, n_jobs) as run:
        return _native.score(y, are_distances, truth, labels, points, times, other, int(knn), asked, run.native)
