"""The data sets of the comparison: points, a root, a known order, and for simulated ones the network behind it."""
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import simulate

# Name, file, points, time, whether options were fixed on it. guo, HSMM and krumsiek11 are made by
# bench/fetch_cells.py, the others are in the folder GEOTHERM_DATA.
REAL = [
    ("guo", "guo.npz", "X", "time", True),
    ("EMT", "tigon_EMT_3133x3.npz", "X", "time", True),
    ("Paul15, erythroid", "paul15_2730_pca50.npz", "X_pca", "paul15_clusters", True),
    ("HSMM", "hsmm.npz", "X", "time", False),
    ("Morarach", "morarach20_pca.npz", "X_pca", "latent_time", False),
    ("Weinreb", "weinreb_781_pca50.npz", "X_pca", "time", False),
    ("krumsiek11", "krumsiek11.npz", "X", "time", False),
    ("iPSC bifurcation", "tigon_Bifurcation_1896x4.npz", "X", "time", False),
]
# Paul15's erythroid clusters, from the common progenitors to the last stage; other cells are not judged.
STAGES = ["7MEP", "6Ery", "5Ery", "4Ery", "3Ery", "2Ery", "1Ery"]


@dataclass
class Cells:
    name: str
    points: np.ndarray
    time: np.ndarray
    roots: list  # results are the mean over these
    tuned: bool  # options were fixed on it
    judged: np.ndarray  # cells whose order is known
    truth: simulate.Trajectory = None  # simulated sets

    @property
    def key(self):
        return self.name.replace(", ", "_").replace(" ", "-")


def root_of(points, time):
    """Of the earliest hundredth of the cells (all of the first time point at least), the one nearest to
    their mean."""
    latest = np.sort(time)[max(0, -(-len(time) // 100) - 1)]
    first = np.flatnonzero(time <= latest)
    distance = np.linalg.norm(points[first] - points[first].mean(0), axis=1)
    return int(first[np.argmin(distance)])


def real_sets(folders):
    for name, file, points_key, time_key, tuned in REAL:
        path = next((f / file for f in folders if (f / file).exists()), None)
        if path is None:
            print(f"{name}: no {file}, left out")
            continue
        with np.load(path, allow_pickle=True) as arrays:
            points = arrays[points_key].astype(float)
            time = arrays[time_key]
        if name.startswith("Paul15"):
            judged = np.isin(time, STAGES)
            time = np.array([STAGES.index(c) if c in STAGES else -1 for c in time], float)
            first = np.flatnonzero(time == 0)
            roots = [int(r) for r in first[:: -(-len(first) // 5)]]
        else:
            time = time.astype(float)
            judged = np.ones(len(time), bool)
            roots = [root_of(points, time)]
        yield Cells(name, points, time, roots, tuned, judged)


def simulated_sets(settings):
    for setting, tuned in settings:
        made = simulate.simulate(setting)
        yield Cells(made.name, made.points, made.time, [made.root], tuned, np.ones(len(made.time), bool), made)


def all_sets(cells_folder):
    folders = [Path(cells_folder), Path(os.environ.get("GEOTHERM_DATA", "data"))]
    return [*real_sets(folders), *simulated_sets(simulate.SETS)]


def further_sets():
    return list(simulated_sets((setting, True) for setting in simulate.further_settings()))
