"""How many directions are kept of round clusters: those of their centres, ten, all, or what `--pca auto` takes.

    python bench/defaults/round_clusters.py [--seeds 111,112] [--out bench/defaults/round_clusters.md]

Needs numpy; GEOTHERM_PROGRAM is the program (build/geotherm). Clusters are `geotherm synth blobs`, 1,000 points, centres 10
standard deviations apart. Stars are three arms of length 10 in noise: the shape that goes on which is closest to clusters.
"""
import argparse
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import shapes
from compare import by_rows, program

ROOT = Path(__file__).resolve().parents[2]


def radius(points):
    return float(np.sqrt(((points - points.mean(0)) ** 2).sum(1).mean()))


def star(seed, noise, dim=30, n=1200):
    rng = np.random.default_rng(seed)
    arm, along = rng.integers(0, 3, n), rng.uniform(0, 10, n)
    points = np.eye(dim)[arm] * along[:, None] + noise * rng.normal(size=(n, dim))
    same = arm[:, None] == arm[None]
    return points, np.where(same, np.abs(along[:, None] - along), along[:, None] + along)


def embed(points, pca, folder):
    """The map, and how many directions were kept."""
    np.save(folder / "points.npy", points)
    program("embed", folder / "points.npy", "-o", folder / "map.npy", "--pca", pca, "--threads", 1, "--quiet",
            "--manifest", folder / "manifest.json")  # fmt: skip
    kept = json.loads((folder / "manifest.json").read_text())["resolved"].get("pca_rank", points.shape[1])
    return np.load(folder / "map.npy"), kept


def clusters_drawn(points, group, place):
    """Correlation inside, radius on the map over that in the data, the same of distances between centres."""
    names = np.unique(group)
    inside = [by_rows(*(shapes.distances(x[group == g]) for x in (points, place))) for g in names]
    sizes = [radius(place[group == g]) / radius(points[group == g]) for g in names]
    pairs = np.triu_indices(len(names), 1)
    true, drawn = (shapes.distances(np.array([x[group == g].mean(0) for g in names]))[pairs] for x in (points, place))
    return np.mean(inside), np.median(sizes), np.median(drawn / true)


def rows(seeds, folder):
    for dim in (10, 20, 50):
        for k in (2, 3, 5, 8):
            if k > dim // 2:
                continue
            for pca in ("auto", k - 1, 10, "none"):
                found, kept = [], []
                for seed in seeds:
                    program("synth", "blobs", "--branches", k, "--dim", dim, "--n", 1000, "--seed", seed, "-o", folder / "x.npz", "--quiet")
                    with np.load(folder / "x.npz") as z:
                        place, rank = embed(z["X"], pca, folder)
                        found.append(clusters_drawn(z["X"], z["label"], place))
                        kept.append(rank)
                means = " | ".join(f"{x:.3f}" for x in np.mean(found, axis=0))
                yield f"| {k} clusters, {dim}-d | {pca} | {', '.join(f'{x:.0f}' for x in sorted(set(kept)))} | {means} | - |"
    for noise in (1.4, 1.6, 1.8):
        for pca in ("auto", 3, 10, "none"):
            found, kept = [], []
            for seed in seeds:
                points, truth = star(seed, noise)
                place, rank = embed(points, pca, folder)
                found.append(by_rows(truth, shapes.distances(place)))
                kept.append(rank)
            yield f"| star, 30-d, noise {noise} | {pca} | {', '.join(f'{x:.0f}' for x in sorted(set(kept)))} | - | - | - | {np.mean(found):.3f} |"


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--seeds", default="111,112")
    words.add_argument("--out", default=str(ROOT / "bench/defaults/round_clusters.md"))
    asked = words.parse_args()
    lines = [
        "# Directions kept of round clusters",
        "",
        f"Written by `bench/defaults/round_clusters.py --seeds {asked.seeds}`. `--pca auto`; as many directions as the centres span, which `auto` took before it looked "
        "for clusters; 10; all. Inside: Spearman correlation of distances, mean over rows and clusters. Size and gaps: radius of clusters and distances "
        "between centres, map over data, medians. Shape: Spearman correlation with the distances along a star.",
        "",
        "| data | `--pca` | directions kept | inside of clusters | size | gaps | shape |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for row in rows([int(s) for s in asked.seeds.split(",")], Path(folder)):
            print(row, flush=True)
            lines.append(row)
    Path(asked.out).write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
