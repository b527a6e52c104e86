"""Arguments of users -> arrays for the library, without copying C-order arrays.

In: dense or sparse points, distances, affinities, neighbour tables. Out: a native Input.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._run import Run

#: Words for `metric` that say what the array itself holds.
PRECOMPUTED = {
    "precomputed": "distances",
    "precomputed_distance": "distances",
    "precomputed_affinity": "affinities",
}


#: Sparse points are made dense up to this many bytes, as the program does.
MOST_DENSE_BYTES = 4 << 30


def dense_points(X: Any, name: str = "X") -> np.ndarray:
    """The dense form of sparse points, refused where it would be too large."""
    if X.shape[0] * X.shape[1] * max(X.dtype.itemsize, 4) > MOST_DENSE_BYTES:
        raise ValueError(
            f"the dense form of {name}, {X.shape[0]} x {X.shape[1]}, would take more than {MOST_DENSE_BYTES >> 30} GiB: "
            "reduce it first, by geotherm.pca(X, 50).scores (scanpy: sc.pp.pca), which keeps it sparse"
        )
    return X.toarray()


#: DLPack's numbers of devices whose memory the host reads as its own: the host's, pinned, managed.
HOST_DEVICES = {1, 3, 13}
CUDA_DEVICE = 2


def on_host(X: Any) -> Any:
    """Tensors in the host's memory (torch, others by DLPack) without a copy, arrays in a GPU's memory (CuPy,
    torch, others by DLPack) by one copy; anything else as it is."""
    if isinstance(X, np.ndarray):
        return X
    if hasattr(X, "requires_grad") and hasattr(X, "detach"):  # torch
        X = X.detach()
    if hasattr(X, "__cuda_array_interface__"):
        if hasattr(X, "get"):  # CuPy
            return X.get()
        if hasattr(X, "cpu"):  # torch
            return X.cpu().numpy()
        return np.from_dlpack(X, device="cpu", copy=True)
    if hasattr(X, "__dlpack_device__") and hasattr(X, "__dlpack__") and X.__dlpack_device__()[0] in HOST_DEVICES:
        return np.from_dlpack(X)
    return X


def points_there(X: Any) -> Any:
    """The native Input of a C-order table of float32 or float64 that lies in a GPU's memory, by the CUDA array
    interface or DLPack and without a copy; None of anything else."""
    if isinstance(X, np.ndarray) or len(getattr(X, "shape", ())) != 2:
        return None
    if hasattr(X, "requires_grad") and hasattr(X, "detach"):  # torch
        X = X.detach()
    interface = getattr(X, "__cuda_array_interface__", None)
    if interface is not None:
        kind, strides = interface.get("typestr"), interface.get("strides")
        rows, cols = interface.get("shape", (0, 0))
        if kind not in ("<f4", "<f8") or strides not in (None, (cols * int(kind[2]), int(kind[2]))):
            return None
        return _native.device_points_input(interface["data"][0], rows, cols, kind == "<f4", X)
    if hasattr(X, "__dlpack_device__") and X.__dlpack_device__()[0] == CUDA_DEVICE:
        try:
            return _native.device_array_input(X, X)
        except TypeError:  # other numbers, or not in C order
            return None
    return None


def as_given(result: np.ndarray, X: Any) -> Any:
    """The result as an array of X's library on X's device, where X is one of CuPy or torch on a GPU."""
    if isinstance(X, np.ndarray) or not hasattr(X, "__cuda_array_interface__"):
        return result
    cupy, torch = sys.modules.get("cupy"), sys.modules.get("torch")
    if cupy is not None and isinstance(X, cupy.ndarray):
        with X.device:
            return cupy.asarray(result)
    if torch is not None and isinstance(X, torch.Tensor):
        return torch.from_numpy(result).to(X.device)
    return result


def as_points(X: Any, name: str = "X") -> np.ndarray:
    """A two-dimensional C-order array of float32 or float64; others are converted once."""
    X = on_host(X)
    if sp.issparse(X):
        X = dense_points(X, name)
    array = np.asarray(X)
    if array.dtype.kind not in "fiub":
        if array.dtype.kind in "OUS":
            try:
                array = array.astype(np.float64)
            except (TypeError, ValueError) as e:
                raise ValueError(f"could not convert {name} to numbers: {e}") from e
        elif array.dtype.kind == "c":
            raise ValueError(f"Complex data not supported: {name} is {array.dtype}")
        else:
            raise TypeError(f"{name} is an array of {array.dtype}: give numbers")
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead of {name}. Reshape your data, one row per point."
        )
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return np.ascontiguousarray(array)


def as_matrix(X: Any, name: str) -> np.ndarray:
    """The same in double."""
    return as_points(X, name).astype(np.float64, copy=False)


def csr_parts(matrix: Any, name: str = "X") -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """(indptr, indices, data, n) of a square sparse matrix, columns ascending and distinct."""
    matrix = sp.csr_matrix(matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} should be a square matrix, got {matrix.shape[0]} x {matrix.shape[1]}")
    return (*csr_arrays(matrix, name), matrix.shape[0])


def csr_arrays(matrix: Any, name: str = "X") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(indptr, indices, data) of a sparse matrix, columns ascending and distinct."""
    csr = sp.csr_matrix(matrix)
    if csr.dtype.kind not in "fiub":
        raise ValueError(f"{name} is a sparse matrix of {csr.dtype}: give numbers")
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return (
        np.ascontiguousarray(csr.indptr, dtype=np.int64),
        np.ascontiguousarray(csr.indices, dtype=np.int32),
        np.ascontiguousarray(csr.data, dtype=np.float64),
    )


def neighbor_tables(knn: Any) -> tuple[np.ndarray, np.ndarray]:
    """Index and distance tables (n x k), as umap-learn, pynndescent and scikit-learn give them."""
    try:
        indices, distances = knn[0], knn[1]
    except (TypeError, IndexError, KeyError) as e:
        raise TypeError("precomputed_knn is a pair (indices, distances), both n x k") from e
    indices = np.asarray(indices)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"precomputed_knn: indices are {indices.dtype}, give whole numbers")
    if indices.size and (indices.max() >= 2**31 or indices.min() < -(2**31)):
        raise ValueError("precomputed_knn: indices do not fit into 32 bits")
    distances = as_matrix(distances, "precomputed_knn distances")
    if indices.shape != distances.shape:
        raise ValueError(
            f"precomputed_knn: indices are {indices.shape} but distances {distances.shape}: give both n x k"
        )
    return np.ascontiguousarray(indices, dtype=np.int32), distances


def make_input(X: Any, metric: str, precomputed_knn: Any, run: Run) -> Any:
    """The native Input of validated X."""
    if precomputed_knn is not None:
        indices, distances = neighbor_tables(precomputed_knn)
        if X is not None and X.shape[0] != indices.shape[0]:
            raise ValueError(
                f"precomputed_knn has {indices.shape[0]} rows but X has {X.shape[0]}: both are one per point"
            )
        return _native.neighbors_input(indices, distances, run.native)
    held = PRECOMPUTED.get(metric) if isinstance(metric, str) else None
    if held is None:
        return _native.points_input(as_points(X))
    if X.shape[0] != X.shape[1]:
        raise ValueError(f"metric={metric!r} takes a square matrix of {held}, got {X.shape[0]} x {X.shape[1]}")
    if sp.issparse(X) or held == "affinities":
        return _native.sparse_input(*csr_parts(X), held == "affinities")
    return _native.distances_input(as_matrix(X, "X"))
