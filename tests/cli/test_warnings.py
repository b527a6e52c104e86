"""Warnings are for what a user can act on: ordinary cells and digits give none, an odd table one per matter."""

import os
import pathlib

import numpy as np
import pytest

DATA = pathlib.Path(os.environ.get("GEOTHERM_DATA", "nowhere"))
ORDINARY = {
    "PBMC 3k": ("pbmc3k_processed_pca50_small.npz", "X_pca"),
    "Paul15": ("paul15_2730_pca50.npz", "X_pca"),
    "Levine": ("levine32_H2_31721x32_asinh.npz", "X"),
    "MNIST": ("mnist_70k_pca50.npz", "X_pca"),
}


def warnings_of(done):
    return [line for line in done.stderr.splitlines() if "warning" in line]


def table_of(name):
    file, key = ORDINARY[name]
    if not (DATA / file).exists():
        pytest.skip(f"{file} is not in GEOTHERM_DATA")
    with np.load(DATA / file, allow_pickle=True) as archive:
        return archive[key]


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_cells_and_digits_give_no_warning(geotherm, name):
    table = table_of(name)
    rows = np.sort(np.random.default_rng(1).permutation(len(table))[:3000])
    np.save(geotherm.dir / "in.npy", table[rows])
    assert warnings_of(geotherm("embed", "in.npy", "-o", "out.npy", "--quiet")) == []


@pytest.mark.skipif(os.environ.get("GEOTHERM_SLOW_TESTS") != "1", reason="GEOTHERM_SLOW_TESTS=1 runs the whole sets")
@pytest.mark.parametrize("name", [*ORDINARY, "PBMC 3k, counts"])
def test_whole_sets_give_no_warning(geotherm, name):
    """With every output a user asks for: map, model, page, picture, clusters."""
    outputs = ["-o", "out.csv", "--model", "out.gtm", "--html", "out.html", "--plot", "out.png", "--cluster", "--quiet"]
    if name in ORDINARY:
        np.save(geotherm.dir / "in.npy", table_of(name))
        done = geotherm("embed", "in.npy", *outputs)
    elif (DATA / "pbmc3k_10x").exists():
        done = geotherm("embed", DATA / "pbmc3k_10x", "--preprocess", "single-cell", *outputs)
    else:
        pytest.skip("pbmc3k_10x is not in GEOTHERM_DATA")
    assert warnings_of(done) == []


def test_annotated_cells_give_no_warning(geotherm):
    path = DATA / "pbmc68k_reduced.h5ad"
    if not path.exists():
        pytest.skip(f"{path.name} is not in GEOTHERM_DATA")
    assert warnings_of(geotherm("embed", path, "-o", "out.npy", "--quiet")) == []


def test_separate_clusters_give_one_warning_for_the_matter(geotherm):
    rng = np.random.default_rng(2)
    table = rng.normal(size=(400, 5)) + 100 * (np.arange(400) % 4)[:, None]
    np.save(geotherm.dir / "in.npy", table)
    assert len(warnings_of(geotherm("embed", "in.npy", "-o", "out.npy", "--quiet"))) <= 1
