"""Arrow tables, and Parquet and Feather files, as fit takes them: numbers by column, with names. Needs pyarrow."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from ._run import GeothermWarning

FILES = (".parquet", ".feather", ".arrow")


def _read(path: str) -> Any:
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError as error:
        raise ImportError(f"{path}: Parquet and Feather files are read by pyarrow: pip install pyarrow") from error
    try:
        return parquet.read_table(path) if path.lower().endswith(".parquet") else feather.read_table(path)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path}: {error}") from error


def _is_frame(X: Any) -> bool:
    return type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns")


def names_of_rows(X: Any) -> list[str] | None:
    """The index of a data frame where it holds names; None: rows go by number."""
    names = list(X.index) if _is_frame(X) else []
    return names if names and all(isinstance(name, str) for name in names) else None


def columns_of_text(X: Any) -> list[str]:
    """Names of the columns of a data frame that hold text."""
    if not _is_frame(X):
        return []
    return [str(name) for k, name in enumerate(X.columns) if any(isinstance(cell, str) for cell in X.iloc[:, k])]


def as_table(X: Any) -> Any:
    """The numbers of an Arrow table or of a file of one; anything else as it is.

    Columns of text are left out, with a warning that names them; missing values are NaN. A data frame where pandas is
    installed, so that names are kept, else an array.
    """
    if isinstance(X, (str, os.PathLike)):
        path = os.fspath(X)
        if not path.lower().endswith(FILES):
            raise ValueError(f"X is {path!r}: give an array or a data frame, or the name of a {', '.join(FILES)} file")
        X = _read(path)
    if type(X).__module__.split(".")[0] != "pyarrow":
        return X
    import pyarrow as pa

    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    if not isinstance(X, pa.Table):
        raise TypeError(f"X is a {type(X).__name__} of pyarrow: give a Table")
    is_number = [pa.types.is_integer(f.type) or pa.types.is_floating(f.type) or pa.types.is_boolean(f.type) for f in X.schema]
    # pandas keeps the names of rows in a column of its own.
    left = [f.name for f, number in zip(X.schema, is_number) if not number and not f.name.startswith("__index_level_")]
    if left:
        shown = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
        warnings.warn(f"columns that are not numbers are left out: {shown}", GeothermWarning, stacklevel=4)
    kept = [f for f, number in zip(X.schema, is_number) if number and not f.name.startswith("__index_level_")]
    if not kept:
        raise ValueError("X has no column of numbers")
    dtype = np.float32 if all(pa.types.is_float32(f.type) for f in kept) else np.float64
    columns = {f.name: X.column(f.name).to_numpy().astype(dtype) for f in kept}
    try:
        import pandas as pd
    except ImportError:
        return np.column_stack(list(columns.values()))
    return pd.DataFrame(columns)
