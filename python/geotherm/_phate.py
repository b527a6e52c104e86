"""PHATE, which also answers to the parameter names of PyPI's phate: a script changes its import only."""

from __future__ import annotations

import numbers
from typing import Any

from ._base import DEFAULTS, keep_parameters
from ._docs import documented
from ._graph_methods import GraphEstimator

_MDS_OF = {"classic": "classical", "metric": None}
_NOT_OFFERED = {
    "gamma": (1, "the potential is the logarithm (gamma=1)"),
    "mds_dist": ("euclidean", "potential distances are Euclidean"),
    "knn_max": (None, "the kernel's own threshold ends each neighbourhood"),
}


@documented(
    "graph_",
    "unique_inverse_",
    "time_",
    "stress_",
    "dissimilarity_",
    t="t : 'auto', int or None\n    phate's name for `time`; wins where it is given.",
    n_pca="n_pca : int or None\n    phate's name for `pca`; wins where it is given.",
    knn_dist="knn_dist : str or None\n    phate's name for `metric`; wins where it is given.",
    mds_solver="mds_solver : 'sgd', 'smacof' or None\n    phate's name for the solver of metric scaling; wins over `mds` where it is given.",
    n_landmark="n_landmark : int or None\n    phate's name for `landmarks`; wins where it is given. As many as there are points, or more: all pairs.",
    gamma="gamma : 1\n    Taken from phate scripts; other values are refused.",
    knn_max="knn_max : None\n    Taken from phate scripts; other values are refused.",
    mds_dist="mds_dist : 'euclidean'\n    Taken from phate scripts; other values are refused.",
    mds="mds : str\n    Metric scaling: classical, smacof, sgd; also phate's 'metric' (the default) and 'classic'.",
)
class PHATE(GraphEstimator):
    """PHATE: potential distances of a random walk on the graph, then metric scaling.

    Its affinities, walk and potential are those of PyPI's phate 2.0.0 to rounding.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Moon et al.: Visualizing structure and transitions in high-dimensional biological data. Nature
    Biotechnology 37, 2019.

    Examples
    --------
    >>> import geotherm
    >>> tree = geotherm.datasets.tree(n=200)
    >>> geotherm.PHATE(knn=5, decay=40, t='auto').fit_transform(tree.X).shape
    (200, 2)
    """

    _method = "phate"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        knn: int | None = DEFAULTS["knn"],
        decay: float = DEFAULTS["decay"],
        n_landmark: int | None = None,
        t: int | str | None = None,
        gamma: float = 1,
        n_pca: int | None = None,
        mds_solver: str | None = None,
        knn_dist: str | None = None,
        knn_max: int | None = None,
        mds_dist: str = "euclidean",
        mds: str = DEFAULTS["mds"],
        n_jobs: int | None = -1,
        random_state: Any = 0,
        verbose: bool = False,
        *,
        time: float | str = DEFAULTS["time"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        graph: str = DEFAULTS["graph"],
        threshold: float = DEFAULTS["threshold"],
        anisotropy: float = DEFAULTS["anisotropy"],
        components: str = DEFAULTS["components"],
        shortcuts: float | str | bool | None = DEFAULTS["shortcuts"],
        landmarks: int | str = DEFAULTS["landmarks"],
        mds_weights: str = DEFAULTS["mds_weights"],
        max_iterations: int | None = DEFAULTS["max_iterations"],
        tolerance: float = DEFAULTS["tolerance"],
        n_shakes: int = DEFAULTS["n_shakes"],
        refine: int | str | bool | None = DEFAULTS["refine"],
        balance: float | None = DEFAULTS["balance"],
        precomputed_knn: Any = None,
        keep_dissimilarity: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())

    def _translated(self) -> dict[str, Any]:
        options = super()._translated()
        for name, (only, reason) in _NOT_OFFERED.items():
            if getattr(self, name) != only:
                raise ValueError(f"{name} is {getattr(self, name)!r}: leave it at {only!r}, {reason}")
        if self.t is not None:
            options["time"] = self.t
        if self.n_pca is not None:
            options["pca"] = self.n_pca
        if self.knn_dist is not None:
            options["metric"] = self.knn_dist
        if self.mds == "nonmetric":
            raise ValueError("mds is 'nonmetric': give 'metric' or 'classic'")
        if self.mds in _MDS_OF:
            options["mds"] = _MDS_OF[self.mds] or DEFAULTS["mds"]
        if self.mds_solver is not None and options["mds"] != "classical":
            options["mds"] = self.mds_solver
        return options

    def _native_options(self, X: Any) -> dict[str, Any]:
        options = super()._native_options(X)
        # phate reduces to n_pca components at most: a smaller table stays as it is.
        if isinstance(self.n_pca, numbers.Integral) and self.n_pca >= min(X.shape):
            options["pca"] = None
        if self.n_landmark is not None:
            is_all = isinstance(self.n_landmark, numbers.Integral) and self.n_landmark >= X.shape[0]
            options["landmarks"] = "none" if is_all else self.n_landmark
        return options
