"""How far the way by landmarks is from that of all pairs, where both can be gone: correlation of distances,
stress of both maps against the distances of all pairs (after the best factor), and the truth where known.

    .deps/python/bin/python bench/scale/exactness.py [--n 10000] [--landmarks 2000] [--rates lengths]

Swiss roll, tree and, where GEOTHERM_DATA names a folder with pbmc3k_processed_pca50_small.npz, PBMC 3k with
a landmark for five cells. 10,000 points take minutes and 2 GB.
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import ROOT, measured  # noqa: E402


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
    parser.add_argument("--rates", default="hops")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--geotherm", default=str(ROOT / "build" / "geotherm"))
    parser.add_argument("-o", "--output", default=str(HERE / "exactness.md"))
    args = parser.parse_args()
    lines = ["# Landmarks beside all pairs", "",
             f"Written by `bench/scale/exactness.py`, `--rates {args.rates}`.", "",
             "| data | points | landmarks | correlation of distances | stress, all pairs | stress, landmarks "
             "| ratio | distances to truth: all pairs | landmarks |", "|---|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        folder = Path(folder)

        def run(*command):
            measured([args.geotherm, *map(str, command), "--quiet", "--threads", str(args.threads)],
                     args.threads)

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
        for name, (table, truth) in tables.items():
            rates = ["--rates", args.rates]
            run("distances", table, "-o", folder / "all.npy", "--landmarks", "none", *rates)
            run("embed", table, "-o", folder / "map.npy", "--landmarks", "none", *rates)
            exact = np.load(folder / "all.npy", mmap_mode="r")
            n = len(exact)
            count = args.landmarks if args.landmarks and args.landmarks < n else n // 5
            rows = np.arange(0, n, max(1, n // 200))[:200]
            run("distances", table, "-o", folder / "rows.npy", "--landmarks", count, *rates,
                "--from", ",".join(map(str, rows)))
            run("embed", table, "-o", folder / "scaled.npy", "--landmarks", count, *rates)
            near = np.load(folder / "rows.npy").T
            stresses = [stress(exact, np.load(folder / f), rows) for f in ("map.npy", "scaled.npy")]
            true = ["-", "-"]
            if truth is not None:
                with np.load(truth) as data:
                    geodesic = data["geodesic"][rows]
                true = [f"{row_correlation(geodesic, d):.4f}" for d in (np.asarray(exact[rows]), near)]
            lines.append(f"| {name} | {n:,} | {count:,} | {row_correlation(np.asarray(exact[rows]), near):.4f} | "
                         f"{stresses[0]:.5f} | {stresses[1]:.5f} | {stresses[1] / stresses[0]:.2f} | "
                         f"{true[0]} | {true[1]} |")
            print(lines[-1], flush=True)
            Path(args.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
