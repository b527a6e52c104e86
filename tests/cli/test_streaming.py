"""Tables that are larger than they need to be in memory: reduced while they are read."""

import json
import resource
import subprocess

import numpy as np
import pytest
from conftest import LIMIT_S, PROGRAM

N, D, RANK = 60000, 784, 10
REFINED = ("--pca", RANK, "--landmarks", 100, "--knn", 5, "--manifest", "run.json")
OPTIONS = (*REFINED, "--refine", "off")  # a map, not a better one; the run under a limit has it all


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """180 MiB of float32, of which a bent sheet in ten dimensions is the signal."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(3)
    t, w = rng.uniform(0, 4, N), rng.uniform(0, 3, N)
    sheet = np.c_[t * np.cos(t), t * np.sin(t), w, np.sin(2 * w)].astype(np.float32)
    wide = (sheet @ rng.normal(size=(4, D)).astype(np.float32)).astype(np.float32)
    for start in range(0, N, 10000):
        wide[start : start + 10000] += 0.05 * rng.standard_normal((10000, D), dtype=np.float32)
    wide[77] = wide[5]
    np.save(folder / "table.npy", wide)
    return folder / "table.npy"


def manifest_of(geotherm):
    return json.loads((geotherm.dir / "run.json").read_text())


def test_a_large_table_is_reduced_in_less_memory_than_it_takes(geotherm, table):
    size = table.stat().st_size
    geotherm("embed", table, "-o", "map.npy", "--model", "map.gtm", "--threads", 2, *OPTIONS)
    manifest = manifest_of(geotherm)
    assert manifest["peak_memory_bytes"] < 0.9 * size
    assert manifest["resolved"]["pca_rank"] == RANK
    assert "read in blocks of rows" in manifest["resolved"]["pca_choice"]
    assert manifest["resolved"]["duplicate_rows"] == 1

    # Column by column a table has no rows in one piece: it is read whole, and the map has the same bytes.
    np.save(geotherm.dir / "columns.npy", np.asfortranarray(np.load(table)))
    geotherm("embed", "columns.npy", "-o", "whole.npy", "--threads", 1, *OPTIONS)
    # All rows and the distinct ones, in float32; a copy in double would be two more.
    assert 2 * size < manifest_of(geotherm)["peak_memory_bytes"] < 3 * size
    assert "read in blocks" not in manifest_of(geotherm)["resolved"]["pca_choice"]
    assert (geotherm.dir / "map.npy").read_bytes() == (geotherm.dir / "whole.npy").read_bytes()

    # The model knows rows of the file: those of the map fall on their places.
    np.save(geotherm.dir / "some.npy", np.load(table, mmap_mode="r")[:300])
    geotherm("transform", "map.gtm", "some.npy", "-o", "placed.npy")
    assert (np.load(geotherm.dir / "placed.npy") == np.load(geotherm.dir / "map.npy")[:300]).all()


def test_a_large_table_passes_under_a_limit_on_memory(geotherm, table):
    limit = 400 << 20  # addresses, of which libraries and stacks take some; the table as float64 has 359 MiB
    done = subprocess.run(
        [PROGRAM, "embed", str(table), "-o", "map.npy", "--threads", "1", *map(str, REFINED)],
        cwd=geotherm.dir,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 0, done.stderr


def test_an_estimate_of_a_large_table_knows_that_it_is_reduced_on_the_way(geotherm, table):
    def megabytes(*options):
        said = geotherm("embed", table, "-o", "map.npy", "--estimate", *options).stdout
        return float(said.split()[1]) * (1000 if " GB " in said else 1)

    streamed, whole = megabytes(*OPTIONS), megabytes("--pca", "none", "--landmarks", 100)
    assert streamed < 250 < whole


def test_large_packed_arrays_and_text_are_reduced_on_the_way_too(geotherm):
    rng = np.random.default_rng(4)
    wide = np.round(rng.normal(size=(6000, 3)) @ rng.normal(size=(3, 1500)), 2)
    np.savez_compressed(geotherm.dir / "a.npz", X=wide, label=np.arange(6000) % 3)
    with open(geotherm.dir / "a.csv", "w") as file:
        file.write("id," + ",".join(f"c{k}" for k in range(wide.shape[1])) + "\n")
        for k, row in enumerate(wide):
            file.write(f"p{k}," + ",".join(f"{x:.2f}" for x in row) + "\n")
    options = ("--pca", 3, "--method", "phate", "--landmarks", 100, "--manifest", "run.json")
    maps = []
    for name in ("a.npz", "a.csv"):
        geotherm("embed", name, "-o", "map.csv", *options)
        assert "read in blocks of rows" in manifest_of(geotherm)["resolved"]["pca_choice"]
        maps.append([line.split(",") for line in (geotherm.dir / "map.csv").read_text().split()])
    assert maps[1][1][0] == "p0" and maps[0][1][0] == "0"
    assert [row[1:] for row in maps[0]] == [row[1:] for row in maps[1]]


def test_a_sparse_matrix_of_h5ad_is_reduced_on_the_way(geotherm):
    """17,000 x 1,000, a twentieth of it stored: 68 MB were it dense."""
    h5py = pytest.importorskip("h5py")
    rng = np.random.default_rng(5)
    rows, columns = 17_000, 1000
    dense = np.zeros((rows, columns), dtype=np.float32)
    at = rng.integers(0, columns, (rows, 50))
    group = rng.integers(0, 40, rows)
    for k in range(rows):
        dense[k, (at[k] // 2 + 12 * group[k]) % columns] += rng.uniform(0.5, 2, 50).astype(np.float32)
    index = [np.flatnonzero(row) for row in dense]
    with h5py.File(geotherm.dir / "s.h5ad", "w") as file:
        X = file.create_group("X")
        X.attrs["encoding-type"], X.attrs["encoding-version"], X.attrs["shape"] = "csr_matrix", "0.1.0", (rows, columns)
        X["indptr"] = np.cumsum([0, *map(len, index)])
        X["indices"] = np.concatenate(index).astype(np.int32)
        X["data"] = dense[dense != 0]
        obs = file.create_group("obs")
        obs.attrs["_index"] = "_index"
        obs["_index"] = np.array([f"c{k}" for k in range(rows)], dtype="S")
    np.save(geotherm.dir / "d.npy", dense)
    options = ("--pca", 8, "--landmarks", 100, "--refine", "off", "--manifest", "run.json")
    maps = []
    for name in ("s.h5ad", "d.npy"):
        geotherm("embed", name, "-o", "map.npy", *options)
        assert "read in blocks of rows" in manifest_of(geotherm)["resolved"]["pca_choice"]
        maps.append((geotherm.dir / "map.npy").read_bytes())
    assert maps[0] == maps[1]


def test_a_large_table_that_breaks_off_or_holds_nan_is_refused_with_the_reason(geotherm, table):
    whole = np.load(table, mmap_mode="r")
    small = np.array(whole[:30000])
    small[29999, 3] = np.nan
    np.save(geotherm.dir / "nan.npy", small)
    said = geotherm("embed", "nan.npy", "-o", "map.npy", *OPTIONS, code=1).stderr
    assert "nan.npy: row 29999, column 3 is NaN" in said
    with open(geotherm.dir / "nan.npy", "r+b") as file:
        file.truncate(80 << 20)
    said = geotherm("embed", "nan.npy", "-o", "map.npy", *OPTIONS, code=1).stderr
    assert "truncated or damaged" in said
    said = geotherm("embed", table, "-o", "map.npy", "--pca", 785, code=2).stderr
    assert "pca.rank is 785: give 1 to 784" in said
