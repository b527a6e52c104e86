"""Maps that grow, and aligned maps: geotherm update beside a whole run; geotherm align beside AlignedUMAP.

update: a tenth of new rows on a map of MNIST digits; seconds of update and of a whole run with refinement, stress of
both maps against heat-geodesic distances between sampled rows, movement of old points. align: overlapping windows of
the small digits of scikit-learn; distance of linked rows over the extent of the map, and accuracy of ten neighbours
within each window. Writes growing.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/align_update.py --program build/geotherm
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import hold_threads  # noqa: E402


def run(*command, folder):
    start = time.perf_counter()
    subprocess.run(list(map(str, command)), cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def stress(truth, places, rows):
    """With the scale that fits best: maps may be in other units."""
    import numpy as np

    between = np.linalg.norm(places[rows][:, None] - places[None], axis=2)
    scale = (truth * between).sum() / (between**2).sum()
    return float(((truth - scale * between) ** 2).sum() / (truth**2).sum())


def growing(program, X, threads):
    import numpy as np

    n_old = len(X) * 10 // 11
    rows = np.random.default_rng(2).permutation(len(X))[:200]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.save(folder / "all.npy", X)
        np.save(folder / "old.npy", X[:n_old])
        np.save(folder / "new.npy", X[n_old:])
        quick = ("--threads", threads, "--quiet")
        run(program, "embed", "old.npy", "-o", "old_map.npy", "--model", "m.gtm", *quick, folder=folder)
        whole = run(program, "embed", "all.npy", "-o", "whole.npy", "--refine", "auto", "--balance", ".5", *quick, folder=folder)
        plain = run(program, "embed", "all.npy", "-o", "plain.npy", *quick, folder=folder)
        update = run(program, "update", "m.gtm", "new.npy", "-o", "grown.npy", "--model", "n.gtm",
                     "--manifest", "u.json", *quick, folder=folder)
        chosen = ",".join(map(str, rows))
        run(program, "distances", "all.npy", "-o", "d.npy", "--from", chosen, *quick, folder=folder)
        truth = np.load(folder / "d.npy")
        moved = json.loads((folder / "u.json").read_text())["updates"][-1]["movement"]
        return {"n": len(X), "whole_s": whole, "plain_s": plain, "update_s": update,
                "stress_plain": stress(truth, np.load(folder / "plain.npy"), rows),
                "stress_grown": stress(truth, np.load(folder / "grown.npy"), rows), **moved}


def windows(n_windows=4, size=600, step=300):
    from sklearn.datasets import load_digits

    digits = load_digits()
    return [(digits.data[k * step : k * step + size], digits.target[k * step : k * step + size],
             list(range(k * step, k * step + size))) for k in range(n_windows)]


def judged(maps, parts, step=300):
    import numpy as np
    from sklearn.neighbors import KNeighborsClassifier

    everything = np.vstack(maps)
    extent = np.ptp(everything, axis=0).max()
    links = [np.linalg.norm(maps[k][step:] - maps[k + 1][: len(maps[k]) - step], axis=1) for k in range(len(maps) - 1)]
    right = []
    for places, (_, labels, _) in zip(maps, parts, strict=True):
        near = KNeighborsClassifier(11).fit(places, labels).kneighbors(places, return_distance=False)[:, 1:]
        votes = np.array([np.bincount(row, minlength=10).argmax() for row in labels[near]])
        right.append((votes == labels).mean())
    return float(np.median(np.concatenate(links)) / extent), float(np.mean(right))


def aligned(program, threads):
    import numpy as np

    parts, rows = windows(), []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for k, (data, _, names) in enumerate(parts):
            lines = ["id," + ",".join(f"p{c}" for c in range(64))]
            lines += [f"d{name}," + ",".join(f"{v:g}" for v in row) for name, row in zip(names, data, strict=True)]
            (folder / f"w{k}.csv").write_text("\n".join(lines) + "\n")
        files = [f"w{k}.csv" for k in range(len(parts))]
        for method in ("heatgeo", "heatgeo --refine"):
            extra = ["--refine", "auto", "--balance", ".5"] if "refine" in method else []
            seconds = run(program, "align", *files, "-o", "out", "--threads", threads, *extra, folder=folder)
            maps = [np.loadtxt(folder / "out" / f"w{k}.csv", delimiter=",", skiprows=1, usecols=(1, 2)) for k in range(len(parts))]
            rows.append((f"geotherm align, {method}", *judged(maps, parts), seconds))
            print(rows[-1], flush=True)
    import umap

    relations = [{i: i - 300 for i in range(300, 600)} for _ in range(len(parts) - 1)]
    start = time.perf_counter()
    mapper = umap.AlignedUMAP().fit([data for data, _, _ in parts], relations=relations)
    rows.append(("AlignedUMAP", *judged([np.asarray(m) for m in mapper.embeddings_], parts), time.perf_counter() - start))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--n", type=int, default=70000)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    hold_threads(args.threads)
    import numpy as np

    program = os.path.abspath(args.program)
    digits = np.load(Path(os.environ["GEOTHERM_DATA"]) / "mnist_70k_pca50.npz")["X_pca"]
    X = digits[np.random.default_rng(3).permutation(len(digits))[: args.n]].astype(np.float32)
    grown = growing(program, X, args.threads)
    print(grown, flush=True)
    lines = ["# Maps that grow, and aligned maps", "", "Made by `bench/model/align_update.py`.", "",
             f"A tenth of new rows on a map of {grown['n']:,} MNIST digits in all, {args.threads} threads.", "",
             "| what | value |", "|---|---|",
             f"| whole run with refinement, s | {grown['whole_s']:.1f} |", f"| whole run without, s | {grown['plain_s']:.1f} |",
             f"| update, s | {grown['update_s']:.1f} ({grown['update_s'] / grown['whole_s']:.2f} of the run with refinement) |",
             f"| stress of a whole run without refinement | {grown['stress_plain']:.4f} |",
             f"| stress after update | {grown['stress_grown']:.4f} ({grown['stress_grown'] / grown['stress_plain']:.3f} of it) |",
             f"| median, largest movement of old points | {100 * grown['median']:.2g} %, {100 * grown['largest']:.2g} % of the extent |", "",
             "Stress is that of distances from 200 rows to all, with the scale that fits best.", "",
             "Four overlapping windows of the small digits (600 rows each, 300 in common with the next):", "",
             "| method | linked rows apart, share of the extent | accuracy of 10 neighbours in a window | s |", "|---|---|---|---|"]
    lines += [f"| {name} | {link:.4f} | {right:.3f} | {s:.1f} |" for name, link, right, s in aligned(program, args.threads)]
    (Path(__file__).parent / "growing.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
