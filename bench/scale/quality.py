"""How good a map of many points is, on samples; one line of JSON. No n x n array, and nothing is scored
against a graph of our own making.

--points  trustworthiness(10) of 500 points among all, and the rank correlation of map distances with
          those of the table over 200,000 pairs
--labels  accuracy: share of 2,000 points whose 10 nearest in the map (of all) vote for their own label
--truth   .npz with pairs and pair_geodesic: Pearson correlation of map distances with true geodesics
--measured  distances of those pairs (from, to, distance), correlated with the truth as well
--new     a second map, of points placed in the first, with --new-labels: share of them whose 10 nearest in the
          first map vote for their label
--replaced  with --labels, the table of the first map: the same 2,000 points as for --labels, each put where the places
          of its 10 nearest others in the table gather (their geometric median), as a new point is
"""
import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from quality import load  # noqa: E402

K = 10


def sample(n, count):
    return np.random.RandomState(0).permutation(n)[: min(n, count)]


def squared_from(points, row):
    return ((points - points[row]) ** 2).sum(1)


def nearest(layout, row):
    d = squared_from(layout, row)
    d[row] = np.inf
    return np.argpartition(d, K)[:K]


def trustworthiness(points, layout):
    n, rows, penalty = len(layout), sample(len(layout), 500), 0
    for row in rows:
        d = squared_from(points, row)
        d[row] = -1
        for j in nearest(layout, row):
            penalty += max(0, int((d < d[j]).sum()) - K)
    return 1 - 2 / (len(rows) * K * (2 * n - 3 * K - 1)) * penalty


def ranks(values):
    places = np.empty(len(values))
    places[np.argsort(values, kind="stable")] = np.arange(len(values))
    return places


def random_pairs(n, count=200000):
    rng = np.random.RandomState(1)
    pairs = rng.randint(0, n, (count, 2))
    return pairs[pairs[:, 0] != pairs[:, 1]]


def apart(points, pairs):
    return np.sqrt(((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2).sum(1))


def accuracy(labels, layout):
    rows = sample(len(layout), 2000)
    right = sum(np.bincount(labels[nearest(layout, row)]).argmax() == labels[row] for row in rows)
    return right / len(rows)


def gathered(places):
    """Geometric medians of groups of places, by Weiszfeld's rounds."""
    centre = np.median(places, axis=1)
    for _ in range(60):
        weight = 1 / np.maximum(np.linalg.norm(places - centre[:, None], axis=2), 1e-9)
        centre = (weight[..., None] * places).sum(1) / weight.sum(1)[:, None]
    return centre


def accuracy_of_replaced(labels, layout, points):
    rows, squares = sample(len(layout), 2000), (points**2).sum(1)
    right = 0
    for part in np.array_split(rows, 20):
        apart = squares - 2 * points[part] @ points.T
        apart[np.arange(len(part)), part] = np.inf
        for row, place in zip(part, gathered(layout[np.argpartition(apart, K, axis=1)[:, :K]])):
            d = ((layout - place) ** 2).sum(1)
            d[row] = np.inf
            right += np.bincount(labels[np.argpartition(d, K)[:K]]).argmax() == labels[row]
    return right / len(rows)


def accuracy_of_new(labels, layout, new_labels, new_layout):
    rows = sample(len(new_layout), 2000)
    right = 0
    for row in rows:
        d = ((layout - new_layout[row]) ** 2).sum(1)
        right += np.bincount(labels[np.argpartition(d, K)[:K]]).argmax() == new_labels[row]
    return right / len(rows)


def pearson(a, b):
    return float(np.corrcoef(a, b)[0, 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("map", nargs="?", help="n x 2, .npy")
    parser.add_argument("--points")
    parser.add_argument("--labels")
    parser.add_argument("--new")
    parser.add_argument("--new-labels")
    parser.add_argument("--replaced")
    parser.add_argument("--truth")
    parser.add_argument("--measured")
    args = parser.parse_args()
    found = {}
    layout = np.asarray(load(args.map), dtype=np.float64) if args.map else None
    if args.points:
        points = np.asarray(load(args.points), dtype=np.float32)
        found["trustworthiness"] = trustworthiness(points, layout)
        pairs = random_pairs(len(layout))
        found["rank_correlation"] = pearson(ranks(apart(points, pairs)), ranks(apart(layout, pairs)))
    if args.labels:
        _, labels = np.unique(np.asarray(load(args.labels)), return_inverse=True)
        found["accuracy"] = accuracy(labels, layout)
        if args.replaced:
            found["accuracy_of_replaced"] = accuracy_of_replaced(
                labels, layout, np.asarray(load(args.replaced), dtype=np.float32))
        if args.new:
            # The same numbers for the same names: digits occur in both parts.
            names, both = np.unique(np.concatenate([np.asarray(load(args.labels)),
                                                    np.asarray(load(args.new_labels))]), return_inverse=True)
            new_layout = np.asarray(load(args.new), dtype=np.float64)
            found["accuracy_of_new"] = accuracy_of_new(both[:len(layout)], layout, both[len(layout):], new_layout)
    if args.truth:
        with np.load(args.truth) as truth:
            pairs, geodesic = truth["pairs"], truth["pair_geodesic"]
        if layout is not None:
            found["map_correlation"] = pearson(apart(layout, pairs), geodesic)
        if args.measured:
            found["distance_correlation"] = pearson(load(args.measured)[:, 2], geodesic)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
