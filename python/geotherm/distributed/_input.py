"""What users have -> one Dask array with all columns in every chunk of rows.

In: Dask arrays, AnnData, Zarr, Parquet, Arrow, .npy shards or paths of those. Nothing is read but headers; tasks read blocks
of rows of at most about 64 MB.
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

#: Rows that a task reads at once.
CHUNK_BYTES = 1 << 26


def _absolute(path: Any) -> pathlib.Path:
    """Workers may have been started in another folder."""
    return pathlib.Path(os.path.abspath(path))


def _dense(block: Any) -> np.ndarray:
    return block.toarray() if hasattr(block, "toarray") else np.asarray(block)


def _rows_at_once(width: int, itemsize: int) -> int:
    return max(1, CHUNK_BYTES // max(1, width * itemsize))


def _joined(parts: list[da.Array]) -> da.Array:
    if not parts:
        raise ValueError("no shards were given, or they have no rows")
    widths = {part.shape[1] for part in parts}
    if len(widths) > 1:
        raise ValueError(f"the shards have {sorted(widths)} columns: all have to have the same")
    return da.concatenate(parts, axis=0)


def _in_pieces(read: Any, where: tuple[Any, ...], n_rows: int, width: int, dtype: Any) -> list[da.Array]:
    """Rows `start` to `stop` of a part of a file, by `read(*where, start, stop)`."""
    step, pieces = _rows_at_once(width, np.dtype(dtype).itemsize), []
    for start in range(0, n_rows, step):
        stop = min(start + step, n_rows)
        pieces.append(da.from_delayed(dask.delayed(read)(*where, start, stop), (stop - start, width), dtype))
    return pieces


def _from_npy(paths: Sequence[Any]) -> da.Array:
    """Shards in the order given, each read by memory map."""
    parts = []
    for path in paths:
        head = np.load(path, mmap_mode="r")
        if head.ndim != 2:
            raise ValueError(f"{path}: an array of {head.ndim} dimensions; give tables, one row per point")
        parts.extend(_in_pieces(_blocks.rows_of_npy, (os.fspath(path),), *head.shape, head.dtype))
    return _joined(parts)


def _kind_of(path: str, schema: Any) -> Any:
    """float32 where all columns are, else float64."""
    kinds = [str(field.type) for field in schema]
    wrong = [f.name for f, kind in zip(schema, kinds, strict=True) if "int" not in kind and kind not in ("float", "double", "halffloat")]
    if wrong:
        raise ValueError(f"{path}: columns that are not numbers: {', '.join(wrong[:5])}; leave them out")
    return np.float32 if kinds and all(kind == "float" for kind in kinds) else np.float64


def _from_parquet(paths: Sequence[Any]) -> da.Array:
    """Files in the order given, by row group: one that is large is streamed once for each of its pieces."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install pyarrow") from error
    parts = []
    for path in map(os.fspath, paths):
        file = parquet.ParquetFile(path)
        dtype, width = _kind_of(path, file.schema_arrow), len(file.schema_arrow)
        for group in range(file.num_row_groups):
            n_rows = file.metadata.row_group(group).num_rows
            parts.extend(_in_pieces(_blocks.rows_of_parquet, (path, group), n_rows, width, dtype))
    return _joined(parts)


def _from_arrow(paths: Sequence[Any]) -> da.Array:
    """Arrow's files (Feather): record batches, read by memory map."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("Arrow files need pyarrow: pip install pyarrow") from error
    parts = []
    for path in map(os.fspath, paths):
        with pyarrow.memory_map(path) as source:
            file = pyarrow.ipc.open_file(source)
            dtype, width = _kind_of(path, file.schema), len(file.schema)
            counts = [file.get_batch(k).num_rows for k in range(file.num_record_batches)]
        for batch, n_rows in enumerate(counts):
            parts.extend(_in_pieces(_blocks.rows_of_arrow, (path, batch), n_rows, width, dtype))
    return _joined(parts)


_SHARDS = {".npy": _from_npy, ".parquet": _from_parquet, ".arrow": _from_arrow, ".feather": _from_arrow}


def _from_path(path: pathlib.Path, use_rep: str | None, layer: str | None) -> Any:
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    if path.suffix == ".h5ad":
        return _from_store(path, use_rep, layer)
    markers = ("zarr.json", ".zarray", ".zgroup", ".zattrs")
    if path.is_dir() and (path.suffix == ".zarr" or any((path / marker).exists() for marker in markers)):
        return _from_zarr(path, use_rep, layer)
    if use_rep not in (None, "X") or layer is not None:
        raise ValueError(f"{path}: {'layer' if use_rep in (None, 'X') else 'use_rep'} is for AnnData")
    if path.suffix in _SHARDS:
        return _SHARDS[path.suffix]([path])
    if path.is_dir():
        for suffix, read in _SHARDS.items():
            shards = sorted(path.glob(f"*{suffix}"))
            if shards:
                return read(shards)
        raise ValueError(f"{path}: no .npy, .parquet, .arrow or .feather files and no Zarr array in this folder")
    raise ValueError(f"{path}: give .npy, .parquet, .arrow, .feather, .h5ad, a Zarr array or a folder of shards")


def _from_zarr(path: pathlib.Path, use_rep: str | None, layer: str | None) -> Any:
    import zarr

    store = zarr.open(os.fspath(path), mode="r")
    if not hasattr(store, "shape"):
        if "X" in store and "obs" in store:
            return _from_store(path, use_rep, layer)
        arrays = [name for name, item in store.arrays() if item.ndim == 2]
        if len(arrays) != 1 and "X" not in arrays:
            raise ValueError(f"{path}: a Zarr group with {len(arrays)} tables ({', '.join(arrays[:5])}); give the path of one")
        store = store["X" if "X" in arrays else arrays[0]]
    if use_rep not in (None, "X") or layer is not None:
        raise ValueError(f"{path}: {'layer' if use_rep in (None, 'X') else 'use_rep'} is for AnnData")
    return da.from_zarr(store)


def _from_store(path: pathlib.Path, use_rep: str | None, layer: str | None) -> Any:
    """The matrix of an AnnData file (.h5ad or Zarr), of which nothing else is read."""
    try:
        from anndata import experimental

        read = getattr(experimental, "read_elem_lazy", None) or experimental.read_elem_as_dask
    except (ImportError, AttributeError) as error:
        raise ImportError("AnnData files need anndata 0.11 or later: pip install anndata") from error
    if path.suffix == ".h5ad":
        import h5py

        with h5py.File(path, "r") as file:
            return _lazily(file, path, read, use_rep, layer)
    import zarr

    return _lazily(zarr.open(os.fspath(path), mode="r"), path, read, use_rep, layer)


def _lazily(file: Any, path: Any, read: Any, use_rep: str | None, layer: str | None) -> Any:
    element = file[_matrix_of(file["obsm"] if "obsm" in file else (), use_rep, layer)]
    is_sparse = not hasattr(element, "shape")
    if is_sparse and str(element.attrs["encoding-type"]).startswith("csc"):
        raise ValueError(f"{path}: a sparse matrix by columns; store it by rows (scipy.sparse.csr_matrix)")
    n_rows, width = map(int, element.attrs["shape"] if is_sparse else element.shape)
    itemsize = (element["data"] if is_sparse else element).dtype.itemsize
    return read(element, chunks=(max(1, min(n_rows, _rows_at_once(width, itemsize))), width))


def _matrix_of(obsm: Any, use_rep: str | None, layer: str | None) -> str:
    """Where the wanted matrix of an AnnData is."""
    if use_rep is not None and layer is not None:
        raise ValueError("give use_rep or layer, not both")
    if use_rep not in (None, "X"):
        if use_rep not in obsm:
            raise KeyError(f"obsm has no {use_rep!r}: it has {', '.join(obsm)}")
        return f"obsm/{use_rep}"
    if layer is not None:
        return f"layers/{layer}"
    return "obsm/X_pca" if use_rep is None and "X_pca" in obsm else "X"


def _from_anndata(adata: Any, use_rep: str | None, layer: str | None) -> Any:
    where, _, name = _matrix_of(adata.obsm, use_rep, layer).partition("/")
    return getattr(adata, where)[name] if name else adata.X


def as_dask_array(X: Any, use_rep: str | None = None, layer: str | None = None) -> da.Array:
    """A Dask array of all rows in the order given, float32 or float64, all columns in each chunk.

    Parameters
    ----------
    X : Dask array, AnnData, Zarr array, array, path or list of paths
        Paths: ``.npy``, ``.parquet``, ``.arrow`` or ``.feather``, ``.h5ad``, a Zarr array or store (AnnData's too), or a folder
        of shards of one kind, which are taken in the order of their names.
    use_rep : str, optional
        AnnData, its files too: a key of ``obsm``, or "X". By default ``X_pca`` where it is there, else ``X``.
    layer : str, optional
        AnnData, its files too: a layer in place of ``X``.
    """
    if isinstance(X, (str, os.PathLike)):
        X = _from_path(_absolute(X), use_rep, layer)
    elif isinstance(X, Sequence) and X and all(isinstance(item, (str, os.PathLike)) for item in X):
        ends = {pathlib.Path(item).suffix for item in X}
        if len(ends) > 1 or not ends <= set(_SHARDS):
            raise ValueError(f"a list of shards of one kind is needed ({', '.join(_SHARDS)}), not {sorted(ends)}")
        X = _SHARDS[ends.pop()]([_absolute(path) for path in X])
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
