"""Models kept by `embed --model` and new points placed by `transform`."""

import json
import os
import pathlib

import numpy as np
import pytest
from test_new_data import read_csv, write_mtx


@pytest.fixture
def kept(geotherm, points):
    """A map of every other point, its model, and the points between."""
    np.savez(geotherm.dir / "data.npz", old=points[::2], new=points[1::2])
    geotherm("embed", "data.npz:old", "-o", "map.npy", "--model", "map.gtm", "--quiet")
    return geotherm


def test_new_points_land_between_their_neighbours(kept):
    kept("transform", "map.gtm", "data.npz:new", "-o", "new.npy")
    old, new = np.load(kept.dir / "map.npy"), np.load(kept.dir / "new.npy")
    assert new.shape == (30, 2)
    # The line is sorted: new point i lies between old points i and i + 1.
    between = (old[:-1] + old[1:]) / 2
    spacing = np.median(np.linalg.norm(old[1:] - old[:-1], axis=1))
    assert np.median(np.linalg.norm(new[:-1] - between, axis=1)) < 2 * spacing


def test_training_points_fall_on_their_own_places_to_the_bit(kept):
    kept("transform", "map.gtm", "data.npz:old", "-o", "again.npy")
    assert (kept.dir / "again.npy").read_bytes() == (kept.dir / "map.npy").read_bytes()


def test_batches_order_and_threads_change_nothing(kept):
    new = np.load(kept.dir / "data.npz")["new"]
    kept("transform", "map.gtm", "data.npz:new", "-o", "all.npy", "--threads", 1)
    together = np.load(kept.dir / "all.npy")
    np.save(kept.dir / "back.npy", new[::-1].copy())
    kept("transform", "map.gtm", "back.npy", "-o", "back_map.npy", "--threads", 8)
    assert np.array_equal(np.load(kept.dir / "back_map.npy")[::-1], together)
    np.save(kept.dir / "one.npy", new[4:5])
    kept("transform", "map.gtm", "one.npy", "-o", "one_map.npy")
    assert np.array_equal(np.load(kept.dir / "one_map.npy"), together[4:5])


def test_the_model_does_not_change_and_the_same_run_gives_the_same_model(kept):
    before = (kept.dir / "map.gtm").read_bytes()
    kept("transform", "map.gtm", "data.npz:new", "-o", "new.npy")
    assert (kept.dir / "map.gtm").read_bytes() == before
    kept("embed", "data.npz:old", "-o", "map.npy", "--model", "b.gtm", "--quiet", "--threads", 1)
    assert (kept.dir / "b.gtm").read_bytes() == before


def test_numpy_reads_the_model(kept):
    model = np.load(kept.dir / "map.gtm")
    assert model["format"] == "geotherm model" and model["format_version"] == 1
    assert np.array_equal(model["points"], np.load(kept.dir / "data.npz")["old"])
    assert np.array_equal(model["coordinates"], np.load(kept.dir / "map.npy"))
    assert json.loads(str(model["description"]))["options"]["method"] == "heatgeo"


def test_row_names_and_formats_carry_over(kept):
    new = np.load(kept.dir / "data.npz")["new"]
    lines = ["id,a,b,c"] + [f"cell{i}," + ",".join(map(repr, row)) for i, row in enumerate(new.tolist())]
    (kept.dir / "new.csv").write_text("\n".join(lines) + "\n")
    kept("transform", "map.gtm", "new.csv", "-o", "new_map.csv")
    written = (kept.dir / "new_map.csv").read_text().splitlines()
    assert written[0] == "id,x1,x2,novelty" and written[1].startswith("cell0,")


def test_a_model_that_cannot_be_used_is_refused_with_a_reason(kept):
    whole = (kept.dir / "map.gtm").read_bytes()
    (kept.dir / "cut.gtm").write_bytes(whole[: len(whole) // 2])
    middle = bytearray(whole)
    middle[len(whole) // 2] ^= 1
    (kept.dir / "altered.gtm").write_bytes(middle)
    for name in ("cut.gtm", "altered.gtm", "data.npz", "absent.gtm"):
        done = kept("transform", name, "data.npz:new", "-o", "out.npy", code=1)
        assert name in done.stderr and not (kept.dir / "out.npy").exists()
    arrays = dict(np.load(kept.dir / "map.gtm"))
    arrays["format_version"] = np.int64(4)
    np.savez(kept.dir / "future.npz", **arrays)
    done = kept("transform", "future.npz", "data.npz:new", "-o", "out.npy", code=1)
    assert "newer geotherm" in done.stderr


def test_tables_that_do_not_fit_are_refused(kept):
    np.save(kept.dir / "wide.npy", np.zeros((3, 4)))
    done = kept("transform", "map.gtm", "wide.npy", "-o", "out.npy", code=1)
    assert "wide.npy" in done.stderr and "4 columns" in done.stderr and "from 3" in done.stderr
    np.save(kept.dir / "nan.npy", np.full((3, 3), np.nan))
    done = kept("transform", "map.gtm", "nan.npy", "-o", "out.npy", code=1)
    assert "row 0" in done.stderr


def accuracy(places, labels, others, other_labels, k=10, skip_self=False):
    distances = ((places[:, None] - others[None]) ** 2).sum(2)
    if skip_self:
        np.fill_diagonal(distances, np.inf)
    nearest = other_labels[np.argsort(distances, axis=1, kind="stable")[:, :k]]
    votes = np.array([np.bincount(row, minlength=10).argmax() for row in nearest])
    return (votes == labels).mean()


def test_held_out_digits_land_among_their_like_as_training_digits_do(geotherm):
    folder = os.environ.get("GEOTHERM_DATA")
    if not folder:
        pytest.skip("SKIPPED: no real data sets (set GEOTHERM_DATA)")
    digits = np.load(pathlib.Path(folder) / "mnist_70k_pca50.npz")
    chosen = np.random.default_rng(0).permutation(70000)[:3000]
    X, y = digits["X_pca"][chosen].astype(np.float32), digits["y"][chosen].astype(int)
    np.savez(geotherm.dir / "digits.npz", old=X[:2000], new=X[2000:])
    for method in ("heatgeo", "phate"):
        geotherm(
            "embed", "digits.npz:old", "-o", "map.npy", "--model", "m.gtm", "--method", method, "--quiet"
        )  # fmt: skip
        geotherm("transform", "m.gtm", "digits.npz:new", "-o", "new.npy", "--quiet")
        old, new = np.load(geotherm.dir / "map.npy"), np.load(geotherm.dir / "new.npy")
        trained = accuracy(old, y[:2000], old, y[:2000], skip_self=True)
        placed = accuracy(new, y[2000:], old, y[:2000])
        assert placed > trained - 0.01, (method, placed, trained)


def test_a_model_of_counts_places_counts(geotherm):
    rng = np.random.default_rng(3)
    kinds = rng.gamma(0.5, 4, size=(3, 300))
    counts = rng.poisson(kinds[rng.integers(0, 3, 240)]).astype(float)
    np.save(geotherm.dir / "counts.npy", counts[:200])
    np.save(geotherm.dir / "twice.npy", np.vstack([2 * counts[:20], counts[200:]]))
    np.save(geotherm.dir / "one.npy", counts[205:206])
    geotherm("embed", "counts.npy", "-o", "map.npy", "--model", "map.gtm", "--preprocess", "single-cell",
             "--min-genes", 10, "--top-genes", 100, "--pcs", 10)
    placed = {}
    for name in ("counts", "twice", "one"):
        geotherm("transform", "map.gtm", f"{name}.npy", "-o", f"{name}-places.npy")
        placed[name] = np.load(geotherm.dir / f"{name}-places.npy")
    layout = np.load(geotherm.dir / "map.npy")
    assert (placed["counts"] == layout).all()
    assert (placed["one"][0] == placed["twice"][25]).all()
    # Twice the counts of a cell are the same cell: its scores differ by the float32 of scaled values.
    assert np.abs(placed["twice"][:20] - layout[:20]).max() < 1e-3 * np.ptp(layout)


def test_a_model_of_cytometry_keeps_its_scale(geotherm):
    table = np.random.default_rng(4).gamma(1.0, 30.0, size=(150, 4))
    np.save(geotherm.dir / "cells.npy", table[:120])
    np.save(geotherm.dir / "near.npy", table[:120] * (1 + 1e-9))
    geotherm("embed", "cells.npy", "-o", "map.npy", "--model", "map.gtm", "--preprocess", "cytometry")
    for name in ("cells", "near"):
        geotherm("transform", "map.gtm", f"{name}.npy", "-o", f"{name}-places.npy")
    layout = np.load(geotherm.dir / "map.npy")
    assert (np.load(geotherm.dir / "cells-places.npy") == layout).all()
    # A billionth off, and a training point's weight falls off with the square of the distance.
    assert np.abs(np.load(geotherm.dir / "near-places.npy") - layout).max() < 1e-3 * np.ptp(layout)


def test_distances_that_are_not_stored_are_unknown_and_not_zero(geotherm, points):
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = between <= np.sort(between, axis=1)[:, 14:15]
    np.save(geotherm.dir / "d.npy", between)
    write_mtx(geotherm.dir / "near.mtx", between * (near | near.T))
    write_mtx(geotherm.dir / "all.mtx", between)
    write_mtx(geotherm.dir / "wide.mtx", between[:, :50])
    how = ("--metric", "precomputed", "--knn", 5)
    for name in ("d.npy", "near.mtx", "all.mtx"):
        done = geotherm("embed", name, "-o", f"{name}.map.npy", "--model", f"{name}.gtm", *how)
        assert "taken as points" not in done.stderr
    whole, stored, sparse = (np.load(geotherm.dir / f"{name}.map.npy") for name in ("d.npy", "all.mtx", "near.mtx"))
    assert np.array_equal(whole, stored)
    # Neighbours further than the stored ones matter little: the line is as it was.
    assert min(abs(np.corrcoef(whole[:, 0], sparse[:, 0])[0, 1]), 1) > 0.99
    geotherm("transform", "near.mtx.gtm", "near.mtx", "-o", "again.csv")
    table = read_csv(geotherm.dir / "again.csv")
    assert np.isfinite(np.array(table["novelty"], float)).all()
    done = geotherm("embed", "wide.mtx", "-o", "w.npy", *how, code=1)
    assert "60 x 50" in done.stderr and "square" in done.stderr and not (geotherm.dir / "w.npy").exists()
