#!/usr/bin/env python3
"""Makes spectral_values.json: a small weighted graph with the Laplacian eigenmaps that scikit-learn
gives for it, and the spectrum, diffusion-map distances and diffusion distances of its random walk by
dense linear algebra of scipy. Read by src/embedding/spectral_test.cpp.

Needs numpy, scipy and scikit-learn:
    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install scikit-learn scipy
    /tmp/reference/bin/python tests/reference/make_spectral_values.py
"""
import json
import pathlib

import numpy as np
import scipy
import sklearn
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import spectral_embedding

rng = np.random.default_rng(20240601)
n, knn, steps, n_components = 40, 6, 3, 3
t = np.sort(rng.uniform(0, 4, n))
x = np.column_stack([t * np.cos(2 * t), t * np.sin(2 * t), rng.normal(scale=0.1, size=n)])
d = squareform(pdist(x))
near = np.argsort(d, axis=1)[:, 1 : knn + 1]
w = np.zeros((n, n))
for i in range(n):
    w[i, near[i]] = np.exp(-((d[i, near[i]] / d[i, near[i, -1]]) ** 2))
w = np.round((w + w.T) / 2, 6)  # short in JSON; everything below is of what is stored

# Laplacian eigenmaps: scikit-learn's, by ARPACK; and the pencil's eigenvalues, dense.
maps = spectral_embedding(w, n_components=n_components, drop_first=True, random_state=0, eigen_tol=1e-14)
q = w.sum(axis=1)
pencil = eigh(np.diag(q) - w, np.diag(q), eigvals_only=True)

# Diffusion: P = Q^-1 (W + I), straight from its definition, without a symmetric form.
walk = w + np.eye(n)
volume = walk.sum(axis=1)
p = walk / volume[:, None]
pi = volume / volume.sum()
p_t = np.linalg.matrix_power(p, steps)
diffusion_distances = squareform(pdist(p_t / np.sqrt(pi)))
values, vectors = np.linalg.eig(p)
order = np.argsort(-values.real)
values, psi = values.real[order], vectors.real[:, order]
psi /= np.sqrt((pi[:, None] * psi**2).sum(axis=0))
coordinates = (values**steps * psi)[:, 1 : n_components + 1]

out = {
    "made_with": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__},
    "n": n,
    "steps": steps,
    "edges": [[i, j, w[i, j]] for i in range(n) for j in range(n) if w[i, j] > 0],
    "eigenmap_values": pencil[1 : n_components + 1].tolist(),
    "eigenmap_distances": pdist(maps).tolist(),
    "walk_values": values[1 : n_components + 1].tolist(),
    "diffusion_map_distances": pdist(coordinates).tolist(),
    "diffusion_distances": diffusion_distances[np.triu_indices(n, 1)].tolist(),
}
path = pathlib.Path(__file__).with_name("spectral_values.json")
path.write_text(json.dumps(out, separators=(",", ":")) + "\n")
print(path, path.stat().st_size, "bytes; eigenvalues", pencil[:4], values[:4])
