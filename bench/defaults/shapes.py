"""Data of the table of defaults: made shapes with known truth, and real sets that lie under GEOTHERM_DATA.

Each row is (name, points, what is known): `truth` are distances, `groups` clusters whose inside is judged, `labels`
groups to be found again, `times` an order.
"""
import os
from pathlib import Path

import numpy as np


def distances(points):
    squares = (points**2).sum(1)
    return np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * points @ points.T, 0))


def blobs(rng, sizes, spreads, gap, dim=5):
    centres = rng.normal(size=(len(sizes), dim)) * gap
    group = np.repeat(np.arange(len(sizes)), sizes)
    return centres[group] + rng.normal(size=(len(group), dim)) * np.asarray(spreads)[group][:, None], group


def chain(rng, n_clusters, gap, n=1200, dim=5):
    group = np.repeat(np.arange(n_clusters), n // n_clusters)
    points = rng.normal(size=(len(group), dim))
    points[:, 0] += gap * group
    return points, group


def ring(rng, n, noise, dim=2):
    angle = rng.uniform(0, 2 * np.pi, n)
    points = np.zeros((n, dim))
    points[:, 0], points[:, 1] = np.cos(angle), np.sin(angle)
    points += noise * rng.normal(size=points.shape)
    apart = np.abs(angle[:, None] - angle[None])
    return points, np.minimum(apart, 2 * np.pi - apart)


def s_curve(rng, n, noise):
    t, width = 3 * np.pi * (rng.uniform(size=n) - 0.5), 2 * rng.uniform(size=n)
    points = np.c_[np.sin(t), width, np.sign(t) * (np.cos(t) - 1)] + noise * rng.normal(size=(n, 3))
    return points, distances(np.c_[t, width])


def dumbbell(rng, n):
    """Two discs joined by a bar: nothing is curved, so straight lines along the bar are close to geodesics."""
    side = rng.integers(0, 3, n)
    angle, radius = rng.uniform(0, 2 * np.pi, n), 2 * np.sqrt(rng.uniform(size=n))
    points = np.c_[radius * np.cos(angle) + 6 * (side == 1) - 6 * (side == 0), radius * np.sin(angle)]
    points[side == 2] = np.c_[rng.uniform(-4, 4, n), rng.uniform(-0.3, 0.3, n)][side == 2]
    return points, distances(points)


def made(program, folder, seed):
    rng = np.random.default_rng(seed)
    for k in (1, 4, 5, 8, 20):
        points, group = blobs(rng, [1000 // k] * k, [1] * k, 15)
        yield f"blobs, {k}", points, {"groups": group}
    points, group = blobs(rng, [500, 250, 120, 80, 50], [1, 10, 1, 10, 3], 60)
    yield "blobs, unequal", points, {"groups": group}
    for k in (5, 20):
        path = Path(folder) / f"made-{seed}.npz"
        program("synth", "blobs", "--branches", k, "--n", 1000, "--seed", seed, "-o", path, "--quiet")
        with np.load(path) as z:
            yield f"blobs that touch, {k}", z["X"], {"groups": z["label"]}
    for gap in (4, 6):
        points, group = chain(rng, 6, gap)
        yield f"chain of 6 clusters, {gap} apart", points, {"groups": group}
    for noise in (0.03, 0.08):
        points, truth = ring(rng, 500, noise)
        yield f"ring, noise {noise}", points, {"truth": truth}
    points, truth = s_curve(rng, 1500, 0.05)
    yield "S-curve", points, {"truth": truth}
    points, truth = dumbbell(rng, 1200)
    yield "dumbbell", points, {"truth": truth}
    shapes = [("sphere, noise .05", ("sphere", "--noise", 0.05)), ("torus, noise .1", ("torus", "--noise", 0.1))]
    for dim in (3, 10, 50):
        shapes += [(f"roll {dim}-d, noise {x}", ("swiss-roll", "--dim", dim, "--noise", x)) for x in (0.1, 0.5, 1.0)]
    for dim, name in ((10, "tree"), (30, "tree high")):
        shapes += [(f"{name}, noise {x}", ("tree", "--dim", dim, "--noise", x)) for x in (1, 5, 10)]
    for name, words in shapes:
        path = Path(folder) / f"made-{seed}.npz"
        program("synth", *words, "--n", 2000, "--seed", seed, "-o", path, "--quiet")
        with np.load(path) as z:
            yield name, z["X"], {"truth": z["geodesic"]}


REAL = {
    "PBMC 3k": ("pbmc3k_processed_pca50_small.npz", "X_pca", {"labels": "louvain"}),
    "Paul15": ("paul15_2730_pca50.npz", "X_pca", {"labels": "cluster_id"}),
    "Morarach": ("morarach20_pca.npz", "X_pca", {"labels": "leiden", "times": "latent_time"}),
    "Weinreb": ("weinreb_781_pca50.npz", "X_pca", {"labels": "state", "times": "time"}),
    "EMT": ("tigon_EMT_3133x3.npz", "X", {"times": "time"}),
    "Bifurcation": ("tigon_Bifurcation_1896x4.npz", "X", {"times": "time"}),
    "Levine": ("levine32_H2_31721x32_asinh.npz", "X", {"labels": "label"}),
    "CBMC": ("cbmc_citeseq_8617x500.npz", "counts", {"labels": "labels"}),
    "MNIST": ("mnist_70k_pca50.npz", "X_pca", {"labels": "y"}),
    "TrajAtlas": ("trajatlas_osteo_272369_scanvi15.npz", "X", {"labels": "level2_anno"}),
}


def real(seed, most=2500):
    folder = os.environ.get("GEOTHERM_DATA", "")
    for name, (file, key, known) in REAL.items():
        path = Path(folder) / file
        if not path.exists():
            print(f"SKIPPED: {name}: {path} is not there (set GEOTHERM_DATA)")
            continue
        with np.load(path, allow_pickle=True) as z:
            points, known = z[key].astype(float), {kind: z[column] for kind, column in known.items()}
        if name == "CBMC":
            points = np.log1p(points / np.maximum(1, points.sum(1, keepdims=True)) * 1e4)
            u, s, _ = np.linalg.svd(points - points.mean(0), full_matrices=False)
            points = (u * s)[:, :30]
        if name == "Paul15":
            known["stages"] = known["labels"]
        rows = np.sort(np.random.default_rng(seed).permutation(len(points))[:most])
        yield name, points[rows], {kind: values[rows] for kind, values in known.items()}
