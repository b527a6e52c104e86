"""Landmarks in place of all pairs, as a user meets them: the switch, the options, the refusals."""

import json

import numpy as np
import pytest

METHODS = ("heatgeo", "phate", "heat-phate", "rand-geo", "shortest-path", "heatgeo-weighted")


@pytest.fixture
def roll(geotherm):
    geotherm("synth", "swiss-roll", "--n", 900, "--noise", 0.1, "--seed", 3, "--pairs", 5000, "-o", "roll.npz")
    return np.load(geotherm.dir / "roll.npz")


def correlation(a, b):
    return np.corrcoef(np.ravel(a), np.ravel(b))[0, 1]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_distances_goes_by_landmarks_to_the_same_bits_on_any_threads(geotherm, roll, method):
    options = ["--method", method, "--landmarks", 200, "--manifest", "run.json"]
    for threads in (1, 2, 8):
        geotherm("embed", "roll.npz:X", "-o", f"{threads}.npy", "--threads", threads, *options)
    one, two, eight = ((geotherm.dir / f"{k}.npy").read_bytes() for k in (1, 2, 8))
    assert one == two == eight
    manifest = json.loads((geotherm.dir / "run.json").read_text())
    assert manifest["resolved"]["solver"] == "landmarks" and manifest["resolved"]["landmarks"] == 200
    assert manifest["resolved"]["solver_reason"] == "landmarks were asked for"
    assert np.load(geotherm.dir / "1.npy").shape == (900, 2)


def test_maps_and_distances_by_landmarks_follow_the_true_ones(geotherm, roll):
    geotherm("embed", "roll.npz:X", "-o", "map.npy", "--landmarks", 200)
    geotherm("distances", "roll.npz:X", "-o", "pairs.npy", "--landmarks", 200, "--pairs", "roll.npz:pairs")
    layout, measured = np.load(geotherm.dir / "map.npy"), np.load(geotherm.dir / "pairs.npy")
    pairs, true = roll["pairs"], roll["pair_geodesic"]
    assert (measured[:, :2] == pairs).all()
    assert correlation(measured[:, 2], true) > 0.97
    assert correlation(np.linalg.norm(layout[pairs[:, 0]] - layout[pairs[:, 1]], axis=1), true) > 0.97


def test_true_distances_of_pairs_are_those_of_all(geotherm, roll):
    pairs = roll["pairs"]
    assert np.allclose(roll["pair_geodesic"], roll["geodesic"][pairs[:, 0], pairs[:, 1]], atol=1e-9)
    geotherm("synth", "tree", "--n", 600, "--pairs", 300, "-o", "tree.npz")
    tree = np.load(geotherm.dir / "tree.npz")
    true = tree["geodesic"][tree["pairs"][:, 0], tree["pairs"][:, 1]]
    assert np.allclose(tree["pair_geodesic"], true, rtol=1e-9)
    assert "swiss-roll and tree" in geotherm("synth", "torus", "--pairs", 9, "-o", "t.npz", code=2).stderr


def test_rows_pairs_and_all_pairs_agree_where_all_pairs_are_measured(geotherm, roll):
    geotherm("distances", "roll.npz:X", "-o", "all.npy")
    geotherm("distances", "roll.npz:X", "-o", "pairs.csv", "--pairs", 50)
    every = np.load(geotherm.dir / "all.npy")
    rows = np.loadtxt(geotherm.dir / "pairs.csv", delimiter=",", skiprows=1)
    for _, i, j, distance in rows:
        assert np.isclose(every[int(i), int(j)], distance)
    geotherm("distances", "roll.npz:X", "-o", "from.npy", "--method", "phate", "--landmarks", 200, "--from", "3,4")
    near = np.load(geotherm.dir / "from.npy")
    assert near.shape == (900, 2) and near[3, 0] == 0 and near[4, 1] == 0


def test_the_memory_allowed_decides_the_way(geotherm, roll):
    for size, way in (("1MB", "pivots"), ("2GB", "all pairs")):
        geotherm("embed", "roll.npz:X", "-o", "map.npy", "--max-memory", size, "--manifest", "run.json")
        resolved = json.loads((geotherm.dir / "run.json").read_text())["resolved"]
        assert resolved["solver"] == way and "GB" in resolved["solver_reason"]
    refused = geotherm("distances", "roll.npz:X", "-o", "all.npy", "--max-memory", "1MB", code=2).stderr
    assert "--pairs" in refused and "--landmarks none" in refused
    geotherm("distances", "roll.npz:X", "-o", "all.npy", "--max-memory", "1MB", "--landmarks", "none")


def test_a_map_that_may_not_hold_all_pairs_is_as_good_as_one_that_does(geotherm, roll):
    geotherm("distances", "roll.npz:X", "-o", "all.npy")
    geotherm("embed", "roll.npz:X", "-o", "exact.npy", "--refine", "off")
    for threads in (1, 2, 8):
        geotherm("embed", "roll.npz:X", "-o", f"{threads}.npy", "--max-memory", "1MB", "--threads", threads, "--refine", "off")
    one, two, eight = ((geotherm.dir / f"{k}.npy").read_bytes() for k in (1, 2, 8))
    assert one == two == eight
    distances = np.load(geotherm.dir / "all.npy")

    def stress(name):
        layout = np.load(geotherm.dir / name)
        drawn = np.linalg.norm(layout[:, None] - layout[None], axis=-1)
        factor = (distances * drawn).sum() / (drawn**2).sum()
        return ((distances - factor * drawn) ** 2).sum()

    # 1.00 to 1.01 on rolls, trees and cells (bench/scale/exactness.md).
    assert stress("1.npy") < 1.05 * stress("exact.npy")


def test_pivots_spread_heat_where_they_are_told_to(geotherm, roll):
    for where, way in (("points", "pivots"), ("landmarks", "landmarks")):
        geotherm("embed", "roll.npz:X", "-o", "map.npy", "--landmarks", 200, "--pivot-heat", where,
                 "--landmark-choice", "central", "--manifest", "run.json")
        assert json.loads((geotherm.dir / "run.json").read_text())["resolved"]["solver"] == way


def test_an_estimate_comes_without_the_work(geotherm, roll):
    said = geotherm("embed", "roll.npz:X", "-o", "map.npy", "--estimate").stdout
    assert "MB of memory" in said and "all pairs" in said
    assert not (geotherm.dir / "map.npy").exists()
    said = geotherm("embed", "roll.npz:X", "-o", "map.npy", "--estimate", "--landmarks", 200).stdout
    assert "by 200 landmarks" in said
    said = geotherm("distances", "roll.npz:X", "-o", "d.npy", "--estimate", "--landmarks", 200).stdout
    assert "MB of memory" in said and "by 200 landmarks" in said
    assert not (geotherm.dir / "d.npy").exists()


def test_too_little_memory_is_a_message(geotherm):
    np.save(geotherm.dir / "many.npy", np.random.default_rng(0).normal(size=(200000, 2)).astype(np.float32))
    refused = geotherm("embed", "many.npy", "-o", "map.npy", "--landmarks", "none", code=2).stderr
    assert "of memory" in refused and "--landmarks auto" in refused


@pytest.mark.parametrize("option, value, remedy", [
    ("--landmarks", "1", "a number of landmarks from 2"), ("--landmarks", "many", "auto, none"),
    ("--max-memory", "lots", "4GB"), ("--pivots", "2", "from 3"),
])
def test_impossible_values_are_refused_with_a_remedy(geotherm, roll, option, value, remedy):
    refused = geotherm("embed", "roll.npz:X", "-o", "map.npy", option, value, code=2).stderr
    assert remedy in refused


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("choice", ("random", "spread", "central"))
def test_a_handful_of_landmarks_give_a_map(geotherm, roll, method, choice):
    options = ["--method", method, "--landmarks", 5, "--landmark-choice", choice]
    geotherm("embed", "roll.npz:X", "-o", "map.npy", "--manifest", "run.json", *options)
    assert np.isfinite(np.load(geotherm.dir / "map.npy")).all()
    assert json.loads((geotherm.dir / "run.json").read_text())["resolved"]["landmarks"] == 5


@pytest.mark.parametrize("method", METHODS)
def test_equal_rows_have_distance_zero_by_landmarks(geotherm, method):
    np.save(geotherm.dir / "equal.npy", np.full((4, 3), 2.5))
    geotherm("distances", "equal.npy", "-o", "d.npy", "--method", method, "--landmarks", 2, "--from", 0)
    np.testing.assert_array_equal(np.load(geotherm.dir / "d.npy"), np.zeros((4, 1)))


def test_a_time_that_flattens_heat_is_warned_of_once(geotherm):
    np.save(geotherm.dir / "cloud.npy", np.random.default_rng(0).normal(size=(150, 3)))
    for command in (("embed",), ("distances",), ("distances", "--from", "0")):
        args = (command[0], "cloud.npy", "-o", "out.npy", *command[1:])
        said = geotherm(*args, "--time", 50).stderr
        assert said.count("heat is flat at time 50") == 1 and "use --time auto" in said, said
        assert "flat" not in geotherm(*args).stderr
