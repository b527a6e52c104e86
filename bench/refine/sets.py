"""The data sets of this comparison: real ones from GEOTHERM_DATA, and shapes made here from a fixed seed."""
import os
from pathlib import Path

import numpy as np


def stored(file, points, labels):
    def load():
        with np.load(Path(os.environ["GEOTHERM_DATA"]) / file) as table:
            return table[points].astype(np.float32), np.unique(table[labels], return_inverse=True)[1]
    return load


def in_bins(t, count):
    return np.digitize(t, np.quantile(t, np.arange(1, count) / count))


def roll(n=5000, seed=3):
    """A Swiss roll in ten dimensions, noise 0.4."""
    rng = np.random.RandomState(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.rand(n))
    points = np.zeros((n, 10))
    points[:, 0], points[:, 1], points[:, 2] = t * np.cos(t), 21 * rng.rand(n), t * np.sin(t)
    return (points + 0.4 * rng.randn(n, 10)).astype(np.float32), in_bins(t, 6)


def tree(n_branches=5, length=500, seed=3):
    """Branches that leave others at their middle or end, in ten dimensions, noise 2."""
    rng = np.random.RandomState(seed)
    walks, starts = [], [np.zeros(10)]
    for _ in range(n_branches):
        walk = starts[rng.randint(len(starts))] + np.cumsum(rng.uniform(-1, 1, (length, 10)), 0)
        walks.append(walk)
        starts += [walk[length // 2 - 1], walk[-1]]
    points = np.vstack(walks) + 2 * rng.randn(n_branches * length, 10)
    return points.astype(np.float32), np.repeat(np.arange(n_branches), length)


def s_curve(n=3000, seed=3):
    rng = np.random.RandomState(seed)
    t = 3 * np.pi * (rng.rand(n) - 0.5)
    points = np.c_[np.sin(t), 2 * rng.rand(n), np.sign(t) * (np.cos(t) - 1)] + 0.05 * rng.randn(n, 3)
    return points.astype(np.float32), in_bins(t, 6)


def blobs(n=2000, seed=3):
    """Eight Gaussians of four widths in ten dimensions."""
    rng = np.random.RandomState(seed)
    centres, widths = rng.uniform(-10, 10, (8, 10)), np.repeat([0.5, 1.0, 1.5, 2.0], 2)
    labels = np.arange(n) % 8
    points = centres[labels] + widths[labels][:, None] * rng.randn(n, 10)
    return points.astype(np.float32), labels


def circle(n=1000, seed=3):
    rng = np.random.RandomState(seed)
    t = 2 * np.pi * rng.rand(n)
    return (np.c_[np.cos(t), np.sin(t)] + 0.05 * rng.randn(n, 2)).astype(np.float32), in_bins(t, 8)


SETS = {
    "PBMC 3k": stored("pbmc3k_processed_pca50_small.npz", "X_pca", "louvain"),
    "Paul15": stored("paul15_2730_pca50.npz", "X_pca", "cluster_id"),
    "Morarach": stored("morarach20_pca.npz", "X_pca", "leiden"),
    "tree": tree,
    "S-curve": s_curve,
    "blobs": blobs,
    "circle": circle,
    "roll": roll,
    "Levine": stored("levine32_H2_31721x32_asinh.npz", "X", "label"),
    "MNIST": stored("mnist_70k_pca50.npz", "X_pca", "y"),
    "TrajAtlas": stored("trajatlas_osteo_272369_scanvi15.npz", "X", "level3_anno"),
}
#: Their labels are bins of a parameter, no types that clustering could find.
WITHOUT_TYPES = {"S-curve", "circle", "roll"}
