"""What users have -> one Dask array with all columns in every chunk of rows.

In: Dask arrays, AnnData, Zarr, Parquet, .npy shards or paths of those. Nothing is read but headers.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np

from . import _blocks


def _dense(block: Any) -> np.ndarray:
    return block.toarray() if hasattr(block, "toarray") else np.asarray(block)


def _from_npy(paths: Sequence[Any]) -> da.Array:
    """Shards in the order given, each read by memory map."""
    parts = []
    for path in paths:
        head = np.load(path, mmap_mode="r")
        if head.ndim != 2:
            raise ValueError(f"{path}: an array of {head.ndim} dimensions; give tables, one row per point")
        rows = max(1, min(len(head), (1 << 26) // max(1, head.shape[1] * head.itemsize)))
        starts = range(0, len(head), rows)
        pieces = [
            da.from_delayed(
                dask.delayed(_blocks.rows_of_npy)(os.fspath(path), start, min(start + rows, len(head))),
                (min(start + rows, len(head)) - start, head.shape[1]),
                head.dtype,
            )
            for start in starts
        ]
        parts.extend(pieces)
    if not parts:
        raise ValueError("no shards were given")
    widths = {part.shape[1] for part in parts}
    if len(widths) > 1:
        raise ValueError(f"the shards have {sorted(widths)} columns: all have to have the same")
    return da.concatenate(parts, axis=0)


def _from_parquet(paths: Any) -> da.Array:
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install pyarrow") from error
    parts = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        path = os.fspath(path)
        file = parquet.ParquetFile(path)
        kinds = {field.type for field in file.schema_arrow}
        if not all(str(kind) in ("float", "double", "halffloat") or "int" in str(kind) for kind in kinds):
            words = [f.name for f in file.schema_arrow if "int" not in str(f.type) and str(f.type) not in ("float", "double", "halffloat")]
            raise ValueError(f"{path}: columns that are not numbers: {', '.join(words[:5])}; leave them out")
        dtype = np.float32 if kinds and all(str(kind) == "float" for kind in kinds) else np.float64
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            wanted = dask.delayed(_blocks.rows_of_parquet)(path, group)
            part = da.from_delayed(wanted, (rows, len(file.schema_arrow)), dtype)
            parts.append(part)
    return da.concatenate(parts, axis=0)


def _from_path(path: pathlib.Path) -> da.Array:
    if path.suffix == ".npy":
        return _from_npy([path])
    if path.suffix == ".parquet":
        return _from_parquet([path])
    if path.suffix == ".h5ad":
        import anndata

        return _from_anndata(anndata.experimental.read_lazy(path), None, None)
    if path.is_dir():
        markers = ("zarr.json", ".zarray", ".zgroup", ".zattrs")
        if path.suffix == ".zarr" or any((path / marker).exists() for marker in markers):
            return _from_zarr(path)
        shards = sorted(path.glob("*.npy"))
        if shards:
            return _from_npy(shards)
        tables = sorted(path.glob("*.parquet"))
        if tables:
            return _from_parquet(tables)
        raise ValueError(f"{path}: no .npy or .parquet files and no Zarr array in this folder")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    raise ValueError(f"{path}: give .npy, .parquet, .h5ad, a Zarr array or a folder of shards")


def _from_zarr(path: Any) -> da.Array:
    import zarr

    store = zarr.open(os.fspath(path), mode="r")
    if hasattr(store, "shape"):
        return da.from_zarr(store)
    if "X" in store and hasattr(store["X"], "shape"):
        return da.from_zarr(store["X"])
    arrays = [name for name, item in store.arrays() if item.ndim == 2]
    if len(arrays) == 1:
        return da.from_zarr(store[arrays[0]])
    import anndata

    return _from_anndata(anndata.experimental.read_lazy(os.fspath(path)), None, None)


def _from_anndata(adata: Any, use_rep: str | None, layer: str | None) -> Any:
    if use_rep is not None and layer is not None:
        raise ValueError("give use_rep or layer, not both")
    if use_rep not in (None, "X"):
        if use_rep not in adata.obsm:
            raise KeyError(f"obsm has no {use_rep!r}: it has {', '.join(adata.obsm)}")
        return adata.obsm[use_rep]
    if layer is not None:
        return adata.layers[layer]
    if use_rep is None and "X_pca" in adata.obsm:
        return adata.obsm["X_pca"]
    return adata.X


def as_dask_array(X: Any, use_rep: str | None = None, layer: str | None = None) -> da.Array:
    """A Dask array of all rows in the order given, float32 or float64, all columns in each chunk.

    Parameters
    ----------
    X : Dask array, AnnData, Zarr array, array, path or list of paths
        Paths: ``.npy``, ``.parquet``, ``.h5ad``, a Zarr array or store, or a folder of ``.npy`` or ``.parquet`` shards, which
        are taken in the order of their names.
    use_rep : str, optional
        AnnData: a key of ``obsm``, or "X". By default ``X_pca`` where it is there, else ``X``.
    layer : str, optional
        AnnData: a layer in place of ``X``.
    """
    if isinstance(X, (str, os.PathLike)):
        X = _from_path(pathlib.Path(X))
    elif isinstance(X, Sequence) and X and all(isinstance(item, (str, os.PathLike)) for item in X):
        ends = {pathlib.Path(item).suffix for item in X}
        if ends == {".npy"}:
            X = _from_npy(X)
        elif ends == {".parquet"}:
            X = _from_parquet(X)
        else:
            raise ValueError(f"a list of shards of one kind is needed, .npy or .parquet, not {sorted(ends)}")
    elif hasattr(X, "obsm") and hasattr(X, "obs"):
        X = _from_anndata(X, use_rep, layer)
    if not isinstance(X, da.Array):
        if hasattr(X, "store") and hasattr(X, "chunks") and hasattr(X, "shape"):
            X = da.from_zarr(X)
        else:
            if hasattr(X, "tocsr"):
                X = X.tocsr()
            rows = max(1, min(X.shape[0], (1 << 24) // max(1, X.shape[1])))
            X = da.from_array(X if hasattr(X, "shape") else np.asarray(X), chunks=(rows, X.shape[1]), asarray=False)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: one row per point")
    if any(np.isnan(size) for size in X.chunks[0]):
        raise ValueError("the chunks of X have unknown sizes: call X.compute_chunk_sizes() first")
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X is an array of {X.dtype}: give numbers")
    if not isinstance(X._meta, np.ndarray):
        X = X.map_blocks(_dense, dtype=X.dtype, meta=np.empty((0, 0), dtype=X.dtype))
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64 if X.dtype.itemsize > 2 else np.float32)
    return X
