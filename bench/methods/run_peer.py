"""Runs one peer, as its users would: points.npy -> map-0.npy, map-1.npy, ...

    run_peer.py METHOD points.npy map.npy [--threads 2] [--seed 0] [--start start.npy]

Prints one line of JSON: seconds from points to the 2-D map, and those of all cores together (medians
of --repeats runs where the first is short, each from the next seed and, where the path holds {}, on the next set of
points), peak memory of the process up to the first map, versions, what it ran. Imports and files
are not counted, nor is compilation: a small data set goes first, so that what numba compiles is ready. Peers are black boxes: public arguments alone.
"""
import argparse
import contextlib
import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import hold_threads  # noqa: E402


def phate(args):
    import phate as package

    def run(points):
        # Its defaults: 2,000 landmarks above that many points, PCA to 100 above that many columns.
        return package.PHATE(knn=5, decay=40, t="auto", n_components=2, n_jobs=args.threads,
                             random_state=args.seed, verbose=0).fit_transform(points)

    return run, [run], "knn 5, decay 40, t auto, landmarks above 2,000 points (default)"


def umap(args):
    import umap as package

    def run(points, **more):
        # Without a seed: with one it runs on one thread.
        return package.UMAP(n_neighbors=15, min_dist=0.1, n_components=2, n_jobs=args.threads,
                            **more).fit_transform(points)

    # From 4,096 points on it searches neighbours by other code, which wants compiling too.
    warm = [run, lambda points: run(points, force_approximation_algorithm=True)]
    return run, warm, "n_neighbors 15, min_dist 0.1, no seed (a seed makes it single-threaded)"


def umap_from_pca(args):
    """Its default start is an eigenproblem that on long thin shapes does not converge for an hour."""
    run, warm, words = umap(args)
    return (lambda points: run(points, init="pca")), [*warm, lambda points: run(points, init="pca")], words + ", init pca"


def opentsne(args):
    import openTSNE as package

    def run(points, **more):
        return package.TSNE(perplexity=30, n_jobs=args.threads, random_state=args.seed,
                            **more).fit(points)

    warm = [run, lambda points: run(points, neighbors="approx")]
    return run, warm, "perplexity 30, 250 + 500 iterations (default)"


def pacmap(args):
    import pacmap as package

    def run(points):
        return package.PaCMAP(n_components=2, random_state=args.seed).fit_transform(points)

    return run, [run], "its defaults"


def sklearn_tsne(args):
    from sklearn.manifold import TSNE

    def run(points):
        return TSNE(perplexity=30, max_iter=1000, n_jobs=args.threads,
                    random_state=args.seed).fit_transform(points)

    return run, [], "perplexity 30, 1000 iterations (default), Barnes-Hut"


def isomap(args):
    from sklearn.manifold import Isomap

    def run(points):
        return Isomap(n_neighbors=10, n_components=2, n_jobs=args.threads).fit_transform(points)

    return run, [], "n_neighbors 10, classical scaling"


def spectral(args):
    from sklearn.manifold import SpectralEmbedding

    def run(points):
        return SpectralEmbedding(n_components=2, affinity="nearest_neighbors", n_neighbors=10,
                                 n_jobs=args.threads,
                                 random_state=args.seed).fit_transform(points)

    return run, [], "n_neighbors 10, 0/1 weights"


def diffusion_map(args):
    """The few lines one writes with scikit-learn and scipy; formulas of docs/methods."""
    import numpy as np
    from scipy.sparse import csr_matrix, diags, identity
    from scipy.sparse.linalg import eigsh
    from sklearn.neighbors import NearestNeighbors

    def run(points, knn=10, decay=40, threshold=1e-4):
        n = len(points)
        search = NearestNeighbors(n_neighbors=3 * knn, n_jobs=args.threads).fit(points)
        lengths, targets = search.kneighbors()  # without the point itself
        affinity = np.exp(-((lengths / lengths[:, [knn - 1]]) ** decay))
        affinity[affinity < threshold] = 0
        sources = np.repeat(np.arange(n), 3 * knn)
        kernel = csr_matrix((affinity.ravel(), (sources, targets.ravel())), shape=(n, n))
        kernel.eliminate_zeros()
        weights = (kernel + kernel.T) / 2 + identity(n)
        mass = np.asarray(weights.sum(axis=1)).ravel()
        scale = diags(1 / np.sqrt(mass))
        start = np.random.default_rng(args.seed).random(n)
        values, vectors = eigsh((scale @ weights @ scale).tocsr(), k=3, which="LA", v0=start)
        psi = vectors / np.sqrt(mass / mass.sum())[:, None]
        return (psi * values)[:, [1, 0]]  # ascending: the constant is last

    return run, [], "scikit-learn neighbours and scipy eigsh, knn 10, decay 40, t = 1"


def mds(args):
    import numpy as np
    from sklearn.manifold import MDS

    start = np.load(args.start)
    ran = []

    def run(distances):
        model = MDS(n_components=2, metric=True, n_init=1, max_iter=300, n_jobs=1,
                    dissimilarity="precomputed", random_state=args.seed, normalized_stress=False)
        layout = model.fit_transform(distances, init=start)
        ran.append(model.n_iter_)
        return layout

    return run, [], "SMACOF from a classical start (not counted), at most 300 iterations", ran


METHODS = {
    "phate": phate,
    "umap-learn": umap,
    "umap-learn-from-pca": umap_from_pca,
    "openTSNE": opentsne,
    "PaCMAP": pacmap,
    "sklearn-tsne": sklearn_tsne,
    "sklearn-isomap": isomap,
    "sklearn-spectral": spectral,
    "scipy-diffusion-map": diffusion_map,
    "sklearn-mds": mds,
}
PACKAGES = ("phate", "graphtools", "umap-learn", "pynndescent", "numba", "openTSNE", "pacmap",
            "scikit-learn", "numpy", "scipy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("points", help="n x d array, .npy; {} stands for 0, 1, ... (sets of points); "
                        "sklearn-mds: n x n distances")
    parser.add_argument("map", help="where the n x 2 maps go, .npy: -0, -1, ... is put before the ending")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--short", type=float, default=20, help="runs below this are repeated, seconds")
    parser.add_argument("--start", help="sklearn-mds: the n x 2 map it starts from, .npy")
    args = parser.parse_args()
    if args.method == "sklearn-mds" and not args.start:
        parser.error("sklearn-mds wants --start")
    hold_threads(args.threads)

    import resource
    from importlib.metadata import PackageNotFoundError, version

    import numpy as np

    def version_of(name):
        try:
            return version(name)
        except PackageNotFoundError:  # another peer's environment
            return None

    run, warm_up, note, *ran = METHODS[args.method](args)
    points = np.load(args.points.format(0))
    small = np.random.default_rng(1).standard_normal((300, points.shape[1])).astype(points.dtype)
    with contextlib.redirect_stdout(sys.stderr):
        for step in warm_up:
            step(small)
        runs, cpu, maps, peak_mib = [], [], [], None
        while not runs or (len(runs) < args.repeats and runs[0] < args.short):
            points = np.load(args.points.format(len(runs)))
            start, cpu_start = time.perf_counter(), time.process_time()
            layout = run(points)
            runs.append(time.perf_counter() - start)
            cpu.append(time.process_time() - cpu_start)
            maps.append(args.map.replace(".npy", f"-{len(maps)}.npy"))
            np.save(maps[-1], np.asarray(layout, dtype=np.float64))
            args.seed += 1
            # After the first run: what the others leave behind is not the method's.
            peak_mib = peak_mib or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    print(json.dumps({
        "n": len(points),
        "seconds": statistics.median(runs),
        "cpu_s": statistics.median(cpu),
        "maps": maps,
        "repeats": len(runs),
        "peak_mib": peak_mib,
        "note": note,
        "iterations": int(ran[0][-1]) if ran else None,
        "python": sys.version.split()[0],
        "versions": {name: version_of(name) for name in PACKAGES},
    }))


if __name__ == "__main__":
    main()
