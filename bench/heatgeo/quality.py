"""How well a map keeps given distances; one line of JSON. A program of its own, so that its n x n
arrays do not count in the memory of what compare.py starts next.

raw stress     sum_{i<j} (d - |y_i - y_j|)^2 / sum_{i<j} d^2
scaled stress  the same after the best global factor on the map, sum d e / sum e^2
pearson        between the rows of d and of |y_i - y_j|, mean over rows
"""
import argparse
import json

import numpy as np


def load(path):
    """An .npy file, or "file.npz:key"."""
    if ".npz:" in path:
        file, key = path.rsplit(":", 1)
        return np.load(file)[key]
    return np.load(path, mmap_mode="r")


def quality(distances, layout, block=256):
    n = len(layout)
    layout = np.asarray(layout, dtype=np.float64)
    dd = ee = de = correlation = 0.0
    for begin in range(0, n, block):
        rows = slice(begin, min(begin + block, n))
        d = np.array(distances[rows], dtype=np.float64)
        # The diagonal counts as 0 on both sides.
        d[np.arange(d.shape[0]), np.arange(rows.start, rows.stop)] = 0
        e = np.sqrt(((layout[rows, None, :] - layout[None, :, :]) ** 2).sum(-1))
        dd += (d * d).sum()
        ee += (e * e).sum()
        de += (d * e).sum()
        dc, ec = d - d.mean(1, keepdims=True), e - e.mean(1, keepdims=True)
        correlation += ((dc * ec).sum(1) / np.sqrt((dc**2).sum(1) * (ec**2).sum(1))).sum()
    return {
        "raw_stress": float((dd - 2 * de + ee) / dd),
        "scaled_stress": float(1 - de * de / (ee * dd)),
        "scale": float(de / ee),
        "pearson": float(correlation / n),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("distances", help="n x n, .npy or file.npz:key")
    parser.add_argument("map", help="n x 2, .npy")
    arguments = parser.parse_args()
    print(json.dumps(quality(load(arguments.distances), load(arguments.map))))
