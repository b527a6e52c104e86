"""Maps that keep geodesics: Heat Geodesic Embedding and the methods it is compared with.

Estimators (``HeatGeo``, ``PHATE``, ...) follow scikit-learn; ``geotherm.tl`` and ``geotherm.pl`` follow scanpy;
the functions (``graph``, ``heat_kernel``, ``heat_geodesic``, ``mds``, ``score``) are the steps one by one.
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._model import load
from ._native import IoError, Stopped, __version__
from ._options import METHODS
from ._run import GeothermWarning

if TYPE_CHECKING:
    from . import datasets, pl, tl  # noqa: F401
    from ._compare import Comparison, batch_mixing, compare  # noqa: F401
    from ._estimators import *  # noqa: F403
    from ._functions import (  # noqa: F401
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
    from ._pca import Components, pca  # noqa: F401

_ESTIMATORS = [row["estimator"] for row in METHODS.values() if row["estimator"]]
_FUNCTIONS = "Graph HeatKernel graph heat_geodesic heat_geodesic_from heat_kernel mds potential_distance refine score shortest_paths walk_kernel"
# Read when they are first asked for: a worker of a cluster that calls the library on blocks of rows has no use for scikit-learn,
# SciPy and pandas, which would take most of its memory.
_MODULE_OF = {
    **dict.fromkeys(_ESTIMATORS, "_estimators"),
    **dict.fromkeys(_FUNCTIONS.split(), "_functions"),
    **dict.fromkeys(["Comparison", "batch_mixing", "compare"], "_compare"),
    **dict.fromkeys(["Components", "pca"], "_pca"),
}
_MODULES = ("datasets", "pl", "tl")

__all__ = ["GeothermWarning", "IoError", "Stopped", "__version__", "load", *_MODULE_OF, *_MODULES]  # noqa: PLE0604
_MODULE_OF["ESTIMATORS"] = "_estimators"


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
