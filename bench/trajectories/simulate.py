"""Simulated trajectories with known milestones.

A trajectory is a network of milestones joined by edges of given lengths. Every edge is a smooth curve in a
space of gene programs, every cell lies at a known fraction of one edge, and noise of a chosen kind turns its
place into measurements. The truth is kept in the form of the dynverse packages: a milestone network (from, to,
length) and percentages (cell, milestone, share).

    python bench/trajectories/simulate.py out/trajectories      writes one .npz a data set of SETS
"""
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

# Edges (from, to, length); the first milestone is the root.
SHAPES = {
    "linear": [("A", "B", 1.0), ("B", "C", 1.0)],
    "bifurcation": [("A", "B", 1.0), ("B", "C", 1.0), ("B", "D", 1.2)],
    "multifurcation": [("A", "B", 0.8), ("B", "C", 1.0), ("B", "D", 1.3), ("B", "E", 0.8), ("B", "F", 1.0)],
    "tree": [("A", "B", 0.8), ("B", "C", 0.7), ("B", "D", 1.2), ("C", "E", 1.0), ("C", "F", 0.8), ("D", "G", 0.7), ("D", "H", 1.0)],
    "loop": [("A", "B", 1.0), ("B", "C", 1.0), ("C", "D", 1.0), ("D", "A", 1.0)],
    "loop with a tail": [("A", "B", 1.2), ("B", "C", 1.0), ("C", "D", 1.0), ("D", "B", 1.0)],
    "convergence": [("A", "B", 1.2), ("C", "B", 0.8), ("B", "D", 1.0)],
    "split and rejoin": [("A", "B", 0.7), ("B", "C", 1.0), ("B", "D", 1.0), ("C", "E", 1.0), ("D", "E", 1.0), ("E", "F", 0.8)],
}


@dataclass
class Setting:
    """One simulated data set; `noise` is one of the kinds of `measured`."""

    name: str
    shape: str
    noise: str
    amount: float
    n: int = 1000
    seed: int = 0
    skew: float = 0.0  # 0: cells evenly along each edge; larger: crowded at its beginning


@dataclass
class Trajectory:
    name: str
    points: np.ndarray
    edges: list = field(default_factory=list)  # (from, to, length)
    edge: np.ndarray = None  # of each cell
    fraction: np.ndarray = None  # along its edge, 0 to 1
    root: int = 0

    @property
    def milestones(self):
        return sorted({m for a, b, _ in self.edges for m in (a, b)})

    @property
    def time(self):
        """Distance from the root's milestone along the network, either way along an edge: no method that
        sees distances alone can tell the direction in which a loop is walked."""
        names = self.milestones
        to_root = {m: np.inf for m in names}
        to_root[self.edges[0][0]] = 0.0
        for _ in names:
            for a, b, length in self.edges:
                to_root[b] = min(to_root[b], to_root[a] + length)
                to_root[a] = min(to_root[a], to_root[b] + length)
        result = np.empty(len(self.edge))
        for e, (a, b, length) in enumerate(self.edges):
            at = self.edge == e
            along = self.fraction[at] * length
            result[at] = np.minimum(to_root[a] + along, to_root[b] + length - along)
        return result


def curves(edges, n_programs, rng):
    """Milestones at random places about as far apart as the edges are long, and on every edge a curve between them
    that bends: a function fraction -> place for each edge."""
    names = sorted({m for a, b, _ in edges for m in (a, b)})
    place = {names[0]: np.zeros(n_programs)}
    # Breadth first: every further milestone is a step away from one that is placed, in a direction of its own.
    waiting = list(edges)
    while waiting:
        for k, (a, b, length) in enumerate(waiting):
            if a in place or b in place:
                break
        a, b, length = waiting.pop(k)
        if a in place and b in place:
            continue
        known, new = (a, b) if a in place else (b, a)
        step = rng.normal(size=n_programs)
        place[new] = place[known] + length * step / np.linalg.norm(step)
    result = []
    for a, b, length in edges:
        bend = rng.normal(size=(2, n_programs)) / np.sqrt(n_programs) * 0.25 * length

        def at(f, start=place[a], end=place[b], bend=bend):
            f = f[:, None]
            return start + f * (end - start) + np.sin(np.pi * f) * bend[0] + np.sin(2 * np.pi * f) * bend[1]

        result.append(at)
    return result


def measured(place, kind, amount, rng, n_genes=200):
    """Places in the space of programs -> measurements.

    gaussian: the same spread in every program and 20 more directions. counts: genes are exponentials of mixtures of
    programs, a cell's depth varies, counts are negative binomial; log-normalised, 30 principal components. dropout: the
    same, and small values are lost. outliers: gaussian, and one cell in fifty is far from where it belongs."""
    n, d = place.shape
    if kind in ("gaussian", "outliers"):
        full = np.hstack([place, np.zeros((n, 20))])
        noisy = full + rng.normal(size=full.shape) * amount / np.sqrt(full.shape[1])
        if kind == "outliers":
            off = rng.random(n) < 0.02
            noisy[off] += rng.normal(size=(off.sum(), full.shape[1])) * 6 * amount / np.sqrt(full.shape[1])
        return noisy
    loadings = rng.normal(size=(d, n_genes)) * (rng.random((d, n_genes)) < 0.3)
    level = np.exp(rng.normal(0, 1, n_genes) + 1.6 * place @ loadings)
    depth = np.exp(rng.normal(0, 0.35, n))[:, None] * 20.0 * n_genes / amount
    mean = level / level.sum(1, keepdims=True) * depth
    dispersion = 5.0
    counts = rng.poisson(mean * rng.gamma(dispersion, 1 / dispersion, size=mean.shape))
    if kind == "dropout":
        counts = np.where(rng.random(counts.shape) < np.exp(-0.15 * counts), 0, counts)
    total = np.maximum(counts.sum(1, keepdims=True), 1)
    logged = np.log1p(counts / total * np.median(total))
    centred = logged - logged.mean(0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    return (u * s)[:, :30]


def simulate(setting):
    rng = np.random.default_rng([setting.seed, 25])
    edges = SHAPES[setting.shape]
    length = np.array([e[2] for e in edges])
    edge = rng.choice(len(edges), size=setting.n, p=length / length.sum())
    fraction = rng.beta(1, 1 + setting.skew, setting.n)
    at = curves(edges, 10, rng)
    place = np.empty((setting.n, 10))
    for e in range(len(edges)):
        place[edge == e] = at[e](fraction[edge == e])
    result = Trajectory(setting.name, measured(place, setting.noise, setting.amount, rng), edges, edge, fraction)
    result.root = int(np.argmin(result.time))
    return result


# Options are fixed on the sets marked True; the others are only reported.
SETS = [
    (Setting("linear, gaussian", "linear", "gaussian", 0.25, 600, 1), True),
    (Setting("bifurcation, counts", "bifurcation", "counts", 1.0, 1000, 2), True),
    (Setting("tree, gaussian", "tree", "gaussian", 0.3, 1500, 3), True),
    (Setting("loop, counts", "loop", "counts", 1.0, 1000, 4), True),
    (Setting("convergence, dropout", "convergence", "dropout", 1.0, 1000, 5), True),
    (Setting("linear, dropout", "linear", "dropout", 2.0, 800, 11), False),
    (Setting("linear, counts, crowded", "linear", "counts", 1.0, 1000, 12, 2.0), False),
    (Setting("bifurcation, gaussian", "bifurcation", "gaussian", 0.4, 1000, 13), False),
    (Setting("bifurcation, dropout", "bifurcation", "dropout", 1.0, 1500, 14), False),
    (Setting("bifurcation, outliers", "bifurcation", "outliers", 0.25, 800, 15), True),
    (Setting("multifurcation, counts", "multifurcation", "counts", 1.0, 1500, 16), False),
    (Setting("multifurcation, gaussian, crowded", "multifurcation", "gaussian", 0.3, 2000, 17, 1.5), False),
    (Setting("tree, counts", "tree", "counts", 0.5, 2000, 18), False),
    (Setting("tree, dropout", "tree", "dropout", 0.5, 2000, 19), False),
    (Setting("tree, outliers", "tree", "outliers", 0.3, 1500, 20), False),
    (Setting("loop, gaussian", "loop", "gaussian", 0.3, 800, 21), False),
    (Setting("loop with a tail, counts", "loop with a tail", "counts", 1.0, 1200, 22), False),
    (Setting("convergence, gaussian", "convergence", "gaussian", 0.3, 1000, 23), False),
    (Setting("convergence, counts", "convergence", "counts", 1.0, 1000, 24), False),
    (Setting("split and rejoin, counts", "split and rejoin", "counts", 0.7, 1500, 25), False),
]


def further_settings():
    """One draw of every shape with every kind of noise, every setting of SETS with another seed, and two more draws of every
    shape with dropout, weak and strong; for the choice of options only (choose.py)."""
    result = []
    kinds = [("gaussian", 0.3, 800, 0.0), ("counts", 1.0, 1200, 0.0), ("dropout", 0.7, 1000, 1.5), ("outliers", 0.3, 1500, 0.0)]
    for shape in SHAPES:
        for noise, amount, n, skew in kinds:
            seed = 100 + len(result)
            result.append(Setting(f"further {shape}, {noise}", shape, noise, amount, n, seed, skew))
    result += [replace(setting, name=f"further seed of {setting.name}", seed=setting.seed + 200) for setting, _ in SETS]
    for k, shape in enumerate(SHAPES):
        result.append(Setting(f"further {shape}, weak dropout", shape, "dropout", 0.5, 1500, 300 + k))
        result.append(Setting(f"further {shape}, strong dropout", shape, "dropout", 2.0, 800, 320 + k))
    return result


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for setting, _ in SETS:
        made = simulate(setting)
        np.savez(
            out / (setting.name.replace(", ", "_").replace(" ", "-") + ".npz"),
            X=made.points, time=made.time, edge=made.edge, fraction=made.fraction, root=made.root,
            network=np.array(made.edges, dtype=str),
        )  # fmt: skip


if __name__ == "__main__":
    main()
