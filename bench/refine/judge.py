"""What a map keeps, in one line of JSON: judge.py points.npy labels.npy truth.npz map.npy

geodesics         Spearman with graph geodesics (15 neighbours) from 200 points (60 of many), mean over those
trustworthiness   of 10 neighbours (Venna and Kaski), of 2,000 points (500 of many)
kept              share of the 10 true neighbours that are among the 10 of the map, same points
accuracy          share of points whose 10 neighbours in the map vote for their label, same points
ami               adjusted mutual information of labels and k-means on the z-scored map (5,000 points)
radius            correlation of log local radii in the data and in the map (densMAP's measure), 15 neighbours
long              share of edges to the 15 neighbours that are longer in the map than 10 times the median
truth.npz holds what does not depend on the map, and is made where it is not there.
"""
import json
import sys
from pathlib import Path

import numpy as np

KNN, JUDGED_KNN, MANY = 15, 10, 100000


def nearest(points, k):
    """Indices and distances of the k nearest others: exact for few points, by a search tree else."""
    from sklearn.neighbors import NearestNeighbors

    if len(points) <= MANY:
        found = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=1).fit(points).kneighbors()
        return found[1].astype(np.int32), found[0]
    from pynndescent import NNDescent

    indices, distances = NNDescent(points, n_neighbors=k + 1, n_jobs=1, random_state=0).neighbor_graph
    return indices[:, 1:], distances[:, 1:].astype(np.float64)


def make_truth(points):
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    n = len(points)
    indices, distances = nearest(points, KNN)
    rng = np.random.RandomState(1)
    sources = rng.permutation(n)[:200 if n <= MANY else 60]
    judged = rng.permutation(n)[:2000 if n <= MANY else 500]
    # Points that coincide are joined all the same: a stored 0 would be no edge.
    graph = csr_matrix((distances.ravel() + 1e-12, indices.ravel(), np.arange(0, n * KNN + 1, KNN)), (n, n))
    return {"indices": indices, "distances": distances, "sources": sources, "judged": judged,
            "geodesics": dijkstra(graph, directed=False, indices=sources).astype(np.float32)}


def truth_of(path, points):
    if not Path(path).exists():
        np.savez(path, **make_truth(points))
    return dict(np.load(path))


def geodesics(truth, layout):
    from scipy.stats import rankdata

    found = []
    for source, row in zip(truth["sources"], truth["geodesics"]):
        reached = np.isfinite(row)
        length = np.sqrt(((layout[source] - layout[reached]) ** 2).sum(1))
        found.append(np.corrcoef(rankdata(row[reached]), rankdata(length))[0, 1])
    return float(np.mean(found))


def neighbors_in_map(layout, rows, k):
    from scipy.spatial import cKDTree

    found = cKDTree(layout).query(layout[rows], k + 1)[1]
    return np.array([near[near != row][:k] for near, row in zip(found, rows)])


def ranks_of(points, rows, others):
    """Which nearest of its row each of `others` is in the data: 1, 2, ..."""
    squares = (points ** 2).sum(1)
    ranks = np.empty(others.shape, dtype=np.int64)
    for i, row in enumerate(rows):
        d = squares + squares[row] - 2 * points @ points[row]
        d[row] = np.inf
        ranks[i] = 1 + (d[None, :] < d[others[i]][:, None]).sum(1)
    return ranks


def agreement(labels, layout):
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_mutual_info_score

    sample = np.random.RandomState(2).permutation(len(layout))[:5000]
    z = ((layout - layout.mean(0)) / layout.std(0))[sample]
    clusters = KMeans(len(np.unique(labels)), n_init=10, random_state=0).fit_predict(z)
    return float(adjusted_mutual_info_score(labels[sample], clusters))


def judge(points, labels, truth, layout):
    n, rows, k = len(layout), truth["judged"], JUDGED_KNN
    near = neighbors_in_map(layout, rows, k)
    ranks = ranks_of(points, rows, near)
    votes = (labels[near][:, :, None] == np.arange(labels.max() + 1)).sum(1)
    edges = ((layout[:, None] - layout[truth["indices"]]) ** 2).sum(2)
    lengths = np.sqrt(edges)
    radii = [np.log((truth["distances"] ** 2).mean(1) + 1e-12), np.log(edges.mean(1) + 1e-300)]
    return {
        "geodesics": geodesics(truth, layout),
        "trustworthiness": float(1 - 2 * np.maximum(ranks - k, 0).sum() / (len(rows) * k * (2 * n - 3 * k - 1))),
        "kept": float((ranks <= k).mean()),
        "accuracy": float((votes.argmax(1) == labels[rows]).mean()),
        "ami": agreement(labels, layout),
        "radius": float(np.corrcoef(*radii)[0, 1]),
        "long": float((lengths > 10 * np.median(lengths)).mean()),
    }


def main():
    points, labels, truth, layout = sys.argv[1:]
    points = np.load(points).astype(np.float32)
    found = judge(points, np.load(labels), truth_of(truth, points), np.load(layout).astype(np.float64))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
