"""Synthetic data with true geodesics: the shapes on which methods are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._run import Run

__all__ = ["Dataset", "blobs", "circle", "path", "sphere", "swiss_roll", "torus", "tree"]

_USUAL: dict[str, Any] = _native.default_synth


@dataclass
class Dataset:
    """Points of a shape that is known.

    Attributes
    ----------
    X : ndarray (n x dim)
        The points, with noise.
    geodesic : ndarray (n x n) or None
        True distances along the shape; None above the limit.
    coordinates : ndarray
        Where the points lie on the shape.
    t : ndarray or None
        Position along the shape, where there is one.
    label : ndarray or None
        Cluster, branch or bin, where there is one.
    """

    X: np.ndarray
    geodesic: np.ndarray | None
    coordinates: np.ndarray
    t: np.ndarray | None
    label: np.ndarray | None

    def __repr__(self) -> str:
        return f"Dataset({self.X.shape[0]} points in {self.X.shape[1]} dimensions)"


def _synth(shape: str, n: int, noise: float, dim: int | None, random_state: Any, **more: Any) -> Dataset:
    options = {"clustered": False, **_USUAL, **more, "n": n, "noise": noise, "dim": dim}
    for name in ("n", "branches", "geodesic_limit"):
        if options[name] < 0:
            raise ValueError(f"{name} is {options[name]}: give 1 or more")
    with Run(random_state) as run:
        return Dataset(**_native.synth(shape, run=run.native, **options))


def swiss_roll(
    n: int = _USUAL["n"],
    noise: float = _USUAL["noise"],
    *,
    dim: int | None = None,
    clustered: bool = False,
    width: float = _USUAL["width"],
    geodesic_limit: int = _USUAL["geodesic_limit"],
    random_state: Any = 0,
) -> Dataset:
    """A sheet rolled up.

    Parameters
    ----------
    n : int
        Points.
    noise : float
        Standard deviation of Gaussian noise in the ambient space.
    dim : int or None
        Ambient dimension, 3 where not given.
    clustered : bool
        Points from two Gaussians on the sheet instead of uniformly.
    width : float
        Width of the sheet.
    geodesic_limit : int
        True distances are made up to this many points.
    random_state : int, RandomState, Generator or None

    Examples
    --------
    >>> import geotherm
    >>> geotherm.datasets.swiss_roll(n=100)
    Dataset(100 points in 3 dimensions)
    """
    more = {"clustered": clustered, "width": width, "geodesic_limit": geodesic_limit}
    return _synth("swiss-roll", n, noise, dim, random_state, **more)


def tree(
    n: int = _USUAL["n"],
    noise: float = _USUAL["noise"],
    *,
    dim: int | None = None,
    branches: int = _USUAL["branches"],
    random_state: Any = 0,
) -> Dataset:
    """Branches that grow from one another; `label` is the branch."""
    return _synth("tree", n, noise, dim, random_state, branches=branches)


def blobs(
    n: int = _USUAL["n"],
    noise: float = _USUAL["noise"],
    *,
    dim: int | None = None,
    branches: int = _USUAL["branches"],
    random_state: Any = 0,
) -> Dataset:
    """Gaussian clusters; `branches` of them."""
    return _synth("blobs", n, noise, dim, random_state, branches=branches)


def circle(
    n: int = _USUAL["n"], noise: float = _USUAL["noise"], *, dim: int | None = None, random_state: Any = 0
) -> Dataset:
    """A closed curve."""
    return _synth("circle", n, noise, dim, random_state)


def sphere(
    n: int = _USUAL["n"], noise: float = _USUAL["noise"], *, dim: int | None = None, random_state: Any = 0
) -> Dataset:
    """The surface of a ball."""
    return _synth("sphere", n, noise, dim, random_state)


def torus(
    n: int = _USUAL["n"], noise: float = _USUAL["noise"], *, dim: int | None = None, random_state: Any = 0
) -> Dataset:
    """The surface of a ring."""
    return _synth("torus", n, noise, dim, random_state)


def path(
    n: int = _USUAL["n"], noise: float = _USUAL["noise"], *, dim: int | None = None, random_state: Any = 0
) -> Dataset:
    """Points along a line."""
    return _synth("path", n, noise, dim, random_state)
