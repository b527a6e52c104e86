"""The refinement of a map by neighbours, as a user meets it: --refine, --balance, the manifest, refusals."""

import json
import os
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def roll(geotherm):
    geotherm("synth", "swiss-roll", "--n", 500, "--noise", 0.3, "--seed", 3, "-o", "roll.npz")
    return "roll.npz:X"


def embed(geotherm, data, name, *options):
    geotherm("embed", data, "-o", f"{name}.npy", "--manifest", f"{name}.json", "--quiet", *options)
    manifest = json.loads((geotherm.dir / f"{name}.json").read_text())
    return np.load(geotherm.dir / f"{name}.npy"), manifest


def test_balance_zero_is_refine_off(geotherm, roll):
    off, said = embed(geotherm, roll, "off", "--refine", "off")
    zero, _ = embed(geotherm, roll, "zero", "--balance", 0)
    assert np.array_equal(off, zero)
    assert said["resolved"]["refine_epochs"] == 0
    assert said["resolved"]["refine_reason"] == "not asked for"


@pytest.mark.parametrize("method", ["heatgeo", "phate", "pca"])
def test_a_refined_map_is_the_same_on_any_threads_and_moves_within_its_bound(geotherm, roll, method):
    options = ["--method", method]
    off, _ = embed(geotherm, roll, "off", "--refine", "off", *options)
    one, said = embed(geotherm, roll, "one", "--refine", 40, "--threads", 1, *options)
    two, _ = embed(geotherm, roll, "two", "--refine", 40, "--threads", 2, *options)
    assert np.array_equal(one, two)
    assert said["resolved"]["refine_epochs"] == 40
    assert said["options"]["refine"] == 40
    assert 0 < np.abs(one - off).max() <= 1.001 * said["resolved"]["refine_largest_move"]


@pytest.fixture
def clouds(geotherm):
    """Six Gaussians around centres in twelve dimensions: two cannot keep their neighbours."""
    rng = np.random.default_rng(4)
    centres = 2 * rng.standard_normal((6, 12))
    points = centres[np.arange(500) % 6] + rng.standard_normal((500, 12))
    np.save(geotherm.dir / "clouds.npy", points)
    return "clouds.npy"


@pytest.fixture
def sheet(geotherm):
    np.save(geotherm.dir / "sheet.npy", np.random.default_rng(5).uniform(size=(500, 2)))
    return "sheet.npy"


def test_by_default_maps_that_keep_few_neighbours_are_refined_and_others_are_not(geotherm, sheet, clouds):
    one, said = embed(geotherm, clouds, "one", "--threads", 1)
    assert said["resolved"]["refine_kept_before"] < 0.5
    assert said["resolved"]["refine_kept"] > said["resolved"]["refine_kept_before"] + 0.04
    assert np.array_equal(one, embed(geotherm, clouds, "two", "--threads", 2, "--refine", "auto")[0])
    assert not np.array_equal(one, embed(geotherm, clouds, "off", "--refine", "off")[0])
    plain, said = embed(geotherm, sheet, "plain")
    assert said["resolved"]["refine_epochs"] == 0
    assert said["resolved"]["refine_kept_before"] > 0.7
    assert "of the neighbours as it is" in said["resolved"]["refine_reason"]
    assert np.array_equal(plain, embed(geotherm, sheet, "off", "--refine", "off")[0])
    _, other = embed(geotherm, clouds, "other", "--method", "phate")
    assert other["resolved"]["refine_reason"] == "off by default for this method"


def test_a_cloud_whose_distances_would_suffer_is_left_alone_by_default(geotherm):
    np.save(geotherm.dir / "cloud.npy", np.random.default_rng(6).standard_normal((600, 5)))
    plain, said = embed(geotherm, "cloud.npy", "plain")
    assert said["resolved"]["refine_geodesics"] < 0.98 * said["resolved"]["refine_geodesics_before"]
    assert "paths along the graph" in said["resolved"]["refine_reason"]
    assert np.array_equal(plain, embed(geotherm, "cloud.npy", "off", "--refine", "off")[0])


def test_a_thick_circle_is_refined_and_stays_closed(geotherm):
    angle, rng = 2 * np.pi * np.random.default_rng(8).uniform(size=1000), np.random.default_rng(9)
    points = np.c_[np.cos(angle), np.sin(angle)] + 0.05 * rng.standard_normal((1000, 2))
    np.save(geotherm.dir / "circle.npy", points)
    layout, said = embed(geotherm, "circle.npy", "map")
    assert said["resolved"]["refine_kept"] > said["resolved"]["refine_kept_before"] + 0.04
    assert kept_and_far(points, layout)[1] > 0.95


def kept_and_far(points, layout):
    """Share of the ten nearest neighbours kept, and mean Spearman correlation of distances."""

    def distances(rows):
        return np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(2))

    true, found = distances(points), distances(layout)
    near = [np.argsort(d, axis=1, kind="stable")[:, 1:11] for d in (true, found)]
    kept = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(*near)])
    ranks = [np.argsort(np.argsort(d, axis=1), axis=1) for d in (true, found)]
    return kept, np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(*ranks)])


def test_more_balance_keeps_more_neighbours_and_less_of_the_distances(geotherm):
    points = np.random.default_rng(7).standard_normal((500, 5))
    np.save(geotherm.dir / "cloud.npy", points)
    found = [kept_and_far(points, embed(geotherm, "cloud.npy", "b", "--balance", b)[0]) for b in (0, 0.25, 0.5, 1)]
    kept, far = zip(*found)
    assert all(a < b for a, b in zip(kept, kept[1:]))
    assert all(a > b for a, b in zip(far, far[1:]))


def thick_circle(rng):
    angle = 2 * np.pi * rng.uniform(size=600)
    return np.c_[np.cos(angle), np.sin(angle)] + 0.05 * rng.standard_normal((600, 2))


def s_curve(rng):
    t = 3 * np.pi * (rng.uniform(size=600) - 0.5)
    points = np.c_[np.sin(t), 2 * rng.uniform(size=600), np.sign(t) * (np.cos(t) - 1)]
    return points + 0.05 * rng.standard_normal((600, 3))


def rolled_sheet(rng):
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=600))
    return np.c_[t * np.cos(t), 21 * rng.uniform(size=600), t * np.sin(t)] + 0.2 * rng.standard_normal((600, 3))


def tree(rng):
    walks, starts = [], [np.zeros(10)]
    for _ in range(4):
        walks.append(starts[rng.integers(len(starts))] + np.cumsum(rng.uniform(-1, 1, (150, 10)), 0))
        starts += [walks[-1][74], walks[-1][-1]]
    return np.vstack(walks) + rng.standard_normal((600, 10))


def six_gaussians(rng):
    return (3 * rng.standard_normal((6, 10)))[np.arange(600) % 6] + rng.standard_normal((600, 10))


def cells(file):
    def load(rng):
        if "GEOTHERM_DATA" not in os.environ:
            pytest.skip("GEOTHERM_DATA is not set")
        with np.load(Path(os.environ["GEOTHERM_DATA"]) / file) as table:
            points = table["X_pca"]
        return points[np.sort(rng.permutation(len(points))[:600])].astype(float)

    return load


MADE = {"circle": thick_circle, "S-curve": s_curve, "roll": rolled_sheet, "tree": tree, "blobs": six_gaussians,
        "PBMC": cells("pbmc3k_processed_pca50_small.npz"), "Paul15": cells("paul15_2730_pca50.npz")}


def path_lengths(points):
    """Along the graph of ten neighbours, by all intermediate points in turn."""
    apart = np.sqrt(((points[:, None] - points[None]) ** 2).sum(2))
    rows = np.arange(len(points))[:, None]
    near = np.argsort(apart, axis=1, kind="stable")[:, :11]
    length = np.full(apart.shape, np.inf)
    length[rows, near] = apart[rows, near]
    length = np.minimum(length, length.T)
    for k in range(len(points)):
        length = np.minimum(length, length[:, k : k + 1] + length[k])
    return length


def shares_kept(points, layout):
    """Of each point, the share of its ten neighbours kept and the Spearman correlation of map distances with paths."""

    def distances(rows):
        return np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(2))

    true, found, paths = distances(points), distances(layout), path_lengths(points)
    near = [np.argsort(d, axis=1, kind="stable")[:, 1:11] for d in (true, found)]
    kept = np.array([len(set(a) & set(b)) / 10 for a, b in zip(*near)])
    far = []
    for here, there in zip(paths, found):
        reached = np.isfinite(here)
        far.append(np.corrcoef(*(np.argsort(np.argsort(row[reached])) for row in (here, there)))[0, 1])
    return kept, np.array(far)


@pytest.mark.parametrize("name", MADE)
def test_each_step_of_the_balance_keeps_more_neighbours_at_a_bounded_cost_in_paths(geotherm, name):
    points = MADE[name](np.random.default_rng(8))
    np.save(geotherm.dir / "made.npy", points)
    balances = (0, 0.25, 0.5, 0.75, 1)
    found = [shares_kept(points, embed(geotherm, "made.npy", "b", "--balance", b)[0]) for b in balances]
    for here, there in zip(found, found[1:]):
        steps = there[0] - here[0]
        # Three standard errors of the mean over points: 28 steps are judged.
        assert steps.mean() > -3 * steps.std() / np.sqrt(len(points)) - 1e-12, [one[0].mean() for one in found]
    assert found[-1][0].mean() > found[0][0].mean()
    # The default of so few points, and neighbours first: a sheet rolled up in ten dimensions leaves .946 there.
    assert found[1][1].mean() >= 0.96 * found[0][1].mean()
    assert found[-1][1].mean() >= 0.92 * found[0][1].mean()


def test_a_balance_that_would_cost_neighbours_leaves_the_map_and_epochs_do_not(geotherm, sheet):
    """PCA of a flat sheet keeps all neighbours."""
    off, _ = embed(geotherm, sheet, "off", "--refine", "off", "--method", "pca")
    left, said = embed(geotherm, sheet, "left", "--balance", 0.25, "--method", "pca")
    assert np.array_equal(off, left)
    assert said["resolved"]["refine_epochs"] == 0
    assert "in place of" in said["resolved"]["refine_reason"]
    _, said = embed(geotherm, sheet, "run", "--refine", 600, "--method", "pca")
    assert said["resolved"]["refine_epochs"] == 600


def test_the_page_shows_the_map_before_refinement_beside_it(geotherm, clouds):
    geotherm("embed", clouds, "-o", "m.npy", "--html", "page.html", "--quiet")
    assert "HeatGeo, unrefined" in (geotherm.dir / "page.html").read_text()
    geotherm("embed", clouds, "-o", "m.npy", "--html", "page.html", "--quiet", "--refine", "off")
    assert "HeatGeo, unrefined" not in (geotherm.dir / "page.html").read_text()


def test_epochs_go_before_the_balance_and_the_balance_sets_them_else(geotherm, roll):
    _, given = embed(geotherm, roll, "given", "--refine", 7, "--balance", 0.9)
    _, chosen = embed(geotherm, roll, "chosen", "--balance", 0.1)
    assert given["resolved"]["refine_epochs"] == 7
    assert chosen["resolved"]["refine_epochs"] == 60


@pytest.mark.parametrize("options, word", [(("--refine", "often"), "--refine"), (("--balance", 2), "balance"),
                                           (("--refine", "-3"), "refine")])
def test_what_cannot_be_is_refused_by_name(geotherm, roll, options, word):
    assert word in geotherm("embed", roll, "-o", "x.npy", *options, code=2).stderr


def test_a_model_of_a_refined_map_puts_training_points_on_their_places(geotherm, roll):
    for method in ("heatgeo", "pca"):
        made, _ = embed(geotherm, roll, "made", "--refine", 30, "--method", method, "--model", "m.gtm")
        geotherm("transform", "m.gtm", roll, "-o", "again.npy")
        assert np.array_equal(made, np.load(geotherm.dir / "again.npy"))
