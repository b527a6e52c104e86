"""Our defaults beside the published settings, the best fixed time, each of our steps switched off, and PCA.

    python bench/defaults/compare.py [--jobs 2] [--seeds 47,48] [--out bench/defaults/results.md]
    ... --limit 200                          ends after so many seconds; the next call goes on (out/bench-defaults/cells.jsonl)
    ... --rows 'ring|chain' --settings ours,published   parts of it; a cell that is not measured is shown as "-"

Needs numpy; GEOTHERM_PROGRAM is the program (build/geotherm). Scores: made shapes, Spearman correlation of distances in
the map with the true ones (mean over rows); clusters, the same inside of each; labelled cells, AMI of k-means on the
map; courses, Spearman correlation of the distance from early cells with time (Paul15: with the erythroid stages), and of
`geotherm pseudotime` from the same cells, beside the distance of the published settings, which have no pseudotime.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import shapes

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from common import Cells, program_mark  # noqa: E402

PROGRAM = os.environ.get("GEOTHERM_PROGRAM", str(ROOT / "build/geotherm")).split()
PUBLISHED = ("--pca", "none", "--shortcuts", "off", "--rates", "hops", "--time", "knee", "--refine", "off")
PSEUDOTIME = "order, pseudotime"
TIMES = (1, 2, 5, 10, 20)
SETTINGS = {
    "ours": (),
    "published": PUBLISHED,
    **{f"t = {t}": ("--time", t) for t in TIMES},
    "no refinement": ("--refine", "off"),
    "no shortcut search": ("--shortcuts", "off"),
    "no PCA": ("--pca", "none"),
    "rates lengths": ("--rates", "lengths"),
    "PCA": ("--method", "pca"),
}


def program(*words):
    done = subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-300:])
    return done.stdout


def ranks(values):
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else 0.0


def by_rows(truth, found):
    some = range(0, len(truth), max(1, len(truth) // 300))
    return float(np.mean([spearman(truth[i], found[i]) for i in some]))


def roots_of(known):
    if "stages" in known:
        stages = known["stages"].astype(int)
        early = np.flatnonzero(stages == 7)
        return early[:: max(1, len(early) // 12)][:12], stages <= 7, 7.0 - stages
    times = known["times"].astype(float)
    early = np.flatnonzero(times <= np.quantile(times, 0.02))
    return np.random.default_rng(0).permutation(early)[:8], np.ones(len(times), bool), times


def score(points, known, words, folder):
    """{kind of score: number} of one setting."""
    data, place = folder / "data.npz", folder / "map.npy"
    program("embed", f"{data}:X", "-o", place, "--threads", 1, "--quiet", *words)
    place = np.load(place)
    found = {}
    if "truth" in known:
        found["map to truth"] = by_rows(known["truth"], shapes.distances(place))
    if "groups" in known:
        inside = []
        for group in np.unique(known["groups"]):
            rows = np.flatnonzero(known["groups"] == group)
            inside.append(by_rows(shapes.distances(points[rows]), shapes.distances(place[rows])))
        found["inside of clusters"] = float(np.mean(inside))
    if "labels" in known:
        scores = [json.loads(program("score", "--labels", f"{data}:label", "--estimate", folder / "map.npy", "--json",
                                     "--threads", 1, "--seed", s))["ami"] for s in range(3)]  # fmt: skip
        found["AMI"] = float(np.mean(scores))
    if ("times" in known or "stages" in known) and "pca" not in words:
        roots, rows, times = roots_of(known)
        asked, at = words, words.index("--refine") if "--refine" in words else len(words)
        words = words[:at] + words[at + 2 :]  # of the map alone
        program("distances", f"{data}:X", "--from", ",".join(map(str, roots)), "-o", folder / "from.npy", "--threads", 1,
                "--quiet", *words)  # fmt: skip
        from_roots = np.load(folder / "from.npy")
        from_roots = from_roots if len(from_roots) == len(roots) else from_roots.T
        found["order"] = float(np.mean([spearman(one[rows], times[rows]) for one in from_roots]))
        if asked == PUBLISHED:
            found[PSEUDOTIME] = found["order"]
        if asked == SETTINGS["ours"]:
            found[PSEUDOTIME] = float(np.mean([spearman(pseudotime(data, root)[rows], times[rows]) for root in roots]))
    return found


def pseudotime(data, root):
    out = data.with_name("pseudotime.npy")
    program("pseudotime", f"{data}:X", "--root", root, "-o", out, "--threads", 1, "--quiet")
    order = np.load(out)
    return np.nan_to_num(order if order.ndim == 1 else order[:, 0], nan=1.0)


def job(task):
    name, kind, points, known, setting, words = task
    with tempfile.TemporaryDirectory() as folder:
        arrays = {"X": points}
        if "labels" in known:
            arrays["label"] = known["labels"].astype(str)
        np.savez(Path(folder) / "data.npz", **arrays)
        try:
            return name, kind, setting, score(points, known, words, Path(folder))
        except RuntimeError as error:
            return name, kind, setting, {"error": str(error)}


def torn_rings(n_draws, jobs):
    """How many of so many rings are torn open: Spearman correlation with the truth below .93."""

    def one(draw):
        rng = np.random.default_rng(1000 + draw)
        n, noise = (200, 500, 1000)[draw % 3], (0.03, 0.05, 0.08)[draw // 3 % 3]
        points, truth = shapes.ring(rng, n, noise, dim=2 + draw % 2)
        with tempfile.TemporaryDirectory() as folder:
            np.savez(Path(folder) / "data.npz", X=points)
            return score(points, {"truth": truth}, (), Path(folder))["map to truth"]

    with ThreadPoolExecutor(jobs) as pool:
        return np.array(list(pool.map(one, range(n_draws))))


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--seeds", default="47,48")
    words.add_argument("--rings", type=int, default=200)
    words.add_argument("--rows", default=".", help="regular expression")
    words.add_argument("--settings", default=",".join(SETTINGS))
    words.add_argument("--limit", type=float, default=float("inf"), help="seconds")
    words.add_argument("--cells", default=str(ROOT / "out/bench-defaults/cells.jsonl"))
    words.add_argument("--out", default=str(ROOT / "bench/defaults/results.md"))
    asked = words.parse_args()
    seeds = [int(s) for s in asked.seeds.split(",")]
    cells, mark, start = Cells(Path(asked.cells)), program_mark(PROGRAM[0]), time.monotonic()

    def cell_of(name, kind, seed, setting, measure):
        key = {"row": name, "kind": kind, "seed": seed, "setting": setting, "of": mark}
        if not cells.has(key) and time.monotonic() - start > asked.limit:
            return None
        return cells.get(key, measure)

    table, errors = defaultdict(lambda: defaultdict(list)), []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        for seed in seeds:
            for kind, rows in (("made", shapes.made(program, folder, seed)), ("real", shapes.real(seed))):
                for name, points, known in rows:
                    chosen = [s for s in asked.settings.split(",") if re.search(asked.rows, name)]
                    found = pool.map(
                        lambda s: cell_of(name, kind, seed, s, lambda: {"found": job((name, kind, points, known, s, SETTINGS[s]))[3]}),
                        chosen)  # fmt: skip
                    for setting, cell in zip(chosen, found, strict=True):
                        if cell is None:
                            continue
                        if "error" in cell["found"]:
                            errors.append(f"{name}, {setting}: {cell['found']['error']}")
                            continue
                        for measure, value in cell["found"].items():
                            table[kind, name, measure][setting].append(value)
    rings = cell_of("rings", "rings", 0, str(asked.rings), lambda: {"found": torn_rings(asked.rings, asked.jobs).tolist()})
    write(asked, table, errors, None if rings is None else np.array(rings["found"]))


def write(asked, table, errors, rings):
    columns = ["ours", "published", "best fixed time", "no refinement", "no shortcut search", "no PCA", "rates lengths", "PCA"]
    lines = [
        "# Defaults beside published settings",
        "",
        f"Written by `bench/defaults/compare.py --seeds {asked.seeds} --settings '{asked.settings}'`. Published: `{' '.join(PUBLISHED)}`. The best fixed time "
        f"is the best of {', '.join(map(str, TIMES))}, with our other defaults. Real sets: 2,500 cells, drawn by the seed. "
        "Order: distance from early cells; order, pseudotime: `geotherm pseudotime` from the same cells, beside the published settings' distance. The options of "
        "pseudotime were fixed on EMT and Paul15 among others, not on Morarach, Weinreb and Bifurcation.",
        "",
        "| data | measure | " + " | ".join(columns) + " | ours - published |",
        "|---" * (len(columns) + 3) + "|",
    ]
    differences = defaultdict(list)
    below = []
    for (kind, name, measure), by_setting in table.items():
        means = {setting: float(np.mean(values)) for setting, values in by_setting.items()}
        fixed = [means[f"t = {t}"] for t in TIMES if f"t = {t}" in means]
        if fixed:
            means["best fixed time"] = max(fixed)
        cells = [f"{means[c]:.3f}" if c in means else "-" for c in columns]
        gap = means.get("ours", np.nan) - means.get("published", np.nan)
        if measure != PSEUDOTIME:
            differences[kind].append(gap)
        if kind == "real" and measure != "order":
            differences["real, pseudotime"].append(gap)
        if gap < -0.02:
            below.append(f"{name} ({measure}): {gap:+.3f} against the published settings")
        for step in ("no refinement", "no shortcut search", "no PCA"):
            if step in means and means.get("ours", np.nan) < means[step] - 0.02:
                below.append(f"{name} ({measure}): {means['ours'] - means[step]:+.3f} against {step}")
        lines.append(f"| {name} | {measure} | " + " | ".join(cells) + f" | {gap:+.3f} |")
    lines += [
        "",
        f"Mean of ours - published: made {np.nanmean(differences['made']):+.3f}, real {np.nanmean(differences['real']):+.3f}; real with order by "
        f"pseudotime in place of distances {np.nanmean(differences['real, pseudotime']):+.3f}."
        if differences["real"] else "No real set was measured.",
        "",
        "Rings: not measured." if rings is None or len(rings) == 0 else
        f"Rings (n = 200, 500, 1,000; noise .03, .05, .08; 2 and 3 dimensions): {int((rings < 0.93).sum())} of {len(rings)} torn "
        f"(Spearman correlation with the truth below .93); the lowest is {rings.min():.3f}.",
        "",
        "Rows more than .02 below the published settings or below a step switched off:",
        "",
        *(f"- {row}" for row in below or ["none"]),
        *(["", "Failed:", ""] + [f"- {e}" for e in errors] if errors else []),
        "",
    ]
    Path(asked.out).write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
