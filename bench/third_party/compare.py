"""Our maps and those of other programs, judged by somebody else's measures (zadu) -> results.md

    compare.py [--sets "PBMC 3k,tree"] [--rows 1500] [--threads 1]

Data sets are those of bench/refine/sets.py and some more, each thinned to --rows points by a fixed seed. zadu measures at
k = 20. Local: trustworthiness, continuity, the two mean relative rank errors, local continuity meta-criterion. Global: Pearson and
Spearman correlation of Euclidean distances, scale-normalised stress. Geodesic: the same three with distances along the graph of 15
neighbours (largest component). A measure is won or lost where the difference exceeds 0.01. Finished cells are kept in
out/bench-third-party/cells.jsonl.
"""
import argparse
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "refine"))
from common import ROOT, Cells, hold_threads, measured, program_mark, version_of  # noqa: E402

hold_threads(1)
import numpy as np  # noqa: E402

from sets import SETS, stored  # noqa: E402

HERE = Path(__file__).resolve().parent
OUT = ROOT / "out" / "bench-third-party"
OURS = {"geotherm": (), "geotherm, unrefined": ("--refine", "off"), "geotherm, balance 1": ("--balance", "1"),
        "PCA": ("--method", "pca", "--refine", "off")}
PEERS = ("umap-learn", "openTSNE", "PaCMAP", "phate")
K, KNN = 20, 15
#: Key, family, title, and whether less is better.
MEASURES = (
    ("trustworthiness", "local", "trust", False), ("continuity", "local", "continuity", False),
    ("mrre_false", "local", "MRRE false", False), ("mrre_missing", "local", "MRRE missing", False),
    ("lcmc", "local", "LCMC", False),
    ("pearson_r", "global", "Pearson", False), ("spearman_rho", "global", "Spearman", False),
    ("scale_normalized_stress", "global", "stress", True),
    ("geodesic_pearson_r", "geodesic", "Pearson", False), ("geodesic_spearman_rho", "geodesic", "Spearman", False),
    ("geodesic_scale_normalized_stress", "geodesic", "stress", True),
)
FAMILIES = ("local", "global", "geodesic")


def counts():
    """Counts of the CITE-seq set, log-normalised, its 30 leading components."""
    with np.load(Path(os.environ["GEOTHERM_DATA"]) / "cbmc_citeseq_8617x500.npz") as table:
        points = table["counts"].astype(np.float64)
    points = np.log1p(points / np.maximum(points.sum(1, keepdims=True), 1) * 1e4)
    points -= points.mean(0)
    u, s, _ = np.linalg.svd(points, full_matrices=False)
    return (u[:, :30] * s[:30]).astype(np.float32), np.zeros(len(points), dtype=int)


MORE = {"Weinreb": stored("weinreb_781_pca50.npz", "X_pca", "time"), "CBMC": counts}


def folder_of(name, rows):
    folder = OUT / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}-{rows}"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "points.npy").exists():
        points, _ = {**SETS, **MORE}[name]()
        chosen = np.sort(np.random.RandomState(4).permutation(len(points))[:rows])
        np.save(folder / "points.npy", points[chosen])
    return folder


def along_graph(points):
    """Lengths of shortest paths, and the points of the largest component."""
    from scipy.sparse.csgraph import connected_components, shortest_path
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(points, KNN, mode="distance")
    _, component = connected_components(graph, directed=False)
    inside = component == np.bincount(component).argmax()
    return shortest_path(graph[inside][:, inside], directed=False), inside


def judged(points, layout):
    from scipy.spatial.distance import cdist
    from zadu import zadu
    from zadu.measures import pearson_r, scale_normalized_stress, spearman_rho

    asked = [{"id": "tnc", "params": {"k": K}}, {"id": "mrre", "params": {"k": K}}, {"id": "lcmc", "params": {"k": K}},
             {"id": "pr", "params": {}}, {"id": "srho", "params": {}}, {"id": "sn_stress", "params": {}}]
    found = {}
    for part in zadu.ZADU(asked, points).measure(layout):
        found |= {key: float(value) for key, value in part.items()}
    paths, inside = along_graph(points)
    pair = (paths, cdist(layout[inside], layout[inside]))
    for measure in (pearson_r, spearman_rho, scale_normalized_stress):
        for key, value in measure.measure(points[inside], layout[inside], distance_matrices=pair).items():
            found[f"geodesic_{key}"] = float(value)
    return found


def cell_of(folder, label, args):
    def measure():
        points = np.load(folder / "points.npy").astype(np.float64)
        if label in OURS:
            path = folder / f"{re.sub(r'[^a-z0-9]+', '-', label.lower())}.npy"
            measured([args.geotherm, "embed", str(folder / "points.npy"), "-o", str(path), "--threads",
                      str(args.threads), "--quiet", *OURS[label]], args.threads)
        else:
            path = folder / f"{label}.npy"
        return judged(points, np.load(path).astype(np.float64))

    return measure


def run_peers(folders, args):
    for peer in PEERS:
        measured([sys.executable, str(ROOT / "bench/refine/run_peers.py"), peer, *map(str, folders), "--threads",
                  str(args.threads)], args.threads)


def better(ours, theirs, less_is_better):
    gain = theirs - ours if less_is_better else ours - theirs
    return "won" if gain > 0.01 else "lost" if gain < -0.01 else "tied"


def against(rows, label, other):
    """Won, tied and lost over all data sets, and the mean of the differences, by family."""
    said = []
    for family in FAMILIES:
        outcomes, gains = [], []
        for cells in rows.values():
            for key, of, _, less in MEASURES:
                if of != family:
                    continue
                outcomes.append(better(cells[label][key], cells[other][key], less))
                gains.append((cells[other][key] - cells[label][key]) * (1 if less else -1))
        counted = " / ".join(str(outcomes.count(word)) for word in ("won", "tied", "lost"))
        said.append(f"{counted} | {np.mean(gains):+.3f}")
    return said


def report(rows, sizes, args):
    labels = [*OURS, *PEERS]
    text = ["# Judged by zadu", "",
            f"Written by `bench/third_party/compare.py` (its head explains the measures). {version_of(args.geotherm)}; sets of at "
            f"most {args.rows:,} points, one seed.", "",
            "## Won / tied / lost, and mean difference", ""]
    for ours in ("geotherm", "geotherm, balance 1", "geotherm, unrefined"):
        text += [f"{ours} against", "", "| other | local | mean | global | mean | geodesic | mean |", "|---|---|---|---|---|---|---|"]
        text += [f"| {other} | " + " | ".join(against(rows, ours, other)) + " |"
                 for other in labels if not other.startswith("geotherm")]
        text.append("")
    head = " | ".join(f"{title}" + (", geodesic" if of == "geodesic" else "") for _, of, title, _ in MEASURES)
    for name, cells in rows.items():
        text += [f"## {name} ({sizes[name]:,} points)", "", f"| map | {head} |", "|---" * (len(MEASURES) + 1) + "|"]
        text += [f"| {label} | " + " | ".join(f"{cells[label][key]:.3f}" for key, *_ in MEASURES) + " |" for label in labels]
        text.append("")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="names, by comma; all")
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--geotherm", default=str(ROOT / "build/geotherm"))
    parser.add_argument("--to", default=str(HERE / "results.md"))
    args = parser.parse_args()
    cells, mark = Cells(OUT / "cells.jsonl"), program_mark(args.geotherm)
    rows, sizes = {}, {}
    names = args.sets.split(",") if args.sets else [*SETS, *MORE]
    run_peers([folder_of(name, args.rows) for name in names], args)
    for name in names:
        folder = folder_of(name, args.rows)
        sizes[name] = len(np.load(folder / "points.npy", mmap_mode="r"))
        found = {}
        for label in (*OURS, *PEERS):
            key = {"set": name, "map": label, "rows": args.rows, **({"program": mark} if label in OURS else {})}
            found[label] = cells.get(key, cell_of(folder, label, args))
        if not any("failed" in cell for cell in found.values()):
            rows[name] = found
        Path(args.to).write_text(report(rows, sizes, args))


if __name__ == "__main__":
    main()
