"""Every method of the library's table as an estimator.

A method with keywords of its own (PHATE) has a class written out; the others are made from their row.
"""

from __future__ import annotations

from typing import Any

from ._base import GeothermEstimator
from ._graph_methods import GraphEstimator, HeatEstimator
from ._options import METHODS
from ._phate import PHATE

_DOC = """{display}: {summary}.

    Parameters
    ----------
    {{parameters}}

    Attributes
    ----------
    {{attributes}}

    References
    ----------
    {citations}

    Examples
    --------
    >>> import geotherm
    >>> roll = geotherm.datasets.swiss_roll(n=200, noise=0.0)
    >>> geotherm.{estimator}({example}).fit_transform(roll.X).shape
    (200, 2)
    """


def _make(row: dict[str, Any]) -> type[GeothermEstimator]:
    base = HeatEstimator if row["has_heat"] else GraphEstimator if row["has_graph"] else GeothermEstimator
    example = "n_iterations=300" if "n_iterations" in row["options"] else ""
    citations = "\n    ".join(row["citations"])
    text = _DOC.format(**{**row, "display": row["title"][0].upper() + row["title"][1:]} | {"citations": citations, "example": example})
    return type(row["estimator"], (base,), {"_method": row["name"], "__doc__": text, "__module__": "geotherm"})


#: Estimator classes by name of the class.
ESTIMATORS: dict[str, type[GeothermEstimator]] = {}
for _row in METHODS.values():
    if _row["estimator"]:
        ESTIMATORS[_row["estimator"]] = PHATE if _row["name"] == PHATE._method else _make(_row)
globals().update(ESTIMATORS)
__all__ = ["ESTIMATORS", *ESTIMATORS]  # noqa: PLE0604
