"""Diffusion pseudotime (scanpy) and Palantir on the cells of `geotherm reproduce time-order`.

    bench/peers.sh time_order
    python bench/fetch_cells.py out/cells
    GEOTHERM_DATA=folder .deps/peers/time_order/bin/python bench/time_order/peers.py --cells out/cells

Writes bench/time_order/peers.json, which the build puts into the program: correlation with known time,
intervals over resampled cells, and the share of krumsiek11's cells given to their own branch. Root, tips
and resampling are those of the program; each method has its own defaults. A set that is not there is
left out, and the program then says "not run".
"""
import argparse
import json
import os
import warnings
from pathlib import Path

import anndata
import numpy as np
import palantir
import pandas as pd
import scanpy as sc
import scipy
from scipy import stats

warnings.filterwarnings("ignore")
N_RESAMPLES = 1000

# Name, file, points, time. The names and the order are the program's (apps/reproduce/time_order.cpp).
SETS = [
    ("guo", "guo.npz", "X", "time"),
    ("HSMM", "hsmm.npz", "X", "time"),
    ("Morarach", "morarach20_pca.npz", "X_pca", "latent_time"),
    ("EMT", "tigon_EMT_3133x3.npz", "X", "time"),
    ("Weinreb", "weinreb_781_pca50.npz", "X_pca", "time"),
    ("krumsiek11", "krumsiek11.npz", "X", "time"),
]


def root_of(points, time):
    """Of the earliest hundredth of the cells (all of the first time point at least), the one nearest to
    their mean."""
    latest = np.sort(time)[max(0, -(-len(time) // 100) - 1)]
    first = np.flatnonzero(time <= latest)
    distance = np.linalg.norm(points[first] - points[first].mean(0), axis=1)
    return int(first[np.argmin(distance)])


def scores(pseudotime, time):
    """Cells that a method does not reach come last, together."""
    reached = np.isfinite(pseudotime)
    pseudotime = np.where(reached, pseudotime, pseudotime[reached].max() + 1)
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(N_RESAMPLES):
        i = rng.integers(0, len(time), len(time))
        drawn.append((stats.spearmanr(pseudotime[i], time[i])[0], stats.kendalltau(pseudotime[i], time[i])[0]))
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return {
        "spearman": [stats.spearmanr(pseudotime, time)[0], low[0], high[0]],
        "kendall": [stats.kendalltau(pseudotime, time)[0], low[1], high[1]],
        "n_unreached": int((~reached).sum()),
    }


def branch_share(found, label, judged):
    return float(np.mean(found[judged] == label[judged]))


class Dpt:
    name = "diffusion pseudotime (scanpy)"

    def __init__(self, points):
        self.data = anndata.AnnData(points.astype(np.float32))
        sc.pp.neighbors(self.data, use_rep="X")
        sc.tl.diffmap(self.data)

    def pseudotime(self, root):
        self.data.uns["iroot"] = root
        sc.tl.dpt(self.data)
        return self.data.obs["dpt_pseudotime"].to_numpy(float)

    def branches(self, root, tips):
        """The branch whose way from root to tip a cell lies on with the smallest detour."""
        distances = sc.Neighbors(self.data, n_dcs=10).distances_dpt
        from_root = np.asarray(distances[root])
        detour = [from_root + np.asarray(distances[tip]) - from_root[tip] for tip in tips.values()]
        return np.array(list(tips))[np.argmin(detour, axis=0)]


class Palantir:
    name = "Palantir"

    def __init__(self, points):
        table = pd.DataFrame(points, index=[f"c{i}" for i in range(len(points))])
        maps = palantir.utils.run_diffusion_maps(table)
        self.space = palantir.utils.determine_multiscale_space(maps)

    def run(self, root, terminal):
        return palantir.core.run_palantir(
            self.space, f"c{root}", terminal_states=terminal, num_waypoints=min(1200, len(self.space)), n_jobs=1
        )

    def pseudotime(self, root):
        return self.run(root, None).pseudotime.reindex(self.space.index).to_numpy(float)

    def branches(self, root, tips):
        """The tip that a cell most probably ends in."""
        names = {f"c{tip}": name for name, tip in tips.items()}
        found = self.run(root, list(names)).branch_probs.reindex(self.space.index)
        return found.rename(columns=names).idxmax(axis=1).to_numpy(str)


def find(name, folders):
    return next((folder / name for folder in folders if (folder / name).exists()), None)


def rounded(value):
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, list):
        return [rounded(float(v)) for v in value]
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=Path, default=Path("out/cells"), help="where fetch_cells.py wrote")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("peers.json"))
    arguments = parser.parse_args()
    folders = [arguments.cells, Path(os.environ.get("GEOTHERM_DATA", "data"))]
    rows = []
    for name, file, points_key, time_key in SETS:
        path = find(file, folders)
        if path is None:
            print(f"{name}: no {file}, left out")
            continue
        with np.load(path) as arrays:
            points = arrays[points_key].astype(float)
            time = arrays[time_key].astype(float)
            label = arrays["label"].astype(str) if name == "krumsiek11" else None
        root = root_of(points, time)
        for peer in (Dpt, Palantir):
            np.random.seed(0)
            method = peer(points)
            row = {"data": name, "method": peer.name, "n": len(time), "root": root}
            row |= scores(method.pseudotime(root), time)
            if label is not None:
                # A branch's tip is its last step; scanpy calls the second half of a branch by its name.
                last = np.flatnonzero(time == time.max())
                tips = dict(sorted((str(label[i]), int(i)) for i in last))
                row["branch_share"] = branch_share(method.branches(root, tips), label, time >= 80)
            rows.append({key: rounded(value) for key, value in row.items()})
            print(rows[-1], flush=True)
    made_with = {"palantir": palantir.__version__, "scanpy": sc.__version__, "scipy": scipy.__version__}
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    arguments.output.write_text(f'{{"made_with": {json.dumps(made_with)}, "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
