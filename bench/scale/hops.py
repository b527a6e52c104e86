"""Two builds of the program beside each other where maps are made by landmarks: bench/scale/hops.md. Used for the weights of the landmarks' graph.

    GEOTHERM_DATA=... .deps/python-tests/bin/python bench/scale/hops.py --before OLD/geotherm --after build/geotherm

Swiss rolls (width 20, noise .3) and trees (20 branches, noise .3) of 100,000 x 50 against true geodesics; 12 blobs, a ring and, where
GEOTHERM_DATA has them, cells and digits: accuracy of labels among the 10 nearest in the map (2,000 points), and correlation of map distances with
shortest paths along the 10 nearest neighbours from 24 points. Seeds choose landmarks and, for shapes, the points. Needs SciPy and scikit-learn.
Finished cells are kept in out/bench-scale/hops.jsonl by program.
"""
import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
from common import ROOT, Cells, cpu_name, measured, program_mark  # noqa: E402

SHAPES = {
    "Swiss roll": ["swiss-roll", "--width", "20", "--noise", "0.3", "--n", "100000", "--dim", "50", "--pairs", "100000"],
    "tree of 20 branches": ["tree", "--branches", "20", "--noise", "0.3", "--n", "100000", "--dim", "50", "--pairs", "100000"],
    "12 blobs": ["blobs", "--branches", "12", "--noise", "1", "--n", "30000", "--dim", "50"],
    "ring": ["circle", "--noise", "0.05", "--n", "30000", "--dim", "20"],
}
#: File, table, labels, rows that are drawn.
REAL = {
    "bone marrow (Levine 32)": ("levine32_H2_31721x32_asinh.npz", "X", "label", None),
    "osteogenesis (TrajAtlas), level 3": ("trajatlas_osteo_272369_scanvi15.npz", "X", "level3_anno", 60_000),
    "digits (MNIST)": ("mnist_70k_pca50.npz", "X_pca", "y", 40_000),
}


def nearest(layout, row, k=10):
    d = ((layout - layout[row]) ** 2).sum(axis=1)
    d[row] = np.inf
    return np.argpartition(d, k)[:k]


def accuracy(labels, layout):
    rows = np.random.RandomState(0).permutation(len(layout))[:2000]
    return float(np.mean([np.bincount(labels[nearest(layout, row)]).argmax() == labels[row] for row in rows]))


def shortest_paths(points, rows):
    from scipy.sparse.csgraph import dijkstra
    from sklearn.neighbors import NearestNeighbors

    graph = NearestNeighbors(n_neighbors=10).fit(points).kneighbors_graph(mode="distance")
    return dijkstra(graph.maximum(graph.T), directed=False, indices=rows)


class Data:
    """A table on disk with what is known of it."""

    def __init__(self, name, seed, program, folder):
        self.table, self.pairs, self.labels = folder / "table.npy", None, None
        if name in SHAPES:
            archive = folder / "shape.npz"
            subprocess.run([program, "synth", *SHAPES[name], "--seed", str(seed), "--quiet", "-o", str(archive)], check=True)
            with np.load(archive) as arrays:
                points = arrays["X"].astype(np.float32)
                if "pairs" in arrays:
                    self.pairs, self.truth = arrays["pairs"], arrays["pair_geodesic"]
                    np.save(folder / "pairs.npy", self.pairs)
                elif "label" in arrays:
                    self.labels = arrays["label"]
        else:
            file, key, label, count = REAL[name]
            with np.load(Path(os.environ["GEOTHERM_DATA"]) / file) as arrays:
                kept = np.random.default_rng(0).permutation(len(arrays[key]))[:count]
                points, self.labels = arrays[key][kept].astype(np.float32), arrays[label][kept]
        if self.labels is not None:
            _, self.labels = np.unique(self.labels, return_inverse=True)
        np.save(self.table, points)
        if self.pairs is None:
            self.rows = np.random.RandomState(3).permutation(len(points))[:24]
            self.paths = shortest_paths(points, self.rows)

    def measure(self, program, seed, threads):
        folder = self.table.parent
        words = ["--seed", str(seed), "--threads", str(threads), "--quiet"]
        seen = measured([program, "embed", str(self.table), "-o", str(folder / "map.npy"), "--refine", "off", *words], threads)
        layout, found = np.load(folder / "map.npy"), {"cpu_s": seen["cpu_s"]}
        if self.pairs is not None:
            a, b = self.pairs.T
            found["map"] = float(np.corrcoef(np.linalg.norm(layout[a] - layout[b], axis=1), self.truth)[0, 1])
            measured([program, "distances", str(self.table), "-o", str(folder / "d.npy"), "--pairs", str(folder / "pairs.npy"), *words], threads)
            found["distances"] = float(np.corrcoef(np.load(folder / "d.npy")[:, 2], self.truth)[0, 1])
            return found
        apart = np.linalg.norm(layout[self.rows][:, None] - layout[None], axis=2)
        known = np.isfinite(self.paths) & (self.paths > 0)
        found["paths"] = float(np.corrcoef(apart[known], self.paths[known])[0, 1])
        if self.labels is not None:
            found["accuracy"] = accuracy(self.labels, layout)
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", nargs="+", help="beginnings of names")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "hops.md")
    args = parser.parse_args()
    kept = Cells(ROOT / "out" / "bench-scale" / "hops.jsonl")
    names = [n for n in [*SHAPES, *(REAL if "GEOTHERM_DATA" in os.environ else [])] if not args.only or n.startswith(tuple(args.only))]
    lines = ["# Hops of points between landmarks", "",
             f"Written by `bench/scale/hops.py` on {datetime.date.today()}: {cpu_name()}, {args.threads} thread. Two builds: heat between landmarks counts hops of landmarks (before) or of points (after). Maps are not refined. "
             "Map and distances: correlation with true geodesics over 100,000 pairs. Accuracy: labels by the 10 nearest in the map. Paths: correlation of map distances with shortest paths from 24 points.", "",
             "|  | seed | what | before | after | difference |", "|---" * 6 + "|"]  # fmt: skip
    for name in names:
        for seed in args.seeds:
            with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
                data, cells = None, []
                for program in (args.before, args.after):
                    def work(program=program):
                        nonlocal data
                        data = data or Data(name, seed, args.after, Path(folder))
                        return data.measure(program, seed, args.threads)

                    cells.append(kept.get({"data": name, "seed": seed, "program": program_mark(program)}, work))
            for what in ("map", "distances", "accuracy", "paths"):
                if all(what in c for c in cells):
                    b, a = (c[what] for c in cells)
                    lines.append(f"| {name} | {seed} | {what} | {b:.4f} | {a:.4f} | {a - b:+.4f} |")
    args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
