"""Methods whose distances come from diffusion on a graph, followed by metric scaling."""

from __future__ import annotations

from typing import Any

from ._base import DEFAULTS, keep_parameters
from ._docs import documented
from ._graph_methods import GraphEstimator, HeatEstimator


@documented("graph_", "unique_inverse_", "time_", "stress_", "dissimilarity_")
class HeatGeo(HeatEstimator):
    """Heat Geodesic Embedding: a map that keeps distances along the shape of the data.

    A graph of neighbours, heat that spreads on it, distances read off the heat, and metric scaling.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Huguet, Tong, De Brouwer, Zhang, Wolf, Adelstein, Krishnaswamy: A heat diffusion perspective on
    geodesic preserving dimensionality reduction. NeurIPS 2023.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=300, noise=0.0)
    >>> est = geotherm.HeatGeo(knn=10).fit(roll.X)
    >>> est.embedding_.shape
    (300, 2)
    >>> geotherm.score(est.embedding_, truth=roll.geodesic)["pearson"] > 0.9
    True
    """

    _method = "heatgeo"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        *,
        knn: int | None = DEFAULTS["knn"],
        time: float | str = DEFAULTS["time"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        graph: str = DEFAULTS["graph"],
        decay: float = DEFAULTS["decay"],
        threshold: float = DEFAULTS["threshold"],
        anisotropy: float = DEFAULTS["anisotropy"],
        components: str = DEFAULTS["components"],
        shortcuts: float | str | bool | None = DEFAULTS["shortcuts"],
        rates: str | None = DEFAULTS["rates"],
        laplacian: str = DEFAULTS["laplacian"],
        kernel: str = DEFAULTS["kernel"],
        order: int | None = DEFAULTS["order"],
        harnack: float = DEFAULTS["harnack"],
        denoise: float = DEFAULTS["denoise"],
        kernel_floor: float | None = DEFAULTS["kernel_floor"],
        max_distance: float | None = DEFAULTS["max_distance"],
        landmarks: int | str = DEFAULTS["landmarks"],
        mds: str = DEFAULTS["mds"],
        mds_weights: str = DEFAULTS["mds_weights"],
        max_iterations: int | None = DEFAULTS["max_iterations"],
        tolerance: float = DEFAULTS["tolerance"],
        n_shakes: int = DEFAULTS["n_shakes"],
        refine: int | str | bool | None = DEFAULTS["refine"],
        balance: float | None = DEFAULTS["balance"],
        precomputed_knn: Any = None,
        keep_dissimilarity: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@documented("graph_", "unique_inverse_", "time_", "stress_", "dissimilarity_")
class HeatPHATE(HeatEstimator):
    """PHATE with the heat kernel in place of the walk: potential distances of exp(-tL), then scaling.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Huguet, Tong, De Brouwer, Zhang, Wolf, Adelstein, Krishnaswamy: A heat diffusion perspective on
    geodesic preserving dimensionality reduction. NeurIPS 2023.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.HeatPHATE().fit_transform(roll.X).shape
    (200, 2)
    """

    _method = "heat-phate"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        *,
        knn: int | None = DEFAULTS["knn"],
        time: float | str = DEFAULTS["time"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        graph: str = DEFAULTS["graph"],
        decay: float = DEFAULTS["decay"],
        threshold: float = DEFAULTS["threshold"],
        anisotropy: float = DEFAULTS["anisotropy"],
        components: str = DEFAULTS["components"],
        shortcuts: float | str | bool | None = DEFAULTS["shortcuts"],
        rates: str | None = DEFAULTS["rates"],
        laplacian: str = DEFAULTS["laplacian"],
        kernel: str = DEFAULTS["kernel"],
        order: int | None = DEFAULTS["order"],
        landmarks: int | str = DEFAULTS["landmarks"],
        mds: str = DEFAULTS["mds"],
        mds_weights: str = DEFAULTS["mds_weights"],
        max_iterations: int | None = DEFAULTS["max_iterations"],
        tolerance: float = DEFAULTS["tolerance"],
        n_shakes: int = DEFAULTS["n_shakes"],
        refine: int | str | bool | None = DEFAULTS["refine"],
        balance: float | None = DEFAULTS["balance"],
        precomputed_knn: Any = None,
        keep_dissimilarity: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@documented("graph_", "unique_inverse_", "time_", "stress_", "dissimilarity_")
class RandGeo(GraphEstimator):
    """HeatGeo's distance from a random walk P^t in place of the heat kernel, then scaling.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Huguet, Tong, De Brouwer, Zhang, Wolf, Adelstein, Krishnaswamy: A heat diffusion perspective on
    geodesic preserving dimensionality reduction. NeurIPS 2023.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.RandGeo(time=20).fit_transform(roll.X).shape
    (200, 2)
    """

    _method = "rand-geo"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        *,
        knn: int | None = DEFAULTS["knn"],
        time: float | str = DEFAULTS["time"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        graph: str = DEFAULTS["graph"],
        decay: float = DEFAULTS["decay"],
        threshold: float = DEFAULTS["threshold"],
        anisotropy: float = DEFAULTS["anisotropy"],
        components: str = DEFAULTS["components"],
        shortcuts: float | str | bool | None = DEFAULTS["shortcuts"],
        harnack: float = DEFAULTS["harnack"],
        denoise: float = DEFAULTS["denoise"],
        kernel_floor: float | None = DEFAULTS["kernel_floor"],
        max_distance: float | None = DEFAULTS["max_distance"],
        landmarks: int | str = DEFAULTS["landmarks"],
        mds: str = DEFAULTS["mds"],
        mds_weights: str = DEFAULTS["mds_weights"],
        max_iterations: int | None = DEFAULTS["max_iterations"],
        tolerance: float = DEFAULTS["tolerance"],
        n_shakes: int = DEFAULTS["n_shakes"],
        refine: int | str | bool | None = DEFAULTS["refine"],
        balance: float | None = DEFAULTS["balance"],
        precomputed_knn: Any = None,
        keep_dissimilarity: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())
