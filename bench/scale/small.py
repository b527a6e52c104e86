"""Ordinary table sizes, 1,000 to 50,000 points: time and stress of our defaults beside umap-learn and phate.

    bench/peers.sh methods                         once
    .deps/python/bin/python bench/scale/small.py   bench/scale/small.md
    ... --sizes 1000,2000 --only peers --limit 250  parts of it; finished cells are kept in out/bench-scale/small.jsonl

Digits of MNIST where GEOTHERM_DATA has them, else a Swiss roll in 50 dimensions. A peer's time is that of its call alone,
without imports and compilation; ours is the whole process, files included: the median of three runs (peers on more
than 10,000 points: one run). Stress is
min over scales of sum (d - s |y_i - y_j|)^2 / sum d^2 over all pairs of the heat-geodesic distances d, without
refinement, and that of the map laid out from all pairs beside it. Of more than 10,000 points, over the pairs of 300 random
points with all, and beside the map of 1,500 pivots on all points in place of all pairs.
"""
import argparse
import datetime
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import (ROOT, Cells, cpu_name, last_json, measured, peer_python, program_mark,  # noqa: E402
                    refuse_if_missing)

SIZES = (1000, 2000, 5000, 10000, 20000, 30000, 50000)
PEERS = ("umap-learn", "phate")
MOST_PAIRS = 10000  # points up to which all pairs are measured
MOST_SAMPLED = 30000  # and pairs of some points with all
STRESS = """
import sys, json, numpy as np
d = np.load(sys.argv[1], mmap_mode='r'); found = {}
rows = np.arange(len(d))
if d.shape[0] != d.shape[1]: d, rows = d.T, np.load(sys.argv[1] + '.rows.npy')  # a column each
for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
    y = np.load(path).astype(float); dd = dy = yy = 0.0
    for b in range(0, len(rows), 500):
        e = np.sqrt(np.maximum(0, ((y[rows[b:b+500], None] - y[None]) ** 2).sum(-1))); t = np.asarray(d[b:b+500], float)
        dd += (t * t).sum(); dy += (t * e).sum(); yy += (e * e).sum()
    found[name] = 1 - dy * dy / (dd * yy)
print(json.dumps(found))
"""


class Sizes:
    def __init__(self, args, folder):
        self.args, self.folder, self.start = args, Path(folder), time.monotonic()
        self.cells = Cells(Path(args.cells))
        self.threads = ["--threads", str(args.threads), "--quiet"]

    def path(self, name):
        return str(self.folder / name)

    def points(self, n):
        """Random rows of the digits, or a roll."""
        path, archive = self.path(f"points-{n}.npy"), Path(os.environ.get("GEOTHERM_DATA", "")) / "mnist_70k_pca50.npz"
        if archive.exists():
            cut = (f"import numpy as np; x = np.load({str(archive)!r})['X_pca'].astype(np.float32); "
                   f"np.save({path!r}, x[np.random.RandomState(0).permutation(len(x))[:{n}]])")
        else:
            roll = self.path("roll.npz")
            measured([self.args.geotherm, "synth", "swiss-roll", "--dim", "50", "--n", str(n), "--noise", ".5", "-o", roll, "--quiet"], 1)
            cut = f"import numpy as np; np.save({path!r}, np.load({roll!r})['X'].astype(np.float32))"
        measured([self.args.peer, "-c", cut], 1)
        return path

    def ours(self, points, more):
        runs = [measured([self.args.geotherm, "embed", points, "-o", self.path("map.npy"), *self.threads, *more], self.args.threads)
                for _ in range(3)]  # fmt: skip
        return {"seconds": statistics.median(run["wall_s"] for run in runs), "peak_mib": max(run["peak_mib"] for run in runs)}

    def theirs(self, name, points, n):
        command = [self.args.peer, str(HERE.parent / "methods/run_peer.py"), name, points, self.path("peer.npy"),
                   "--threads", str(self.args.threads), "--repeats", "3" if n <= MOST_PAIRS else "1"]  # fmt: skip
        said = last_json(measured(command, self.args.threads)["stdout"])
        return {"seconds": said["seconds"], "peak_mib": said["peak_mib"]}

    def stress(self, points, n):
        distances, exact, ours = self.path("distances.npy"), self.path("exact.npy"), self.path("unrefined.npy")
        which, all_pairs = ("--landmarks", "none"), ("--landmarks", "none")
        if n > MOST_PAIRS:
            rows = np.sort(np.random.RandomState(1).permutation(n)[:300])
            np.save(distances + ".rows.npy", rows)
            which = ("--from", ",".join(map(str, rows)))
            all_pairs = ("--pivot-heat", "points", "--pivots", "1500")
        measured([self.args.geotherm, "distances", points, "-o", distances, *which, *self.threads], self.args.threads)
        for path, more in ((exact, all_pairs), (ours, ())):
            measured([self.args.geotherm, "embed", points, "-o", path, "--refine", "off", *more, *self.threads], self.args.threads)
        command = [self.args.peer, "-c", STRESS, distances, "ours", ours, "all_pairs", exact]
        return last_json(measured(command, self.args.threads)["stdout"])

    def cell(self, part, key, measure):
        """None where time has run out, or another part was asked for, and no earlier call measured the cell."""
        key = {**key, "threads": self.args.threads}
        is_left_out = time.monotonic() - self.start > self.args.limit or self.args.only not in (None, part)
        if is_left_out and not self.cells.has(key):
            return None
        return self.cells.get(key, measure)

    def rows(self, n):
        points, of = self.points(n), program_mark(self.args.geotherm)
        found = {name: self.cell("ours", {"n": n, "who": "geotherm", "more": more, "of": of}, lambda more=more: self.ours(points, more))
                 for name, more in (("ours", []), ("not refined", ["--refine", "off"]))}  # fmt: skip
        found |= {name: self.cell("peers", {"n": n, "who": name}, lambda name=name: self.theirs(name, points, n)) for name in PEERS}
        if n <= MOST_SAMPLED:
            found["stress"] = self.cell("stress", {"n": n, "what": "stress", "of": of}, lambda: self.stress(points, n))
        for path in self.folder.iterdir():
            path.unlink()
        return found


def shown(cell, key, digits):
    return f"{cell[key]:,.{digits}f}" if cell and key in cell else "-"


def loads_of(*cells):
    """Of the machine as the cells were begun, least to most: what else ran then slowed them down."""
    loads = [cell["load"] for cell in cells if cell and "load" in cell]
    return f"{min(loads):.1f} to {max(loads):.1f}" if loads else "-"


def ratio(a, b, key="seconds"):
    return f"{a[key] / b[key]:.2f}" if a and b and key in a and key in b else "-"


def report(table, args):
    data = "digits of MNIST, 50 principal components" if os.environ.get("GEOTHERM_DATA") else "a Swiss roll in 50 dimensions, noise .5"
    lines = ["# Ordinary table sizes", "",
             f"Written by `bench/scale/small.py` on {datetime.date.today().isoformat()}: {cpu_name()}, {args.threads} threads; {data}. Seconds of the "
             "whole process for ours (median of three), of the call alone for peers (median of three up to "
             f"{MOST_PAIRS:,} points, else one run). Stress of the map without refinement, "
             f"over all pairs, beside that of the map laid out from all pairs (`--landmarks none`); of more than {MOST_PAIRS:,} points over the pairs "
             "of 300 random points with all, beside the map by 1,500 pivots.", "",
             "| points | ours, s | not refined, s | umap-learn, s | phate, s | ours / umap-learn | ours / phate | ours, MiB | umap-learn, MiB | phate, MiB | stress | stress, all pairs | ratio | load |",
             "|---" * 14 + "|"]  # fmt: skip
    for n, row in table.items():
        ours, umap, phate, stress = row["ours"], row["umap-learn"], row["phate"], row.get("stress")
        share = f"{stress['ours'] / stress['all_pairs']:.4f}" if stress and "ours" in stress else "-"
        lines.append(f"| {n:,} | " + " | ".join([
            shown(ours, "seconds", 2), shown(row["not refined"], "seconds", 2), shown(umap, "seconds", 2), shown(phate, "seconds", 2),
            ratio(ours, umap), ratio(ours, phate), *(shown(cell, "peak_mib", 0) for cell in (ours, umap, phate)),
            shown(stress, "ours", 5), shown(stress, "all_pairs", 5), share, loads_of(ours, umap, phate)]) + " |")  # fmt: skip
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=lambda s: [int(n) for n in s.split(",")], default=list(SIZES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="SECONDS", help="begins no cell after so long; the next call goes on")
    parser.add_argument("--only", choices=("ours", "peers", "stress"), help="measures these cells alone")
    parser.add_argument("--geotherm", default=os.environ.get("GEOTHERM_PROGRAM", str(ROOT / "build/geotherm")))
    parser.add_argument("--peer", default=peer_python("methods"))
    parser.add_argument("--cells", default=str(ROOT / "out/bench-scale/small.jsonl"))
    parser.add_argument("-o", "--output", default=str(HERE / "small.md"))
    args = parser.parse_args()
    refuse_if_missing(args.geotherm, args.peer, "methods", args.threads)
    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        sizes = Sizes(args, folder)
        table = {n: sizes.rows(n) for n in args.sizes}
    Path(args.output).write_text(report(table, args))
    print(report(table, args))


if __name__ == "__main__":
    main()
