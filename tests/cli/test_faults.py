"""The world fails: full disks, closed folders, signals, too little memory. A message, the right code, and no half-written file."""

import os
import resource
import signal
import subprocess
import time

import numpy as np
import pytest

from conftest import PROGRAM


def start(folder, *args, **options):
    return subprocess.Popen(
        [PROGRAM, *map(str, args)],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def leftovers(folder):
    return [p.name for p in folder.iterdir() if p.name.startswith(".geotherm")]


@pytest.fixture
def table(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    return geotherm


@pytest.fixture
def long_table(geotherm):
    """Enough points for every stage to take a while."""
    rng = np.random.default_rng(1)
    np.save(geotherm.dir / "in.npy", rng.normal(size=(900, 12)))
    return geotherm


OUTPUTS = {
    "map": ("out.csv", ()),
    "npy": ("out.npy", ()),
    "plot": ("map.csv", ("--plot", "out.svg")),
    "manifest": ("map.csv", ("--manifest", "out.json")),
    "model": ("map.csv", ("--model", "out.gtm")),
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_full_disk_is_a_message(table, kind):
    output, options = OUTPUTS[kind]
    target = output if not options else options[-1]
    (table.dir / target).symlink_to("/dev/full")
    done = table("embed", "in.npy", "-o", output, *options, code=1)
    assert target in done.stderr and "No space left" in done.stderr
    assert leftovers(table.dir) == []


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_file_size_limit_is_a_message_and_the_old_file_stays(table, kind):
    output, options = OUTPUTS[kind]
    target = output if not options else options[-1]
    (table.dir / target).write_text("as it was")
    done = start(
        table.dir, "embed", "in.npy", "-o", output, *options,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
    )  # fmt: skip
    _, message = done.communicate(timeout=60)
    assert done.returncode == 1, message
    assert "cannot be written" in message and "too large" in message
    # What comes first may have been small enough; the one that was too large is as before.
    assert (table.dir / target).read_text() == "as it was" or kind != "map"
    assert leftovers(table.dir) == []


def test_a_folder_that_takes_no_files(table):
    done = table("embed", "in.npy", "-o", "/proc/out.csv", code=1)
    assert "/proc/out.csv" in done.stderr and "does not accept new files" in done.stderr
    done = table("embed", "in.npy", "-o", "nowhere/out.csv", code=1)
    assert "nowhere" in done.stderr


def test_a_read_only_folder(as_a_user, points):
    np.save(as_a_user.dir / "in.npy", points)
    closed = as_a_user.dir / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    done = as_a_user("embed", "in.npy", "-o", "closed/out.csv", code=1)
    assert "closed" in done.stderr and "may not be written to" in done.stderr
    assert list(closed.iterdir()) == []


@pytest.mark.parametrize(
    "which, method", [(signal.SIGINT, "heatgeo"), (signal.SIGTERM, "phate"), (signal.SIGTERM, "umap")]
)
def test_a_signal_at_any_moment_leaves_whole_files_or_none(long_table, which, method):
    folder = long_table.dir
    begin = time.monotonic()
    args = ("embed", "in.npy", "-o", "out.npy", "--manifest", "run.json", "--method", method)
    long_table(*args)
    whole = time.monotonic() - begin
    full = (folder / "out.npy").read_bytes()
    for share in (0.03, 0.3, 0.6, 0.9):
        (folder / "out.npy").unlink(missing_ok=True)
        run = start(folder, *args)
        time.sleep(share * whole)
        run.send_signal(which)
        _, message = run.communicate(timeout=120)
        # Before the program listens the signal ends it; after it has finished it is too late.
        assert run.returncode in (130, 0, -which), (share, run.returncode, message)
        assert leftovers(folder) == []
        if (folder / "out.npy").exists():
            assert len((folder / "out.npy").read_bytes()) == len(full)
            assert np.isfinite(np.load(folder / "out.npy")).all()
        else:
            assert run.returncode != 0
        if run.returncode == 0:
            assert (folder / "out.npy").read_bytes() == full


@pytest.fixture
def endless_cells(geotherm):
    """A text that ends, by its length, where the heap of texts is empty: HDF5 1.10.8 goes on from there by 0 bytes."""
    h5py = pytest.importorskip("h5py")
    path = geotherm.dir / "endless.h5ad"
    with h5py.File(path, "w") as file:
        file["X"] = np.random.default_rng(0).normal(size=(30, 4))
        file.create_group("obs").attrs["_index"] = "name"
        file["obs/name"] = np.arange(30)
    content = bytearray(path.read_bytes())
    length = content.index(b"GCOL") + 24
    content[length : length + 8] = (0x800).to_bytes(8, "little")
    path.write_bytes(content)
    return geotherm


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_reader_that_knows_of_no_stop(endless_cells, which):
    run = start(endless_cells.dir, "embed", "endless.h5ad", "-o", "out.npy")
    time.sleep(1)
    if run.poll() is None:
        run.send_signal(which)
    try:
        _, message = run.communicate(timeout=20)
    finally:
        run.kill()
    # Another HDF5 may refuse the file by itself.
    assert (run.returncode, message) == (130, "geotherm: stopped while reading\n") or run.returncode == 1, message
    assert not (endless_cells.dir / "out.npy").exists()


# Below about 75 MB the loader cannot map the libraries: its message, not ours.
@pytest.mark.parametrize("megabytes", [80, 150, 250, 400, 700])
@pytest.mark.parametrize("options", [(), ("--method", "phate"), ("--kernel", "exact"), ("--method", "tsne")])
def test_too_little_memory_is_a_message(long_table, megabytes, options):
    limit = megabytes << 20
    # As a user has it: with OpenBLAS free to start its threads.
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    run = start(
        long_table.dir, "embed", "in.npy", "-o", "out.npy", "--threads", 2, *options, "--max-iterations", 3,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), env=env,
    )  # fmt: skip
    _, message = run.communicate(timeout=120)
    assert run.returncode in (0, 1), (run.returncode, message)
    if run.returncode == 1:
        assert "memory" in message or "Resource temporarily unavailable" in message, message
        assert not (long_table.dir / "out.npy").exists()
    else:
        assert np.isfinite(np.load(long_table.dir / "out.npy")).all()
    assert leftovers(long_table.dir) == []


def test_a_limit_on_memory_changes_no_bit(table):
    table("embed", "in.npy", "-o", "free.npy")
    limit = 2 << 30
    run = start(
        table.dir, "embed", "in.npy", "-o", "limited.npy",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    _, message = run.communicate(timeout=120)
    assert run.returncode == 0, message
    assert (table.dir / "free.npy").read_bytes() == (table.dir / "limited.npy").read_bytes()
