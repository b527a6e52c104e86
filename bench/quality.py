"""How good a map is; one line of JSON with what can be said from what is given. A program of its own,
so that its arrays do not count in the memory of what a comparison starts next. Blocks of rows: the
n x n arrays of a map are never whole.

--distances  raw stress     sum_{i<j} (d - |y_i - y_j|)^2 / sum_{i<j} d^2
             scaled stress  the same after the best global factor on the map, sum d e / sum e^2
             pearson        between the rows of d and of |y_i - y_j|, mean over rows
             spearman       the same between ranks
--points     trustworthiness(k), Venna and Kaski: 1 if the map's k nearest are the data's k nearest
--labels     accuracy(k): share of points whose k nearest in the map vote for their own label
--rows       that many points, evenly spread, stand for all; each is still compared with all others
"""
import argparse
import json

import numpy as np

BLOCK = 256


def load(path):
    """An .npy file, or "file.npz:key"."""
    if ".npz:" in path:
        file, key = path.rsplit(":", 1)
        return np.load(file)[key]
    return np.load(path, mmap_mode="r")


def blocks(n, wanted):
    """The rows that are looked at, in blocks."""
    rows = np.arange(n) if wanted is None or wanted >= n else np.arange(wanted) * n // wanted
    return [rows[begin:begin + BLOCK] for begin in range(0, len(rows), BLOCK)]


def squared_distances(points, rows):
    """From some rows to all; differences rather than products, so that near points keep their digits."""
    total = np.zeros((len(rows), len(points)))
    for column in points.T:
        total += (column[rows, None] - column[None, :]) ** 2
    return total


def row_correlations(d, e):
    dc, ec = d - d.mean(1, keepdims=True), e - e.mean(1, keepdims=True)
    return (dc * ec).sum(1) / np.sqrt((dc**2).sum(1) * (ec**2).sum(1))


def ranks(values):
    """Places within each row from 0; ties by index."""
    order = np.argsort(values, axis=1, kind="stable")
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.arange(values.shape[1])[None, :], axis=1)
    return places


def against_distances(distances, layout, wanted):
    n = 0
    dd = ee = de = pearson = spearman = 0.0
    for rows in blocks(len(layout), wanted):
        n += len(rows)
        d = np.array(distances[rows], dtype=np.float64)
        # The diagonal counts as 0 on both sides.
        d[np.arange(d.shape[0]), rows] = 0
        e = np.sqrt(squared_distances(layout, rows))
        dd += (d * d).sum()
        ee += (e * e).sum()
        de += (d * e).sum()
        pearson += row_correlations(d, e).sum()
        spearman += row_correlations(ranks(d).astype(float), ranks(e).astype(float)).sum()
    return {
        "raw_stress": float((dd - 2 * de + ee) / dd),
        "scaled_stress": float(1 - de * de / (ee * dd)),
        "scale": float(de / ee),
        "pearson": float(pearson / n),
        "spearman": float(spearman / n),
    }


def nearest(layout, rows, k):
    """The k nearest others in the map, in no order."""
    e = squared_distances(layout, rows)
    e[np.arange(e.shape[0]), rows] = np.inf
    return np.argpartition(e, k, axis=1)[:, :k]


def trustworthiness(points, layout, k, wanted):
    n, seen, penalty = len(layout), 0, 0
    for rows in blocks(n, wanted):
        seen += len(rows)
        d = squared_distances(points, rows)
        d[np.arange(d.shape[0]), rows] = -1  # itself: place 0
        places = np.take_along_axis(ranks(d), nearest(layout, rows, k), axis=1)
        penalty += np.maximum(places - k, 0).sum()
    return float(1 - 2 / (seen * k * (2 * n - 3 * k - 1)) * penalty)


def accuracy(labels, layout, k, wanted):
    classes, labels = np.unique(labels, return_inverse=True)
    right = seen = 0
    for rows in blocks(len(layout), wanted):
        seen += len(rows)
        voters = labels[nearest(layout, rows, k)]
        votes = (voters[:, :, None] == np.arange(len(classes))).sum(1)
        right += (votes.argmax(1) == labels[rows]).sum()
    return float(right / seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("map", help="n x r, .npy")
    parser.add_argument("--distances", help="n x n, .npy or file.npz:key")
    parser.add_argument("--points", help="n x d, .npy or file.npz:key")
    parser.add_argument("--labels", help="n, .npy or file.npz:key")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--rows", type=int, help="how many points are looked at; all")
    args = parser.parse_args()
    layout = np.asarray(load(args.map), dtype=np.float64)
    found = {}
    if args.distances:
        found |= against_distances(load(args.distances), layout, args.rows)
    if args.points:
        points = np.asarray(load(args.points), dtype=np.float64)
        found["trustworthiness"] = trustworthiness(points, layout, args.k, args.rows)
    if args.labels:
        found["accuracy"] = accuracy(np.asarray(load(args.labels)), layout, args.k, args.rows)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
