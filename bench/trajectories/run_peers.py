"""Diffusion pseudotime and PAGA (scanpy) and Palantir on the sets of the comparison, each with its own defaults.

    PYTHON bench/trajectories/run_peers.py --cells out/cells -o out/trajectories/peers

PYTHON has bench/trajectories/requirements.txt. Writes one .npz a set: pseudotimes (roots x cells), Palantir's fate
probabilities for the first root, PAGA's groups and the tree between them. Finished sets are kept.
"""
import argparse
import os
import time
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import anndata
import numpy as np
import palantir
import pandas as pd
import scanpy as sc
import sets
from scipy.sparse.linalg import ArpackNoConvergence

warnings.filterwarnings("ignore")


def run_scanpy(cells):
    """DPT from every root; PAGA on Leiden groups, with the spanning tree of its connectivities."""
    data = anndata.AnnData(cells.points.astype(np.float32))
    sc.pp.neighbors(data, use_rep="X")
    sc.tl.diffmap(data)
    orders = []
    start = time.perf_counter()
    for root in cells.roots:
        data.uns["iroot"] = root
        sc.tl.dpt(data)
        orders.append(data.obs["dpt_pseudotime"].to_numpy(float))
    took = time.perf_counter() - start
    sc.tl.leiden(data, flavor="igraph", n_iterations=2, directed=False)
    sc.tl.paga(data)
    tree = data.uns["paga"]["connectivities_tree"].toarray()
    return {
        "dpt": np.array(orders),
        "dpt_s": took,
        "paga_group": data.obs["leiden"].astype(int).to_numpy(),
        "paga_tree": np.maximum(tree, tree.T),
    }


def from_root(space, root):
    """With the first of a few seeds for which Palantir's eigenvectors converge."""
    for seed in range(5):
        np.random.seed(seed)
        try:
            return palantir.core.run_palantir(space, root, num_waypoints=min(1200, len(space)), n_jobs=1)
        except ArpackNoConvergence:
            print(f"{root}: no eigenvectors with seed {seed}", flush=True)
    raise RuntimeError("Palantir finds no eigenvectors with any of five seeds")


def run_palantir(cells):
    table = pd.DataFrame(cells.points, index=[f"c{i}" for i in range(len(cells.points))])
    space = palantir.utils.determine_multiscale_space(palantir.utils.run_diffusion_maps(table))
    orders, fates = [], None
    for root in cells.roots:
        found = from_root(space, f"c{root}")
        orders.append(found.pseudotime.reindex(space.index).to_numpy(float))
        if fates is None:
            fates = found.branch_probs.reindex(space.index)
    return {
        "palantir": np.array(orders),
        "palantir_fate": fates.to_numpy(float),
        "palantir_end": np.array([int(c[1:]) for c in fates.columns]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=Path, default=Path("out/cells"))
    parser.add_argument("-o", "--output", type=Path, default=Path("out/trajectories/peers"))
    parser.add_argument("--further", action="store_true", help="the draws of choose.py instead")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for cells in sets.further_sets() if arguments.further else sets.all_sets(arguments.cells):
        path = arguments.output / f"{cells.key}.npz"
        if path.exists():
            continue
        start = time.perf_counter()
        np.savez(path, roots=cells.roots, **run_scanpy(cells), **run_palantir(cells))
        print(f"{cells.name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
