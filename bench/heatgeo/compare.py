"""geotherm against PyPI's heatgeo 0.0.1 on Swiss rolls: time, memory and stress, in one run.

    bench/peers.sh heatgeo                                    once
    .deps/python/bin/python bench/heatgeo/compare.py          n = 2000, 5000, 10000 (about ten minutes)
    .deps/python/bin/python bench/heatgeo/compare.py --quick  n = 2000

Both get the same points, the same graph (alpha decay, knn 10), the normalised Laplacian (heatgeo's
default), a Chebyshev series of order 30, t = 10, sigma 1, and the same two cores. Writes results.md.
"""
import argparse
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import (ROOT, cpu_name, in_process_seconds, last_json, measured,  # noqa: E402
                    peer_python, refuse_if_missing, seconds, shown_command, version_of)

SAME = ["--knn", "10", "--order", "30", "--time", "10", "--laplacian", "normalized", "--harnack", "1"]


class Comparison:
    def __init__(self, args, folder):
        self.args = args
        self.folder = Path(folder)
        self.commands = {}

    def path(self, name):
        return str(self.folder / name)

    def remember(self, what, command):
        """Keeps the first command of each kind for the report."""
        self.commands.setdefault(what, shown_command(command, self.folder))

    def run(self, what, command):
        self.remember(what, command)
        return measured(command, self.args.threads)

    def quality(self, distances, layout):
        return last_json(
            measured([sys.executable, str(HERE.parent / "quality.py"), layout, "--distances",
                      distances],
                     self.args.threads)["stdout"]
        )

    def points(self, n):
        archive, plain = self.path("X.npz"), self.path("X.npy")
        self.run("points", [self.args.geotherm, "synth", "swiss-roll", "--n", str(n), "--noise",
                            "0.1", "--seed", "42", "-o", archive])
        # In a process of its own: the archive also holds the n x n true distances.
        copy = "import sys, numpy as np; np.save(sys.argv[2], np.load(sys.argv[1])['X'])"
        subprocess.run([sys.executable, "-c", copy, archive, plain], check=True)
        return archive, plain

    def heatgeo(self, points, n):
        repeats = self.args.repeats if n < 5000 else 1
        command = [
            self.args.peer, str(HERE / "run_heatgeo.py"), points, "--map", self.path("peer_Y.npy"),
            "--distances", self.path("peer_D.npy"), *SAME, "--threads", str(self.args.threads),
        ]
        runs = [self.run("heatgeo", command) for _ in range(repeats)]
        own = [last_json(run["stdout"]) for run in runs]
        return {
            "repeats": repeats,
            "in_process_s": statistics.median(o["seconds"] for o in own),
            "wall_s": statistics.median(r["wall_s"] for r in runs),
            "peak_mib": statistics.median(r["peak_mib"] for r in runs),
            "python": own[0]["python"],
            "versions": own[0]["versions"],
        }

    def geotherm(self, archive, kernel):
        layout, manifest = self.path(f"Y_{kernel}.npy"), self.path(f"m_{kernel}.json")
        command = [
            self.args.geotherm, "embed", f"{archive}:X", "-o", layout, *SAME, "--kernel", kernel,
            "--threads", str(self.args.threads), "--manifest", manifest,
        ]
        if kernel == "auto":  # the order belongs to the Chebyshev series
            at = command.index("--order")
            del command[at : at + 2]
        runs, inside = [], []
        for _ in range(self.args.repeats):
            runs.append(self.run(f"geotherm, {kernel}", command))
            inside.append(in_process_seconds(manifest))
        return {
            "repeats": self.args.repeats,
            "wall_s": statistics.median(r["wall_s"] for r in runs),
            "in_process_s": None if None in inside else statistics.median(inside),
            "peak_mib": statistics.median(r["peak_mib"] for r in runs),
            "map": layout,
        }

    def row(self, n):
        archive, plain = self.points(n)
        peer = self.heatgeo(plain, n)
        ours = {kernel: self.geotherm(archive, kernel) for kernel in ("chebyshev", "auto")}

        # The same dissimilarity, heatgeo's own, laid out by both.
        again = self.path("Y_mds.npy")
        self.run("geotherm, layout alone",
                 [self.args.geotherm, "embed", self.path("peer_D.npy"), "--method", "mds", "-o",
                  again, "--threads", str(self.args.threads)])
        truth = f"{archive}:geodesic"
        return {
            "n": n,
            "heatgeo": peer,
            **ours,
            "stress_heatgeo": self.quality(self.path("peer_D.npy"), self.path("peer_Y.npy")),
            "stress_ours": self.quality(self.path("peer_D.npy"), again),
            "truth_heatgeo": self.quality(truth, self.path("peer_Y.npy"))["pearson"],
            "truth_chebyshev": self.quality(truth, ours["chebyshev"]["map"])["pearson"],
            "truth_auto": self.quality(truth, ours["auto"]["map"])["pearson"],
        }


def report(rows, commands, args):
    """results.md, whole: nothing in it is written by hand."""
    first = rows[0]["heatgeo"]
    lines = [
        "# geotherm against heatgeo 0.0.1",
        "",
        "Written by `bench/heatgeo/compare.py`; do not edit. Swiss roll, noise 0.1, seed 42; knn 10,",
        "normalised Laplacian, t = 10, sigma 1; Chebyshev order 30 on both sides, and geotherm's",
        "default kernel (`auto`).",
        "",
        "## Time, points to 2-D map (seconds)",
        "",
        "heatgeo: the call alone, imports and files not counted (whole process in brackets). geotherm:",
        "the whole process, start and files included (the call alone in brackets). The ratio compares",
        "the first numbers, which is to heatgeo's advantage.",
        "",
        "| n | heatgeo | geotherm, Chebyshev | ratio | geotherm, auto | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for r in rows:
        h, c, a = r["heatgeo"], r["chebyshev"], r["auto"]
        lines.append(
            f"| {r['n']} | {seconds(h['in_process_s'])} ({seconds(h['wall_s'])}) "
            f"| {seconds(c['wall_s'])} ({seconds(c['in_process_s'])}) "
            f"| {h['in_process_s'] / c['wall_s']:.1f} "
            f"| {seconds(a['wall_s'])} ({seconds(a['in_process_s'])}) "
            f"| {h['in_process_s'] / a['wall_s']:.1f} |"
        )
    lines += [
        "",
        "## Peak memory (MiB, resident, whole process)",
        "",
        "| n | heatgeo | geotherm, Chebyshev | ratio | geotherm, auto | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for r in rows:
        h, c, a = (r[k]["peak_mib"] for k in ("heatgeo", "chebyshev", "auto"))
        lines.append(f"| {r['n']} | {h:.0f} | {c:.0f} | {h / c:.1f} | {a:.0f} | {h / a:.1f} |")
    lines += [
        "",
        "## Stress on the same dissimilarity, heatgeo's own",
        "",
        "sum over i < j of (d - |y_i - y_j|)^2 over the sum of d^2. heatgeo's map has a unit of its own,",
        "so it is multiplied by the factor that is best for it (in brackets); ours is taken as it is.",
        "",
        "| n | heatgeo, scaled | geotherm, unscaled |",
        "|---|---|---|",
    ]
    for r in rows:
        s, o = r["stress_heatgeo"], r["stress_ours"]
        lines.append(
            f"| {r['n']} | {s['scaled_stress']:.5f} (x {s['scale']:.4g}) | {o['raw_stress']:.5f} |"
        )
    lines += [
        "",
        "## Map against the true geodesics (Pearson, mean over rows)",
        "",
        "| n | heatgeo | geotherm, Chebyshev | geotherm, auto |",
        "|---|---|---|---|",
    ]
    for r in rows:
        lines.append(f"| {r['n']} | {r['truth_heatgeo']:.4f} | {r['truth_chebyshev']:.4f} "
                     f"| {r['truth_auto']:.4f} |")
    versions = ", ".join(f"{k} {v}" for k, v in first["versions"].items())
    repeats = ", ".join(f"n = {r['n']}: {r['heatgeo']['repeats']} / {r['auto']['repeats']}"
                        for r in rows)
    lines += [
        "",
        "## How",
        "",
        f"{cpu_name()}, {args.threads} threads (both held to the same {args.threads} cores);",
        f"{datetime.date.today().isoformat()}. Medians of repetitions (heatgeo / geotherm): {repeats}.",
        f"{version_of(args.geotherm)}; Python {first['python']}, {versions}.",
        "",
        "```",
        *commands.values(),
        "```",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n = 2000 alone")
    parser.add_argument("--sizes", type=lambda s: [int(n) for n in s.split(",")],
                        default=[2000, 5000, 10000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3, help="heatgeo from 5,000 points: once")
    parser.add_argument("--geotherm", default=str(ROOT / "build" / "geotherm"))
    parser.add_argument("--peer", default=peer_python("heatgeo"))
    parser.add_argument("-o", "--output", default=str(HERE / "results.md"))
    args = parser.parse_args()
    refuse_if_missing(args.geotherm, args.peer, "heatgeo", args.threads)

    rows = []
    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        comparison = Comparison(args, folder)
        for n in [2000] if args.quick else args.sizes:
            rows.append(comparison.row(n))
            print(json.dumps(rows[-1]), flush=True)
        text = report(rows, comparison.commands, args)
    Path(args.output).write_text(text)
    print(f"written: {args.output}")


if __name__ == "__main__":
    main()
