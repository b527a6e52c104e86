"""How far the way by landmarks is from that of all pairs, where both can be gone: correlation of distances,
stress of both maps against the distances of all pairs (after the best factor), and the truth where known.

    .deps/python/bin/python bench/scale/exactness.py [--quick | --n 10000] [--landmarks M] [-- --shortcuts off]

Without --landmarks the map is the one that is made where all pairs may not be held (--max-memory 1MB): from
the heat of pivots over all points; distances are those by landmarks. What follows -- goes to every run. Swiss
roll, tree and, where GEOTHERM_DATA names a folder with pbmc3k_processed_pca50_small.npz, PBMC 3k with a
landmark for five cells. 10,000 points take a quarter of an hour of CPU time and 2 GB; --quick takes 1,500, a
minute of it, and writes to out/bench-scale. Finished rows are kept in out/bench-scale/exactness.jsonl.
"""
import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import ROOT, Cells, measured, program_mark  # noqa: E402


def row_correlation(a, b):
    a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
    return float(((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))).mean())


def stress(distances, layout, rows):
    """Over the pairs of some rows with all."""
    d = distances[rows]
    e = np.sqrt(((layout[rows][:, None] - layout[None]) ** 2).sum(-1))
    factor = (d * e).sum() / (e * e).sum()
    return float(((d - factor * e) ** 2).sum() / (d * d).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10000)
    parser.add_argument("--landmarks", type=int)
    parser.add_argument("more", nargs="*", help="options for every run, after --")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--geotherm", default=str(ROOT / "build" / "geotherm"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cells", default=str(ROOT / "out/bench-scale/exactness.jsonl"))
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    cells = Cells(Path(args.cells))
    args.n = 1500 if args.quick else args.n
    args.output = args.output or str(Path(args.cells).with_name("exactness-quick.md") if args.quick
                                     else HERE / "exactness.md")
    lines = ["# Landmarks beside all pairs", "",
             f"Written by `bench/scale/exactness.py --n {args.n}`"
             + (f", `{' '.join(args.more)}`" if args.more else "") + ". Stress of both maps against the "
             "distances between all pairs, after the best factor.", "",
             "| data | points | way of the map | stress, all pairs | stress of that way | ratio | CPU s, all pairs "
             "| CPU s of that way | landmarks | their distances with all pairs' | all pairs' to the truth "
             "| landmarks' to the truth |", "|" + "---|" * 12]
    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        folder = Path(folder)

        def run(*command):
            return measured([args.geotherm, *map(str, command), "--quiet", "--threads",
                             str(args.threads)], args.threads)["cpu_s"]

        tables = {}
        for name, shape in (("Swiss roll, noise .3", ["swiss-roll", "--noise", "0.3"]),
                            ("tree, noise 1", ["tree", "--noise", "1"])):
            archive = folder / f"{shape[0]}.npz"
            run("synth", *shape, "--n", args.n, "--seed", 42, "-o", archive)
            tables[name] = (f"{archive}:X", archive)
        pbmc = Path(os.environ.get("GEOTHERM_DATA", ".")) / "pbmc3k_processed_pca50_small.npz"
        if pbmc.exists():
            with np.load(pbmc, allow_pickle=True) as data:
                key = next(key for key in data.files if data[key].ndim == 2)
            tables["PBMC 3k"] = (f"{pbmc}:{key}", None)
        else:
            print("SKIPPED: PBMC 3k: GEOTHERM_DATA does not name its folder", file=sys.stderr)
        def measure(name, table, truth):
            pairs_s = run("distances", table, "-o", folder / "all.npy", "--landmarks", "none", *args.more)
            # The same scaling that the method ends with, without its distances a second time.
            pairs_s += run("embed", folder / "all.npy", "--method", "mds", "-o", folder / "map.npy")
            exact = np.load(folder / "all.npy", mmap_mode="r")
            n = len(exact)
            count = args.landmarks if args.landmarks and args.landmarks < n else n // 5
            rows = np.arange(0, n, max(1, n // 200))[:200]
            run("distances", table, "-o", folder / "rows.npy", "--landmarks", count,
                "--from", ",".join(map(str, rows)), *args.more)
            small = ["--landmarks", count] if args.landmarks else ["--max-memory", "1MB"]
            scaled_s = run("embed", table, "-o", folder / "scaled.npy", *small, *args.more,
                           "--manifest", folder / "scaled.json")
            way = json.loads((folder / "scaled.json").read_text())["resolved"]["solver"]
            near = np.load(folder / "rows.npy").T
            stresses = [stress(exact, np.load(folder / f), rows) for f in ("map.npy", "scaled.npy")]
            true = ["-", "-"]
            if truth is not None:
                with np.load(truth) as data:
                    geodesic = data["geodesic"][rows]
                true = [f"{row_correlation(geodesic, d):.4f}" for d in (np.asarray(exact[rows]), near)]
            return {"row": f"| {name} | {n:,} | {way} | {stresses[0]:.5f} | {stresses[1]:.5f} | "
                           f"{stresses[1] / stresses[0]:.3f} | {pairs_s:.0f} | {scaled_s:.0f} | {count:,} | "
                           f"{row_correlation(np.asarray(exact[rows]), near):.4f} | {true[0]} | {true[1]} |"}

        for name, (table, truth) in tables.items():
            key = {"data": name, "n": args.n, "landmarks": args.landmarks, "more": args.more,
                   "threads": args.threads, "of": program_mark(args.geotherm)}
            cell = cells.get(key, lambda: measure(name, table, truth))
            if "failed" in cell:
                raise SystemExit(cell["failed"])
            lines.append(cell["row"])
            Path(args.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
