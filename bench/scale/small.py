"""Ordinary table sizes, 1,000 to 50,000 points: our defaults beside umap-learn and phate, time and stress in one run.

    bench/peers.sh methods                                          once
    .deps/python/bin/python bench/scale/small.py                    every size
    .deps/python/bin/python bench/scale/small.py --sizes 1000,2000  some of them; the others stay in the table

A Swiss roll (10 columns, noise .3). Stress is that of the map against heat geodesic distances from 100 rows to all
(`geotherm distances --from`), after the best factor; the column "all pairs" is our map without pivots or landmarks, up to
--most-pairs points. A peer's time is that of its call alone, without imports and compilation; ours is the whole
process, files included. Finished cells are kept in out/bench-scale/small.jsonl, by program and threads.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import ROOT, Cells, cpu_name, last_json, measured, peer_python, program_mark, refuse_if_missing  # noqa: E402

SIZES = (1000, 2000, 5000, 10000, 20000, 50000)
SHAPE = ["swiss-roll", "--dim", "10", "--noise", "0.3", "--seed", "1"]
PEERS = ("umap-learn", "phate")


def stress(distances, layout, rows):
    apart = np.sqrt(((layout[rows][:, None] - layout[None]) ** 2).sum(-1))
    factor = (distances * apart).sum() / (apart * apart).sum()
    return float(((distances - factor * apart) ** 2).sum() / (distances * distances).sum())


class Sizes:
    def __init__(self, args, folder):
        self.args, self.folder, self.cells = args, Path(folder), Cells(Path(args.cells))

    def ours(self, n, what, *more):
        def measure():
            points, rows, exact = self.data(n)
            layout, manifest = self.folder / "map.npy", self.folder / "map.json"
            run = measured([self.args.geotherm, "embed", str(points), "-o", str(layout), "--manifest", str(manifest), "--quiet",
                            "--threads", str(self.args.threads), *more], self.args.threads)  # fmt: skip
            said = json.loads(manifest.read_text())
            return {"seconds": run["wall_s"], "cpu_s": run["cpu_s"], "peak_mib": run["peak_mib"],
                    "solver": said["resolved"].get("solver", "-"), "stages": said["timings_s"],
                    "stress": stress(exact, np.load(layout), rows)}  # fmt: skip

        return self.cells.get({"n": n, "who": what, "threads": self.args.threads,
                               "of": program_mark(self.args.geotherm)}, measure)  # fmt: skip

    def peer(self, n, method):
        def measure():
            points, rows, exact = self.data(n)
            layout = self.folder / "peer.npy"
            said = last_json(measured([self.args.peer, str(HERE.parent / "methods/run_peer.py"), method, str(points), str(layout),
                                       "--threads", str(self.args.threads), "--repeats", "1"], self.args.threads,
                                      self.args.peer_limit)["stdout"])  # fmt: skip
            found = layout if layout.exists() else self.folder / "peer-0.npy"
            cell = {"seconds": said["seconds"], "cpu_s": said.get("cpu_s", said.get("cpu_seconds")),
                    "peak_mib": said["peak_mib"], "stress": stress(exact, np.load(found), rows)}  # fmt: skip
            found.unlink()
            return cell

        return self.cells.get({"n": n, "who": method, "threads": self.args.threads}, measure)

    def data(self, n):
        """The table, some rows of it, and the heat geodesic distances from these to all."""
        points, exact = self.folder / f"points-{n}.npy", self.folder / f"rows-{n}.npy"
        rows = np.arange(0, n, n // 100)[:100]
        if not exact.exists():
            archive = self.folder / "made.npz"
            measured([self.args.geotherm, "synth", *SHAPE, "--n", str(n), "--pairs", "1000", "-o", str(archive), "--quiet"], 2)
            with np.load(archive) as made:
                np.save(points, made["X"].astype(np.float32))
            measured([self.args.geotherm, "distances", str(points), "--from", ",".join(map(str, rows)), "-o", str(exact), "--quiet"],
                     self.args.threads)  # fmt: skip
        found = np.load(exact)
        return points, rows, found if len(found) == len(rows) else found.T


def shown(cell, key, digits):
    return f"{cell[key]:,.{digits}f}" if cell and key in cell else "-"


def report(args, cells):
    lines = ["# Ordinary sizes", "",
             f"Written by `bench/scale/small.py`: {cpu_name()}, {args.threads} threads, Swiss roll of 10 columns, noise .3. Seconds are wall "
             "time. Stress is that of a map against heat geodesic distances from 100 rows to all, after the best factor; "
             "`of all pairs` is the ratio of our stress to that of the map by all pairs.", "",
             "| points | solver | seconds | umap-learn | phate | of umap-learn's | peak MiB | umap-learn | phate "
             "| stress | by all pairs | of all pairs | umap-learn | phate |", "|" + "---|" * 14]  # fmt: skip
    for n in SIZES:
        here = {cell["key"]["who"]: cell for cell in cells.known.values() if cell["key"]["n"] == n
                and cell["key"]["threads"] == args.threads
                and cell["key"].get("of") in (None, program_mark(args.geotherm))}  # fmt: skip
        us, pairs, umap, phate = (here.get(who) for who in ("geotherm", "all pairs", *PEERS))
        if not us:
            continue
        share = f"{us['seconds'] / umap['seconds']:.2f}" if umap else "-"
        ratio = f"{us['stress'] / pairs['stress']:.3f}" if pairs else "-"
        lines.append(f"| {n:,} | {us['solver']} | " + " | ".join(shown(c, "seconds", 1) for c in (us, umap, phate))
                     + f" | {share} | " + " | ".join(shown(c, "peak_mib", 0) for c in (us, umap, phate)) + " | "
                     + " | ".join(shown(c, "stress", 4) for c in (us, pairs)) + f" | {ratio} | "
                     + " | ".join(shown(c, "stress", 4) for c in (umap, phate)) + " |")  # fmt: skip
    Path(args.output).write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--peers", default=",".join(PEERS), help="'none': ours alone")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--most-pairs", type=int, default=5000)
    parser.add_argument("--peer-limit", type=float, default=150)
    parser.add_argument("--geotherm", default=str(ROOT / "build/geotherm"))
    parser.add_argument("--peer", default=peer_python("methods"))
    parser.add_argument("--cells", default=str(ROOT / "out/bench-scale/small.jsonl"))
    parser.add_argument("-o", "--output", default=str(HERE / "small.md"))
    args = parser.parse_args()
    refuse_if_missing(args.geotherm, args.peer, "methods", args.threads)
    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        sizes = Sizes(args, folder)
        for n in map(int, args.sizes.split(",")):
            sizes.ours(n, "geotherm")
            if n <= args.most_pairs:
                sizes.ours(n, "all pairs", "--landmarks", "none")
            for method in args.peers.split(","):
                if method in PEERS:
                    sizes.peer(n, method)
            report(args, sizes.cells)


if __name__ == "__main__":
    main()
