"""Warnings are for what a user can act on: ordinary cells and digits give none, an odd table one per matter."""

import json
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
POINTS = {"PBMC 3k": 2638, "Paul15": 2730, "Levine": 31_721, "MNIST": 70_000}
OUTPUTS = ["-o", "out.csv", "--model", "out.gtm", "--html", "out.html", "--plot", "out.png", "--cluster"]


def warnings_of(done):
    return [line for line in done.stderr.splitlines() if "warning" in line]


def whole(name):
    """The file as a user has it, with the labels beside the points."""
    file, key = ORDINARY[name]
    if not (DATA / file).exists():
        pytest.skip(f"{file} is not in GEOTHERM_DATA")
    return f"{DATA / file}:{key}"


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_cells_and_digits_give_no_warning(geotherm, name):
    """Whole sets, the largest 70,000 points."""
    done = geotherm("embed", whole(name), "-o", "out.npy", "--manifest", "run.json")
    assert warnings_of(done) == []
    manifest = json.loads((geotherm.dir / "run.json").read_text())
    assert manifest["warnings"] == [] and manifest["resolved"]["n_points"] == POINTS[name]


@pytest.mark.parametrize("name", ["PBMC 3k", "Paul15"])
def test_all_that_a_user_asks_for_gives_no_warning(geotherm, name):
    """Map, model, page, picture, clusters; the larger sets likewise at night."""
    assert warnings_of(geotherm("embed", whole(name), *OUTPUTS)) == []
    assert warnings_of(geotherm("transform", "out.gtm", whole(name), "-o", "places.csv")) == []


def test_counts_of_pbmc_3k_give_no_warning(geotherm):
    if not (DATA / "pbmc3k_10x").exists():
        pytest.skip("pbmc3k_10x is not in GEOTHERM_DATA")
    assert warnings_of(geotherm("embed", DATA / "pbmc3k_10x", "--preprocess", "single-cell", *OUTPUTS)) == []


@pytest.mark.skipif(os.environ.get("GEOTHERM_SLOW_TESTS") != "1", reason="GEOTHERM_SLOW_TESTS=1 runs the whole sets")
@pytest.mark.parametrize("name", ["Levine", "MNIST"])
def test_all_outputs_of_large_sets_give_no_warning(geotherm, name):
    assert warnings_of(geotherm("embed", whole(name), *OUTPUTS)) == []


@pytest.mark.parametrize("file", ["pbmc68k_reduced.h5ad", "pbmc3k_processed.h5ad"])
def test_annotated_cells_give_no_warning(geotherm, file):
    path = DATA / file
    if not path.exists():
        pytest.skip(f"{path.name} is not in GEOTHERM_DATA")
    outputs = [word.replace("out.csv", "out.h5ad") for word in OUTPUTS]
    assert warnings_of(geotherm("embed", path, *outputs)) == []


def test_separate_clusters_give_one_warning_for_the_matter(geotherm):
    rng = np.random.default_rng(2)
    table = rng.normal(size=(400, 5)) + 100 * (np.arange(400) % 4)[:, None]
    np.save(geotherm.dir / "in.npy", table)
    assert len(warnings_of(geotherm("embed", "in.npy", "-o", "out.npy", "--quiet"))) <= 1
