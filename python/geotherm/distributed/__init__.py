"""Maps of tables that no single machine holds, on a Dask cluster.

``HeatGeo(...).fit(X, client=client)`` takes a Dask array, an AnnData whose matrix is one, a Zarr array, Parquet files or a
list of ``.npy`` shards. Every task calls the C++ library on a block of rows. The result has the same bits for any number of
workers and threads and for any chunks of the input (docs/scaling.md).
"""

try:
    import dask.array  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError("geotherm.distributed runs on Dask: pip install 'geotherm[dask]'") from error

from ._estimator import HeatGeo
from ._input import as_dask_array

__all__ = ["HeatGeo", "as_dask_array"]
