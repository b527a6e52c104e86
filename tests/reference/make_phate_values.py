#!/usr/bin/env python3
"""Makes phate_values.npz (one small roll, stage by stage) and phate_maps.npz (two-dimensional maps of real
data sets; the data themselves are not stored), from PyPI's phate run as it is. Read by
src/methods/phate_test.cpp.

Needs phate (made with 2.0.0), and GEOTHERM_DATA for the real data:
    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install phate
    GEOTHERM_DATA=... /tmp/reference/bin/python tests/reference/make_phate_values.py
"""
import os
import pathlib

import numpy as np
import phate

here = pathlib.Path(__file__).parent
KNN, DECAY, STEPS = 5, 40, 8


def fitted(x, t, solver):
    # No PCA, no landmarks: every stage is then that of the paper.
    op = phate.PHATE(knn=KNN, decay=DECAY, t=t, n_landmark=None, n_pca=None, mds_solver=solver,
                     random_state=1, n_jobs=1, verbose=0)
    return op, op.fit_transform(x)


def dense(a):
    return np.asarray(a.todense() if hasattr(a, "todense") else a, dtype=np.float64)


def small_roll(n=120):
    rng = np.random.default_rng(7)
    angle = 1.5 * np.pi * (1 + 2 * rng.random(n))
    x = np.column_stack([angle * np.cos(angle), 12 * rng.random(n), angle * np.sin(angle)])
    return np.round(x + 0.1 * rng.normal(size=x.shape), 6)


def upper(a):
    """The upper triangle with its diagonal: enough for what is symmetric."""
    return a[np.triu_indices(len(a))]


def stages():
    x = small_roll()
    op, y = fitted(x, STEPS, "smacof")
    kernel = dense(op.graph.K)
    assert np.array_equal(kernel, kernel.T)
    # The potential is what follows from P and t by one formula; 40 of its rows show that.
    potential = dense(op.diff_potential)
    assert potential.shape == kernel.shape
    i, j = np.nonzero(dense(op.diff_op))
    np.savez_compressed(
        here / "phate_values.npz", X=x, knn=KNN, t=STEPS, walk_row=i.astype(np.int32),
        walk_col=j.astype(np.int32), walk=dense(op.diff_op)[i, j], kernel=kernel[i, j],
        potential_rows=potential[::3], map=y)


def maps():
    data = pathlib.Path(os.environ["GEOTHERM_DATA"])
    arrays = {"knn": KNN}
    for name, file, every in [("pbmc3k", "pbmc3k_processed_pca50_small.npz", 3),
                              ("paul15", "paul15_2730_pca50.npz", 3)]:
        x = np.load(data / file)["X_pca"].astype(np.float64)[::every]
        op, _ = fitted(x, "auto", "sgd")
        t = int(op.optimal_t) if getattr(op, "optimal_t", None) else 20
        _, y = fitted(x, t, "sgd")
        _, again = fitted(x, t, "smacof")
        print(name, x.shape, "t", t, "solvers agree",
              np.corrcoef(upper(distances(y)), upper(distances(again)))[0, 1])
        arrays |= {name + "_every": every, name + "_t": t, name + "_map": y.astype(np.float32)}
    np.savez_compressed(here / "phate_maps.npz", **arrays)


def distances(y):
    return np.sqrt(((y[:, None] - y[None]) ** 2).sum(-1))


if __name__ == "__main__":
    stages()
    maps()
