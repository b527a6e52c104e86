"""Many points, ours beside umap-learn, openTSNE and phate in one run: time, CPU time, memory, quality.

    bench/peers.sh methods                                  once
    .deps/python/bin/python bench/scale/compare.py          every row
    .deps/python/bin/python bench/scale/compare.py --quick  25,000 digits, rolls to 50,000 points
    ... --rows mnist,transform --peers umap-learn           parts of it; the others stay in the table
    ... --rows roll1m,tree1m --peers none                   ours alone
    ... --rows roll1m,tree1m --peers-alone --peer-threads 16  theirs alone, on more cores; the table says so
    ... --rows tree100k --peers umap-learn-from-pca         a peer with another start than its default
    ... --rows roll1m,tree1m --peer-limit 150               theirs ended after so long, which the table says too

Rows: mnist, trajatlas, roll and tree of 100,000 and of a million points, noise, growth (also growth.svg), transform. MNIST and TrajAtlas where
GEOTHERM_DATA names a folder with mnist_70k_pca50.npz and trajatlas_osteo_272369_scanvi15.npz. Finished cells
are kept in out/bench-scale/cells.jsonl, by program, options and threads, so a run that was broken off goes on
where it stopped. A peer's time is that of its call alone, without imports and compilation; ours is the whole
process, files included.
"""
import argparse
import datetime
import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "methods"))
sys.path.insert(0, str(HERE))
from growth_svg import growth_svg  # noqa: E402
from common import (ROOT, Cells, cpu_name, last_json, measured, peer_python, program_mark,  # noqa: E402
                    refuse_if_missing)

METHODS = HERE.parent / "methods"
TABLES = {
    "mnist": ("mnist_70k_pca50.npz", "X_pca", "y", "MNIST, 70,000 x 50"),
    "trajatlas": ("trajatlas_osteo_272369_scanvi15.npz", "X", "level2_anno", "TrajAtlas, 272,369 x 15"),
}
ROLL = ["swiss-roll", "--width", "20", "--noise", "0.5"]
TREE = ["tree", "--branches", "20", "--noise", "1"]
SHAPES = {
    "roll100k": ("Swiss roll of width 20, noise .5, 100,000 x 50", ROLL, 100000),
    "tree100k": ("tree of 20 branches, noise 1, 100,000 x 50", TREE, 100000),
    "roll1m": ("Swiss roll of width 20, noise .5, 1,000,000 x 50", ROLL, 1000000),
    "tree1m": ("tree of 20 branches, noise 1, 1,000,000 x 50", TREE, 1000000),
}
NOISY = ["swiss-roll", "--width", "20", "--noise", "1"]
ROWS = ["mnist", "transform", "noise", "trajatlas", "growth", "tree100k", "roll100k", "tree1m", "roll1m"]
PEERS = {"mnist": ["umap-learn", "openTSNE", "phate"], "trajatlas": ["umap-learn", "phate"],
         **{name: ["umap-learn", "umap-learn-from-pca"] for name in SHAPES}}
UNREFINED = ("--refine", "off")  # beside the default, where peers stand too
COLUMNS = (("accuracy", "kNN accuracy"), ("accuracy_of_replaced", "of the same points, each put among its neighbours"),
           ("accuracy_of_new", "of the new points"), ("trustworthiness", "trustworthiness"),
           ("rank_correlation", "rank correlation"), ("map_correlation", "map to truth"),
           ("distance_correlation", "distances to truth"))


TRANSFORM_NOTE = (
    "kNN accuracy is that of 2,000 training points by their 10 nearest in the map, themselves left out; new points are "
    "judged by their 10 nearest training points, so both by the same rule. New points of ours may score higher than training points: a new "
    "point is put where its neighbours in the table gather, and these are nearly always of its own label, while a "
    "training point's place also answers to its distances to all others. The column between puts the same training "
    "points there too, each without itself. The map of 70,000 digits above is another map, of other points: the accuracy of "
    "maps of digits moves by some hundredths with the seed and the points drawn.")


class Comparison:
    def __init__(self, args, folder):
        self.args, self.folder = args, Path(folder)
        self.cells = Cells(Path(args.cells))

    def path(self, name):
        return str(self.folder / name)

    def run(self, command, threads=None, limit_s=None):
        return measured(command, threads or self.args.threads, limit_s)

    def program(self):
        return program_mark(self.args.geotherm)

    def quality(self, *arguments):
        command = [self.args.peer, str(HERE / "quality.py"), *arguments]
        return last_json(self.run(command)["stdout"])

    def ours(self, points, truth, more=(), pairs=None):
        layout, manifest = self.path("ours.npy"), self.path("manifest.json")
        command = [self.args.geotherm, "embed", points, "-o", layout, "--threads",
                   str(self.args.threads), "--quiet", "--manifest", manifest, *more]
        run = self.run(command)
        said = json.loads(Path(manifest).read_text())
        cell = {"seconds": run["wall_s"], "cpu_s": run["cpu_s"], "peak_mib": run["peak_mib"],
                "stages": said["timings_s"], "landmarks": said["resolved"].get("landmarks"),
                "quality": self.quality(layout, *truth)}
        if pairs:
            distances = self.path("pairs.npy")
            self.run([self.args.geotherm, "distances", points, "-o", distances, "--pairs",
                      f"{pairs}:pairs", "--threads", str(self.args.threads), "--quiet",
                      *(more if more != UNREFINED else ())])
            cell["quality"] |= self.quality("--truth", pairs, "--measured", distances)
        return cell

    def peer(self, method, points, truth):
        layout = self.path("peer.npy")
        threads = self.args.peer_threads
        command = [self.args.peer, str(METHODS / "run_peer.py"), method, points, layout,
                   "--threads", str(threads), "--repeats", "1"]
        said = last_json(self.run(command, threads, self.args.peer_limit)["stdout"])
        first = layout if Path(layout).exists() else self.path("peer-0.npy")
        return {"seconds": said["seconds"], "cpu_s": said.get("cpu_s", said.get("cpu_seconds")),
                "peak_mib": said["peak_mib"], "quality": self.quality(first, *truth)}

    def rows(self, name, title, points, truth, more=(), pairs=None):
        found = []
        forms = [tuple(more), *([UNREFINED] if name in PEERS else [])]
        for form in forms if not self.args.peers_alone else []:
            found.append(("geotherm " + " ".join(form), self.cells.get(
                {"data": name, "threads": self.args.threads, "who": "geotherm", "of": self.program(), "more": list(form)},
                lambda form=form: self.ours(points, truth, form, pairs))))
        for method in PEERS.get(name, []):
            if not self.is_wanted(method):
                continue
            found.append((method, self.cells.get(
                {"data": name, "threads": self.args.peer_threads, "who": method},
                lambda: self.peer(method, points, truth))))
        return {"title": title, "rows": found}

    def is_wanted(self, method):
        return not self.args.peers or method in self.args.peers

    def archive_of(self, name):
        """The path and why it is not there."""
        file, _, _, title = TABLES[name]
        folder = os.environ.get("GEOTHERM_DATA")
        archive = Path(folder or ".") / file
        if folder and archive.exists():
            return archive, None
        reason = f"{archive} is not there." if folder else "GEOTHERM_DATA is not set."
        print(f"SKIPPED: {title}: {reason}", file=sys.stderr)
        return archive, reason

    def table(self, name, first=None):
        _, key, label, title = TABLES[name]
        archive, missing = self.archive_of(name)
        if missing:
            return {"title": title, "skipped": missing}
        points, labels = self.path(f"{name}.npy"), self.path(f"{name}-labels.npy")
        more = ["--first", str(first)] if first else []
        for array, output in ((key, points), (label, labels)):
            self.run([self.args.peer, str(METHODS / "points.py"), str(archive), array, output, *more])
        if first:
            title += f", the first {first:,}"
        return self.rows(f"{name}-{first}" if first else name, title, points,
                         ["--points", points, "--labels", labels])

    def synthetic(self, name, title, arguments, n, more=()):
        archive, points = self.path(f"{name}.npz"), self.path(f"{name}.npy")
        self.run([self.args.geotherm, "synth", *arguments, "--n", str(n), "--dim", "50", "--seed", "1",
                  "--pairs", "200000", "--quiet", "-o", archive])
        self.run([self.args.peer, str(METHODS / "points.py"), archive, "X", points])
        found = self.rows(name, title, points, ["--truth", archive], more, archive)
        for path in (archive, points):
            Path(path).unlink()
        return found

    def transform(self, n_train=60000, n_new=10000):
        """The last digits of the table are new; those before them are trained on."""
        title = f"transform: {n_new:,} new digits among {n_train:,}"
        archive, missing = self.archive_of("mnist")
        if missing:
            return {"title": title, "skipped": missing}
        files = {name: self.path(f"{name}.npy") for name in
                 ("train", "new", "train-labels", "new-labels", "train-map", "new-map")}
        cut = (f"import numpy as np; d = np.load({str(archive)!r}); X = d['X_pca'].astype(np.float32); y = d['y']; "
               f"p = np.random.RandomState(0).permutation(len(X))[:{n_train + n_new}]; "
               f"a, b = p[:{n_train}], p[{n_train}:]; "
               f"np.save({files['train']!r}, X[a]); np.save({files['new']!r}, X[b]); "
               f"np.save({files['train-labels']!r}, y[a]); np.save({files['new-labels']!r}, y[b])")
        self.run([self.args.peer, "-c", cut])
        quality = ["--labels", files["train-labels"], "--replaced", files["train"], "--new", files["new-map"], "--new-labels", files["new-labels"]]

        def ours():
            threads, model = ["--threads", str(self.args.threads), "--quiet"], self.path("model.gtm")
            self.run([self.args.geotherm, "embed", files["train"], "-o", files["train-map"], "--model", model, *threads])
            run = self.run([self.args.geotherm, "transform", model, files["new"], "-o", files["new-map"], *threads])
            return {"seconds": run["wall_s"], "cpu_s": run["cpu_s"], "peak_mib": run["peak_mib"],
                    "quality": self.quality(files["train-map"], *quality)}

        def umap():
            threads = self.args.peer_threads
            said = last_json(self.run(
                [self.args.peer, str(HERE / "new_points.py"), files["train"], files["new"], files["train-map"],
                 files["new-map"], "--threads", str(threads)], threads)["stdout"])
            return {**said, "quality": self.quality(files["train-map"], *quality)}

        key = {"data": f"transform-{n_train}-{n_new}", "measures": "replaced"}
        rows = []
        if not self.args.peers_alone:
            rows.append(("geotherm transform", self.cells.get(
                {**key, "threads": self.args.threads, "who": "geotherm", "of": self.program()}, ours)))
        if self.is_wanted("umap-learn"):
            rows.append(("umap-learn transform", self.cells.get(
                {**key, "threads": self.args.peer_threads, "who": "umap-learn"}, umap)))
        return {"title": title, "rows": rows, "note": TRANSFORM_NOTE}

    def noise(self, n):
        return self.synthetic(f"noise-{n}", f"Swiss roll of width 20, noise 1, {n:,} x 50, noise options on", NOISY, n,
                              ["--shortcuts", "auto", "--smooth", "auto"])

    def shape(self, name):
        title, arguments, n = SHAPES[name]
        return self.synthetic(name, title, arguments, n)

    def growth(self, sizes):
        rows = []
        for n in sizes:
            part = self.synthetic(f"roll-{n}", "", ROLL, n,
                                  ["--landmarks", "2000"])
            rows.append((f"{n:,} points", part["rows"][0][1]))
        if len(rows) > 1 and not any("failed" in cell for _, cell in rows):
            svg = growth_svg([(n, cell["cpu_s"], cell["peak_mib"]) for n, (_, cell) in zip(sizes, rows)])
            Path(self.args.output).with_name("growth.svg").write_text(svg)
        return {"title": "growth: Swiss roll of width 20, noise .5, 50 columns, 2,000 landmarks",
                "rows": rows}


class Tables:
    """What was measured so far, also by earlier calls: a part of the rows leaves the others in the report."""

    def __init__(self, path):
        self.path = path
        self.known = json.loads(path.read_text()) if path.exists() else {}

    def add(self, name, table):
        before = {} if "skipped" in table else dict(self.known.get(name, {}).get("rows", []))
        if "rows" in table:
            table["rows"] = list((before | dict(table["rows"])).items())
        self.known[name] = table
        self.path.write_text(json.dumps(self.known))

    def in_order(self):
        return [self.known[name] for name in ROWS if name in self.known]


def shown(value, digits):
    return "-" if value is None else f"{value:,.{digits}f}"


def share_of_umap(cell, rows):
    """Our seconds beside those of the fastest umap-learn; where all were ended, only a bound is known."""
    peers = [row for name, row in rows if name.startswith("umap-learn")]
    if cell["key"]["who"] != "geotherm" or "failed" in cell:
        return "-"
    finished = [row["seconds"] for row in peers if "seconds" in row]
    if finished:
        return shown(cell["seconds"] / min(finished), 2)
    limits = [row["ended_after_s"] for row in peers if row.get("ended_after_s")]
    return "under " + shown(cell["seconds"] / min(limits), 2) if limits else "-"


def report(tables, args):
    lines = ["# Many points", "",
             f"Written by `bench/scale/compare.py` on {datetime.date.today().isoformat()}: {cpu_name()}, "
             f"{args.threads} threads unless a row says otherwise. Seconds are wall time, CPU seconds those of all cores together: the "
             "latter say more where the machine had other work (load: processes wanting to run when "
             "the cell began). A peer that was ended had its limit counted from its process's start.", ""]
    for table in tables:
        lines += [f"## {table['title']}", ""]
        if "note" in table:
            lines += [table["note"], ""]
        if "skipped" in table:
            lines += [f"Skipped: {table['skipped']}", ""]
            continue
        cells = [cell for _, cell in table["rows"]]
        columns = [c for c in COLUMNS if any(c[0] in cell.get("quality", {}) for cell in cells)]
        head = ["", "threads", "seconds", "of umap-learn's", "CPU seconds", "peak MiB", *(title for _, title in columns), "load"]
        lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        for name, cell in table["rows"]:
            if "failed" in cell:
                lines.append(f"| {name} | failed: {cell['failed']} |" + " |" * (len(head) - 2))
                continue
            lines.append("| " + " | ".join(
                [name.strip(), str(cell["key"]["threads"]), shown(cell["seconds"], 1), share_of_umap(cell, table["rows"]),
                 shown(cell["cpu_s"], 1), shown(cell["peak_mib"], 0),
                 *(shown(cell["quality"].get(key), 3) for key, _ in columns),
                 shown(cell["load"], 0)]) + " |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows", "--only", type=lambda s: s.split(","), default=ROWS,
                        help="which to measure, of " + ",".join(ROWS))
    parser.add_argument("--peers", type=lambda s: s.split(","), help="those to run; 'none' for none")
    parser.add_argument("--peers-alone", action="store_true", help="leave our own cells out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer-threads", type=int, help="of the peers; as many as ours")
    parser.add_argument("--peer-limit", type=float, metavar="SECONDS", help="a peer that takes longer is ended; its row says so")
    parser.add_argument("--geotherm", default=str(ROOT / "build" / "geotherm"))
    parser.add_argument("--peer", default=peer_python("methods"))
    parser.add_argument("--cells", default=str(ROOT / "out/bench-scale/cells.jsonl"))
    parser.add_argument("-o", "--output", default=str(HERE / "results.md"))
    args = parser.parse_args()
    args.peer_threads = args.peer_threads or args.threads
    for row in args.rows:
        if row not in ROWS:
            parser.error(f"--rows has {row}: choose among {','.join(ROWS)}")
    refuse_if_missing(args.geotherm, args.peer, "methods", max(args.threads, args.peer_threads))
    cells = Path(args.cells)
    cells.parent.mkdir(parents=True, exist_ok=True)
    tables = Tables(cells.with_name(f"{cells.stem}-{'quick-' if args.quick else ''}tables.json"))
    with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
        comparison = Comparison(args, folder)
        parts = {name: (lambda name=name: comparison.table(name)) for name in TABLES}
        parts |= {name: (lambda name=name: comparison.shape(name)) for name in SHAPES}
        parts["growth"] = lambda: comparison.growth([10000, 30000, 100000, 300000, 1000000])
        parts["noise"] = lambda: comparison.noise(100000)
        parts["transform"] = comparison.transform
        if args.quick:
            PEERS["mnist-25000"] = ["umap-learn"]
            parts = {"mnist": lambda: comparison.table("mnist", 25000),
                     "transform": lambda: comparison.transform(22000, 3000),
                     "noise": lambda: comparison.noise(25000),
                     "growth": lambda: comparison.growth([10000, 20000, 50000])}
        for name in args.rows:
            if name in parts:
                tables.add(name, parts[name]())
                Path(args.output).write_text(report(tables.in_order(), args))
    print(f"written: {args.output}")


if __name__ == "__main__":
    main()
