"""geotherm pseudotime: order, ends, branches, fates, roots of every kind and what it refuses."""

import csv
import json
import os
import pathlib

import numpy as np
import pytest


def fork(n=600, noise=0.04, seed=3):
    """A trunk and two arms in five dimensions; row 0 is the beginning."""
    rng = np.random.default_rng(seed)
    arm, along = rng.integers(0, 3, n), rng.random(n)
    arm[0], along[0] = 0, 0
    x = np.zeros((n, 5))
    x[:, 0] = np.where(arm == 0, along, 1)
    for k in (1, 2):
        x[arm == k, k] = along[arm == k]
    return x + rng.normal(0, noise, x.shape), np.where(arm == 0, along, 1 + along), arm


def ranks(values):
    return np.argsort(np.argsort(values))


@pytest.fixture
def forked(geotherm):
    x, time, arm = fork()
    np.savez(geotherm.dir / "fork.npz", X=x, time=time, label=np.array(["trunk", "left", "right"])[arm])
    return x, time, arm


def test_order_ends_and_fates_of_a_fork(geotherm, forked):
    _, time, arm = forked
    done = geotherm("pseudotime", "fork.npz:X", "-o", "order.csv", "--root", 0, "--tree", "tree.json", "--manifest", "m.json")
    assert "2 ends, 1 branching, 0 loops" in done.stderr
    rows = list(csv.DictReader((geotherm.dir / "order.csv").open()))
    order = np.array([float(row["pseudotime"]) for row in rows])
    assert order.min() == 0 and order.max() == 1 and order[0] == 0
    assert np.corrcoef(ranks(order), ranks(time))[0, 1] > 0.97
    fates = [name for name in rows[0] if name.startswith("fate_")]
    assert len(fates) == 2
    fate = np.array([[float(row[name]) for name in fates] for row in rows])
    np.testing.assert_allclose(fate.sum(1), 1, atol=1e-6)
    far = time > 1.4
    best = fate.argmax(1)
    assert max(np.mean((best == 0) == (arm == k), where=far) for k in (1, 2)) > 0.97
    tree = json.loads((geotherm.dir / "tree.json").read_text())
    assert sorted(m["kind"] for m in tree["milestones"]) == ["branching", "end", "end", "root"]
    assert len(tree["milestone_network"]) == 3 and len(tree["progressions"]) == len(order)
    assert all(0 <= p["percentage"] <= 1 for p in tree["progressions"])
    manifest = json.loads((geotherm.dir / "m.json").read_text())
    assert manifest["command"] == "pseudotime" and manifest["resolved"]["n_ends"] == 2


def test_same_bits_on_any_number_of_threads(geotherm, forked):
    for threads in (1, 2, 8):
        geotherm("pseudotime", "fork.npz:X", "-o", f"{threads}.npy", "--root", 0, "--bootstrap", 3, "--threads", threads)
    one, two, eight = (np.load(geotherm.dir / f"{threads}.npy") for threads in (1, 2, 8))
    assert one.shape[1] == 5  # pseudotime, low, high, two fates
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, eight)
    assert np.all(one[:, 1] <= one[:, 2])


def test_the_order_is_the_mean_over_resolutions(geotherm, forked):
    for modes in ("3", "3,4,5,7"):
        geotherm("pseudotime", "fork.npz:X", "-o", f"{modes}.npy", "--root", 0, "--resolutions", modes, "--manifest", "m.json")
    geotherm("pseudotime", "fork.npz:X", "-o", "default.npy", "--root", 0)
    one, several, default = (np.load(geotherm.dir / f"{name}.npy")[:, 0] for name in ("3", "3,4,5,7", "default"))
    np.testing.assert_array_equal(several, default)
    assert not np.array_equal(one, several)
    assert json.loads((geotherm.dir / "m.json").read_text())["options"]["resolutions"] == [3, 4, 5, 7]


def test_roots_by_name_by_group_and_by_marker(geotherm, forked):
    x, time, _ = forked
    header = "id," + ",".join(f"gene{k}" for k in range(5))
    lines = [f"cell{i}," + ",".join(repr(float(v)) for v in row) for i, row in enumerate(x)]
    (geotherm.dir / "cells.csv").write_text("\n".join([header, *lines]) + "\n")
    geotherm("pseudotime", "fork.npz:X", "-o", "number.npy", "--root", 0)
    geotherm("pseudotime", "cells.csv", "-o", "name.npy", "--root", "cell0")
    np.testing.assert_array_equal(np.load(geotherm.dir / "number.npy"), np.load(geotherm.dir / "name.npy"))
    geotherm("pseudotime", "fork.npz:X", "-o", "group.npy", "--root-group", "left", "--groups", "fork.npz:label")
    left = np.load(geotherm.dir / "group.npy")[:, 0]
    assert np.mean(left[forked[2] == 1]) < np.mean(left[forked[2] != 1])
    geotherm("pseudotime", "cells.csv", "-o", "marker.npy", "--root-marker", "gene0:low")
    marker = np.load(geotherm.dir / "marker.npy")[:, 0]
    assert np.corrcoef(ranks(marker), ranks(time))[0, 1] > 0.9


def test_columns_come_in_one_order_in_every_format(geotherm, forked):
    """pseudotime, low, high, fates; the .h5ad has them under names of their own."""
    run = ["pseudotime", "fork.npz:X", "--root", 0, "--bootstrap", 4, "-o"]
    for name in ("o.csv", "o.npy", "o.h5ad"):
        geotherm(*run, name)
    rows = list(csv.reader((geotherm.dir / "o.csv").open()))
    assert rows[0][:4] == ["id", "pseudotime", "low", "high"]
    assert len(rows[0]) == 6 and all(name.startswith("fate_M") for name in rows[0][4:])
    table = np.load(geotherm.dir / "o.npy")
    np.testing.assert_allclose(np.array(rows[1:], dtype=float)[:, 1:], table, rtol=1e-12)
    h5py = pytest.importorskip("h5py")
    with h5py.File(geotherm.dir / "o.h5ad") as file:
        obs = [file["obs"][f"heatgeo_pseudotime{side}"][:] for side in ("", "_low", "_high")]
        np.testing.assert_array_equal(np.column_stack([*obs, file["obsm/heatgeo_fate"][:]]), table)
        assert "tree" in file["uns/heatgeo_tree"]


def test_ends_are_brought_together_as_far_as_asked(geotherm, forked):
    x, _, arm = forked
    x = x.copy()
    x[arm == 2, 2] *= 0.4
    np.save(geotherm.dir / "uneven.npy", x)
    last = {}
    for share in (0, 0.5, 1):
        geotherm("pseudotime", "uneven.npy", "-o", "o.npy", "--root", 0, "--even-ends", share)
        order = np.load(geotherm.dir / "o.npy")[:, 0]
        last[share] = order[arm == 2].max()
        if share == 0:
            before = order
    assert last[0] < last[0.5] < last[1] and last[1] > 0.97
    # The order within each arm stays.
    for k in (1, 2):
        far = (arm == k) & (before > 0.6)
        np.testing.assert_array_equal(ranks(order[far]), ranks(before[far]))


def test_without_a_root_extremes_are_proposed(geotherm, forked):
    done = geotherm("pseudotime", "fork.npz:X", "-o", "order.npy")
    assert "may begin" in done.stdout and "no root is given" in done.stderr
    assert not (geotherm.dir / "order.npy").exists()


def test_cells_of_another_component_have_none(geotherm, forked):
    x = np.vstack([forked[0], forked[0][:80] + 100])
    np.save(geotherm.dir / "two.npy", x)
    done = geotherm("pseudotime", "two.npy", "-o", "order.npy", "--root", 0)
    assert "80 of 680 cells" in done.stderr
    order = np.load(geotherm.dir / "order.npy")
    assert np.isnan(order[600:]).all() and np.isfinite(order[:600]).all()
    done = geotherm("pseudotime", "two.npy", "-o", "other.npy", "--root", "0,650", code=2)
    assert "different components" in done.stderr


def test_a_cloud_supports_no_trajectory(geotherm):
    np.save(geotherm.dir / "cloud.npy", np.random.default_rng(0).normal(size=(800, 6)))
    done = geotherm("pseudotime", "cloud.npy", "-o", "order.npy", "--root", 0)
    assert "no trajectory is supported" in done.stderr and "explain 0." in done.stderr
    done = geotherm("pseudotime", "cloud.npy", "-o", "order.npy", "--root", 0, "--min-explained", 0)
    assert "no trajectory is supported" not in done.stderr


def test_a_root_in_a_small_component_orders_that_one(geotherm, forked):
    np.save(geotherm.dir / "two.npy", np.vstack([forked[0], forked[0][:80] + 100]))
    done = geotherm("pseudotime", "two.npy", "-o", "order.npy", "--root", 650)
    assert "600 of 680 cells" in done.stderr
    order = np.load(geotherm.dir / "order.npy")
    assert np.isnan(order[:600]).all() and np.isfinite(order[600:]).all()


def test_trends_and_genes_of_each_end(geotherm, forked):
    x = forked[0]
    lines = [",".join(repr(float(v)) for v in row) for row in x]
    (geotherm.dir / "cells.csv").write_text("\n".join(["a,b,c,d,e", *lines]) + "\n")
    geotherm("pseudotime", "cells.csv", "-o", "o.npy", "--root", 0, "--trends", "t.csv", "--branch-genes", "g.csv")
    genes = list(csv.DictReader((geotherm.dir / "g.csv").open()))
    up = {end: {g["gene"] for g in genes if g["end"] == end and float(g["change"]) > 0.6} for end in {g["end"] for g in genes}}
    assert sorted(map(sorted, up.values())) == [["a", "b"], ["a", "c"]]
    for end in up:
        explained = [float(g["explained"]) for g in genes if g["end"] == end]
        assert explained == sorted(explained, reverse=True)
    curves = list(csv.DictReader((geotherm.dir / "t.csv").open()))
    assert len(curves) == 2 * 5 * 100
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in curves)
    geotherm("pseudotime", "cells.csv", "-o", "o.npy", "--root", 0, "--trends", "t.csv", "--genes", "b")
    assert {row["gene"] for row in csv.DictReader((geotherm.dir / "t.csv").open())} == {"b"}
    done = geotherm("pseudotime", "cells.csv", "-o", "o.npy", "--root", 0, "--trends", "t.csv", "--genes", "bb", code=2)
    assert "bb" in done.stderr


def test_the_page_shows_order_tree_and_fates(geotherm, forked):
    geotherm("pseudotime", "fork.npz:X", "-o", "order.npy", "--root", 0, "--html", "order.html")
    text = (geotherm.dir / "order.html").read_text()
    head = json.loads(text.split('id="head"', 1)[1].split(">", 1)[1].split("</script>", 1)[0])
    shown = head["trajectory"]
    assert head["color"] == shown["pseudotime"] == "pseudotime"
    assert len(shown["milestones"]) == 4 and len(shown["edges"]) == 3 and len(shown["ends"]) == 2
    assert set(shown["columns"]) <= {column["name"] for column in head["columns"]}
    assert sum(name.startswith("fate M") for name in shown["columns"]) == 2


@pytest.mark.parametrize(
    "options, words",
    [
        (["--root", 600], "--root has 600: the input has rows 0 to 599"),
        (["--root", "nobody"], "'nobody': rows have no names here"),
        (["--root-group", "up", "--groups", "fork.npz:label"], "groups are left, right, trunk"),
        (["--root-marker", "x1"], "GENE:high"),
        (["--root", 0, "--root-group", "left"], "exclude each other"),
        (["--root", 0, "--bootstrap", 1], "bootstrap"),
        (["--root", 0, "--bootstrap", -3], "--bootstrap"),
        (["--root", 0, "--even-ends", 2], "even_ends"),
        (["--root-marker", "nobody:high"], "--root-marker"),
        (["--root", 0, "--trends", "t.csv", "--genes", "nobody"], "--genes"),
        (["--root", 0, "--min-branch", 2], "min_branch"),
        (["--root", 0, "--resolutions", "3,0"], "resolutions has 0"),
    ],
)
def test_impossible_requests_are_refused(geotherm, forked, options, words):
    done = geotherm("pseudotime", "fork.npz:X", "-o", "order.npy", *options, code=2)
    assert words in done.stderr
    assert not (geotherm.dir / "order.npy").exists()


@pytest.mark.skipif("GEOTHERM_DATA" not in os.environ, reason="GEOTHERM_DATA is not set")
def test_erythroid_stages_of_paul15(geotherm):
    """The tutorial's claim: from the common progenitors, pseudotime follows the erythroid stages."""
    path = pathlib.Path(os.environ["GEOTHERM_DATA"]) / "paul15_2730_pca50.npz"
    geotherm(
        "pseudotime", f"{path}:X_pca", "-o", "order.npy", "--root-group", "7MEP", "--groups", f"{path}:paul15_clusters",
        "--min-explained", 0,
    )  # fmt: skip
    table = np.load(geotherm.dir / "order.npy")
    order, fate = table[:, 0], table[:, 1:]
    cluster = np.load(path)["paul15_clusters"]
    stages = ["7MEP", "6Ery", "5Ery", "4Ery", "3Ery", "2Ery", "1Ery"]
    stage = np.array([stages.index(c) if c in stages else -1 for c in cluster])
    on = (stage >= 0) & np.isfinite(order)
    medians = [np.median(order[on & (stage == s)]) for s in range(7)]
    assert np.corrcoef(ranks(order[on]), stage[on])[0, 1] > 0.75
    assert medians[0] < medians[3] < medians[6]
    # Erythroid, megakaryocytic and myeloid cells are bound for ends of their own.
    parts = (["1Ery", "2Ery", "3Ery", "4Ery"], ["8Mk"], ["14Mo", "15Mo", "16Neu"])
    mean = [np.nanmean(fate[np.isin(cluster, part)], axis=0) for part in parts]
    assert np.minimum(mean[0], mean[2]).sum() < 0.05
    assert len({m.argmax() for m in mean}) == 3
