"""One to ten million points on one machine: time, memory beyond the table, the estimate, and how true: bench/scale/millions.md.

    .deps/python/bin/python bench/scale/millions.py                     the roll and the tree of a million
    ... --rows roll10m --limit 600                                      ten million, ended after ten minutes
    ... --refine                                                        the refined map beside it
    ... --rows roll1m --threads 1 2 4 8 16 --no-distances               strong scaling
    ... --cells other.jsonl                                             no run: cells of another machine come into the table

The roll is written block by block (bench/distributed/rolls.py), the tree of a million comes from `geotherm synth`, that of ten million
is made in the same way branch by branch; both are stored as float32. Finished cells are kept in out/bench-millions/cells.jsonl by program, machine and options.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "distributed"))
from common import ROOT, Cells, cpu_name, measured, program_mark  # noqa: E402

MOST_SYNTHESIZED = 1_000_000
UNREFINED = ["--refine", "off"]
ROLL, TREE = "Swiss roll of width 20, noise .3", "tree of 20 branches, noise .3"
ROWS = {"roll1m": (ROLL, 1_000_000), "tree1m": (TREE, 1_000_000), "roll4m": (ROLL, 4_000_000),
        "roll10m": (ROLL, 10_000_000), "tree10m": (TREE, 10_000_000)}  # fmt: skip


def roll(folder, n, program):
    """table.npy, pairs.npy (row numbers) and truth.npy of 100,000 pairs."""
    import numpy as np
    from rolls import BLOCK, COLUMNS, block_of

    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "truth.npy").exists():
        return
    out = np.lib.format.open_memmap(folder / "table.npy", mode="w+", dtype=np.float32, shape=(n, COLUMNS))
    at = np.empty((n, 2), dtype=np.float32)
    for first in range(0, n, BLOCK):
        table, coordinates = block_of(first, min(BLOCK, n - first))
        out[first : first + len(table)] = table
        at[first : first + len(table)] = coordinates
    out.flush()
    pairs = np.random.default_rng(7).integers(0, n, (100_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    np.save(folder / "pairs.npy", pairs)
    np.save(folder / "truth.npy", np.linalg.norm(at[pairs[:, 0]] - at[pairs[:, 1]], axis=1))


def tree(folder, n, program):
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "truth.npy").exists():
        return
    (synthesized if n <= MOST_SYNTHESIZED else walked)(folder, n, program)


def synthesized(folder, n, program):
    import numpy as np

    archive = folder / "tree.npz"
    subprocess.run([program, "synth", "tree", "--branches", "20", "--noise", "0.3", "--dim", "50", "--n", str(n),
                    "--pairs", "100000", "--seed", "1", "--quiet", "-o", str(archive)], check=True)  # fmt: skip
    with np.load(archive) as arrays:
        np.save(folder / "table.npy", arrays["X"].astype(np.float32))
        np.save(folder / "pairs.npy", arrays["pairs"])
        np.save(folder / "truth.npy", arrays["pair_geodesic"])
    archive.unlink()


def walked(folder, n, program):
    """The tree of `synth`, which holds all of it several times, branch by branch: random walks in steps that are uniform on [-1, 1]
    in every coordinate, all but the first from a random point of the first. Truth: steps from point to point."""
    import numpy as np

    n_branches, columns = 20, 50
    length = n // n_branches
    out = np.lib.format.open_memmap(folder / "table.npy", mode="w+", dtype=np.float32, shape=(n_branches * length, columns))
    joints = np.random.default_rng([1, 0]).integers(0, length, n_branches)
    for branch, joint in enumerate(joints):
        rng = np.random.default_rng([1, 1, branch])
        at = rng.uniform(-1, 1, (length, columns)).cumsum(axis=0)
        if branch == 0:
            starts = at[joints].copy()
        else:
            at += starts[branch]
        rows = out[branch * length : (branch + 1) * length]
        rows[:] = at
        rows += np.float32(0.3) * rng.standard_normal(rows.shape, dtype=np.float32)
    out.flush()
    pairs = np.random.default_rng(7).integers(0, n_branches * length, (100_000, 2))
    branch, step = np.divmod(pairs, length)
    # From a branch to the first, along it, and out again. A branch begins one step from its joint; the first leads to itself.
    on_first = np.where(branch == 0, step, joints[branch])
    aside = np.where(branch == 0, 0, step + 1).sum(axis=1)
    apart = np.abs(np.diff(on_first, axis=1)[:, 0]) + aside
    same = branch[:, 0] == branch[:, 1]
    np.save(folder / "pairs.npy", pairs)
    np.save(folder / "truth.npy", np.where(same, np.abs(np.diff(step, axis=1)[:, 0]), apart).astype(float))


def bytes_in_words(words):
    found = re.search(r"about ([0-9.]+) (MB|GB) of memory", words)
    return float(found[1]) * {"MB": 1e6, "GB": 1e9}[found[2]]


def cell(folder, args, threads_used, more):
    import numpy as np

    table, layout, distances = (str(folder / name) for name in ("table.npy", "map.npy", "distances.npy"))
    threads = ["--threads", str(threads_used), "--quiet", *more]
    told = subprocess.run([args.program, "embed", table, "--estimate", *threads], capture_output=True, text=True, check=True).stdout
    seen = measured([args.program, "embed", table, "-o", layout, "--manifest", str(folder / "run.json"), *threads], threads_used, args.limit)
    pairs, truth, at = np.load(folder / "pairs.npy"), np.load(folder / "truth.npy"), np.load(layout, mmap_mode="r")
    found = np.linalg.norm(at[pairs[:, 0]] - at[pairs[:, 1]], axis=1)
    made = {
        "machine": f"{cpu_name()}, {os.cpu_count()} cores", "wall_s": seen["wall_s"], "cpu_s": seen["cpu_s"], "peak": seen["peak_mib"] * 2**20, "table": os.path.getsize(table),
        "estimate": bytes_in_words(told), "map_correlation": float(np.corrcoef(found, truth)[0, 1]),
        "timings_s": json.loads((folder / "run.json").read_text())["timings_s"],
    }  # fmt: skip
    if args.distances and more == UNREFINED:  # refinement moves the map alone
        measured([args.program, "distances", table, "-o", distances, "--pairs", str(folder / "pairs.npy"), *threads[:3]], threads_used, args.limit)
        made["distance_correlation"] = float(np.corrcoef(np.load(distances)[:, 2], truth)[0, 1])
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=["roll1m", "tree1m"])
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--program", default=str(ROOT / "build" / "geotherm"))
    parser.add_argument("--limit", type=float, help="seconds after which a run is ended")
    parser.add_argument("--refine", action="store_true")
    parser.add_argument("--no-distances", dest="distances", action="store_false")
    parser.add_argument("--data", type=Path, default=ROOT / "out" / "bench-millions")
    parser.add_argument("--cells", type=Path, nargs="+", default=[], help="files of cells that come into the table; nothing is run")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "millions.md")
    args = parser.parse_args()
    kept = Cells(args.data / "cells.jsonl")
    for name in args.rows if not args.cells else []:
        folder, mark = args.data / name, program_mark(args.program)
        (roll if name.startswith("roll") else tree)(folder, ROWS[name][1], args.program)
        for threads in args.threads:
            for more in [UNREFINED] + ([["--balance", "0.5"]] if args.refine else []):
                key = {"row": name, "more": more, "program": mark, "threads": threads, "cores": os.cpu_count()}
                kept.get(key, lambda: cell(folder, args, threads, more))
    for path in args.cells:
        for line in path.read_text().splitlines():
            other = json.loads(line)
            kept.known[json.dumps(other["key"], sort_keys=True)] = other
    latest = {}
    for c in kept.known.values():
        if "failed" not in c:
            latest[c["key"]["row"], tuple(c["key"]["more"]), c["machine"], c["key"]["threads"]] = c
    machines = sorted({c["machine"] for c in latest.values()})
    letters = {machine: chr(ord("A") + k) for k, machine in enumerate(machines)}
    lines = ["# One to ten million points on one machine", "",
             f"Written by `bench/scale/millions.py` on {datetime.date.today()}. Machines: {'; '.join(f'{letters[m]} is {m}' for m in machines)}. "
             "50 columns of float32 from a `.npy` file to the map; the whole process. Beyond the table: peak memory less the size of the table. "
             "Correlations with the truth over 100,000 pairs; distances are those of the unrefined run, as refinement moves the map alone. Trees are random walks in steps that are uniform on [-1, 1], 20 branches; at ten million truth is the number of steps between two points. Build: the first digits of the checksum of the program; rows of different builds are not one comparison. Load: that of the machine as the run began.", "",
             "|  | points | build | machine, threads | seconds | CPU s | peak, GB | beyond the table, GB | bytes a point beyond it | estimate, GB | estimate / peak | map | distances | load |",
             "|---" * 14 + "|"]  # fmt: skip
    order = sorted(latest.items(), key=lambda item: (ROWS[item[0][0]][1], item[0]))
    for (name, more, machine, threads), c in order:
        words, n = ROWS[name]
        beyond = c["peak"] - c["table"]
        unrefined = latest.get((name, tuple(UNREFINED), machine, threads), c)
        distances = f"{unrefined['distance_correlation']:.4f}" if "distance_correlation" in unrefined else "not measured"
        lines.append(f"| {words}, {' '.join(more)} | {n:,} | {c['key']['program'][:6]} | {letters[machine]}, {threads} | {c['wall_s']:.1f} | {c['cpu_s']:.1f} | {c['peak'] / 1e9:.2f} | {beyond / 1e9:.2f} | {beyond / n:.0f} "
                     f"| {c['estimate'] / 1e9:.2f} | {c['estimate'] / c['peak']:.2f} | {c['map_correlation']:.4f} | {distances} | {c['load']:.0f} |")  # fmt: skip
    lines += ["", "Seconds by stage:", ""]
    for (name, more, machine, threads), c in order:
        lines.append(f"- {name} {' '.join(more)}, {letters[machine]}, {threads} threads: " + ", ".join(f"{k} {v:.1f}" for k, v in c["timings_s"].items() if v >= 0.05))
    args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
