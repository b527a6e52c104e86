"""The page from an atlas to a query runs as it stands, on halves of made cells and of PBMC 3k, and gives what it says."""

import csv
import os
import re
import subprocess

import anndata
import geotherm
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from conftest import PROGRAM, ROOT

PAGE = (ROOT / "docs" / "atlas_to_query.md").read_text()


def between(a, b):
    return np.sqrt(np.maximum(0, (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T))


def nearest_weights(rows, others, k=15):
    far = between(rows, others)
    weights = np.where(far <= np.sort(far, axis=1)[:, k : k + 1], np.exp(-((far / np.median(far)) ** 2)), 0)
    return sp.csr_matrix(weights * (far > 1e-6))


def cells(rows, kinds, prefix):
    made = anndata.AnnData(rows.astype(np.float32))
    made.obs_names = [f"{prefix}{i}" for i in range(len(rows))]
    made.obs["cell_type"] = np.asarray(kinds, dtype=object)
    made.obsm["X_pca"] = rows
    return made


def write_csv(path, names, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


def small_tables(folder):
    """What the later sections name: two views, three days, counts, patients, gaps."""
    mudata = pytest.importorskip("mudata")
    rng = np.random.default_rng(4)
    t = np.sort(rng.uniform(0, 6, 120))
    rows = np.c_[np.cos(t), np.sin(t), t] + rng.normal(0, 0.03, (120, 3))
    ids = [f"c{i}" for i in range(120)]
    write_csv(folder / "rna.csv", ["id", "a", "b"], [[i, *r] for i, r in zip(ids, rows[:, :2].tolist(), strict=True)])
    write_csv(folder / "protein.csv", ["id", "p"], [[i, r] for i, r in zip(ids, rows[:, 2].tolist(), strict=True)])
    views = {"rna": anndata.AnnData(rows[:, :2].copy()), "prot": anndata.AnnData(rows[:, 2:].copy())}
    mudata.MuData(views).write_h5mu(folder / "cells.h5mu")
    for day in range(3):
        moved = (rows * (1 + 0.2 * day)).tolist()
        write_csv(folder / f"day{day}.csv", ["id", "a", "b", "c"], [[i, *r] for i, r in zip(ids, moved, strict=True)])
    counts = rng.poisson(np.exp(np.cos(t[:, None] - np.arange(8)) + 1))
    write_csv(folder / "counts.csv", [f"g{k}" for k in range(8)], counts.tolist())
    stage = np.array(["early", "late"])[(t > 3).astype(int)]
    patients = [[r, s, v] for r, s, v in zip(rng.choice(["f", "m"], 120), stage, t.tolist(), strict=True)]
    write_csv(folder / "patients.csv", ["sex", "stage", "age"], patients)
    gaps = [["" if rng.random() < 0.03 else x for x in row] for row in rows.tolist()]
    write_csv(folder / "gaps.csv", ["a", "b", "c"], gaps)


def made_cells():
    """Six kinds, of which one is rare and lies far from the others."""
    rng = np.random.default_rng(8)
    names = np.array(["B cells", "CD4 T cells", "CD8 T cells", "Monocytes", "NK cells", "Megakaryocytes"])
    kind = rng.choice(6, 1400, p=[0.2, 0.25, 0.15, 0.2, 0.15, 0.05])
    centres = rng.normal(0, 3, (6, 20))
    return centres[kind] + rng.normal(0, 1, (1400, 20)), names[kind]


@pytest.fixture(scope="module", params=["made cells", "PBMC 3k"])
def folder(tmp_path_factory, request):
    if not os.path.exists(PROGRAM):
        pytest.skip(f"the program was not built: {PROGRAM}")
    here = tmp_path_factory.mktemp("atlas")
    if request.param == "made cells":
        rows, kinds = made_cells()
    else:
        with np.load(request.getfixturevalue("data_dir") / "pbmc3k_processed_pca50_small.npz") as file:
            rows, kinds = file["X_pca"].astype(float)[:, :20], file["louvain"].astype(str)
    order = np.random.default_rng(0).permutation(len(rows))
    old, new = np.sort(order[: len(rows) // 2]), np.sort(order[len(rows) // 2 :])
    # The atlas lacks a type that the query has.
    old = old[kinds[old] != "Megakaryocytes"]
    atlas, query = cells(rows[old], kinds[old], "a"), cells(rows[new], kinds[new], "q")
    weights = nearest_weights(rows[old], rows[old])
    atlas.obsp["connectivities"] = weights.maximum(weights.T).tocsr()
    atlas.write_h5ad(here / "atlas.h5ad")
    query.write_h5ad(here / "query.h5ad")
    np.save(here / "atlas_distances.npy", between(rows[old][:400], rows[old][:400]))
    np.save(here / "new_to_atlas.npy", between(rows[new][:50], rows[old][:400]))
    scipy.io.mmwrite(here / "new_weights.mtx", nearest_weights(rows[new][:50], rows[old]))
    small_tables(here)
    return here


def run_block(folder, text):
    path = f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-euc", text], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True,
                          timeout=300)  # fmt: skip
    assert done.returncode == 0, text + done.stderr


def test_every_command_of_the_page_runs_and_the_query_is_known_as_it_says(folder):
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL):
        run_block(folder, block)
    query = anndata.read_h5ad(folder / "query_map.h5ad")
    known = (query.obs["cell_type"] != "Megakaryocytes").to_numpy()
    right = (query.obs["label"].astype(str) == query.obs["cell_type"].astype(str)).to_numpy()
    assert query.obsm["X_heatgeo"].shape == (query.n_obs, 2)
    # Labels, their probabilities and the novelty of the type that the atlas lacks.
    assert right[known].mean() > 0.92
    assert abs(query.obs["probability"][known].mean() - right[known].mean()) < 0.04
    novelty = query.obs["novelty"].to_numpy()
    assert np.median(novelty[known]) < 1.5 and np.median(novelty[~known]) > np.quantile(novelty[known], 0.9)
    with open(folder / "known.csv") as file:
        table = list(csv.DictReader(file))
    assert [row["x1"] == "nan" for row in table] == [float(row["novelty"]) > 2 for row in table]
    # Old cells keep their places in the map that grew.
    with open(folder / "both.csv") as file:
        grown = list(csv.DictReader(file))
    before = anndata.read_h5ad(folder / "atlas_map.h5ad").obsm["X_heatgeo"]
    assert len(grown) == len(before) + query.n_obs
    assert np.allclose([[float(row["x1"]), float(row["x2"])] for row in grown[: len(before)]], before)


def test_the_python_of_the_page_runs_and_agrees_with_the_program(folder):
    atlas, query = (anndata.read_h5ad(folder / f"{name}.h5ad") for name in ("atlas", "query"))
    kinds, truth = (table.obs["cell_type"].astype(str).to_numpy() for table in (atlas, query))
    del query.obs["cell_type"]
    X, X_new = atlas.obsm["X_pca"][:600], query.obsm["X_pca"][:60]
    W = nearest_weights(X, X)
    names = {"W": W.maximum(W.T).tocsr(), "atlas": atlas, "query": query, "X": X, "X_new": X_new, "cell_type": kinds[:600],
             "D_new": between(X_new, X), "W_new": nearest_weights(X_new, X)}  # fmt: skip
    first = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    exec(first, names)  # noqa: S102
    known = truth != "Megakaryocytes"
    assert (query.obs["cell_type"].astype(str) == truth)[known].mean() > 0.92
    assert {"cell_type_probability", "novelty"} <= set(query.obs)
    assert len(names["est"].embedding_) == 660 and names["est"].movement_["largest"] == 0
    run_block(folder, "\n".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)[:2]))
    placed = anndata.read_h5ad(folder / "query_map.h5ad").obsm["X_heatgeo"]
    assert np.allclose(geotherm.load(folder / "atlas.gtm").transform(query.obsm["X_pca"]), placed)
