"""--checkpoint: a run that was killed or stopped goes on with the same command, to the same bytes."""

import os
import random
import signal
import subprocess
import time

import numpy as np
import pytest

from conftest import PROGRAM

IS_LONG = os.environ.get("GEOTHERM_SLOW_TESTS") == "1"
N_KILLS = 100 if IS_LONG else 8

RUNS = {
    "heatgeo": (),
    "sgd": ("--mds", "sgd", "--max-iterations", 60),
    "landmarks": ("--landmarks", 150),
    "phate": ("--method", "phate"),
    "tsne": ("--method", "tsne", "--max-iterations", 300),
    "umap": ("--method", "umap"),
}


@pytest.fixture
def table(geotherm):
    rng = np.random.default_rng(1)
    np.save(geotherm.dir / "in.npy", rng.normal(size=(600, 6)))
    return geotherm


def command(kind, output="out.npy", every=0.03):
    """By default states are kept often enough for most lives to leave one, without waiting for the disk at every sweep."""
    return (
        "embed", "in.npy", "-o", output, *RUNS[kind],
        "--checkpoint", "kept", "--checkpoint-every", every,
    )  # fmt: skip


def start(folder, *args):
    return subprocess.Popen(
        [PROGRAM, *map(str, args)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def uninterrupted(table, kind):
    """The bytes of the map without --checkpoint, and how long a run with it takes."""
    table("embed", "in.npy", "-o", "plain.npy", *RUNS[kind])
    begin = time.monotonic()
    table(*command(kind))
    took = time.monotonic() - begin
    whole = (table.dir / "plain.npy").read_bytes()
    assert (table.dir / "out.npy").read_bytes() == whole
    (table.dir / "out.npy").unlink()
    return whole, took


def test_killed_at_random_moments_it_finishes_with_the_same_bytes(table):
    folder = table.dir
    chance = random.Random(7)
    known = {}
    n_kills = n_finished = n_resumed = 0
    while n_kills < N_KILLS:
        kind = list(RUNS)[n_finished % len(RUNS)]
        if kind not in known:
            known[kind] = uninterrupted(table, kind)
        whole, took = known[kind]
        while True:
            run = start(folder, *command(kind))
            try:
                # Lives of up to a run's length; the last one may live as long as it wants.
                limit = chance.uniform(0.02, took) if n_kills < N_KILLS else 300
                _, message = run.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                run.kill()
                _, message = run.communicate()
            n_resumed += "resuming an earlier run" in message
            assert run.returncode in (0, -signal.SIGKILL), message
            # Written before it was killed: whole.
            if (folder / "out.npy").exists():
                assert (folder / "out.npy").read_bytes() == whole, kind
            if run.returncode == 0:
                break
            n_kills += 1
        assert (folder / "out.npy").read_bytes() == whole, kind
        assert not (folder / "kept").exists()
        (folder / "out.npy").unlink()
        n_finished += 1
    assert n_resumed > 0
    print(f"{n_kills} kills, {n_resumed} lives that went on, {n_finished} runs finished, same bytes")


@pytest.mark.parametrize("kind", RUNS)
def test_interrupted_it_goes_on_to_the_same_bytes(table, kind):
    whole, took = uninterrupted(table, kind)
    for share in (0.3, 0.5, 0.8) if IS_LONG else (0.5,):
        run = start(table.dir, *command(kind))
        time.sleep(share * took)
        run.send_signal(signal.SIGINT)
        _, message = run.communicate(timeout=120)
        assert run.returncode in (130, 0, -signal.SIGINT), message
        if "the same command resumes from there" in message:
            assert list((table.dir / "kept").glob("*.state"))
        elif "the same command begins anew" in message:
            assert not (table.dir / "kept").exists()
        done = table(*command(kind), "--threads", 3)
        if "the same command resumes from there" in message:
            assert "resuming an earlier run" in done.stderr
        assert (table.dir / "out.npy").read_bytes() == whole, (kind, share, message)
        assert not (table.dir / "kept").exists()


def test_stopped_before_a_state_was_due_it_says_that_nothing_is_kept(table):
    _, took = uninterrupted(table, "tsne")
    run = start(table.dir, *command("tsne", every=3600))
    time.sleep(0.5 * took)
    run.send_signal(signal.SIGINT)
    _, message = run.communicate(timeout=120)
    # Stopped in its layout it keeps the state at once; before it and after it there is none.
    assert ("resumes from there" in message) == bool(list(table.dir.glob("kept/*.state"))), message


def stopped_run(table, kind="sgd"):
    """A checkpoint of a run that was ended before its map was written."""
    # The output cannot be written, so everything is done and kept but nothing is finished.
    done = table(*command(kind, "n" * 300 + ".npy", every=0), code=1)
    assert "nnnn" in done.stderr
    assert (table.dir / "kept" / "layout.state").exists()


def test_another_run_is_refused_and_what_was_kept_stays(table):
    stopped_run(table)
    before = {p.name: p.read_bytes() for p in (table.dir / "kept").iterdir()}
    done = table(*command("sgd"), "--knn", 12, code=2)
    assert "another run" in done.stderr and "knn was auto and is 12" in done.stderr
    done = table(*command("sgd"), "--seed", 3, code=2)
    assert "seed was 0 and is 3" in done.stderr
    np.save(table.dir / "in.npy", np.load(table.dir / "in.npy") + 1)
    done = table(*command("sgd"), code=2)
    assert "input was 600 rows of points" in done.stderr
    assert {p.name: p.read_bytes() for p in (table.dir / "kept").iterdir()} == before


def test_a_damaged_state_is_done_again_with_a_warning(table):
    whole, _ = uninterrupted(table, "sgd")
    stopped_run(table)
    for file in sorted((table.dir / "kept").glob("*.state")):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    done = table(*command("sgd"))
    assert "is not used, its stage is done again: it is damaged" in done.stderr
    assert (table.dir / "out.npy").read_bytes() == whole


def test_a_folder_with_other_files_is_left_alone(table):
    (table.dir / "kept").mkdir()
    (table.dir / "kept" / "notes.txt").write_text("mine")
    done = table(*command("sgd"), code=2)
    assert "holds other files" in done.stderr
    assert [p.name for p in (table.dir / "kept").iterdir()] == ["notes.txt"]
    (table.dir / "file").write_text("")
    done = table("embed", "in.npy", "-o", "out.npy", "--checkpoint", "file", code=1)
    assert "file" in done.stderr and "folder" in done.stderr


def test_warnings_of_stages_that_were_not_done_again_are_in_the_manifest(table):
    rng = np.random.default_rng(2)
    two = np.r_[rng.normal(size=(100, 3)), rng.normal(size=(100, 3)) + 1000]
    np.save(table.dir / "in.npy", two)
    stopped_run(table)
    done = table(*command("sgd"), "--json")
    assert "resuming an earlier run" in done.stderr
    assert "2 components" in done.stderr and "2 components" in done.stdout
