"""Stage-by-stage reference values: tests/reference/golden/{swiss100,tree100}.npz and path51_log_heat.csv.

    python make_golden_values.py            compares the stored values with ones computed anew by NumPy and SciPy
    python make_golden_values.py --write    writes the values computed anew
    python make_golden_values.py --published PYTHON    the same, with D_heatgeo_* run anew too by the published program:
                                            PYTHON is that of `bench/peers.sh heatgeo`

Points and the number of neighbours are taken from the stored files: they are where everything begins. Of kernels, distances
and the potential (dense, 100 x 100) every fifth row is kept: H_*, D_*, phate_*.
`D_heatgeo_*` are the output of heatgeo 0.0.1, run as a black box; without PYTHON they are kept as stored. The kernel of the
path is summed from its closed-form eigenvectors with 250 digits (mpmath). Needs numpy, scipy and mpmath.

| key | what it is |
|---|---|
| W_alpha | exp(-(d / bandwidth)^40), bandwidth: distance to the knn-th neighbour; below 1e-4 dropped; (K + K^T) / 2; diagonal 0 |
| P_diffusion | random walk of the same kernel with its diagonal of 1 |
| L_*, eig_*, H_exact_*_t* | Laplacians of W_alpha, eigenvalues, heat kernels by eigenvectors: 1e-15 absolute |
| H_euler30_*_t10 | 30 steps of backward Euler |
| D_formula_comb_t10_s* | -4t log H - sigma 4t log V under the root: to be compared where H > 1e-8 |
| entropy_norm, knee_norm | entropy of the kernel's rows over entropy_taus; the knee is kept as stored (Kneedle, S = 0.5) |
| phate_potential_t10, D_shortest_path | -log(P^10 + 1e-7); Dijkstra on the symmetric graph of knn neighbours |
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist

ROW_STEP = 5  # golden_row_step of tests/golden/golden_data.hpp
FOLDER = Path(__file__).resolve().parent / "golden"
# 1e-8 for distances: a root of a logarithm of values that are right to 1e-15 absolute, read where they exceed 1e-8.
# 1e-9 for entropies: 10^4 entries, each right to 1e-15 absolute, times log(1e-10).
TOLERANCE = {"D_formula": 1e-6, "D_heatgeo": 1e-6, "phate": 1e-8, "entropy": 1e-9}


def kept(values: dict) -> dict:
    return {key: v[::ROW_STEP] if key.startswith(("H_", "D_", "phate_")) else v for key, v in values.items()}


def computed(stored: dict) -> dict:
    x, knn = stored["X"], int(stored["knn"])
    distances = cdist(x, x)
    order = np.sort(distances, axis=1)
    kernel = np.exp(-((distances / order[:, knn][:, None]) ** 40))
    kernel[kernel < 1e-4] = 0
    affinity = (kernel + kernel.T) / 2
    walk = affinity.copy()
    np.fill_diagonal(walk, 1)
    np.fill_diagonal(affinity, 0)
    out = {"W_alpha": affinity, "P_diffusion": walk / walk.sum(1, keepdims=True)}
    degree = affinity.sum(1)
    combinatorial = np.diag(degree) - affinity
    normalized = np.eye(len(x)) - affinity / np.sqrt(np.outer(degree, degree))
    out |= {"L_combinatorial": combinatorial, "L_normalized": normalized}
    for word, laplacian in (("comb", combinatorial), ("norm", normalized)):
        values, vectors = np.linalg.eigh((laplacian + laplacian.T) / 2)
        out[f"eig_{word}"] = values
        for t in (1, 10, 50):
            out[f"H_exact_{word}_t{t}"] = (vectors * np.exp(-t * values)) @ vectors.T
        out[f"H_euler30_{word}_t10"] = (vectors * (1 + 10 / 30 * values) ** -30.0) @ vectors.T
        if word == "norm":
            rows = [(vectors * np.exp(-t * values)) @ vectors.T for t in stored["entropy_taus"]]
            out["entropy_norm"] = np.array([entropy(h) for h in rows])
    heat = out["H_exact_comb_t10"]
    log_heat = np.log(np.maximum(heat, 1e-300))
    diagonal = np.diag(heat)
    volume = 2 / (diagonal[:, None] + diagonal[None, :])
    for word in ("0", "0.5", "1", "1.5"):
        out[f"D_formula_comb_t10_s{word}"] = np.sqrt(np.maximum(-40 * log_heat - float(word) * 40 * np.log(volume), 0))
    out["phate_potential_t10"] = -np.log(np.linalg.matrix_power(out["P_diffusion"], 10) + 1e-7)
    near = np.where(distances <= order[:, knn][:, None], distances, 0)
    out["D_shortest_path"] = dijkstra(np.maximum(near, near.T), directed=False)
    return out


def entropy(heat):
    heat = np.maximum(heat, 0)  # rows of the normalised kernel do not sum to 1, and are taken as they are
    return -(heat * np.log(heat + 1e-10)).sum()


def published(stored: dict, python: str) -> dict:
    """heatgeo's own distances, asked for by its public arguments."""
    program = """
import sys, numpy as np
from heatgeo.embedding import HeatGeo
X, knn = np.load(sys.argv[1]), int(sys.argv[2])
out = {}
def run(name, **options):
    method = HeatGeo(knn=knn, n_pca=None, emb_dim=2, **options)
    method.fit_transform(X)
    out[name] = np.asarray(method.dist, dtype=float)
for s in ("0", "0.5", "1", "1.5"):
    run("D_heatgeo_exact_comb_t10_s" + s, tau=10, filter_method="exact", lap_type="combinatorial", harnack_regul=float(s))
run("D_heatgeo_cheb32_norm_t1_s1", tau=1, order=32, filter_method="mar", lap_type="normalized", harnack_regul=1)
run("D_heatgeo_cheb64_norm_t10_s1", tau=10, order=64, filter_method="mar", lap_type="normalized", harnack_regul=1)
np.savez(sys.argv[3], **out)
"""
    with tempfile.TemporaryDirectory() as work:
        np.save(f"{work}/X.npy", stored["X"])
        subprocess.run([python, "-c", program, f"{work}/X.npy", str(int(stored["knn"])), f"{work}/out.npz"],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        return dict(np.load(f"{work}/out.npz"))


def path_rows():
    """t, i, j, log h of the path of 51 nodes, from node 0 and node 25: cosines, 250 digits."""
    from mpmath import mp

    mp.dps = 250
    n = 51
    yield "t,i,j,log_h"
    for time in ("0.1", "1.0", "10.0", "100.0"):
        weights = [mp.e ** (-mp.mpf(time) * (2 - 2 * mp.cos(mp.pi * k / n))) * (1 if k == 0 else 2) / n for k in range(n)]
        cosines = [[mp.cos(mp.pi * k * (2 * j + 1) / (2 * n)) for j in range(n)] for k in range(n)]
        for i in (0, 25):
            for j in range(n):
                h = sum(weights[k] * cosines[k][i] * cosines[k][j] for k in range(n))
                yield f"{time},{i},{j},{mp.nstr(mp.log(h), 20)}"


def compare_path() -> bool:
    old = [line.split(",") for line in (FOLDER / "path51_log_heat.csv").read_text().split()][1:]
    new = [line.split(",") for line in path_rows()][1:]
    known = {(float(t), i, j): float(v) for t, i, j, v in old}
    gap = max(abs(float(v) - known[float(t), i, j]) / abs(known[float(t), i, j]) for t, i, j, v in new)
    print(f"path51_log_heat.csv: {len(new)} values, largest relative difference {gap:.1e}")
    return len(new) == len(old) and gap < 1e-14


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--published", metavar="PYTHON")
    args = parser.parse_args()
    agree = compare_path()
    for name in ("swiss100", "tree100"):
        stored = dict(np.load(FOLDER / f"{name}.npz"))
        new = computed(stored)
        if args.published:
            new |= published(stored, args.published)
        new = kept(new)
        for key, values in new.items():
            where = np.ones(values.shape, bool)
            if key.startswith(("D_formula", "D_heatgeo")):
                time = key.split("_t")[1].split("_")[0]
                where = stored[f"H_exact_{'comb' if 'comb' in key else 'norm'}_t{time}"] > 1e-8
            gap = np.abs(values - stored[key])[where].max()
            limit = next((limit for start, limit in TOLERANCE.items() if key.startswith(start)), 1e-11)
            agree &= bool(gap <= limit)
            print(f"{name} {key}: {gap:.1e}" + ("" if gap <= limit else f"  MORE THAN {limit:g}"))
        if args.write:
            np.savez_compressed(FOLDER / f"{name}.npz", **{**stored, **new})
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
