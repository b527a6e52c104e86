"""Choices of landmarks beside each other, and the two ways to a pivot's distances: the coarse graph of the
landmarks, or heat that spreads over all points.

    .deps/python/bin/python bench/scale/landmarks.py           30,000 points a shape: a few minutes
    .deps/python/bin/python bench/scale/landmarks.py --quick   4,000 of them, into out/bench-scale

Swiss roll (width 20, noise .5) and tree (20 branches, noise 1) of 50 columns, measured against true geodesics;
and, where GEOTHERM_DATA names a folder with levine32_H2_31721x32_asinh.npz, cells of bone marrow, of which no
truth is known: there against distances by heat over all points, from 32 of them. Finished cells are kept in
out/bench-scale/landmarks.jsonl.
"""
import argparse
import datetime
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import ROOT, Cells, cpu_name, measured, program_mark  # noqa: E402

SHAPES = {"roll": ("Swiss roll of width 20, noise .5", ["swiss-roll", "--width", "20", "--noise", "0.5"]),
          "tree": ("tree of 20 branches, noise 1", ["tree", "--branches", "20", "--noise", "1"])}
CELLS = "levine32_H2_31721x32_asinh.npz"
CHOICES = ("random", "spread", "central")
N_ROWS = 32


def pearson(a, b):
    return float(np.corrcoef(np.ravel(a), np.ravel(b))[0, 1])


class Data:
    """A table, and points (`rows`) from which distances are known."""

    def __init__(self, table, rows, run, folder):
        self.table, self.run, self.folder = table, run, folder
        self.rows = rows[np.unique(np.arange(N_ROWS) * len(rows) // N_ROWS)]

    def measured_rows(self, *options):
        """Distances from `rows` to all points, and what they cost."""
        cost = self.run("distances", self.table, "-o", self.folder / "rows.npy",
                        "--from", ",".join(map(str, self.rows)), *options)
        return np.load(self.folder / "rows.npy").T, cost


class Shape(Data):
    def __init__(self, arguments, n, run, folder):
        archive = folder / "shape.npz"
        run("synth", *arguments, "--n", n, "--dim", "50", "--seed", "1", "--pairs", "200000", "-o", archive)
        with np.load(archive) as data:
            pairs, true = data["pairs"], data["pair_geodesic"]
        super().__init__(f"{archive}:X", np.unique(pairs[:, 0]), run, folder)
        kept = np.isin(pairs[:, 0], self.rows)
        self.at, self.to, self.true = np.searchsorted(self.rows, pairs[kept, 0]), pairs[kept, 1], true[kept]

    def of_distances(self, rows):
        return pearson(rows[self.at, self.to], self.true)

    def of_map(self, layout):
        return pearson(np.linalg.norm(layout[self.rows[self.at]] - layout[self.to], axis=1), self.true)


class RealCells(Data):
    def __init__(self, path, first, run, folder):
        table = folder / "cells.npy"
        with np.load(path) as data:
            X = data["X"][:first]
        np.save(table, X.astype(np.float32))
        super().__init__(str(table), np.arange(len(X)), run, folder)
        self.true, _ = self.measured_rows("--landmarks", "none")

    def of_distances(self, rows):
        return pearson(rows, self.true)

    def of_map(self, layout):
        away = np.stack([np.linalg.norm(layout - layout[row], axis=1) for row in self.rows])
        return pearson(away, self.true)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--n", type=int, default=30000)
    parser.add_argument("--landmarks", type=int, nargs="+", help="counts to try")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--geotherm", default=str(ROOT / "build" / "geotherm"))
    parser.add_argument("--cells", default=str(ROOT / "out/bench-scale/landmarks.jsonl"))
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    args.n = 4000 if args.quick else args.n
    counts = args.landmarks or ([200] if args.quick else [500, 2000])
    kept = Cells(Path(args.cells))
    output = Path(args.output or (Path(args.cells).with_name("landmarks-quick.md") if args.quick
                                  else HERE / "landmarks.md"))
    lines = ["# Choices of landmarks", "",
             f"Written by `bench/scale/landmarks.py` on {datetime.date.today().isoformat()}: {cpu_name()}, "
             f"{args.threads} threads. `random`: drawn evenly. `spread`: where the landmarks so far leave points "
             "far away along the graph. `central`: k-means along the graph; random ones that move to the middle "
             "of their cells. The coarse graph of the landmarks gives the distances between all points and those "
             "of the map's pivots (`--pivot-heat landmarks`); in the last row of a table heat spreads from the "
             "pivots over all points (`--pivot-heat points`), and distances are those by heat over all points "
             f"from {N_ROWS} of them. CPU seconds and memory are those of the map. Correlations are Pearson's "
             "with true geodesics; of cells, where none are known, with that last way.", ""]

    def run(*command):
        return measured([args.geotherm, *map(str, command), "--quiet", "--threads", str(args.threads)],
                        args.threads)

    def measure(data, *options, rows_by):
        manifest = data.folder / "map.json"
        cost = data.run("embed", data.table, "-o", data.folder / "map.npy", "--manifest", manifest, *options)
        # The program's own peak: that of the process begins with this one's, which holds arrays.
        peak = json.loads(manifest.read_text())["peak_memory_bytes"]
        rows, of_rows = data.measured_rows(*rows_by)
        return {"distances": data.of_distances(rows), "map": data.of_map(np.load(data.folder / "map.npy")),
                "cpu_s": cost["cpu_s"], "peak_mib": peak / 2**20, "cpu_s_of_rows": of_rows["cpu_s"]}

    def add_table(name, title, make):
        lines.extend([f"## {title}", "", "| landmarks | choice | pivots' distances | distances | map | CPU s | peak MiB |",
                      "|" + "---|" * 7])
        data = None  # made when the first cell that is not known asks for it

        def row(count, choice, heat, options, rows_by):
            def work():
                nonlocal data
                data = data or make()
                return measure(data, *options, rows_by=rows_by)

            cell = kept.get({"data": name, "n": args.n, "landmarks": count, "choice": choice, "heat": heat,
                             "threads": args.threads, "of": program_mark(args.geotherm)}, work)
            if "failed" in cell:
                raise SystemExit(cell["failed"])
            lines.append(f"| {count:,} | {choice} | {heat} | {cell['distances']:.4f} | {cell['map']:.4f} | "
                         f"{cell['cpu_s']:.1f} | {cell['peak_mib']:,.0f} |")

        for count in counts:
            for choice in CHOICES:
                common = ["--landmarks", count, "--landmark-choice", choice]
                row(count, choice, "coarse graph", [*common, "--pivot-heat", "landmarks"], common)
        row(counts[-1], CHOICES[0], "heat over all points",
            ["--landmarks", counts[-1], "--pivot-heat", "points"], ["--landmarks", "none"])
        lines.append("")
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text("\n".join(lines))

    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        folder = Path(folder)
        for name, (title, arguments) in SHAPES.items():
            add_table(name, f"{title}, {args.n:,} x 50", lambda: Shape(arguments, args.n, run, folder))
        path = Path(os.environ.get("GEOTHERM_DATA", ".")) / CELLS
        if path.exists():
            first = args.n if args.n < 30000 else None
            add_table("cells", "cells of bone marrow (Levine 32), "
                      + (f"the first {first:,}" if first else "31,721 x 32"), lambda: RealCells(path, first, run, folder))
        else:
            print(f"SKIPPED: cells of bone marrow: GEOTHERM_DATA does not name a folder with {CELLS}", file=sys.stderr)
    print(f"written: {output}")


if __name__ == "__main__":
    main()
