"""Refinement of maps in blocks: the program's epochs, the same bits for any cluster, lost workers."""

import os
import signal
import subprocess
import sys

import geotherm
import numpy as np
import pytest

dask_array = pytest.importorskip("dask.array", reason="SKIPPED: Dask is not installed (pip install 'geotherm[dask]')")
distributed = pytest.importorskip("distributed", reason="SKIPPED: distributed is not installed")

from geotherm import distributed as gd  # noqa: E402
from geotherm.distributed import _refine, _refine_blocks  # noqa: E402

SMALL = {"partition_rows": 900, "block_rows": 700, "landmarks": 240, "model_rows": 1500}
EPOCHS = 40


@pytest.fixture(scope="module")
def table():
    roll = geotherm.datasets.swiss_roll(n=3000, noise=0.1, dim=12, random_state=5)
    return np.asarray(roll.X, dtype=np.float32)


def fit(client, table, chunks=(1000, 12), **options):
    X = dask_array.from_array(table, chunks=(chunks[0], table.shape[1]))
    return gd.HeatGeo(**{**SMALL, "random_state": 1, **options}).fit(X, client=client)


@pytest.fixture(scope="module")
def unrefined(client, table):
    return fit(client, table).embedding_.compute()


@pytest.fixture(scope="module")
def fitted(client, table):
    return fit(client, table, refine=EPOCHS)


@pytest.fixture(scope="module")
def reference(fitted):
    return fitted.embedding_.compute()


def test_epochs_move_points_as_the_program_does(fitted, unrefined, reference, table):
    resolved = fitted.report_["resolved"]
    assert resolved["n_partitions"] >= 3 and resolved["refine_epochs"] == EPOCHS
    assert resolved["refine_kept"] > resolved["refine_kept_before"] + 0.1
    theirs = geotherm.refine(table, unrefined, refine=EPOCHS)
    moved = np.linalg.norm(reference - unrefined, axis=1)
    # Neighbours are looked for twice: a partition's graph here, all pairs there. That is all that differs.
    assert np.median(np.linalg.norm(reference - theirs, axis=1)) < 0.25 * np.median(moved)
    assert moved.max() <= np.sqrt(2) * resolved["refine_largest_move"]


@pytest.mark.parametrize("workers, threads, chunks", [(1, 3, (431, 12)), (3, 1, (3000, 12))])
def test_other_workers_threads_and_chunks_give_the_same_bits(table, reference, workers, threads, chunks):
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=threads, processes=False, dashboard_address=":0"
    ) as alone, distributed.Client(alone) as other:
        assert np.array_equal(fit(other, table, chunks, refine=EPOCHS).embedding_.compute(), reference)


def test_partitions_that_stay_apart_give_the_same_bits(client, table, reference, monkeypatch):
    """The reference's were worked on as one for each worker."""
    monkeypatch.setattr(_refine, "MOST_MERGED", 0)
    assert np.array_equal(fit(client, table, refine=EPOCHS).embedding_.compute(), reference)


def test_one_partition_has_the_same_bits_on_all_threads(table):
    found = []
    for threads in (1, 3):
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=threads, processes=False, dashboard_address=":0"
        ) as alone, distributed.Client(alone) as other:
            made = fit(other, table, refine=10, partition_rows=5000)
            assert made.report_["resolved"]["n_partitions"] == 1
            found.append(made.embedding_.compute())
    assert np.array_equal(*found)


def test_a_killed_worker_costs_time_and_not_the_result(table, reference):
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    ) as own, distributed.Client(own) as client:
        killed = []

        def kill(stage, done, total, objective):
            # After the places were held once, and before they are again.
            if stage == "refinement" and done == 3 * _refine.HELD_EPOCHS // 2 and not killed:
                pid = next(iter(client.run(os.getpid).values()))
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

        found = fit(client, table, refine=EPOCHS, callbacks=kill).embedding_.compute()
        assert killed
        assert np.array_equal(found, reference)


def test_a_callback_stops_between_epochs(client, table):
    with pytest.raises(geotherm.Stopped, match="refinement"):
        fit(client, table, refine=EPOCHS, callbacks=lambda stage, done, *_: stage != "refinement" or done < 5)


def test_balance_sets_the_epochs_and_off_or_nothing_leaves_the_map(client, table, unrefined):
    made = fit(client, table, balance=0.05)
    assert made.report_["resolved"]["refine_epochs"] == 30
    assert made.report_["resolved"]["refine_reason"] == "epochs of the balance"
    for options, reason in (
        ({"refine": "off"}, "not asked for"),
        ({"balance": 0}, "not asked for"),
        ({"refine": "auto"}, "by default a map in blocks is not refined"),
    ):
        left = fit(client, table, **options)
        assert left.report_["resolved"]["refine_epochs"] == 0
        assert left.report_["resolved"]["refine_reason"] == reason
        assert np.array_equal(left.embedding_.compute(), unrefined)
    with pytest.raises(ValueError, match="balance is 2"):
        fit(client, table, balance=2)


def test_a_map_of_four_dimensions_is_left(client, table):
    made = fit(client, table, refine=5, n_components=4)
    assert "this one has 4" in made.report_["resolved"]["refine_reason"]


def test_equal_rows_stay_one_point(client, table):
    X = np.repeat(table[:1500], 2, axis=0)
    found = fit(client, X, refine=10, landmarks=100)
    at = found.embedding_.compute()
    assert found.report_["resolved"]["refine_epochs"] == 10
    assert np.array_equal(at[0::2], at[1::2])
    assert len(np.unique(at, axis=0)) == 1500


def test_new_points_are_placed_in_the_refined_map(fitted, reference, table, tmp_path):
    kept = fitted.sample_index_
    assert np.array_equal(fitted.transform(table[kept[:50]]), reference[kept[:50]])
    placed = fitted.transform(table[:300])
    assert np.median(np.linalg.norm(placed - reference[:300], axis=1)) < 0.1 * np.linalg.norm(reference.std(axis=0))
    fitted.save(tmp_path / "map.gtm")
    assert np.array_equal(geotherm.load(tmp_path / "map.gtm").transform(table[:300]), placed)


def test_partitions_meet_where_points_are_within_two_reaches():
    """Tiles against all pairs of points, whatever lies beyond the tiles' edges."""
    rng = np.random.default_rng(2)
    reach = 3.0
    for dimensions in (1, 2, 3):
        for spread in (2.0, 60.0, 3000.0):
            centres = rng.normal(scale=spread, size=(12, dimensions))
            groups = [(c + rng.normal(scale=2, size=(40, dimensions))).T.astype(np.float32) for c in centres]
            low, high = centres.min(axis=0), centres.max(axis=0)
            width = _refine_blocks.tile_width(low, high, reach)
            meet = _refine_blocks.near_partitions([_refine_blocks.tiles_of(g, low, width) for g in groups], dimensions)
            for p, mine in enumerate(groups):
                assert p not in meet[p]
                for q, theirs in enumerate(groups):
                    gap = np.abs(mine[:, :, None] - theirs[:, None, :]).max(axis=0).min()
                    assert q == p or q in meet[p] or gap > 2 * reach
            if spread == 3000.0 and dimensions > 1:
                assert sum(map(len, meet)) < 12 * 11  # not all with all


def test_the_command_line_refines(client, table, unrefined, tmp_path):
    np.save(tmp_path / "x.npy", table)
    options = ["--partition-rows", "900", "--block-rows", "700", "--landmarks", "240", "--model-rows", "1500"]
    done = subprocess.run(
        [sys.executable, "-m", "geotherm.distributed", "embed", "x.npy", "-o", "map.npy", "--seed", "1", "--workers", "1"]
        + ["--balance", "0.02", "--quiet", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(tmp_path / "map.npy"), fit(client, table, balance=0.02).embedding_.compute())
    assert not np.array_equal(np.load(tmp_path / "map.npy"), unrefined)
    bad = subprocess.run(
        [sys.executable, "-m", "geotherm.distributed", "embed", "x.npy", "-o", "map.npy", "--refine", "much", "--workers", "1"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert bad.returncode == 1 and "refine" in bad.stderr


def test_partitions_so_large_that_points_are_numbered_by_place_are_refined(client):
    roll = geotherm.datasets.swiss_roll(n=210_000, noise=0.1, random_state=3)
    large = fit(client, roll.X.astype(np.float32), (70_000, 3), refine=5, partition_rows=130_000, block_rows=70_000)
    resolved = large.report_["resolved"]
    assert resolved["n_partitions"] == 2 and resolved["refine_epochs"] == 5
    assert resolved["refine_kept"] > resolved["refine_kept_before"] + 0.1
