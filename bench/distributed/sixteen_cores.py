"""Strong and weak scaling of a table in blocks on one machine of many cores, beside the plain program: bench/distributed/sixteen_cores.md.

    PYTHONPATH=build/python python bench/distributed/sixteen_cores.py                 1 to 16 workers of one thread
    ... --limit 250                                                                   no cell is begun that would end later than this

Needs the package with its extra `dask`, and build/geotherm. Cells are kept in out/bench-distributed/cells.jsonl by program, those
that fit no more into the limit are left out of the table. `bench/distributed/on_paper.py` holds its predictions against the rows.
"""
import argparse
import concurrent.futures
import datetime
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
from common import ROOT, Cells, cpu_name  # noqa: E402
from compare import mark_of_all, one_run, plain, table_of  # noqa: E402

TEXT = """# Many cores

Written by `bench/distributed/sixteen_cores.py` on {date}: {cpu}, {cores} cores. Swiss roll of width 20, noise .3, 50 columns of float32. Seconds
are wall time of the fit on a cluster that has started, for the program of the whole process; one run each, workers of one thread on one machine. Peak: of the process, or of the largest
worker. Speed: how many times as fast as one worker. Efficiency: of strong scaling, speed by workers; of weak scaling, seconds of one worker by seconds of all, with as many rows each.
Blocks and partitions have 250,000 rows at most, whatever the number of workers, so that the map is the same; where they are fewer than the workers, each has several threads.

"""


def shard(folder, first, count):
    from rolls import block_of

    import numpy as np

    table, at = block_of(first, count)
    np.save(folder / "shards" / f"{first // 250_000:05d}.npy", table)
    return at


def write_all(data, sizes, cores):
    """{rows: folder}: the largest table by all cores, the others are its first shards."""
    import numpy as np
    from rolls import BLOCK

    most, folders = max(sizes), {n: data / str(n) for n in sizes}
    for n in sorted(sizes, reverse=True):
        (folders[n] / "shards").mkdir(parents=True, exist_ok=True)
        truth = folders[n] / "coordinates.npy"
        if truth.exists():
            continue
        if n == most or n % BLOCK:
            with concurrent.futures.ProcessPoolExecutor(cores) as pool:
                parts = [pool.submit(shard, folders[n], first, min(BLOCK, n - first)) for first in range(0, n, BLOCK)]
            np.save(truth, np.concatenate([part.result() for part in parts]))
            continue
        for path in sorted((folders[most] / "shards").glob("*.npy"))[: n // BLOCK]:
            os.link(path, folders[n] / "shards" / path.name)
        np.save(truth, np.load(folders[most] / "coordinates.npy")[:n])
    return folders


def scaling(title, head, rows):
    lines = [f"## {title}", "", head, "|---" * 6 + "|"]
    return "\n".join(lines + rows) + "\n\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 4_000_000], help="of strong scaling")
    parser.add_argument("--rows-of-a-worker", type=int, default=250_000, help="of weak scaling")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds in all")
    parser.add_argument("--data", type=Path, default=ROOT / "out" / "bench-distributed")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "sixteen_cores.md")
    args = parser.parse_args()
    start = time.monotonic()
    most, of_worker = max(args.workers), args.rows_of_a_worker
    weak = [(w * of_worker, w) for w in args.workers]
    folders = write_all(args.data, {*args.rows, *(n for n, _ in weak)}, args.cores)
    print(f"tables after {time.monotonic() - start:.0f} s", flush=True)
    kept, mark, known = Cells(args.data / "cells.jsonl"), mark_of_all(), {}

    def run(n, workers, threads, guess, block=None):
        """workers 0: the program. block: rows of a block and of a partition."""
        name = (f"{workers}x{threads}" if workers else f"plain-{threads}") + (f"-{block}" if block else "")
        key = {"rows": n, "cell": name, "program": mark, "cores": args.cores}
        if (n, name) in known or (not kept.has(key) and time.monotonic() - start + guess > args.limit):
            return
        words = ("blocks", folders[n], "--workers", workers, "--threads", threads)
        if block:
            words += ("--block-rows", block, "--partition-rows", block)
        measure = (lambda: one_run(args.cores, *words)) if workers else (lambda: plain(folders[n], threads))
        known[n, name] = kept.get(key, lambda: {"cores": args.cores, **measure()})
        print(f"{n:,} {name}: {time.monotonic() - start:.0f} s", flush=True)

    # What matters most first; guesses are seconds with the start of the workers.
    first = args.rows[0]
    run(first, 0, args.cores, 10)
    for w in args.workers:
        run(first, w, 1, 40 / min(w, 4) * first / 1e6 + 8)
    for n, w in weak:
        run(n, w, 1, 15 + 5 * n / 1e6)
    for n in args.rows[1:]:
        run(n, 0, args.cores, 20)
    run(first, 1, most, 15)
    run(first, most, 1, 15, first // most)
    for n in args.rows[1:]:
        for w in reversed(args.workers):
            run(n, w, 1, 15 + 30 * n / 1e6 / w)
    write(args, known, weak, first, most)


def write(args, known, weak, first, most):
    def found(n, name):
        cell = known.get((n, name), {"failed": "not measured"})
        return None if "failed" in cell else cell

    text = TEXT.format(date=datetime.date.today(), cpu=cpu_name(), cores=args.cores)
    head = "| workers | rows | seconds | speed | efficiency | landmarks, seconds |"
    for n in args.rows:
        one = found(n, "1x1")
        cells = [(w, found(n, f"{w}x1")) for w in args.workers]
        shown = [f"| {w} | {n:,} | {c['seconds']:.1f} | " + (f"{one['seconds'] / c['seconds']:.2f} | {one['seconds'] / c['seconds'] / w:.2f}" if one else "- | -")
                 + f" | {c['stages_s']['landmarks']:.1f} |" for w, c in cells if c]  # fmt: skip
        if shown:
            text += scaling(f"Strong scaling, {n:,} rows", head, shown)
    one = found(args.rows_of_a_worker, "1x1")
    cells = [(w, n, found(n, f"{w}x1")) for n, w in weak]
    shown = [f"| {w} | {n:,} | {c['seconds']:.1f} | {w * one['seconds'] / c['seconds']:.2f} | {one['seconds'] / c['seconds']:.2f} | {c['stages_s']['landmarks']:.1f} |" for w, n, c in cells if c and one]
    if shown:
        text += scaling(f"Weak scaling, {args.rows_of_a_worker:,} rows a worker", head, shown)
    for n in sorted({n for n, _ in known}):
        rows = []
        for (rows_of, name), cell in known.items():
            if rows_of == n and name.startswith("plain"):
                rows.insert(0, (f"the program, {name.partition('-')[2]} threads", cell))
            elif rows_of == n:
                (w, t), block = map(int, name.partition("-")[0].split("x")), name.partition("-")[2]
                told = f"{w} worker{'s' * (w > 1)} of {t} thread{'s' * (t > 1)}"
                rows.append((told + (f", blocks and partitions of {int(block):,} rows" if block else ""), cell))
        text += table_of(n, rows, None) + "\n"
    args.output.write_text(text)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
