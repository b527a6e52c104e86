"""Swiss rolls of any number of rows, written block by block as .npy shards; true coordinates beside them.

The sheet of width 20 is that of `geotherm synth swiss-roll --width 20`: t uniform in [1.5 pi, 4.5 pi], y uniform, turned into 50
columns by a random rotation, with normal noise in every column.
"""
from pathlib import Path

import numpy as np

WIDTH, NOISE, COLUMNS, BLOCK = 20.0, 0.3, 50, 250_000


def arc_length(t):
    return 0.5 * (t * np.sqrt(1 + t * t) + np.arcsinh(t))


def block_of(first, count, seed=0):
    """Rows `first` on, the same whatever was made before: (table float32, coordinates on the sheet)."""
    rng = np.random.default_rng([seed, first])
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=count))
    y = WIDTH * rng.uniform(size=count)
    roll = np.stack([t * np.cos(t), y, t * np.sin(t)], axis=1)
    turn = np.linalg.qr(np.random.default_rng([seed, 1 << 40]).normal(size=(COLUMNS, 3)))[0]
    table = (roll @ turn.T).astype(np.float32)
    table += NOISE * rng.standard_normal((count, COLUMNS), dtype=np.float32)
    return table, np.stack([arc_length(t), y], axis=1)


def write_shards(folder, n, seed=0):
    """n rows as shards of 250,000; coordinates.npy is the truth. Nothing is made twice."""
    folder = Path(folder)
    (folder / "shards").mkdir(parents=True, exist_ok=True)
    truth = folder / "coordinates.npy"
    if truth.exists():
        return folder
    parts = []
    for first in range(0, n, BLOCK):
        table, at = block_of(first, min(BLOCK, n - first), seed)
        np.save(folder / "shards" / f"{first // BLOCK:05d}.npy", table)
        parts.append(at)
    np.save(truth, np.concatenate(parts))
    return folder


def write_table(path, folder):
    """The shards as one .npy file."""
    shards = sorted((Path(folder) / "shards").glob("*.npy"))
    heads = [np.load(shard, mmap_mode="r") for shard in shards]
    n = sum(len(head) for head in heads)
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, heads[0].shape[1]))
    at = 0
    for head in heads:
        out[at : at + len(head)] = head
        at += len(head)
    out.flush()


def quality(layout, truth, n_pairs=100_000, n_rows=300, k=10):
    """Correlation of map distances with the truth over random pairs, and the share of a row's k nearest on the sheet, of
    20,000 random rows, that are among its k nearest of those in the map."""
    rng = np.random.default_rng(7)
    a, b = rng.integers(0, len(truth), (2, n_pairs))
    true = np.linalg.norm(truth[a] - truth[b], axis=1)
    found = np.linalg.norm(layout[a] - layout[b], axis=1)
    some = rng.choice(len(truth), min(len(truth), 20_000), replace=False)
    there, here = truth[some], layout[some]
    kept = 0
    for row in range(n_rows):
        near = [np.argpartition(((x - x[row]) ** 2).sum(axis=1), k + 1)[: k + 1] for x in (there, here)]
        kept += len(np.intersect1d(*near)) - 1
    return {"map_correlation": float(np.corrcoef(true, found)[0, 1]), "neighbors_kept": kept / (k * n_rows)}
