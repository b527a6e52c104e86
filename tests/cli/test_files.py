"""Files of other tools in, results that they read out."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

from conftest import ROOT

FOREIGN = ROOT / "tests/reference/io"
DATA = os.environ.get("GEOTHERM_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="SKIPPED: no real data sets (set GEOTHERM_DATA)")
QUICK = ("--method", "pca")


def numbers(path):
    """The numbers of a .csv as the program writes it, without row names."""
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        return np.array([line.strip().split(",")[1:] for line in list(file)[1:]], dtype=float)


@pytest.fixture
def h5ad(geotherm):
    """A copy of an AnnData file of nine cells."""
    shutil.copy(FOREIGN / "whole.h5ad", geotherm.dir / "cells.h5ad")
    return geotherm.dir / "cells.h5ad"


def test_a_file_alone_is_enough_and_the_assumptions_are_said(geotherm, h5ad):
    done = geotherm("embed", "cells.h5ad", *QUICK)
    for words in ("obsm['X_pca']", "9 x 3", "'cell_type'", "cells_pca.csv", "2 dimensions"):
        assert words in done.stderr, words
    assert numbers(geotherm.dir / "cells_pca.csv").shape == (9, 2)


@pytest.mark.parametrize(
    ("name", "assumed"),
    [
        ("tenx_v3", "9 x 4, counts of 10x, one row per cell, gene expression only"),
        ("tenx_v3.h5", "9 x 4, counts of 10x, one row per cell, gene expression only"),
        ("general.mtx", "9 x 6, rows of the matrix taken as points"),
        ("labelled.csv.gz", "comma-separated, with a header, first column taken as row names"),
        ("labelled.tsv", "tab-separated, with a header, no row names, text not used: comment, columns x0, x1, x2, x3, ... (6), coloured by 'species'"),
        ("flow.fcs", "9 x 6, FCS3.1, values as stored"),
        ("dense.h5ad", "9 x 6, X (there is no obsm['X_pca'])"),
        ("expected.npz:dense", "9 x 6, array 'dense' (float64)"),
        ("plain.npy", "9 x 6, float64"),
        ("plain.txt", "9 x 6, separated by spaces, no header, no row names"),
    ],
)
def test_every_kind_of_file_alone_says_what_was_assumed(geotherm, name, assumed):
    values = np.load(FOREIGN / "expected.npz")["dense"]
    np.save(geotherm.dir / "plain.npy", values)
    np.savetxt(geotherm.dir / "plain.txt", values)
    path = name if name.startswith("plain") else FOREIGN / name
    done = geotherm("embed", path, *QUICK)
    stem = name.split(".")[0]
    for words in (assumed, f"no -o given: the map goes to {stem}_pca.csv", "(2 dimensions)"):
        assert words in done.stderr, (words, done.stderr)


@pytest.mark.parametrize(
    "name", ["tenx_v3", "tenx_v3.h5", "general.mtx", "labelled.csv.gz", "labelled.tsv", "flow.fcs", "dense.h5ad"]
)
def test_every_kind_of_file_gives_a_map_and_a_picture_in_one_line(geotherm, name):
    geotherm("embed", FOREIGN / name, *QUICK, "-o", "map.csv", "--plot", "map.svg")
    assert numbers(geotherm.dir / "map.csv").shape == (9, 2)
    assert (geotherm.dir / "map.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("name", ["map.csv.gz", "map.tsv", "map.npy", "map.npz", "map.mtx.gz", "map.fcs", "map.h5ad"])
def test_every_format_is_written(geotherm, name):
    geotherm("embed", FOREIGN / "labelled.tsv", *QUICK, "-o", name)
    geotherm("embed", name, "--method", "pca", "-o", "again.npy")
    assert np.load(geotherm.dir / "again.npy").shape[0] == 9


def test_use_takes_another_matrix_and_a_graph(geotherm, h5ad):
    geotherm("embed", "cells.h5ad", "--use", "obsm:X_scVI", *QUICK, "-o", "a.npy")
    done = geotherm("embed", "cells.h5ad", "--use", "obsp:connectivities", "--method", "laplacian-eigenmaps", "-o", "b.npy")
    assert "affinities" in done.stderr
    done = geotherm("embed", "cells.h5ad", "--use", "obsm:none", code=1)
    assert "obsm:X_scVI" in done.stderr and "layer:double" in done.stderr


def test_counts_are_recognised_and_the_remedy_named(geotherm, h5ad):
    done = geotherm("embed", "cells.h5ad", "--use", "X", *QUICK)
    assert "--preprocess single-cell" in done.stderr


def test_columns_and_labels_are_chosen_by_name(geotherm):
    geotherm("embed", FOREIGN / "labelled.tsv", "--columns", "x1,x2", *QUICK, "-o", "a.npy")
    done = geotherm(
        "embed", FOREIGN / "labelled.tsv", "--label-column", "comment", *QUICK, "-o", "a.npy", "--plot", "a.svg"
    )
    assert "coloured by 'comment'" in done.stderr
    assert "row 3" in (geotherm.dir / "a.svg").read_text()
    done = geotherm("embed", FOREIGN / "labelled.tsv", "--columns", "x1,y", *QUICK, code=1)
    assert "'y'" in done.stderr and "x0, x1" in done.stderr


def test_a_copy_gets_the_map_and_the_input_stays_as_it_is(geotherm, h5ad):
    before = h5ad.read_bytes()
    geotherm("embed", "cells.h5ad", *QUICK, "-o", "out.h5ad")
    assert h5ad.read_bytes() == before
    geotherm("embed", "cells.h5ad", *QUICK, "-o", "map.npy")
    # scanpy's own components are still there, and the map beside them.
    for use in ("obsm:X_pca", "obsm:X_geotherm_pca"):
        geotherm("embed", "out.h5ad", "--use", use, *QUICK, "-o", "again.npy")
        assert np.allclose(np.abs(np.load(geotherm.dir / "again.npy")), np.abs(np.load(geotherm.dir / "map.npy")))
    refused = geotherm("embed", "cells.h5ad", *QUICK, "-o", "cells.h5ad", code=2)
    assert "--inplace" in refused.stderr and h5ad.read_bytes() == before


def test_inplace_adds_the_map_and_leaves_nothing_else_behind(geotherm, h5ad):
    geotherm("embed", "cells.h5ad", "--method", "diffusion-map", "--knn", "4", "--inplace")
    geotherm("embed", "cells.h5ad", "--use", "obsm:X_diffusion_map", *QUICK, "-o", "a.npy")
    assert sorted(p.name for p in geotherm.dir.iterdir()) == ["a.npy", "cells.h5ad"]
    geotherm("embed", FOREIGN / "labelled.tsv", "--inplace", code=2)


def test_labels_of_an_h5ad_are_scored(geotherm, h5ad):
    geotherm("embed", "cells.h5ad", *QUICK, "-o", "map.npy")
    done = geotherm("score", "--labels", "cells.h5ad:day", "--knn", "3", "--estimate", "map.npy", "--json")
    assert json.loads(done.stdout)
    refused = geotherm("score", "--labels", "cells.h5ad:typo", "--estimate", "map.npy", code=1)
    assert "cell_type" in refused.stderr


def test_json_on_stdout_is_the_manifest(geotherm, h5ad):
    done = geotherm("embed", "cells.h5ad", *QUICK, "-o", "a.npy", "--json", "--quiet")
    manifest = json.loads(done.stdout)
    assert manifest["command"] == "embed" and "X_pca" in manifest["resolved"]["input"]
    assert done.stderr == ""


def test_a_failing_input_leaves_no_output(geotherm, h5ad):
    h5ad.write_bytes(h5ad.read_bytes()[:5000])
    done = geotherm("embed", "cells.h5ad", "-o", "out.h5ad", code=1)
    assert "cells.h5ad" in done.stderr
    assert [p.name for p in geotherm.dir.iterdir()] == ["cells.h5ad"]


@needs_data
def test_raw_counts_to_picture_in_one_line(geotherm):
    folder = pathlib.Path(DATA) / "pbmc3k_10x"
    done = geotherm(
        "embed", folder, "--preprocess", "single-cell", *QUICK, "-o", "cells.h5ad", "--plot", "cells.svg"
    )
    assert "2700 of 2700 cells" in done.stderr and "1872 variable" in done.stderr
    geotherm("embed", "cells.h5ad", *QUICK, "-o", "a.npy")
    assert np.load(geotherm.dir / "a.npy").shape == (2700, 2)


@needs_data
@pytest.mark.parametrize(
    ("name", "n", "label"),
    [
        ("pbmc3k_processed.h5ad", 2638, "louvain"),
        ("pbmc68k_reduced.h5ad", 700, "bulk_labels"),
        ("cospar_weinreb_test_781.h5ad", 781, "state_info"),
        ("wishbone_sample_masscyt.fcs", 25000, None),
    ],
)
def test_real_files_are_read_as_they_are(geotherm, name, n, label):
    done = geotherm("embed", pathlib.Path(DATA) / name, *QUICK, "-o", "a.npy")
    assert np.load(geotherm.dir / "a.npy").shape == (n, 2)
    assert label is None or f"'{label}'" in done.stderr


PEERS = ROOT / ".deps/python-tests/bin/python"
READ_BACK = """
import sys
import anndata, numpy as np, pandas as pd, scipy.io
folder, source = sys.argv[1:]
map_ = np.load(f"{folder}/map.npy")
same = lambda other: np.array_equal(np.asarray(other, dtype=float), map_)
before, after = anndata.read_h5ad(source), anndata.read_h5ad(f"{folder}/map.h5ad")
assert same(after.obsm["X_phate"]), "h5ad"
assert "manifest" in after.uns["phate"] and "version" in after.uns["phate"]
pd.testing.assert_frame_equal(before.obs, after.obs)
assert (before.X != after.X).nnz == 0 and set(before.obsm) <= set(after.obsm)
frame = pd.read_csv(f"{folder}/map.csv.gz", index_col="id", float_precision="round_trip")
assert same(frame) and list(frame.index) == list(before.obs_names), "csv.gz"
assert same(scipy.io.mmread(f"{folder}/map.mtx")), "mtx"
assert same(np.load(f"{folder}/map.npz")["embedding"]), "npz"
new = anndata.read_h5ad(f"{folder}/new.h5ad")
assert same(new.obsm["X_phate"]) and new.var_names[0] == "x0" and set(new.obs["species"]) == {"setosa", "virginica, old"}
"""


READ_COUNTS = """
import sys
import numpy as np, scanpy as sc
folder, whole = sys.argv[1:]
wanted = sc.read_10x_mtx(whole, gex_only=True)
wanted = wanted[np.asarray((wanted.X > 0).sum(axis=1)).ravel() >= 2]
for kept in (sc.read_10x_mtx(f"{folder}/kept"), sc.read_10x_h5(f"{folder}/kept.h5")):
    assert 3 <= kept.n_obs < 9 and list(kept.obs_names) == list(wanted.obs_names), kept
    part = wanted[:, kept.var_names]
    assert (kept.X != part.X).nnz == 0 and list(kept.var["gene_ids"]) == list(part.var["gene_ids"])
"""


def test_kept_counts_are_written_as_scanpy_reads_10x(geotherm):
    there = PEERS.exists() and subprocess.run([PEERS, "-c", "import scanpy"], capture_output=True).returncode == 0
    if not there:
        pytest.skip("SKIPPED: no scanpy in .deps/python-tests (scripts/setup.sh)")
    small = ("--preprocess", "single-cell", "--min-genes", "2", "--min-cells", "1", "--top-genes", "4", "--pcs", "2")
    for name in ("kept", "kept.h5"):
        geotherm("embed", FOREIGN / "tenx_v3", *small, "--method", "pca", "--counts", name, "-o", "a.npy")
    done = subprocess.run([PEERS, "-c", READ_COUNTS, geotherm.dir, FOREIGN / "tenx_v3"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    refused = geotherm("embed", FOREIGN / "dense.h5ad", "--counts", "a.h5", code=2)
    assert "--preprocess single-cell" in refused.stderr


def test_the_tools_that_own_the_formats_read_what_is_written(geotherm, h5ad):
    """anndata, pandas, scipy and numpy, in the environment of the Python package's tests."""
    there = PEERS.exists() and subprocess.run([PEERS, "-c", "import anndata, scipy, pandas"], capture_output=True).returncode == 0
    if not there:
        pytest.skip("SKIPPED: no anndata, scipy and pandas in .deps/python-tests (scripts/setup.sh)")
    options = ("--use", "layer:double", "--method", "phate", "--knn", "4")
    for name in ("map.npy", "map.npz", "map.csv.gz", "map.mtx", "map.h5ad"):
        geotherm("embed", "cells.h5ad", *options, "-o", name)
    geotherm("embed", FOREIGN / "labelled.csv.gz", "--method", "phate", "--knn", "4", "-o", "new.h5ad")
    done = subprocess.run([PEERS, "-c", READ_BACK, geotherm.dir, h5ad], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_long_names_of_groups_are_kept_once(geotherm):
    h5py = pytest.importorskip("h5py")
    n, long_name = 2000, "x" * 500_000
    rng = np.random.default_rng(0)
    with h5py.File(geotherm.dir / "cells.h5ad", "w") as file:
        file["X"] = rng.normal(size=(n, 4))
        obs = file.create_group("obs")
        obs.attrs["_index"] = "name"
        obs.attrs["column-order"] = ["cell_type", "batch"]
        obs["name"] = np.arange(n)
        obs["cell_type/codes"] = (np.arange(n) % 2).astype(np.int8)
        obs["cell_type/categories"] = np.array([long_name + "a", long_name + "b"], dtype=h5py.string_dtype())
        # Texts of one width, packed: small in the file, half a gigabyte row by row.
        batch = np.array([(long_name[:250_000] + "c").encode(), b"d"] * (n // 2), dtype="S250001")
        obs.create_dataset("batch", data=batch, chunks=(20,), compression="gzip")
        del batch
    assert (geotherm.dir / "cells.h5ad").stat().st_size < 20e6
    for column in ("cell_type", "batch"):
        geotherm("embed", "cells.h5ad", "-o", "map.npy", "--label-column", column, "--manifest", "run.json",
                 "--plot", "map.svg", "--threads", 1)
        peak = json.loads((geotherm.dir / "run.json").read_text())["peak_memory_bytes"]
        # All pairs of 2,000 points take about 150 MB.
        assert peak < 400e6, column
    geotherm("embed", "cells.h5ad", "-o", "map.h5ad", "--threads", 1)
    with h5py.File(geotherm.dir / "map.h5ad") as file:
        assert "X_heatgeo" in file["obsm"]
