"""Maps of tables that no single machine holds, on a Dask cluster.

``HeatGeo(...).fit(X, client=client)`` takes a Dask array, an AnnData whose matrix is one, a Zarr array, Parquet files or a
list of ``.npy`` shards. Every task calls the C++ library on a block of rows. The result has the same bits for any number of
workers and threads and for any chunks of the input (docs/scaling.md).
"""

import importlib.util
from typing import TYPE_CHECKING, Any

# Looked for and not read: a worker has no use for Dask's arrays, which take half a second.
if importlib.util.find_spec("dask") is None or importlib.util.find_spec("distributed") is None:
    raise ImportError("geotherm.distributed runs on Dask: pip install 'geotherm[dask]'")

if TYPE_CHECKING:
    from ._estimator import HeatGeo
    from ._input import as_dask_array

__all__ = ["HeatGeo", "as_dask_array"]


def __getattr__(name: str) -> Any:
    # Workers read this package for its tasks (_blocks) and have no use for the estimator with all it needs.
    if name == "HeatGeo":
        from ._estimator import HeatGeo

        return HeatGeo
    if name == "as_dask_array":
        from ._input import as_dask_array

        return as_dask_array
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
