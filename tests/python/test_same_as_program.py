"""The package is a translation: its results are the program's, to the bit."""

import geotherm
import numpy as np
import pytest
from conftest import ESTIMATORS


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_maps_are_those_of_the_program_to_the_bit(estimator, points, program):
    np.save(program.dir / "X.npy", points)
    program("embed", "X.npy", "-o", "map.npy", "--method", estimator._method)
    assert np.array_equal(estimator().fit_transform(points), np.load(program.dir / "map.npy"))


def test_every_option_word_means_what_it_means_to_the_program(points, program):
    np.save(program.dir / "X.npy", points)
    program(
        *("embed", "X.npy", "-o", "map.npy", "--knn", 7, "--graph", "gaussian", "--time", 3.5),
        *("--laplacian", "random-walk", "--kernel", "chebyshev", "--mds", "sgd", "--n-components", 3),
        *("--harnack", 0.5, "--denoise", 0.25, "--seed", 11, "--metric", "cosine", "--threads", 1),
    )
    est = geotherm.HeatGeo(
        n_components=3,
        knn=7,
        graph="gaussian",
        time=3.5,
        laplacian="random-walk",
        kernel="chebyshev",
        mds="sgd",
        harnack=0.5,
        denoise=0.25,
        metric="cosine",
        random_state=11,
    )
    assert np.array_equal(est.fit_transform(points), np.load(program.dir / "map.npy"))


def test_float32_stays_float32_through_the_neighbour_search(points, program):
    single = points.astype(np.float32)
    np.save(program.dir / "X.npy", single)
    program("embed", "X.npy", "-o", "map.npy")
    map32 = geotherm.HeatGeo().fit_transform(single)
    assert np.array_equal(map32, np.load(program.dir / "map.npy"))
    assert map32.dtype == np.float64


def test_distances_and_precomputed_maps_are_those_of_the_program(points, program):
    np.save(program.dir / "X.npy", points)
    program("distances", "X.npy", "-o", "D.npy")
    est = geotherm.HeatGeo(keep_dissimilarity=True).fit(points)
    distances = np.load(program.dir / "D.npy")
    assert np.array_equal(est.dissimilarity_, distances)
    program("embed", "D.npy", "-o", "map.npy", "--metric", "precomputed")
    assert np.array_equal(
        geotherm.HeatGeo(metric="precomputed").fit_transform(distances), np.load(program.dir / "map.npy")
    )


def test_shapes_and_scores_are_those_of_the_program(program):
    import json

    program("synth", "swiss-roll", "--n", 200, "--noise", 0.3, "--seed", 4, "-o", "roll.npz")
    written = np.load(program.dir / "roll.npz")
    roll = geotherm.datasets.swiss_roll(n=200, noise=0.3, random_state=4)
    assert np.array_equal(roll.X, written["X"])
    assert np.array_equal(roll.geodesic, written["geodesic"])
    np.save(program.dir / "Y.npy", roll.X[:, :2])
    told = json.loads(
        program(
            *("score", "--estimate", "Y.npy", "--truth", "roll.npz", "--points", "roll.npz:X", "--json"),
            *("--precision", 5, "--demap", "--stress"),
        ).stdout
    )
    found = geotherm.score(roll.X[:, :2], truth=roll.geodesic, points=roll.X, precision=5, demap=True, stress=True)
    assert found == told


@pytest.mark.parametrize("n_jobs", [1, 2, 8])
def test_the_number_of_threads_does_not_change_a_bit(points, n_jobs):
    expected = geotherm.HeatGeo(n_jobs=-1).fit_transform(points)
    assert np.array_equal(geotherm.HeatGeo(n_jobs=n_jobs).fit_transform(points), expected)
