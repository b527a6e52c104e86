"""Shortest paths, spectral maps and layouts on neighbour lists."""

from __future__ import annotations

from typing import Any

from ._base import DEFAULTS, GeothermEstimator, keep_parameters
from ._docs import documented
from ._graph_methods import GraphEstimator


@documented("graph_", "unique_inverse_", "stress_", "dissimilarity_")
class ShortestPath(GraphEstimator):
    """Isomap's distances: shortest paths along the neighbour graph, then metric scaling.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Tenenbaum, de Silva, Langford: A global geometric framework for nonlinear dimensionality reduction.
    Science 290, 2000.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.ShortestPath().fit_transform(roll.X).shape
    (200, 2)
    """

    _method = "shortest-path"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        *,
        knn: int | None = DEFAULTS["knn"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        components: str = DEFAULTS["components"],
        shortcuts: float | str | bool | None = DEFAULTS["shortcuts"],
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


@documented("graph_", "unique_inverse_", "time_")
class DiffusionMap(GraphEstimator):
    """Diffusion map: leading eigenvectors of the graph's random walk, the constant one dropped.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Coifman, Lafon: Diffusion maps. Applied and Computational Harmonic Analysis 21, 2006.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.DiffusionMap().fit_transform(roll.X).shape
    (200, 2)
    """

    _method = "diffusion-map"

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
        refine: int | str | bool | None = DEFAULTS["refine"],
        balance: float | None = DEFAULTS["balance"],
        precomputed_knn: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@documented("graph_", "unique_inverse_")
class LaplacianEigenmaps(GraphEstimator):
    """Laplacian eigenmaps: the smoothest functions on the graph, the constant one dropped.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    Belkin, Niyogi: Laplacian eigenmaps for dimensionality reduction and data representation. Neural
    Computation 15, 2003.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.LaplacianEigenmaps().fit_transform(roll.X).shape
    (200, 2)
    """

    _method = "laplacian-eigenmaps"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        *,
        knn: int | None = DEFAULTS["knn"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        graph: str = DEFAULTS["graph"],
        decay: float = DEFAULTS["decay"],
        threshold: float = DEFAULTS["threshold"],
        anisotropy: float = DEFAULTS["anisotropy"],
        components: str = DEFAULTS["components"],
        shortcuts: float | str | bool | None = DEFAULTS["shortcuts"],
        refine: int | str | bool | None = DEFAULTS["refine"],
        balance: float | None = DEFAULTS["balance"],
        precomputed_knn: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@documented("unique_inverse_")
class TSNE(GeothermEstimator):
    """t-SNE (Barnes-Hut) from the principal components, on the nearest 3 x perplexity neighbours.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    van der Maaten: Accelerating t-SNE using tree-based algorithms. JMLR 15, 2014.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.TSNE(perplexity=20, n_iterations=300).fit_transform(roll.X).shape
    (200, 2)
    """

    _method = "tsne"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        *,
        perplexity: float = DEFAULTS["perplexity"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        early_exaggeration: float = DEFAULTS["early_exaggeration"],
        n_iterations: int = DEFAULTS["n_iterations"],
        theta: float = DEFAULTS["theta"],
        learning_rate: float | None = DEFAULTS["learning_rate"],
        precomputed_knn: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@documented("unique_inverse_")
class UMAP(GeothermEstimator):
    """UMAP from Laplacian eigenmaps of the fuzzy union of neighbourhoods.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    References
    ----------
    McInnes, Healy, Melville: UMAP: uniform manifold approximation and projection for dimension
    reduction. arXiv:1802.03426, 2018.

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.UMAP(knn=15).fit_transform(roll.X).shape
    (200, 2)
    """

    _method = "umap"

    def __init__(
        self,
        n_components: int = DEFAULTS["n_components"],
        *,
        knn: int | None = DEFAULTS["knn"],
        pca: int | str | None = DEFAULTS["pca"],
        metric: str = DEFAULTS["metric"],
        search: str = DEFAULTS["search"],
        min_dist: float = DEFAULTS["min_dist"],
        spread: float = DEFAULTS["spread"],
        n_epochs: int | None = DEFAULTS["n_epochs"],
        negative_sample_rate: float = DEFAULTS["negative_sample_rate"],
        precomputed_knn: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())
