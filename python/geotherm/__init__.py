"""Maps that keep geodesics: Heat Geodesic Embedding and the methods it is compared with.

Estimators (``HeatGeo``, ``PHATE``, ...) follow scikit-learn; ``geotherm.tl`` and ``geotherm.pl`` follow scanpy;
the functions (``graph``, ``heat_kernel``, ``heat_geodesic``, ``mds``, ``score``) are the steps one by one.
"""

from . import datasets, pl, tl
from ._compare import Comparison, batch_mixing, compare
from ._functions import (
    Graph,
    HeatKernel,
    graph,
    heat_geodesic,
    heat_geodesic_from,
    heat_kernel,
    mds,
    potential_distance,
    refine,
    score,
    shortest_paths,
    walk_kernel,
)
from ._estimators import *  # noqa: F403
from ._estimators import ESTIMATORS
from ._model import load
from ._native import IoError, Stopped, __version__
from ._pca import Components, pca
from ._run import GeothermWarning

__all__ = [
    *ESTIMATORS,
    "Comparison",
    "Components",
    "GeothermWarning",
    "Graph",
    "HeatKernel",
    "IoError",
    "Stopped",
    "__version__",
    "batch_mixing",
    "compare",
    "datasets",
    "graph",
    "heat_geodesic",
    "heat_geodesic_from",
    "heat_kernel",
    "load",
    "mds",
    "pca",
    "pl",
    "potential_distance",
    "refine",
    "score",
    "shortest_paths",
    "tl",
    "walk_kernel",
]
