#!/usr/bin/env python3
"""Makes metric_values.json: small inputs, random and awkward, with the values that published
implementations give for them. Read by src/metrics/reference_test.cpp.

Needs numpy, scipy, scikit-learn and POT:
    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install scikit-learn scipy POT
    /tmp/reference/bin/python tests/reference/make_metric_values.py
"""
import json
import pathlib
import warnings

import numpy as np
import ot
import scipy
import sklearn
from scipy import stats
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import cluster, manifold, metrics, neighbors

warnings.filterwarnings("ignore")  # constant rows, single labels: on purpose
rng = np.random.default_rng(20240501)


def rounded(a, digits=6):
    """Inputs that are short in JSON; values are computed from what is stored."""
    return np.round(np.asarray(a, dtype=float), digits)


def rows(a):
    return np.asarray(a).tolist()


def or_zero(value):
    return 0.0 if np.isnan(value) else float(value)


def points(n, d, kind):
    x = rng.normal(size=(n, d))
    if kind == "grid":
        x = np.round(x * 2)  # many ties and duplicates
    if kind == "duplicates":
        x[n // 2 :] = x[: n - n // 2]
    if kind == "offset":
        x = x + 1e5
    if kind == "line":
        x = np.outer(np.arange(n), np.ones(d))
    return rounded(x, 4)


def correlations():
    cases = []
    for a, b in [
        (rng.normal(size=25), rng.normal(size=25)),
        (np.round(rng.normal(size=40) * 2), np.round(rng.normal(size=40) * 2)),
        (1e6 + rng.normal(size=30), -1e6 + rng.normal(size=30)),
        (np.arange(5.0), np.arange(5.0) ** 3),
        (np.arange(5.0), -np.arange(5.0)),
        (np.ones(6), np.arange(6.0)),
        (np.array([1.0, 2.0]), np.array([5.0, 4.0])),
    ]:
        a, b = rounded(a), rounded(b)
        cases.append(
            {
                "a": rows(a),
                "b": rows(b),
                "ranks_a": rows(stats.rankdata(a)),
                "pearson": or_zero(stats.pearsonr(a, b)[0]),
                "spearman": or_zero(stats.spearmanr(a, b)[0]),
                "kendall": or_zero(stats.kendalltau(a, b)[0]),
            }
        )
    return cases


def distance_scores():
    cases = []
    for n, d, kind in [(14, 5, ""), (12, 3, "grid"), (11, 4, "duplicates"), (9, 3, "line"), (2, 3, ""), (3, 2, "")]:
        x = points(n, d, kind)
        truth = rounded(squareform(pdist(x)) * (1 + 0.3 * rng.random((n, n))), 5)  # not symmetric
        np.fill_diagonal(truth, 7.5)  # counts as 0
        y = rounded(x[:, :2] + 0.3 * rng.normal(size=(n, 2)), 4)
        clean = truth.copy()
        np.fill_diagonal(clean, 0)
        estimate = squareform(pdist(y))
        k = min(4, n - 1)
        # Ties by index: a stable sort; a point is not its own neighbour.
        def nearest(m):
            m = m.copy()
            np.fill_diagonal(m, np.inf)
            return np.argsort(m, axis=1, kind="stable")[:, :k]
        shared = [len(set(p) & set(q)) / k for p, q in zip(nearest(clean), nearest(estimate))]
        upper = np.triu_indices(n, 1)
        a, b = clean[upper], estimate[upper]
        best = (a @ b) / (b @ b)
        cases.append(
            {
                "truth": rows(truth),
                "coordinates": rows(y),
                "pearson": float(np.mean([or_zero(stats.pearsonr(p, q)[0]) for p, q in zip(clean, estimate)])),
                "spearman": float(np.mean([or_zero(stats.spearmanr(p, q)[0]) for p, q in zip(clean, estimate)])),
                "frobenius": float(np.linalg.norm(clean - estimate) / n**2),
                "max": float(np.abs(clean - estimate).max() / n**2),
                "knn": k,
                "precision": float(np.mean(shared)),
                "demap": or_zero(stats.spearmanr(a, b)[0]) if len(a) > 1 else 0.0,
                "stress": float(((a - b) ** 2).sum() / (a**2).sum()),
                "scaled_stress": float(((a - best * b) ** 2).sum() / (a**2).sum()),
                "scale": float(best),
            }
        )
    return cases


def neighborhoods():
    cases = []
    for n, d, k in [(30, 4, 5), (25, 3, 10), (41, 6, 1), (12, 3, 5)]:
        x = points(n, d, "")
        y = rounded(x[:, :2] + 0.5 * rng.normal(size=(n, 2)), 4)
        labels = rng.integers(0, 2, size=n) * 5 - 3
        odd = k | 1 if (k | 1) < n else k - 1
        right = 0
        for i in range(n):  # leave one out; odd k and two classes: no ties to settle
            others = np.arange(n) != i
            model = neighbors.KNeighborsClassifier(odd).fit(y[others], labels[others])
            right += int(model.predict(y[i : i + 1])[0] == labels[i])
        cases.append(
            {
                "points": rows(x),
                "coordinates": rows(y),
                "knn": k,
                "trustworthiness": float(manifold.trustworthiness(x, y, n_neighbors=k)),
                "continuity": float(manifold.trustworthiness(y, x, n_neighbors=k)),
                "labels": rows(labels),
                "odd_knn": odd,
                "accuracy": right / n,
            }
        )
    return cases


def clusterings():
    cases = []
    noisy = rng.integers(0, 4, size=150)
    for truth, found in [
        (rng.integers(0, 4, size=60), rng.integers(0, 3, size=60)),
        (rng.integers(-5, 5, size=80), rng.integers(0, 12, size=80) * 100),
        (noisy, np.where(rng.random(150) < 0.2, rng.integers(0, 4, size=150), noisy)),
        (np.repeat([0, 1], [97, 3]), np.repeat([0, 1, 2], [50, 48, 2])),
        (np.array([0, 0, 1, 1, 2, 2]), np.array([7, 7, 3, 3, 9, 9])),
        (np.zeros(6, int), np.zeros(6, int)),
        (np.zeros(6, int), np.arange(6)),
        (np.arange(6), np.zeros(6, int)),
        (np.arange(6), np.arange(6)[::-1]),
        (np.arange(6), np.array([0, 0, 1, 1, 2, 2])),
        (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])),
        (np.array([3]), np.array([8])),
        (np.array([0, 1]), np.array([0, 0])),
    ]:
        h, c, v = metrics.homogeneity_completeness_v_measure(truth, found)
        cases.append(
            {
                "truth": rows(truth),
                "found": rows(found),
                "homogeneity": float(h),
                "completeness": float(c),
                "v_measure": float(v),
                "ari": float(metrics.adjusted_rand_score(truth, found)),
                "ami": float(metrics.adjusted_mutual_info_score(truth, found)),
            }
        )
    return cases


def kmeans_runs():
    cases = []
    for n, d, k, spread in [(40, 2, 3, 6.0), (30, 3, 4, 1.0), (25, 2, 2, 0.5), (20, 1, 3, 2.0)]:
        x = rounded(rng.normal(size=(n, d)) + spread * rng.normal(size=(k, d))[rng.integers(0, k, n)], 4)
        model = cluster.KMeans(k, n_init=300, tol=0, random_state=0).fit(x)
        cases.append({"points": rows(x), "n_clusters": k, "within": float(model.inertia_)})
    return cases


def transports():
    cases = []
    for n, m, d, weighted, kind in [
        (8, 8, 2, False, ""),
        (7, 12, 3, False, ""),
        (10, 6, 2, True, ""),
        (1, 5, 2, True, ""),
        (9, 1, 2, False, ""),
        (10, 8, 2, False, "grid"),
        (6, 9, 2, True, "offset"),
        (15, 11, 1, True, ""),
    ]:
        a, b = points(n, d, kind), points(m, d, kind)
        wa = rounded(rng.random(n), 3) if weighted else np.ones(n)
        wb = rounded(rng.random(m), 3) if weighted else np.ones(m)
        if weighted and n > 2:
            wa[1] = 0.0
        pa, pb = wa / wa.sum(), wb / wb.sum()
        cost1 = cdist(a, b)
        cases.append(
            {
                "from": rows(a),
                "to": rows(b),
                "from_weights": rows(wa) if weighted else [],
                "to_weights": rows(wb) if weighted else [],
                "w1": float(ot.emd2(pa, pb, cost1)),
                "w2": float(np.sqrt(ot.emd2(pa, pb, cost1**2))),
            }
        )
    return cases


def interpolations():
    cases = []
    for sizes, d in [((6, 8, 7), 2), ((5, 5, 5, 5), 2), ((4, 9, 6, 7, 3), 3)]:
        times = np.repeat(np.arange(len(sizes)) * 2.5 - 1, sizes)
        x = rounded(rng.normal(size=(len(times), d)) * [1, 20, 0.1][:d] + times[:, None], 4)
        order = rng.permutation(len(times))
        x, times = x[order], times[order]
        z = stats.zscore(x, axis=0)
        distinct = np.unique(times)
        scores = []
        for before, held, after in zip(distinct[:-2], distinct[1:-1], distinct[2:]):
            p, q, r = z[times == before], z[times == after], z[times == held]
            plan = ot.emd(ot.unif(len(p)), ot.unif(len(q)), cdist(p, q) ** 2)
            i, j = np.nonzero(plan > 1e-12)
            mass = plan[i, j] / plan[i, j].sum()
            scores.append(float(ot.emd2(mass, ot.unif(len(r)), cdist((p[i] + q[j]) / 2, r))))
        cases.append(
            {"coordinates": rows(x), "times": rows(times), "distances": scores, "mean": float(np.mean(scores))}
        )
    return cases


def main():
    values = {
        "made_with": {
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
            "POT": ot.__version__,
        },
        "correlations": correlations(),
        "distance_scores": distance_scores(),
        "neighborhoods": neighborhoods(),
        "clusterings": clusterings(),
        "kmeans": kmeans_runs(),
        "transports": transports(),
        "interpolations": interpolations(),
    }
    path = pathlib.Path(__file__).with_name("metric_values.json")
    sections = [f'  "{key}": {json.dumps(value)}' for key, value in values.items()]
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n")
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
