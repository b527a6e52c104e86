"""Distances and maps in the units of the data: lines and rolls of known length, by both solvers and by chosen rows."""

import subprocess

import numpy as np
import pytest

from conftest import PROGRAM

SOLVERS = {"all pairs": ("--landmarks", "none"), "landmarks": ("--landmarks", "400")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("units")


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words), "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module", params=["line", "roll"])
def known(request, folder):
    """Points, true distances, and how far a median ratio may be from 1."""
    path = folder / f"{request.param}.npy"
    if request.param == "line":
        rng = np.random.default_rng(1)
        at = rng.uniform(0, 100, 1500)
        np.save(path, np.c_[at, np.zeros((1500, 2))] + 1e-3 * rng.normal(size=(1500, 3)))
        return path, np.abs(at[:, None] - at), 1.1
    run("synth", "swiss-roll", "--n", 2000, "--noise", 0, "--seed", 3, "-o", folder / "roll.npz")
    with np.load(folder / "roll.npz") as roll:
        np.save(path, roll["X"])
        return path, roll["geodesic"], 1.2


def ratio(found, truth):
    """Of far pairs: those beyond the median."""
    far = truth > np.median(truth)
    return float(np.median(found[far] / truth[far]))


def map_ratio(path, truth, folder, solver):
    run("embed", path, "-o", folder / "map.npy", *SOLVERS[solver])
    places = np.load(folder / "map.npy")
    return ratio(np.linalg.norm(places[:, None] - places[None], axis=2), truth)


def test_far_distances_have_the_length_of_the_data(known, folder):
    path, truth, most = known
    run("distances", path, "-o", folder / "d.npy")
    assert 1 / most < ratio(np.load(folder / "d.npy"), truth) < most


def test_distances_from_rows_have_it_too(known, folder):
    path, truth, most = known
    rows = list(range(0, len(truth), len(truth) // 10))[:10]
    run("distances", path, "--from", ",".join(map(str, rows)), "-o", folder / "rows.npy")
    found = np.load(folder / "rows.npy")
    found = found if len(found) == len(rows) else found.T
    assert 1 / most < ratio(found, truth[rows]) < most


def test_both_solvers_draw_maps_of_one_size(known, folder):
    path, truth, most = known
    sizes = [map_ratio(path, truth, folder, solver) for solver in SOLVERS]
    assert all(1 / most < size < most for size in sizes), sizes
    assert 0.95 < sizes[0] / sizes[1] < 1.05, sizes
