#!/usr/bin/env python3
"""Readers and single-cell steps beside the tools that own the formats, in one run on one core: numpy, pandas,
h5py, scipy, scanpy. Writes bench/io/results.md.

    bench/peers.sh io && cmake --build build --target bench_io_read geotherm_cli
    GEOTHERM_DATA=<folder> .deps/peers/io/bin/python bench/io/compare.py [--megabytes 1000] [--rounds 3]

Times are seconds of CPU, the best of the rounds, rounds of both sides in turn, two calls in a fresh process each:
on a shared machine the wall clock says little. Files lie in the page cache, as they do for whoever just wrote or downloaded them.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
from common import hold_threads  # noqa: E402

hold_threads(1)
import numpy as np  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/reference"))
PROGRAM = ROOT / "build" / "bench_io_read"


def ours(what, path, *use, rounds=2):
    done = subprocess.run([PROGRAM, what, path, str(rounds), *use], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["cpu_s"]


def timed(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def theirs(work, rounds=2):
    """As ours() has it: in a process of its own, the best of as many rounds, so that neither side finds memory that
    an earlier measurement left warm, and neither pays for the start of its libraries."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(sink, json.dumps(min(timed(work) for _ in range(rounds))).encode())
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as said:
        answer = said.read()
    os.waitpid(child, 0)
    if not answer:
        sys.exit("a peer ended without an answer; what it said is above")
    return json.loads(answer)


def in_turns(rounds, *works):
    """The best of each, taken in turns so that a busy machine is busy for all."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for i, work in enumerate(works):
            best[i] = min(best[i], work())
    return best


def write_csv(path, megabytes, digits):
    rng = np.random.default_rng(1)
    block = rng.normal(size=(2000, 100))
    show = repr if digits == "all" else (lambda value: f"{value:.6f}")
    lines = "".join(",".join(show(v) for v in row) + "\n" for row in block.tolist())
    with open(path, "w") as file:
        file.write(",".join(f"x{j}" for j in range(100)) + "\n")
        for _ in range(max(1, round(megabytes * 1e6 / len(lines)))):
            file.write(lines)


def reading(folder, data, options):
    """Rows of the table: what, size in MB, ours, the peer's name, the peer's."""
    import h5py
    import pandas as pd
    import scipy.io
    import scipy.sparse as sp

    rows = []

    def add(what, path, peer, work, *use):
        size = sum(f.stat().st_size for f in path.iterdir()) if path.is_dir() else path.stat().st_size
        mine, other = in_turns(options.rounds, lambda: ours("read", path, *use), lambda: theirs(work))
        rows.append((what, size / 1e6, mine, peer, other))
        print(rows[-1], flush=True)

    for digits, what in (("6", "CSV, 6 decimals"), ("all", "CSV, 17 digits")):
        path = folder / f"{digits}.csv"
        write_csv(path, options.megabytes, digits)
        add(what, path, "pandas.read_csv", lambda path=path: pd.read_csv(path, engine="c"))
        path.unlink()

    table = np.random.default_rng(2).normal(size=(max(1, options.megabytes * 1250), 100))
    np.save(folder / "a.npy", table)
    np.savez(folder / "a.npz", X=table)
    np.savez_compressed(folder / "packed.npz", X=np.round(table[: len(table) // 4], 2))
    del table
    add(".npy, float64", folder / "a.npy", "numpy.load", lambda: np.load(folder / "a.npy"))
    add(".npz, stored", folder / "a.npz", "numpy.load", lambda: np.load(folder / "a.npz")["X"])
    add(".npz, deflated", folder / "packed.npz", "numpy.load", lambda: np.load(folder / "packed.npz")["X"])

    counts = sp.random(40000, 2000, density=0.08, random_state=3, format="csr", dtype=np.float32)
    counts.data = np.ceil(counts.data * 5)

    def write_h5(name, **kind):
        with h5py.File(folder / name, "w") as file:
            file.create_group("obs")
            group = file.create_group("X")
            group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": counts.shape})
            for key in ("data", "indices", "indptr"):
                group.create_dataset(key, data=getattr(counts, key), **kind)

    def read_h5(name):
        with h5py.File(folder / name) as file:
            group = file["X"]
            return sp.csr_matrix((group["data"][:], group["indices"][:], group["indptr"][:]), shape=counts.shape)

    def read_checked(name):
        """What our reader hands out: doubles, every index checked."""
        matrix = read_h5(name).astype(np.float64)
        matrix.check_format(full_check=True)

    for name, kind, what in (("plain.h5ad", {}, ".h5ad sparse"), ("packed.h5ad", {"compression": "gzip"}, ".h5ad sparse, gzip")):
        write_h5(name, **kind)
        add(what, folder / name, "h5py + scipy, float32", lambda name=name: read_h5(name), "X")
        add(what, folder / name, "the same to float64, checked", lambda name=name: read_checked(name), "X")
    if data:
        tenx = pathlib.Path(data) / "pbmc3k_10x"
        add("10x folder (PBMC 3k)", tenx, "scipy.io.mmread", lambda: scipy.io.mmread(tenx / "matrix.mtx.gz").T.tocsr())
    return rows


def whole_processes(data, rounds):
    """Raw counts to 50 components, start of the process and reading included."""
    script = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import make_single_cell_values as m; "
        "m.standard_steps(m.counts_of(pathlib.Path(sys.argv[2])))"
    )
    tenx = pathlib.Path(data) / "pbmc3k_10x"

    def cpu_of(command):
        before = os.times()
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        return after.children_user - before.children_user + after.children_system - before.children_system

    with tempfile.TemporaryDirectory() as folder:
        program = [ROOT / "build/geotherm", "embed", tenx, "--preprocess", "single-cell", "--method", "pca"]
        program += ["--n-components", "50", "--threads", "1", "-o", f"{folder}/a.npy"]
        peer = [sys.executable, "-c", script, ROOT / "tests/reference", tenx]
        return in_turns(rounds, lambda: cpu_of(program), lambda: cpu_of(peer))


def steps(data, rounds):
    """The steps alone: counts in memory to components in memory, on both sides after a first go that is not counted."""
    import warnings

    import make_single_cell_values as reference

    warnings.filterwarnings("ignore")
    tenx = pathlib.Path(data) / "pbmc3k_10x"
    cells = reference.counts_of(tenx)
    reference.standard_steps(cells.copy())  # numba compiles on the first call
    return in_turns(
        rounds,
        lambda: ours("preprocess", tenx),
        # Not in a process forked off: OpenMP, which it uses, does not outlive a fork.
        lambda: timed(lambda mine=cells.copy(): reference.standard_steps(mine)),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=1000, help="size of the made CSV and .npy files")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="files of 100 MB")
    options = parser.parse_args()
    options.megabytes = 100 if options.quick else options.megabytes
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    data = os.environ.get("GEOTHERM_DATA", "")
    with tempfile.TemporaryDirectory() as folder:
        rows = reading(pathlib.Path(folder), data, options)
    lines = [
        "# Reading, and raw counts to components",
        "",
        "Written by `bench/io/compare.py`; do not edit. Seconds of CPU on one core, the best of "
        f"{options.rounds} rounds, both sides in turn, two calls a round in a process of its own; files in the page cache.",
        "",
        "| file | MB | geotherm (s) | MB/s | peer | peer (s) | peer / geotherm |",
        "|---|---|---|---|---|---|---|",
    ]
    for what, size, mine, peer, other in rows:
        lines.append(f"| {what} | {size:.0f} | {mine:.3f} | {size / mine:.0f} | {peer} | {other:.3f} | {other / mine:.1f} |")
    if data:
        lines += [
            "",
            "PBMC 3k, 2,700 cells x 32,738 genes to 50 components (filter, normalise, log, variable genes, scale, PCA):",
            "",
            "| | geotherm (s) | scanpy (s) | scanpy / geotherm |",
            "|---|---|---|---|",
        ]
        for what, (mine, other) in (
            ("the steps alone, in memory", steps(data, options.rounds)),
            ("the whole process: start, read, steps, write", whole_processes(data, options.rounds)),
        ):
            lines.append(f"| {what} | {mine:.3f} | {other:.3f} | {other / mine:.1f} |")
    (HERE / "results.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
