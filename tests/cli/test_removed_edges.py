"""What the search for shortcut edges took from each point: a column, the manifest, and a warning where it bears on a group."""

import json

import numpy as np
import pytest


@pytest.fixture
def bridged(geotherm):
    """A roll with noise that builds shortcut edges; the label says which rows lie where most are."""
    geotherm("synth", "swiss-roll", "--n", 600, "--noise", 1.0, "--seed", 3, "-o", "roll.npz")
    return geotherm


def run(geotherm, output, *options):
    done = geotherm("embed", "roll.npz:X", "-o", output, "--removed", "--manifest", "run.json", *options)
    return done, json.loads((geotherm.dir / "run.json").read_text())


def test_the_column_is_beside_the_map_and_in_the_manifest(bridged):
    done, manifest = run(bridged, "map.csv")
    short = manifest["removed_fraction"]
    assert short["column"] == "map_removed.csv" and "map_removed.csv" in done.stderr
    lines = (bridged.dir / "map_removed.csv").read_text().splitlines()
    assert lines[0] == "id,removed_fraction" and len(lines) == 601
    values = np.array([float(line.split(",")[1]) for line in lines[1:]])
    assert ((0 <= values) & (values <= 0.5 + 1e-12)).all()  # no point loses more than half
    assert short["points"] == (values > 0).sum() > 0
    assert short["mean"] == pytest.approx(values.mean()) and short["largest"] == pytest.approx(values.max())
    assert short["largest"] == pytest.approx(manifest["resolved"]["largest_removed_fraction"])
    # The map itself has coordinates alone: other programs read it as such.
    assert (bridged.dir / "map.csv").read_text().splitlines()[0] == "id,x1,x2"


def test_an_npz_holds_the_column_too(bridged):
    run(bridged, "map.csv")
    _, manifest = run(bridged, "map.npz")
    with np.load(bridged.dir / "map.npz") as found:
        assert set(found) == {"embedding", "removed_fraction"} and found["embedding"].shape == (600, 2)
        beside = np.loadtxt(bridged.dir / "map_removed.csv", delimiter=",", skiprows=1)[:, 1]
        np.testing.assert_array_equal(found["removed_fraction"], beside)
    assert manifest["removed_fraction"]["column"] == "map.npz:removed_fraction"


def test_an_h5ad_holds_the_column_in_obs(bridged):
    h5py = pytest.importorskip("h5py", reason="SKIPPED: h5py is not installed")
    run(bridged, "map.csv")
    beside = np.loadtxt(bridged.dir / "map_removed.csv", delimiter=",", skiprows=1)[:, 1]
    run(bridged, "new.h5ad")
    # Once more into a file that is there: the column is replaced, not doubled.
    bridged("embed", "new.h5ad", "--use", "X", "-o", "again.h5ad", "--quiet")
    for name in ("new.h5ad", "again.h5ad"):
        with h5py.File(bridged.dir / name) as file:
            np.testing.assert_array_equal(file["obs/heatgeo_removed_fraction"][:], beside)
            order = [str(c) if isinstance(c, str) else c.decode() for c in file["obs"].attrs["column-order"]]
            assert order.count("heatgeo_removed_fraction") == 1


def test_a_group_that_loses_much_is_named(bridged):
    run(bridged, "map.csv")
    values = np.loadtxt(bridged.dir / "map_removed.csv", delimiter=",", skiprows=1)[:, 1]
    points = np.load(bridged.dir / "roll.npz")["X"]
    kinds = np.where(values > np.quantile(values[values > 0], 0.5), "cut", "whole")
    rows = [",".join(map(repr, map(float, p))) + "," + k for p, k in zip(points, kinds)]
    (bridged.dir / "roll.csv").write_text("a,b,c,kind\n" + "\n".join(rows) + "\n")
    done = bridged("embed", "roll.csv", "--label-column", "kind", "-o", "map.csv", "--manifest", "run.json")
    lost = {kind: values[kinds == kind].mean() for kind in ("cut", "whole")}
    assert lost["cut"] > 0.05 > lost["whole"]
    assert f"points of 'cut' lose {100 * lost['cut']:.1f} %" in done.stderr
    assert "of 'whole'" not in done.stderr
    manifest = json.loads((bridged.dir / "run.json").read_text())
    assert {g["name"]: pytest.approx(g["mean"]) for g in manifest["removed_fraction"]["groups"]} == lost
    assert any("of 'cut'" in warning for warning in manifest["warnings"])


def test_without_a_search_there_is_no_column(bridged):
    _, manifest = run(bridged, "map.csv", "--shortcuts", "off")
    assert manifest["removed_fraction"] is None
    assert not (bridged.dir / "map_removed.csv").exists()
