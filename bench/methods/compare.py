"""Each method of geotherm beside its best-known implementation: time, memory and quality, in one run.

    bench/peers.sh methods                                    once
    .deps/python/bin/python bench/methods/compare.py          n = 2000 and 10000
    .deps/python/bin/python bench/methods/compare.py --quick  n = 1000, Swiss roll alone

Swiss roll with noise, and digits of MNIST where GEOTHERM_DATA names a folder with
mnist_70k_pca50.npz. Finished cells are kept in out/bench-methods/cells.jsonl, so a run that was
broken off goes on where it stopped; another build or another list of versions measures anew.
Wants a quiet machine: threads that wait for one another are slowed down most by other work.
"""
import argparse
import datetime
import hashlib
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import (ROOT, CommandFailed, TookTooLong, last_json, measured, peer_python,  # noqa: E402
                    refuse_if_missing)
from report import report  # noqa: E402

# Title, our arguments, the peer (run_peer.py). Parameters are the same on both sides.
EIGENMAPS = ["laplacian-eigenmaps", "--knn", "10"]
ISOMAP = ["shortest-path", "--knn", "10"]
ROWS = [
    ("PHATE", ["phate", "--knn", "5", "--decay", "40"], "phate"),
    ("UMAP", ["umap", "--knn", "15", "--min-dist", "0.1"], "umap-learn"),
    ("t-SNE", ["tsne", "--perplexity", "30"], "openTSNE"),
    ("t-SNE", ["tsne", "--perplexity", "30"], "sklearn-tsne"),
    ("Isomap", [*ISOMAP, "--mds", "classical"], "sklearn-isomap"),
    ("Isomap, ours by SMACOF", [*ISOMAP, "--mds", "smacof"], "sklearn-isomap"),
    # The peer's weights are 0 and 1; a decay of 40 is near that, Gaussian weights are not.
    ("Laplacian eigenmaps", [*EIGENMAPS, "--graph", "alpha-decay"], "sklearn-spectral"),
    ("Laplacian eigenmaps, ours with Gaussian weights", [*EIGENMAPS, "--graph", "knn"],
     "sklearn-spectral"),
    ("diffusion map", ["diffusion-map", "--knn", "10", "--decay", "40"], "scipy-diffusion-map"),
]
# Both from one start. Twelve sweeps of SGD, of thirty by default, reach the peer's stress.
MDS_ROWS = [
    ("MDS, ours by SMACOF", ["smacof"], "sklearn-mds"),
    ("MDS, ours by SGD", ["sgd", "12"], "sklearn-mds"),
]
MDS_MOST = 2000
MNIST = "mnist_70k_pca50.npz"
LIMIT_S = 360  # of one call of a peer; what takes longer is ended, and the table says so
SHORT_S = 20  # runs below this are repeated, and the median counts
MOST_JUDGED = 2000  # points whose neighbourhoods are judged; more are sampled evenly


def fingerprint(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]


def mds_program(args):
    """Beside the program itself."""
    return Path(args.geotherm).parent / "bench_mds_from_start"


class Cells:
    """Finished measurements, one line of JSON each; the last line of a key counts."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self.known = {self.name(cell["key"]): cell for cell in map(json.loads, lines)}

    @staticmethod
    def name(key):
        return json.dumps(key, sort_keys=True)

    def get(self, key, measure):
        """The stored cell, or a new one; a failure is told and shown, not stored, but for running too long."""
        if self.name(key) not in self.known:
            try:
                cell = {"key": key, "load": os.getloadavg()[0], **measure()}
            except TookTooLong as failure:
                cell = {"key": key, "load": os.getloadavg()[0], "failed": str(failure)}
            except CommandFailed as failure:
                print(failure, file=sys.stderr)
                return {"key": key, "failed": str(failure).strip().splitlines()[-1]}
            self.known[self.name(key)] = cell
            with self.path.open("a") as file:
                file.write(json.dumps(cell) + "\n")
            print(json.dumps(cell), flush=True)
        return self.known[self.name(key)]


class Comparison:
    def __init__(self, args, folder):
        self.args = args
        self.folder = Path(folder)
        self.cells = Cells(Path(args.cells))
        self.build = fingerprint(args.geotherm)
        # What the peers are and how they are run.
        self.peers = "-".join(fingerprint(HERE / name)
                              for name in ("requirements.txt", "run_peer.py"))

    def path(self, name):
        return str(self.folder / name)

    def run(self, command, limit_s=None):
        return measured(command, self.args.threads, limit_s)

    def extract(self, archive, key, output, *more):
        self.run([self.args.peer, str(HERE / "points.py"), str(archive), key, output, *more])

    def quality(self, layouts, truth):
        """Means over the maps of one side; {} in the truth stands for the number of the map."""
        found = [last_json(self.run([self.args.peer, str(HERE.parent / "quality.py"), layout,
                                     *(word.format(i) for word in truth),
                                     "--rows", str(MOST_JUDGED)])["stdout"])
                 for i, layout in enumerate(layouts)]
        return {name: statistics.fmean(one[name] for one in found) for name in found[0]}

    def ours_once(self, arguments, points, seed):
        layout, manifest = self.path(f"ours-{seed}.npy"), self.path("manifest.json")
        run = self.run([self.args.geotherm, "embed", points.format(seed), "--method", *arguments, "-o", layout,
                        "--threads", str(self.args.threads), "--seed", str(seed), "--quiet",
                        "--manifest", manifest])
        count = json.loads(Path(manifest).read_text())["resolved"].get("layout_iterations")
        return {**run, "layout": layout, "iterations": count and round(count)}

    def ours(self, arguments, points, truth, between):
        """The first run, what is to be measured in between (the peer), and the other runs: the
        machine is then the same for both sides."""
        runs = [self.ours_once(arguments, points, 0)]
        peer = between()
        while len(runs) < self.args.repeats and runs[0]["wall_s"] < SHORT_S:
            runs.append(self.ours_once(arguments, points, len(runs)))
        return {
            **{name: statistics.median(run[of] for run in runs)
               for name, of in (("seconds", "wall_s"), ("cpu_s", "cpu_s"), ("peak_mib", "peak_mib"))},
            "repeats": len(runs),
            "note": " ".join(arguments),
            "iterations": runs[0]["iterations"],
            # On the sets of points that both sides saw.
            "quality": self.quality([run["layout"] for run in runs[:peer.get("repeats", len(runs))]],
                                    truth),
        }

    def mds_ours(self, arguments, points, truth, between):
        """The layout alone, as with the peer."""
        layout = self.path("ours.npy")
        between()
        method, *sweeps = arguments
        command = [str(mds_program(self.args)), points, self.path("start.npy"), layout, method,
                   str(self.args.threads), str(self.args.repeats), *sweeps]
        return {**last_json(self.run(command)["stdout"]),
                "note": f"{method} from the same start"
                        + (f", {sweeps[0]} sweeps" if sweeps else ""),
                "quality": self.quality([layout], truth)}

    def peer(self, method, points, truth, more):
        # It repeats by itself: to compile once, and to compare the calls alone.
        command = [self.args.peer, str(HERE / "run_peer.py"), method, points, self.path("peer.npy"),
                   "--threads", str(self.args.threads), "--repeats", str(self.args.repeats),
                   "--short", str(SHORT_S), *more]
        # Repeats, imports and compilation come on top of one call.
        cell = last_json(self.run(command, LIMIT_S + 3 * SHORT_S)["stdout"])
        maps = cell.pop("maps")
        return {**cell, "quality": self.quality(maps, truth)}

    def table(self, data, n, rows, points, truth, more=()):
        found = []
        for title, arguments, method in rows:
            key = {"data": data, "n": n, "threads": self.args.threads}

            def peer_cell():
                return self.cells.get(
                    {**key, "side": "peer", "method": method, "of": self.peers},
                    lambda: self.peer(method, points, truth, more))

            ours = self.mds_ours if data == "mds" else self.ours
            ours_cell = self.cells.get(
                {**key, "side": "ours", "method": " ".join(arguments), "of": self.build},
                lambda: ours(arguments, points, truth, peer_cell))
            found.append({"title": title, "peer_name": method, "ours": ours_cell,
                          "peer": peer_cell()})
        return {"data": data, "n": n, "rows": found}

    def roll(self, n):
        archive, points = self.path("roll.npz"), self.path("roll.npy")
        self.run([self.args.geotherm, "synth", "swiss-roll", "--n", str(n), "--noise", "0.5",
                  "--seed", "42", "--quiet", "-o", archive])
        self.extract(archive, "X", points)
        truth = ["--points", points, "--distances", f"{archive}:geodesic"]
        return self.table("roll", n, ROWS, points, truth)

    def mds(self, n):
        """After roll(n): its heat-geodesic distances, laid out by both."""
        if n > MDS_MOST:
            return {"data": "mds", "n": n, "skipped":
                    f"scikit-learn's MDS works on several n x n arrays in each of its up to 300 "
                    f"iterations and is not run above n = {MDS_MOST}."}
        distances, start = self.path("D.npy"), self.path("start.npy")
        threads = ["--threads", str(self.args.threads), "--quiet"]
        self.run([self.args.geotherm, "distances", self.path("roll.npy"), "-o", distances, *threads])
        self.run([self.args.geotherm, "embed", distances, "--method", "mds", "--mds", "classical",
                  "-o", start, *threads])
        return self.table("mds", n, MDS_ROWS, distances, ["--distances", distances],
                          ["--start", start])

    def mnist(self, n):
        folder = os.environ.get("GEOTHERM_DATA")
        archive = Path(folder or ".") / MNIST
        if not folder or not archive.exists():
            reason = f"{archive} is not there." if folder else "GEOTHERM_DATA is not set."
            print(f"SKIPPED: MNIST, n = {n}: {reason}", file=sys.stderr)
            return {"data": "mnist", "n": n, "skipped": reason}
        # Each repeat has digits of its own: which are drawn matters more than the seed.
        points, labels = self.path("mnist-{}.npy"), self.path("labels-{}.npy")
        for repeat in range(self.args.repeats):
            which = ["--first", str(n), "--skip", str(repeat * n)]
            self.extract(archive, "X_pca", points.format(repeat), *which)
            self.extract(archive, "y", labels.format(repeat), *which)
        return self.table("mnist", n, ROWS, points, ["--points", points, "--labels", labels])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n = 1000, Swiss roll alone")
    parser.add_argument("--sizes", type=lambda s: [int(n) for n in s.split(",")],
                        default=[2000, 10000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3, help=f"of runs below {SHORT_S} s")
    parser.add_argument("--geotherm", default=str(ROOT / "build" / "geotherm"))
    parser.add_argument("--peer", default=peer_python("methods"))
    parser.add_argument("--cells", default=str(ROOT / "out/bench-methods/cells.jsonl"))
    parser.add_argument("-o", "--output", default=str(HERE / "results.md"))
    args = parser.parse_args()
    refuse_if_missing(args.geotherm, args.peer, "methods", args.threads)
    if not mds_program(args).exists():
        sys.exit(f"{mds_program(args)} is not there: cmake --build build --target bench_mds_from_start")

    tables = []
    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        comparison = Comparison(args, folder)
        parts = [comparison.roll, comparison.mds]
        if not args.quick:
            parts.append(comparison.mnist)
        for n in [1000] if args.quick else args.sizes:
            for part in parts:
                tables.append(part(n))
                Path(args.output).write_text(
                    report(tables, args, datetime.date.today().isoformat()))
    print(f"written: {args.output}")


if __name__ == "__main__":
    main()
