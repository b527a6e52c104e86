"""What geotherm.distributed reads: files of every kind, by blocks of rows, read by workers alone."""

import geotherm
import numpy as np
import pytest

dask_array = pytest.importorskip("dask.array", reason="SKIPPED: Dask is not installed (pip install 'geotherm[dask]')")
pytest.importorskip("distributed", reason="SKIPPED: distributed is not installed")

from geotherm import distributed as gd  # noqa: E402
from geotherm.distributed import _input  # noqa: E402

N, D = 3000, 12
SMALL = {"partition_rows": 900, "block_rows": 700, "landmarks": 240, "model_rows": 1500, "random_state": 1}


@pytest.fixture(scope="module")
def table():
    return np.asarray(geotherm.datasets.swiss_roll(n=N, noise=0.1, dim=D, random_state=5).X, dtype=np.float32)


@pytest.fixture(scope="module")
def reference(client, table):
    return gd.HeatGeo(**SMALL).fit(dask_array.from_array(table, chunks=(1000, D)), client=client).embedding_.compute()


@pytest.fixture
def small_pieces(monkeypatch):
    """Tasks read 100 rows at once, whatever the file's own parts are."""
    monkeypatch.setattr(_input, "CHUNK_BYTES", 100 * D * 4)


def as_npy(folder, X):
    np.save(folder / "x.npy", X)
    return folder / "x.npy"


def arrow_table(X):
    pyarrow = pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not installed")
    return pyarrow.table({f"c{j:02d}": X[:, j] for j in range(X.shape[1])})


def as_parquet(folder, X):
    rows = arrow_table(X)
    import pyarrow.parquet

    pyarrow.parquet.write_table(rows, folder / "x.parquet", row_group_size=1700)
    return folder / "x.parquet"


def as_feather(folder, X):
    rows = arrow_table(X)
    import pyarrow.feather

    pyarrow.feather.write_feather(rows, str(folder / "x.feather"), chunksize=1300)
    return folder / "x.feather"


def as_arrow_shards(folder, X):
    import pyarrow

    for k, part in enumerate(np.array_split(X, 3)):
        rows = arrow_table(part)
        with pyarrow.OSFile(str(folder / f"{k}.arrow"), "wb") as sink, pyarrow.ipc.new_file(sink, rows.schema) as out:
            out.write_table(rows, max_chunksize=450)
    return folder


def as_zarr(folder, X):
    zarr = pytest.importorskip("zarr", reason="SKIPPED: zarr is not installed")
    store = zarr.open(str(folder / "x.zarr"), mode="w", shape=X.shape, chunks=(999, 5), dtype="f4")
    store[:] = X
    return folder / "x.zarr"


def annotated(X, **parts):
    anndata = pytest.importorskip("anndata", reason="SKIPPED: anndata is not installed")
    return anndata.AnnData(X, **parts)


def as_h5ad(folder, X):
    annotated(X).write_h5ad(folder / "x.h5ad")
    return folder / "x.h5ad"


def as_sparse_h5ad(folder, X):
    import scipy.sparse as sp

    annotated(sp.csr_matrix(X)).write_h5ad(folder / "x.h5ad")
    return folder / "x.h5ad"


def as_anndata_zarr(folder, X):
    pytest.importorskip("zarr", reason="SKIPPED: zarr is not installed")
    annotated(X).write_zarr(folder / "x.zarr")
    return folder / "x.zarr"


FILES = [as_npy, as_parquet, as_feather, as_arrow_shards, as_zarr, as_h5ad, as_sparse_h5ad, as_anndata_zarr]


@pytest.mark.parametrize("write", FILES, ids=lambda write: write.__name__)
def test_a_file_is_read_piece_by_piece_and_holds_the_rows_in_order(write, table, tmp_path, small_pieces):
    found = gd.as_dask_array(write(tmp_path, table))
    assert found.shape == (N, D) and found.dtype == np.float32
    if write is not as_zarr:  # whose chunks are the file's own
        assert max(found.chunks[0]) <= 100 or write is as_anndata_zarr
    assert np.array_equal(found.compute(scheduler="synchronous"), table)


@pytest.mark.parametrize("write", [as_parquet, as_arrow_shards, as_h5ad, as_sparse_h5ad], ids=lambda write: write.__name__)
def test_workers_read_files_and_make_the_same_map(write, client, table, reference, tmp_path):
    made = gd.HeatGeo(**SMALL).fit(write(tmp_path, table), client=client)
    assert np.array_equal(made.embedding_.compute(), reference)


@pytest.mark.parametrize("ending", ["h5ad", "zarr"])
def test_the_matrix_of_an_anndata_file_is_the_one_that_is_asked_for(ending, table, tmp_path):
    if ending == "zarr":
        pytest.importorskip("zarr", reason="SKIPPED: zarr is not installed")
    scores = np.ascontiguousarray(table[:, :3])
    cells = annotated(table, obsm={"X_pca": scores, "X_other": 2 * scores}, layers={"raw": 3 * table})
    path = tmp_path / f"x.{ending}"
    cells.write_h5ad(path) if ending == "h5ad" else cells.write_zarr(path)
    for options, wanted in (
        ({}, scores), ({"use_rep": "X_other"}, 2 * scores), ({"use_rep": "X"}, table), ({"layer": "raw"}, 3 * table)
    ):  # fmt: skip
        assert np.array_equal(gd.as_dask_array(path, **options).compute(scheduler="synchronous"), wanted), options
    with pytest.raises(KeyError, match="X_absent.*X_other"):
        gd.as_dask_array(path, use_rep="X_absent")
    with pytest.raises(ValueError, match="not both"):
        gd.as_dask_array(path, use_rep="X", layer="raw")


def test_obsm_and_layers_that_are_dask_arrays_stay_so(client, table, reference):
    lazily = dask_array.from_array(table, chunks=(1300, D))
    cells = annotated(np.zeros((N, 2), dtype=np.float32), obsm={"X_pca": lazily})
    assert isinstance(gd.as_dask_array(cells), dask_array.Array)
    assert np.array_equal(gd.HeatGeo(**SMALL).fit(cells, client=client).embedding_.compute(), reference)


def test_what_cannot_be_read_is_named(table, tmp_path):
    import scipy.sparse as sp

    np.save(tmp_path / "x.npy", table)
    with pytest.raises(ValueError, match="use_rep is for AnnData"):
        gd.as_dask_array(tmp_path / "x.npy", use_rep="X_pca")
    with pytest.raises(ValueError, match="one kind"):
        gd.as_dask_array([tmp_path / "x.npy", tmp_path / "x.parquet"])
    annotated(sp.csc_matrix(table)).write_h5ad(tmp_path / "c.h5ad")
    with pytest.raises(ValueError, match="by columns"):
        gd.as_dask_array(tmp_path / "c.h5ad")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no .npy, .parquet"):
        gd.as_dask_array(tmp_path / "empty")
    pyarrow = pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow is not installed")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, 2.0], "name": ["x", "y"]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="not numbers: name"):
        gd.as_dask_array(tmp_path / "t.parquet")
