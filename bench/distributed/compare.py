"""A table in blocks on Dask beside the plain program, and beside "fit on a sample, transform the rest": bench/distributed/results.md.

    PYTHONPATH=build/python python bench/distributed/compare.py                one million rows, 1, 2 and 4 workers
    ... --rows 100000 1000000 10000000                                         more of it
    ... --balance 0.5                                                          refined maps as well

Needs the package with its extra `dask`, and build/geotherm. Cells are kept in out/bench-distributed/cells.jsonl by program, so
that a run that was broken off goes on where it stopped.
"""
import argparse
import datetime
import functools
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
from common import ROOT, Cells, cpu_name, last_json, measured, program_mark  # noqa: E402

PROGRAM = str(ROOT / "build" / "geotherm")
# Runs of a second or two: the median of some.
FEW_ROWS, REPEATS = 200_000, 5
TEXT = """# A table in blocks

Written by `bench/distributed/compare.py` on {date}: {cpu}, {cores} cores. Swiss roll of width 20, noise .3, 50 columns of float32. Seconds
are wall time of the fit on a cluster that has started, for the program of the whole process, from shards on disk to the map (workers read the library
during the fit, the client's Python modules are read before it); CPU seconds those of all processes together where
they are known; up to {few:,} rows each is the median of {repeats} runs. Maps are not refined where no balance is named. Peak: of the process, or of the largest worker. Map: correlation of map distances with the truth over 100,000 pairs.
Neighbours kept: share of the 10 nearest on the sheet that are among the 10 nearest in the map, both of 20,000 random rows.

"""


def mark_of_all():
    """The program's and that of the package's part that runs on workers: cells of other sources are not those of these."""
    import hashlib

    import geotherm.distributed

    sources = sorted(Path(geotherm.distributed.__file__).parent.glob("*.py"))
    of_package = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:8]
    return f"{program_mark(PROGRAM)}-{of_package}"


def plain(folder, threads, more=("--refine", "off")):
    from rolls import quality, write_table

    import numpy as np

    table, layout = folder / "table.npy", folder / "plain.npy"
    if not table.exists():
        write_table(table, folder)
    seen = measured([PROGRAM, "embed", str(table), "-o", str(layout), "--seed", "1", *more, "--threads", str(threads)], threads)
    found = quality(np.load(layout), np.load(folder / "coordinates.npy"))
    return {"seconds": seen["wall_s"], "cpu_s": seen["cpu_s"], "worker_peak": seen["peak_mib"] * 2**20, **found}


def one_run(cores, *words):
    seen = measured([sys.executable, str(HERE / "one_run.py"), *map(str, words)], cores)
    return last_json(seen["stdout"])


def measured_in_turn(wanted, folder):
    """{key: the run of median time}: all cells once, then all again, so that what the machine has else to do meets them all."""
    runs = {key: [] for _, key, _ in wanted}
    for _ in range(REPEATS):
        for _, key, measure in wanted:
            runs[key].append(measure(folder))
    made = {}
    for key, of_cell in runs.items():
        of_cell.sort(key=lambda run: run["seconds"])
        made[key] = {**of_cell[len(of_cell) // 2], "runs_s": [run["seconds"] for run in of_cell]}
    return made


def table_of(n, cells, partition_rows):
    firsts = {c[0].partition(", balance")[2]: c[1]["seconds"] for c in cells if c[0].startswith("the program") and "failed" not in c[1]}
    lines = [f"## {n:,} rows" + (f", partitions of {partition_rows:,} at most" if partition_rows else ""), "", "|  | seconds | of the program's | peak, GB | map | neighbours kept | neighbour recall | partitions | halo | load |",
             "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for name, c in cells:
        if "failed" in c:
            lines.append(f"| {name} | failed: {c['failed']} | | | | | | | | |")
            continue
        first = firsts.get(name.partition(", balance")[2])
        ratio = f"{c['seconds'] / first:.2f}" if first else "-"
        more = (f"{c['recall']:.3f} | {c['partitions']:.0f} | {c['halo_share']:.2f}" if "recall" in c else "- | - | -")
        lines.append(f"| {name} | {c['seconds']:.1f} | {ratio} | {c['worker_peak'] / 1e9:.2f} | {c['map_correlation']:.4f} "
                     f"| {c['neighbors_kept']:.3f} | {more} | {c['load']:.0f} |")  # fmt: skip
    stages = [(name, c["stages_s"]) for name, c in cells if "stages_s" in c]
    if stages:
        names = list(dict.fromkeys(name for _, of_run in stages for name in of_run))
        lines += ["", "Seconds by stage:", "", "|  | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
        lines += [f"| {name} | " + " | ".join(f"{s.get(k, 0):.1f}" for k in names) + " |" for name, s in stages]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--single", action="store_true", help="one worker of one thread as well")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--data", type=Path, default=ROOT / "out" / "bench-distributed")
    parser.add_argument("--balance", type=float, nargs="*", default=[], help="refined maps as well")
    parser.add_argument("--partition-rows", type=int, help="rows of a partition; by default the package's choice")
    parser.add_argument("--only", nargs="+", help="cells to measure anew or at all: plain, sample, 1x2, 2x1, ...")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results.md")
    args = parser.parse_args()
    from rolls import write_shards

    kept = Cells(args.data / "cells.jsonl")
    mark = mark_of_all()
    text = TEXT.format(date=datetime.date.today(), cpu=cpu_name(), cores=args.cores, few=FEW_ROWS, repeats=REPEATS)
    for n in args.rows:
        partition_rows = args.partition_rows
        folder = write_shards(args.data / str(n), n)
        wanted = []
        for balance in [None, *args.balance]:
            told, key = (f", balance {balance:g}", f"-balance{balance:g}") if balance is not None else ("", "")
            more = ("--balance", str(balance)) if balance is not None else ("--refine", "off")
            wanted.append((f"the program, 2 threads{told}", f"plain{key}", lambda f, m=more: plain(f, args.cores, m)))
            shapes = [(workers, max(1, args.cores // workers)) for workers in args.workers]
            for workers, threads in shapes + ([(1, 1)] if args.single and balance is None else []):
                words = ("blocks", "--workers", workers, "--threads", threads)
                if partition_rows:
                    words += ("--partition-rows", partition_rows)
                if balance is not None:
                    words += more
                wanted.append((f"{workers} worker{'s' * (workers > 1)} of {threads} thread{'s' * (threads > 1)}{told}",
                               f"{workers}x{threads}{key}", lambda f, w=words: one_run(args.cores, w[0], f, *w[1:])))  # fmt: skip
        wanted.append(("50,000 sampled rows by HeatGeo, the rest by transform", "sample",
                       lambda f: one_run(args.cores, "sample", f, "--threads", args.cores)))  # fmt: skip
        full = {key: {"rows": n, "cell": key, "program": mark, "partition_rows": partition_rows} for _, key, _ in wanted}
        wanted = [w for w in wanted if not args.only or w[1] in args.only or kept.has(full[w[1]])]
        few = n <= FEW_ROWS
        seen = measured_in_turn([w for w in wanted if not kept.has(full[w[1]])], folder) if few else {}
        cells = []
        for name, key, measure in wanted:
            found = functools.partial(seen.__getitem__, key) if few else functools.partial(measure, folder)
            cells.append((name, kept.get(full[key], lambda found=found: {"cores": args.cores, **found()})))
        text += table_of(n, cells, partition_rows) + "\n"
    args.output.write_text(text)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
