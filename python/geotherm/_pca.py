"""Principal components of sparse tables, which stay sparse."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from . import _native
from ._input import csr_arrays
from ._run import Run


class Components(NamedTuple):
    """What :func:`pca` found.

    Attributes
    ----------
    scores : ndarray of shape (n_samples, n_components)
        Rows in the space of the components, by falling variance.
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows, the largest entry of each positive.
    mean : ndarray of shape (n_features,)
    singular_values : ndarray of shape (n_components,)
        Of the centred table.
    """

    scores: np.ndarray
    components: np.ndarray
    mean: np.ndarray
    singular_values: np.ndarray


def pca(X: Any, n_components: int = 50, *, random_state: Any = 0, n_jobs: int | None = -1) -> Components:
    """Leading principal components of a table; a sparse one is centred without being made dense.

    For what is too large for an estimator, which makes sparse points dense: map the ``scores``.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_samples, n_features)
    n_components : int
        Below both sides of X.
    random_state, n_jobs
        As in :class:`HeatGeo`.

    Examples
    --------
    >>> import geotherm, scipy.sparse
    >>> counts = scipy.sparse.random(500, 300, density=0.05, random_state=0, format="csr")
    >>> geotherm.pca(counts, 10).scores.shape
    (500, 10)
    """
    table = sp.csr_matrix(X)
    with Run(random_state, n_jobs) as run:
        return Components(*_native.sparse_pca(*csr_arrays(table), *table.shape, n_components, run.native))
